"""Capture-recapture: how many works there are, from how often the routes found the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb, exp, log, sqrt
from statistics import NormalDist

FEWEST = 7
"""Works that two lists must share: with fewer, Chapman's estimate may be far too low (Robson and Regier, 1964)."""

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated number of works, or the reason why there is none."""

    found: int
    """The different works that were found."""
    total: float | None = None
    low: float | None = None
    high: float | None = None
    why_not: str = ""


def two_lists(first: int, second: int, both: int) -> Estimate:
    """Return the estimate of Chapman (1951) from two lists and what they share, with an exact interval.

    The interval holds every total under which so few or so many shared works are not improbable, by the hypergeometric
    distribution: it covers the truth at least as often as its level says, if works are found independently.

    >>> two_lists(200, 100, 20).total  # (201 * 101) / 21 - 1
    965.7142857142857
    """
    if not 0 <= both <= min(first, second):
        raise ValueError(f"two lists of {first} and {second} works cannot share {both}")
    found = first + second - both
    if both < FEWEST:
        why = f"the two lists share {both} works, and an estimate needs at least {FEWEST}"
        return Estimate(found, why_not=why)
    total = (first + 1) * (second + 1) / (both + 1) - 1
    tail = (1 - LEVEL) / 2
    low = _least(found, lambda total: _at_most(total, first, second, both) > tail)
    high = _least(found, lambda total: _at_least(total, first, second, both) <= tail) - 1
    return Estimate(found, total, float(low), float(high))


def chao(occasions: int, frequencies: Mapping[int, int]) -> Estimate:
    """Return Chao's lower bound for the number of works, from how many were found on one, two, ... occasions.

    The form without bias (Chao, 1987, 2005), which allows works that differ in how easily they are found; with its
    log-normal interval. It says at least how many there are, and nothing about works that no occasion can find.

    >>> round(chao(10, {1: 9, 2: 4, 3: 7}).total, 2)  # 20 + 9/10 * 9*8 / (2*5)
    26.48
    """
    found = sum(frequencies.values())
    once, twice = frequencies.get(1, 0), frequencies.get(2, 0)
    if occasions < 3:
        return Estimate(found, why_not=f"the estimate needs three occasions or more (there are {occasions})")
    if not twice:
        return Estimate(found, why_not="no work was found exactly twice")
    factor = (occasions - 1) / occasions
    missing = factor * once * (once - 1) / (2 * (twice + 1))
    if not missing:
        return Estimate(found, float(found), float(found), float(found))
    variance = (
        missing
        + factor**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
        + factor**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    )
    spread = exp(Z * sqrt(log(1 + variance / missing**2)))
    return Estimate(found, found + missing, found + missing / spread, found + missing * spread)


def _least(start: int, holds: Callable[[int], bool]) -> int:
    """Return the least total from a start for which a monotone condition holds."""
    step = 1
    while not holds(start + step - 1):
        step *= 2
    low, high = start + step // 2 - 1, start + step - 1  # the condition fails at low, unless low is before the start
    low = max(low, start - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _at_most(total: int, first: int, second: int, both: int) -> float:
    least = max(0, first + second - total)
    ways = sum(comb(first, k) * comb(total - first, second - k) for k in range(least, both + 1))
    return ways / comb(total, second)


def _at_least(total: int, first: int, second: int, both: int) -> float:
    ways = sum(comb(first, k) * comb(total - first, second - k) for k in range(both, min(first, second) + 1))
    return ways / comb(total, second)
