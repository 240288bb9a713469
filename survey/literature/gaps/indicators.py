"""Indicator matrices: in which cells entries count, which values they have, and which lack a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.gaps.independence import Counts
from survey.literature.pool import NOT_CODED, Entry, Pool, counted, mentioned
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Absence, Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

NO_VALUE = frozenset({*Absence, NOT_CODED})
"""The cells of an axis that are not values."""


def entry_axes(pool: Pool, *names: str) -> tuple[Axis, ...]:
    """Return the axes with these names.

    Raises:
        ValueError: if one does not exist, is not an axis of entries, or is given twice.

    """
    axes = {axis.id: axis for axis in pool.taxonomy.on("entry")}
    for name in names:
        if name not in axes:
            raise ValueError(f"there is no axis {quoted(name)} of entries {expected(name, axes)}")
    if len(set(names)) < len(names):
        raise ValueError(f"cannot cross {names[0]} with itself (expected different axes)")
    return tuple(axes[name] for name in names)


def strict_keys(pool: Pool) -> frozenset[str]:
    """Return the entries that pass the strict reading; none if the taxonomy defines no such reading."""
    return _matching(pool, pool.taxonomy.gaps.strict)


def foundation_keys(pool: Pool) -> frozenset[str]:
    """Return the entries from before the field of the survey; none if the taxonomy does not define them."""
    return _matching(pool, pool.taxonomy.gaps.foundations)


def _matching(pool: Pool, filters: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(entry.key for entry in pool.where(filters)) if filters else frozenset()


def in_order(pool: Pool) -> list[Entry]:
    """Return the entries sorted by key, so that results do not depend on their order in the file."""
    return sorted(pool, key=lambda entry: entry.key)


def values(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """Return the values under which an entry counts."""
    return _values(counted(entry, axis))


def carried(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """Return every value of an entry, whether the entry counts under it or not."""
    return _values(mentioned(entry, axis))


def indicators(entries: Iterable[Entry], axis: Axis) -> Counts:
    """Return a line per entry with 1 under each cell in which it counts."""
    return _lines([values(entry, axis) for entry in entries], axis)


class Coded:
    """The entries of a pool, in order, and their values on each axis, which are computed once for all maps."""

    def __init__(self, pool: Pool, strict: bool = False) -> None:
        self.pool, self.narrowed = pool, strict
        self.strict = strict_keys(pool)
        self.foundations = foundation_keys(pool)
        self.entries = in_order(pool.keep(self.strict) if strict else pool)
        self.keys = [entry.key for entry in self.entries]
        self._axes: dict[str, OnAxis] = {}

    def on(self, axis: Axis) -> OnAxis:
        """Return the values of the entries on an axis."""
        if axis.id not in self._axes:
            self._axes[axis.id] = OnAxis(self.entries, self.keys, axis)
        return self._axes[axis.id]


class OnAxis:
    """The values of some entries on an axis: where each counts, which entries have a value, and which lack one."""

    def __init__(self, entries: Sequence[Entry], keys: Sequence[str], axis: Axis) -> None:
        self.counted = [values(entry, axis) for entry in entries]
        self.indicators = _lines(self.counted, axis)
        self.carriers: dict[str, set[str]] = {cell: set() for cell in axis.value_cells}
        self._without: dict[str, set[str]] = {word: set() for word in NO_VALUE}
        for key, entry in zip(keys, entries, strict=True):
            mentions = mentioned(entry, axis)
            here = _values(mentions)
            for cell in here:
                self.carriers[cell].add(key)
            if not here:
                self._without[mentions[0]].add(key)

    def without(self, *words: str) -> set[str]:
        """Return the entries that have one of these words for absence in place of a value."""
        return set().union(*(self._without[word] for word in words))


def _lines(standing: Sequence[tuple[str, ...]], axis: Axis) -> Counts:
    place = {cell: n for n, cell in enumerate(axis.value_cells)}
    lines = np.zeros((len(standing), len(place)), dtype=np.int64)
    for line, here in zip(lines, standing, strict=True):
        line[[place[cell] for cell in here]] = 1
    return lines


def _values(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell for cell in found if cell not in NO_VALUE)
