"""What a table shows first of an axis with many values: the most frequent ones; the rest is a click or a file away."""

from __future__ import annotations

from collections import Counter

from survey.literature.pool import Pool, cells, counted
from survey.literature.taxonomy import Axis

FOLD = 16
"""The most values of an axis that a table shows at once: more do not fit on a screen, nor all their cells in a page."""


def is_folded(axis: Axis) -> bool:
    """Return whether an axis has more values than a table shows at once."""
    return len(axis.value_cells) > FOLD


def by_frequency(pool: Pool, axis: Axis) -> tuple[str, ...]:
    """Return the cells of an axis in the order of a table: as the taxonomy has them.

    Of an axis with many values the most frequent ones come first. What stands for no value remains behind.
    """
    if not is_folded(axis):
        return cells(axis)
    values = axis.value_cells
    works = pool.entries if axis.on == "entry" else pool.records
    number = Counter(cell for work in works for cell in counted(work, axis))
    absent = [cell for cell in cells(axis) if cell not in values]
    return (*sorted(values, key=lambda cell: -number[cell]), *absent)


def leading(pool: Pool, axis: Axis) -> tuple[str, ...]:
    """Return the values of an axis that a table shows at once: all, or of many the most frequent."""
    values = {*axis.value_cells}
    return tuple(cell for cell in by_frequency(pool, axis) if cell in values)[:FOLD]
