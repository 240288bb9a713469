"""Which entries of a value or a cell a reader should know first, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from survey.literature.pool import Entry
from survey.literature.related.related import DEPTH, preference
from survey.literature.related.selection import Filter
from survey.literature.taxonomy import Shape, Taxonomy


def first_to_know(
    entries: Iterable[Entry], filters: Sequence[Filter], discussed: Mapping[str, int], taxonomy: Taxonomy
) -> list[Entry]:
    """Return entries in the order in which a reader should know them.

    Those come first that have what the filters name as their first value; among these, those on which the argument
    rests (the earliest value of the core axis), those that pass the strict reading, if it is a reading of an axis
    that is named, those that the chapters discuss in most passages (``discussed``, by key), those that were read most
    deeply, and the earliest.
    """
    found, strict = list(entries), strict_reading(taxonomy, filters)
    ranked = []
    for entry, (standing, depth, _) in zip(found, preference(found, taxonomy), strict=True):
        further = not all(_has_first(taxonomy, entry, *pair) for pair in filters)
        loose = not passes(entry, strict)
        qualified = sum(_qualifier(taxonomy, entry, *pair) for pair in filters)
        place = further, qualified, standing, loose, -discussed.get(entry.key, 0), depth, entry.appeared, entry.key
        ranked.append((place, entry))
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def order_in_words(taxonomy: Taxonomy, discussed: bool) -> str:
    """Return in which order ``first_to_know`` puts entries, as a list; ``discussed`` is whether any chapter does."""
    parts = {
        "works for which it comes first": True,
        "the survey's core": taxonomy.core is not None,
        "the strict reading": bool(taxonomy.gaps.strict),
        "works that the chapters discuss most": discussed,
        "those read most deeply": DEPTH in taxonomy.axes,
        "the earliest": True,
    }
    return ", ".join(part for part, holds in parts.items() if holds)


def reasons(entry: Entry, filters: Sequence[Filter], taxonomy: Taxonomy) -> list[str]:
    """Return what speaks for knowing an entry first, but for the chapters that discuss it."""
    core = taxonomy.core
    role = core.values.get(entry.primary(core.id)) if core else None
    strict = strict_reading(taxonomy, filters)
    narrow = [f"{taxonomy[axis].label.lower()}: {taxonomy.label(axis, word)}" for axis, word in strict]
    values = (axis.values.get(entry.primary(axis.id)) for axis in taxonomy.on("entry"))
    return [
        *([role.label] if role else []),
        *(narrow if passes(entry, strict) else []),
        *(value.label for value in values if value and value.first),
    ]


def strict_reading(taxonomy: Taxonomy, filters: Sequence[Filter]) -> list[Filter]:
    """Return what the strict reading asks of entries with these values: nothing, if it is one of other axes."""
    named = {axis for axis, _ in filters}
    return [(axis, value) for axis, value in taxonomy.gaps.strict if named & {axis, taxonomy[axis].part_of}]


def passes(entry: Entry, reading: Iterable[Filter]) -> bool:
    """Return whether an entry has every value that a reading asks for, at any rank."""
    return all(value in entry.words(axis) for axis, value in reading)


def _has_first(taxonomy: Taxonomy, entry: Entry, axis: str, cell: str) -> bool:
    return taxonomy[axis].shape is not Shape.RANKED or entry.primary(axis) == cell.partition(": ")[0]


def _qualifier(taxonomy: Taxonomy, entry: Entry, axis: str, cell: str) -> int:
    """Return the place of an entry's qualifier of a value among those of the axis: it is learned, or only designed."""
    order = list(taxonomy[axis].qualifiers)
    if not order:
        return 0
    value = cell.partition(": ")[0]
    places = [order.index(t.qualifier) for t in entry.tags.get(axis, ()) if t.word == value and t.qualifier in order]
    return min(places, default=0)
