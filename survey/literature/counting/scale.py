"""The scale gap: disclosed numbers of agents, steps and other quantities, by the kind of evidence.

Non-disclosure is a finding of its own: it is counted, never left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.pool import Entry, EvidenceKind, Pool
from survey.literature.taxonomy import Absence, Axis, Shape, Taxonomy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")


def quantity_axis(taxonomy: Taxonomy) -> Axis | None:
    """Return the axis whose values are numbers; None if the survey has none."""
    return next((axis for axis in taxonomy.on("entry") if axis.shape is Shape.QUANTITY), None)


def disclosed_numbers(pool: Pool, kinds: Iterable[EvidenceKind]) -> pd.DataFrame:
    """Return a row per number that an entry discloses: key, kind, quantity, number; in the order of the pool."""
    axis = quantity_axis(pool.taxonomy)
    rows = [
        (entry.key, kind.id, tag.word, tag.number)
        for entry, kind in _by_kind(pool, kinds)
        for tag in (entry.tags.get(axis.id, ()) if axis else ())
        if tag.number is not None
    ]
    return pd.DataFrame(rows, columns=["key", "kind", "quantity", "number"])


def undisclosed_counts(pool: Pool, kinds: Iterable[EvidenceKind]) -> pd.DataFrame:
    """Return a row per kind and quantity: to how many entries it applies, and how many do not disclose it."""
    axis = quantity_axis(pool.taxonomy)
    if axis is None:
        return pd.DataFrame(columns=["kind", "quantity", "entries", "silent"])
    kinds = tuple(kinds)
    asked: dict[str, list[Entry]] = {kind.id: [] for kind in kinds}
    for entry, kind in _by_kind(pool, kinds):
        if entry.primary(axis.id) != Absence.NA:
            asked[kind.id].append(entry)
    rows = [
        (kind, quantity, len(entries), sum(quantity not in entry.words(axis.id) for entry in entries))
        for kind, entries in asked.items()
        for quantity in axis.values
    ]
    return pd.DataFrame(rows, columns=["kind", "quantity", "entries", "silent"])


def _by_kind(pool: Pool, kinds: Iterable[EvidenceKind]) -> list[tuple[Entry, EvidenceKind]]:
    """Return each entry with the first kind that matches it; entries without a match are left out."""
    kinds = tuple(kinds)
    first = ((entry, next((k for k in kinds if _matches(entry, k.where)), None)) for entry in pool)
    return [(entry, kind) for entry, kind in first if kind is not None]


def _matches(entry: Entry, where: Mapping[str, str]) -> bool:
    return all(value in entry.words(axis) for axis, value in where.items())
