"""What bears on the counts of cells besides chance: coding, searches on purpose, and selective exclusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from survey.literature import Axis, Pool
from survey.literature.agreement import ReadingCounts, Readings
from survey.literature.gaps.indicators import values
from survey.literature.taxonomy import Value


@dataclass(frozen=True, slots=True)
class Purpose:
    """A search for certain values: the values on the axes of a page, its day, and why."""

    on: Sequence[tuple[Axis, Sequence[str]]]
    day: str
    why: str


def read_on(pool: Pool, readers: Readings, axis: Axis) -> ReadingCounts:
    """Return how often the entries with a value on an axis were read on it."""
    return readers.counts((entry.key for entry in pool if values(entry, axis)), axis.id)


def searched(pool: Pool, *axes: Axis) -> list[Purpose]:
    """Return the searches on purpose for values of these axes, up to the day of the pool."""
    found = (
        Purpose([(axis, s.cells[axis.id]) for axis in axes if axis.id in s.cells], s.day.isoformat(), s.why)
        for s in pool.searched
        if s.day <= pool.day
    )
    return [purpose for purpose in found if purpose.on]


def left_out(pool: Pool) -> list[tuple[Axis, Value, int]]:
    """Return each reason by which records were left out for being less central than others, and how many were."""
    found = []
    for id, word in pool.taxonomy.gaps.selective:
        axis = pool.taxonomy[id]
        number = sum(any(tag.word == word for tag in record.tags.get(id, ())) for record in pool.records)
        if number and word in axis.values:
            found.append((axis, axis.values[word], number))
    return found
