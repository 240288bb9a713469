"""The scale gap: how large teams and runs are, as far as works say, by the kind of evidence.

That a work does not say is a finding of its own: it is counted and never left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from survey.extras import late
from survey.literature.pool import Entry, Kind, Pool
from survey.literature.taxonomy import Absence, Axis, Shape, Taxonomy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = late("pandas")


def quantity_axis(taxonomy: Taxonomy) -> Axis | None:
    """The axis whose values are numbers; None if the survey has none."""
    return next((axis for axis in taxonomy.on("entry") if axis.shape is Shape.QUANTITY), None)


def disclosed(pool: Pool, kinds: Iterable[Kind]) -> pd.DataFrame:
    """A row per number that an entry discloses: key, kind, quantity, number; in the order of the pool."""
    axis = quantity_axis(pool.taxonomy)
    rows = [
        (entry.key, kind.id, tag.word, tag.number)
        for entry, kind in _sorted(pool, kinds)
        for tag in (entry.tags.get(axis.id, ()) if axis else ())
        if tag.number is not None
    ]
    return pd.DataFrame(rows, columns=["key", "kind", "quantity", "number"])


def silence(pool: Pool, kinds: Iterable[Kind]) -> pd.DataFrame:
    """A row per kind and quantity: how many entries the question applies to, and how many do not answer it."""
    axis = quantity_axis(pool.taxonomy)
    if axis is None:
        return pd.DataFrame(columns=["kind", "quantity", "entries", "silent"])
    kinds = tuple(kinds)
    asked: dict[str, list[Entry]] = {kind.id: [] for kind in kinds}
    for entry, kind in _sorted(pool, kinds):
        if entry.primary(axis.id) != Absence.NA:
            asked[kind.id].append(entry)
    rows = [
        (kind, quantity, len(entries), sum(quantity not in entry.words(axis.id) for entry in entries))
        for kind, entries in asked.items()
        for quantity in axis.values
    ]
    return pd.DataFrame(rows, columns=["kind", "quantity", "entries", "silent"])


def _sorted(pool: Pool, kinds: Iterable[Kind]) -> list[tuple[Entry, Kind]]:
    """Each entry with the first kind that it meets; without the entries that meet none."""
    kinds = tuple(kinds)
    first = ((entry, next((k for k in kinds if _meets(entry, k.where)), None)) for entry in pool)
    return [(entry, kind) for entry, kind in first if kind is not None]


def _meets(entry: Entry, where: Mapping[str, str]) -> bool:
    return all(value in entry.words(axis) for axis, value in where.items())
