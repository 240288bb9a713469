"""Distributions of the columns, and the runs that are outliers in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, floor, log
from statistics import quantiles
from sys import float_info

from survey.traces.exporters.report.runs.table import COLUMNS, Column, Row, Table

BINS = 24
WIDE = 20.0
"""Positive values of which the largest is so many times the smallest are shown on a logarithmic scale."""

AMOUNTS = (
    "wall_s", "critical_path_s", "waiting_s", "waiting_people_s", "cost_usd", "tokens", "steps", "agents",
    "calls_by_tool", "failures_by_tool",
)  # fmt: skip
"""The columns in which a run can be an outlier: amounts, of which a tenfold is as far as a tenth."""

FENCE = 3.0
"""A run is an outlier if it lies so many times the middle half's width beyond the middle half (Tukey's outer fence)."""

FEWEST = 8
"""Of fewer values none is called an outlier."""

LARGEST = log(float_info.max)
"""The logarithm of the largest number."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a column."""

    column: Column
    count: int
    total: float
    least: float
    first: float
    """The first quartile."""
    median: float
    third: float
    """The third quartile."""
    most: float
    bins: tuple[int, ...]
    """The number of values in each of equal parts of the scale from the least to the most."""
    logarithmic: bool

    def at(self, value: float) -> float:
        """Return where a value lies on the scale, from 0 to 1."""
        low, high = self.least, self.most
        if low == high:
            return 0.5
        if self.logarithmic:
            value, low, high = log(value), log(low), log(high)
        return (value - low) / (high - low)


@dataclass(frozen=True, slots=True)
class Outlier:
    """A run whose value in a column is an outlier."""

    row: Row
    column: Column
    value: float
    limit: float
    """The fence that it lies beyond."""


def distributions(table: Table) -> Iterator[Distribution]:
    """Yield the distribution of each column in which a run has a value."""
    for name in COLUMNS:
        if values := sorted(row.values[name] for row in table.holders(name)):
            yield distribution(COLUMNS[name], values)


def distribution(column: Column, values: Sequence[float]) -> Distribution:
    """Return the distribution of sorted values."""
    first, median, third = quartiles(values)
    least, most = values[0], values[-1]
    logarithmic = least > 0 and most / least >= WIDE
    blank = Distribution(column, len(values), sum(values), least, first, median, third, most, (), logarithmic)
    bins = [0] * BINS
    for value in values:
        bins[min(floor(blank.at(value) * BINS), BINS - 1)] += 1
    return replace(blank, bins=tuple(bins))


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the three quartiles of sorted values, interpolated between them.

    >>> quartiles([1, 2, 3, 4])
    (1.75, 2.5, 3.25)
    """
    if len(values) == 1:
        return (values[0],) * 3
    first, median, third = quantiles(values, n=4, method="inclusive")
    return first, median, third


def outliers(table: Table) -> Iterator[Outlier]:
    """Yield the outliers of each column of amounts, the farthest first.

    Distances are those of logarithms, because amounts are skewed: where most runs take minutes, an hour is no wonder.
    A run in which an amount is 0 is left out there. If the quartiles are equal, there is no outlier.
    """
    for name in AMOUNTS:
        holders = [row for row in table.holders(name) if row.values[name] > 0]
        if len(holders) < FEWEST:
            continue
        first, _, third = quartiles(sorted(log(row.values[name]) for row in holders))
        width = third - first
        if width <= 1e-12:
            continue
        low, high = exp(first - FENCE * width), exp(min(third + FENCE * width, LARGEST))
        found = [
            Outlier(row, COLUMNS[name], value, high if value > high else low)
            for row in holders
            if (value := row.values[name]) > high or value < low
        ]
        yield from sorted(found, key=lambda one: -abs(log(one.value) - log(one.limit)))
