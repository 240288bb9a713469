"""The log-linear model without the three-way term: three axes of which the pairs explain all.

A line of an entry on an axis is every value under which it counts there. The log probability of three lines is a sum of
terms for each line and for each pair of values of two axes; there is no term for three values together. A line is
never taken apart: the model keeps how often each set of values occurs, and an entry with several values is one entry.

Fitted by iterative proportional fitting: the expected number of entries is scaled in turn to the observed number with
each line and with each pair of values, until all of them hold (Deming and Stephan, 1940). For axes that give an entry
one value, these are the usual three two-way margins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.gaps.independence import AT_ONCE, PERMUTATIONS, SEED, Counts, Flags, Numbers
from survey.literature.gaps.third_value import Seven, log_odds, lower_tails

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

SWEEPS = 2000
"""Maximum number of times that all numbers are scaled."""

CLOSE = 2e-5
"""Fitting ends when each fitted number differs from the observed one by at most this share of the entries.

Where the pairs leave no room for some lines, their expected numbers approach zero slowly: ten times as close takes ten
times as long, and changes no probability in its second digit.
"""

NEVER = 1e-12
"""An expected number below this is zero: the pairs leave no room for such an entry."""


@dataclass(frozen=True)
class NoThreeWay:
    """The fitted model: the distinct lines on each axis, and how many entries with each three lines it expects.

    ``off`` is the largest difference between a fitted number and the observed one.
    """

    total: int
    lines: tuple[Counts, Counts, Counts]
    observed: Counts
    fitted: Numbers
    off: float

    @property
    def expected(self) -> Numbers:
        """The expected number of entries with each three values."""
        return np.asarray(_seven(self.fitted[None], self.lines).all_three[0])

    def test(self) -> tuple[Numbers, Numbers]:
        """Return the probability of so few entries with each three values, and the standard deviation of the number."""
        p, spread = lower_tails(self.total, _whole(_seven(self.observed[None].astype(float), self.lines)), self._odds())
        return p[0], spread[0]

    def smallest(self, tested: Flags, draws: int = PERMUTATIONS, seed: int = SEED) -> Numbers:
        """Return the smallest probability among the tested cells of each of many pools drawn from the model.

        A drawn pool has as many entries; each of its cells is tested given the pairs of that pool.
        """
        odds, rng, out = self._odds(), np.random.default_rng(seed), []
        possible = np.flatnonzero(self.fitted.ravel() > NEVER)
        shares = self.fitted.ravel()[possible] / self.fitted.ravel()[possible].sum()
        batch = max(1, AT_ONCE // max(self.fitted.size, tested.size))
        for start in range(0, draws, batch):
            size = min(batch, draws - start)
            drawn = np.zeros((size, self.fitted.size))
            drawn[:, possible] = rng.multinomial(self.total, shares, size)
            seven = _whole(_seven(drawn.reshape(size, *self.fitted.shape), self.lines))
            p, _ = lower_tails(self.total, seven, odds)
            out.append(np.where(tested, p, 1.0).reshape(size, -1).min(axis=1, initial=1.0))
        return np.concatenate(out)

    def _odds(self) -> Numbers:
        return log_odds(self.total, _seven(self.fitted[None], self.lines))


def no_three_way(first: Counts, second: Counts, third: Counts) -> NoThreeWay:
    """Fit the model to three indicator matrices with a line per entry; there must be an entry."""
    distinct = [np.unique(axis, axis=0, return_inverse=True) for axis in (first, second, third)]
    lines = tuple(found for found, _ in distinct)
    observed = np.zeros(tuple(map(len, lines)), dtype=np.int64)
    np.add.at(observed, tuple(which.reshape(-1) for _, which in distinct), 1)
    fitted, off = _fitted(observed, [_sortings(axis) for axis in lines])
    return NoThreeWay(len(first), (lines[0], lines[1], lines[2]), observed, fitted, off)


def _sortings(lines: Counts) -> list[Numbers]:
    """Return the ways in which the pairs tell lines apart, each as a column per class of lines.

    If no line has two values, the lines themselves are the classes. Otherwise each value is a way of its own: the lines
    with it and those without.
    """
    if (lines.sum(axis=1) <= 1).all():
        return [np.eye(len(lines))]
    return [np.stack([value, 1.0 - value], axis=1) for value in lines.T if 0 < value.sum() < len(lines)]


def _fitted(observed: Counts, sortings: list[list[Numbers]]) -> tuple[Numbers, float]:
    """Return the expected numbers, and how far they are from those that they are fitted to."""
    total = observed.sum()
    singles = [observed.sum(axis=tuple({0, 1, 2} - {axis})) for axis in range(3)]
    fitted = np.einsum("i,j,k->ijk", *singles) / total**2
    steps = _steps(observed, sortings)
    off = 0.0
    for _ in range(SWEEPS):
        off = 0.0
        for third, tables in steps:
            pairs = fitted.sum(axis=third)  # what scales pairs scales their sums alike: one pass over all cells will do
            scaled = np.ones(pairs.shape)
            for one, other, wanted in tables:
                found = one.T @ pairs @ other
                off = max(off, float(abs(found - wanted).max()))
                scale = one @ np.divide(wanted, found, out=np.zeros(wanted.shape), where=found > 0) @ other.T
                pairs *= scale
                scaled *= scale
            fitted = fitted * np.expand_dims(scaled, third)
        if off <= CLOSE * total:
            break
    return fitted, off


def _steps(observed: Counts, sortings: list[list[Numbers]]) -> list[tuple[int, list[tuple[Numbers, Numbers, Numbers]]]]:
    """Return for each axis, summed over, the tables that must hold: the classes on the two others, and the numbers.

    The lines of an axis with sets are a table of their own, against a single class on another axis.
    """
    steps = []
    for third, (one, other) in {2: (0, 1), 1: (0, 2), 0: (1, 2)}.items():
        pairs = observed.sum(axis=third)
        ways = [(a, b) for a in sortings[one] for b in sortings[other]]
        ways += [(np.eye(pairs.shape[0]), np.ones((pairs.shape[1], 1)))]
        ways += [(np.ones((pairs.shape[0], 1)), np.eye(pairs.shape[1]))]
        steps.append((third, [(a, b, a.T @ pairs @ b) for a, b in ways]))
    return steps


def _seven(tables: Numbers, lines: tuple[Counts, Counts, Counts]) -> Seven:
    """Return how many entries of each table have each value, each two and each three values."""
    one, two, three = (axis.astype(float) for axis in lines)
    return Seven(
        np.einsum("nxyz,xi,yj,zk->nijk", tables, one, two, three, optimize=True),
        np.einsum("nxy,xi,yj->nij", tables.sum(axis=3), one, two, optimize=True)[:, :, :, None],
        np.einsum("nxz,xi,zk->nik", tables.sum(axis=2), one, three, optimize=True)[:, :, None, :],
        np.einsum("nyz,yj,zk->njk", tables.sum(axis=1), two, three, optimize=True)[:, None, :, :],
        (tables.sum(axis=(2, 3)) @ one)[:, :, None, None],
        (tables.sum(axis=(1, 3)) @ two)[:, None, :, None],
        (tables.sum(axis=(1, 2)) @ three)[:, None, None, :],
    )


def _whole(numbers: Seven) -> Seven:
    """Return numbers of entries as integers: they are added up as floats, which is much faster."""
    return Seven(*(np.rint(getattr(numbers, name)).astype(np.int64) for name in Seven.__slots__))
