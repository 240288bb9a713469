"""What differs between the runs that solved their task and those that did not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, exp, log, sqrt
from statistics import NormalDist, median, variance

from survey.traces.exporters.report.runs.table import COLUMNS, Column, Table

FEWEST = 5
"""With fewer runs on either side nothing is said of a column."""

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Contrast:
    """How a column differs between solved and unsolved runs."""

    column: Column
    solved: int
    unsolved: int
    medians: tuple[float, float]
    superiority: float
    """The probability that a solved run has more than an unsolved one; ties count half."""
    low: float
    high: float
    p: float
    """How often chance alone would make a difference as large (Mann and Whitney)."""
    adjusted: float = 1.0
    """The same for the smallest of all columns, by Holm's correction."""


def contrasts(table: Table) -> list[Contrast]:
    """Return the contrast of each column with enough values on either side, the clearest first."""
    found = list(_contrasts(table))
    adjusted = holm({one.column.name: one.p for one in found})
    clear = [replace(one, adjusted=adjusted[one.column.name]) for one in found]
    return sorted(clear, key=lambda one: (one.p, -abs(one.superiority - 0.5)))


def _contrasts(table: Table) -> Iterator[Contrast]:
    for name, column in COLUMNS.items():
        sides: dict[bool | None, list[float]] = {True: [], False: [], None: []}
        for row in table.holders(name):
            sides[row.success].append(row.values[name])
        solved, unsolved = sorted(sides[True]), sorted(sides[False])
        if min(len(solved), len(unsolved)) < FEWEST or min(solved[0], unsolved[0]) == max(solved[-1], unsolved[-1]):
            continue
        value, low, high = superiority(solved, unsolved)
        yield Contrast(
            column, len(solved), len(unsolved), (median(solved), median(unsolved)), value, low, high,
            mann_whitney(solved, unsolved),
        )  # fmt: skip


def superiority(more: Sequence[float], less: Sequence[float]) -> tuple[float, float, float]:
    """Return how probable it is that a value of the first sorted sample exceeds one of the second, with an interval.

    The variance is that of DeLong and others (1988), on the scale of log odds, where the interval stays within 0 and 1.
    Samples that do not overlap have no such variance: there it is that of the nearest samples that do, in which the
    two values at the gap have changed places, and the interval ends at 0 or 1.

    >>> [round(one, 2) for one in superiority([3, 4, 5, 6, 7], [1, 2, 3, 4, 5])]
    [0.82, 0.42, 0.97]
    """
    value, error = _placed(more, less)
    if 0 < value < 1:
        return value, *_interval(value, error)
    above, below = (more, less) if value == 1 else (less, more)
    near, error = _placed(sorted([*above[1:], below[-1]]), sorted([*below[:-1], above[0]]))
    low = _interval(near, error)[0]
    return (1.0, low, 1.0) if value == 1 else (0.0, 0.0, 1 - low)


def _placed(more: Sequence[float], less: Sequence[float]) -> tuple[float, float]:
    """Return the probability, and its standard error from how each value is placed in the other sample."""
    over = [(bisect_left(less, one) + bisect_right(less, one)) / (2 * len(less)) for one in more]
    under = [1 - (bisect_left(more, one) + bisect_right(more, one)) / (2 * len(more)) for one in less]
    return sum(over) / len(over), sqrt(variance(over) / len(over) + variance(under) / len(under))


def _interval(value: float, error: float) -> tuple[float, float]:
    odds = log(value / (1 - value))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * error / (value * (1 - value))
    return 1 / (1 + exp(half - odds)), 1 / (1 + exp(-half - odds))


def mann_whitney(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the two-sided p-value of two sorted samples: normal, corrected for ties and for continuity."""
    n, m = len(one), len(other)
    wins = sum(bisect_left(other, value) + bisect_right(other, value) for value in one) / 2
    tied = sum(count**3 - count for count in Counter([*one, *other]).values())
    spread = sqrt(n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1))))
    return min(erfc((abs(wins - n * m / 2) - 0.5) / spread / sqrt(2)), 1.0)


def holm(found: Mapping[str, float]) -> dict[str, float]:
    """Return p-values corrected for how many there are, after Holm (1979).

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted, largest = {}, 0.0
    for place, (name, p) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        largest = max(largest, min((len(found) - place) * p, 1.0))
        adjusted[name] = largest
    return adjusted
