"""How entries stand in the cells of axes: counted there, carrying a value, or without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from survey.extras import late
from survey.literature.gaps.independence import Counts
from survey.literature.pool import NOT_CODED, Entry, Pool, counted, mentioned
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Absence, Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = late("numpy")

NO_VALUE = frozenset({*Absence, NOT_CODED})
"""What an entry may have on an axis in place of a value."""


def entry_axes(pool: Pool, *names: str) -> tuple[Axis, ...]:
    """The axes of these names.

    Raises:
        ValueError: if one does not exist, is not asked of entries, or comes twice.

    """
    axes = {axis.id: axis for axis in pool.taxonomy.on("entry")}
    for name in names:
        if name not in axes:
            raise ValueError(f"there is no axis {quoted(name)} of entries {expected(name, axes)}")
    if len(set(names)) < len(names):
        raise ValueError(f"{names[0]} against itself says nothing: name different axes")
    return tuple(axes[name] for name in names)


def strict_keys(pool: Pool) -> frozenset[str]:
    """The entries that stand the strict reading; none if the taxonomy names no such reading."""
    return _matching(pool, pool.taxonomy.gaps.strict)


def foundation_keys(pool: Pool) -> frozenset[str]:
    """The entries from before language models; none if the taxonomy does not say which those are."""
    return _matching(pool, pool.taxonomy.gaps.foundations)


def _matching(pool: Pool, filters: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(entry.key for entry in pool.where(filters)) if filters else frozenset()


def in_order(pool: Pool) -> list[Entry]:
    """The entries by key: no result depends on the order in which a file has them."""
    return sorted(pool, key=lambda entry: entry.key)


def values(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """The cells under which an entry counts, absences aside."""
    return _values(counted(entry, axis))


def carried(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """Every cell of a value that an entry carries, whether it counts there or not."""
    return _values(mentioned(entry, axis))


def indicators(entries: Iterable[Entry], axis: Axis) -> Counts:
    """A line per entry with 1 under each cell in which it counts."""
    return _lines([values(entry, axis) for entry in entries], axis)


class Coded:
    """The entries of a pool, in order, and how they stand on each axis: an axis is read once for all maps."""

    def __init__(self, pool: Pool, strict: bool = False) -> None:
        self.pool, self.narrowed = pool, strict
        self.strict = strict_keys(pool)
        self.foundations = foundation_keys(pool)
        self.entries = in_order(pool.keep(self.strict) if strict else pool)
        self.keys = [entry.key for entry in self.entries]
        self._axes: dict[str, OnAxis] = {}

    def on(self, axis: Axis) -> OnAxis:
        """How each of the entries stands on an axis."""
        if axis.id not in self._axes:
            self._axes[axis.id] = OnAxis(self.entries, self.keys, axis)
        return self._axes[axis.id]


class OnAxis:
    """An axis over some entries: the cells in which each counts, and who carries a value or has none."""

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
        """The entries that have one of these words of absence in place of a value."""
        return set().union(*(self._without[word] for word in words))


def _lines(standing: Sequence[tuple[str, ...]], axis: Axis) -> Counts:
    place = {cell: n for n, cell in enumerate(axis.value_cells)}
    lines = np.zeros((len(standing), len(place)), dtype=np.int64)
    for line, here in zip(lines, standing, strict=True):
        line[[place[cell] for cell in here]] = 1
    return lines


def _values(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell for cell in found if cell not in NO_VALUE)
