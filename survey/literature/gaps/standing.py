"""How entries stand in the cells of axes: counted there, carrying a value, or without one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from survey.literature.entries import Entry
from survey.literature.gaps.independence import Counts
from survey.literature.pool import Pool
from survey.literature.problems import expected, quoted
from survey.literature.statistics import NOT_CODED, counted, mentioned
from survey.literature.taxonomy import Absence, Axis

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


def absence(entry: Entry, axis: Axis) -> str:
    """The word of absence that an entry has on an axis; empty if it has a value."""
    return "" if carried(entry, axis) else mentioned(entry, axis)[0]


def indicators(entries: Iterable[Entry], axis: Axis) -> Counts:
    """A line per entry with 1 under each cell in which it counts."""
    lines = [[int(cell in here) for cell in axis.value_cells] for here in (values(e, axis) for e in entries)]
    return np.array(lines, dtype=np.int64).reshape(len(lines), len(axis.value_cells))


def _values(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell for cell in found if cell not in NO_VALUE)
