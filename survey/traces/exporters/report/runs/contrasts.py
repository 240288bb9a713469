"""What differs between the runs that solved their task and those that did not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import erfc, exp, log, sqrt
from statistics import NormalDist, median, variance

from survey.traces.exporters.report.runs.table import COLUMNS, Column, Table

FEWEST = 5
"""With fewer runs on either side nothing is said of a column."""

FEWEST_TASKS = 8
"""Where tasks have several runs: with fewer tasks that were solved in some and not in others nothing is said."""

LEVEL = 0.95

Sides = tuple[list[float], list[float]]
"""The sorted values of solved and of unsolved runs."""


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
    """How often chance alone would make a difference as large (Mann and Whitney, or van Elteren within tasks)."""
    adjusted: float = 1.0
    """The same for the smallest of all columns, by Holm's correction."""


def repeated(table: Table) -> bool:
    """Return whether tasks have several runs that say how they ended.

    Runs of one task are alike, whatever the team did: counted as independent they would make differences of nothing.
    They are compared with one another, and not with the runs of other tasks.
    """
    tasks = [row.task for row in table.sound if row.task and row.success is not None]
    return len(set(tasks)) < len(tasks)


def contrasts(table: Table) -> list[Contrast]:
    """Return the contrast of each column with enough values on either side, the clearest first."""
    compared = _within_tasks if repeated(table) else _between_runs
    found = [one for name, column in COLUMNS.items() if (one := compared(column, _by_task(table, name)))]
    adjusted = holm({one.column.name: one.p for one in found})
    clear = [replace(one, adjusted=adjusted[one.column.name]) for one in found]
    return sorted(clear, key=lambda one: (one.p, -abs(one.superiority - 0.5)))


def _by_task(table: Table, name: str) -> list[Sides]:
    """Return the values of a column by task; a run without a task is one by itself."""
    found: dict[object, Sides] = {}
    for row in table.holders(name):
        if row.success is not None:
            found.setdefault(row.task or row.at, ([], []))[not row.success].append(row.values[name])
    return [(sorted(solved), sorted(unsolved)) for solved, unsolved in found.values()]


def _between_runs(column: Column, tasks: Sequence[Sides]) -> Contrast | None:
    solved, unsolved = (sorted(chain.from_iterable(task[side] for task in tasks)) for side in (0, 1))
    if min(len(solved), len(unsolved)) < FEWEST or min(solved[0], unsolved[0]) == max(solved[-1], unsolved[-1]):
        return None
    spread = superiority(solved, unsolved)
    medians = median(solved), median(unsolved)
    return Contrast(column, len(solved), len(unsolved), medians, *spread, mann_whitney([(solved, unsolved)]))


def _within_tasks(column: Column, tasks: Sequence[Sides]) -> Contrast | None:
    mixed = [task for task in tasks if task[0] and task[1]]
    if len(mixed) < FEWEST_TASKS or not any(
        task[0] + task[1] != [task[0][0]] * len(task[0] + task[1]) for task in mixed
    ):
        return None
    solved, unsolved = (sorted(chain.from_iterable(task[side] for task in mixed)) for side in (0, 1))
    medians = median(solved), median(unsolved)
    return Contrast(column, len(solved), len(unsolved), medians, *superiority_within(mixed), mann_whitney(mixed))


def superiority_within(tasks: Sequence[Sides]) -> tuple[float, float, float]:
    """Return how probable it is that a solved run of a task exceeds an unsolved one of the same task, with an interval.

    Every pair of runs of one task counts once. The interval takes tasks, not runs, as independent, on log odds. Where
    every pair goes one way it ends at the share of tasks that would do so with the odds of one in forty.
    """
    wins = [_wins(*task) for task in tasks]
    pairs = [len(solved) * len(unsolved) for solved, unsolved in tasks]
    value, number = sum(wins) / sum(pairs), len(tasks)
    if value in (0, 1):
        low = ((1 - LEVEL) / 2) ** (1 / number)
        return (1.0, low, 1.0) if value else (0.0, 0.0, 1 - low)
    spread = sum((won - value * size) ** 2 for won, size in zip(wins, pairs, strict=True))
    return value, *_interval(value, sqrt(spread * number / (number - 1)) / sum(pairs))


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


def mann_whitney(strata: Sequence[Sides]) -> float:
    """Return the two-sided p-value of samples that are compared within strata: normal, with ties and for continuity.

    With one stratum it is the test of Mann and Whitney, with several that of van Elteren with a weight for each pair.
    """
    difference = spread = 0.0
    for one, other in strata:
        n, m = len(one), len(other)
        difference += _wins(one, other) - n * m / 2
        tied = sum(count**3 - count for count in Counter([*one, *other]).values())
        spread += n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1)))
    return min(erfc((abs(difference) - 0.5) / sqrt(2 * spread)), 1.0)


def _wins(one: Sequence[float], other: Sequence[float]) -> float:
    """Return in how many pairs the value of the first sorted sample is the larger; ties count half."""
    return sum(bisect_left(other, value) + bisect_right(other, value) for value in one) / 2


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
