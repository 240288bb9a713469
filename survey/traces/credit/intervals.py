"""Confidence intervals of means, in plain Python."""

from __future__ import annotations

from math import cos, log, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY = 200
"""Above this many degrees of freedom, Student's t is treated as normal."""


def interval(draws: NDArray[np.float64], level: float, span: float) -> tuple[float, float]:
    """Return a confidence interval for the mean of independent draws.

    If all draws are equal, the width follows from ``span`` (how far apart draws can lie) and the chance
    ``(1 - p)^m`` that m draws miss an outcome of probability p.
    """
    number = len(draws)
    mean, deviation = float(draws.mean()), float(draws.std(ddof=1))
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        half = span * -log(1 - level) / number
    else:
        half = student(level, number - 1) * deviation / sqrt(number)
    return mean - half, mean + half


def student(level: float, freedom: int) -> float:
    """Return how many standard errors to either side hold a share ``level`` of Student's t distribution.

    >>> round(student(0.95, 1), 2), round(student(0.95, 10), 3), round(student(0.95, 10**6), 2)
    (12.71, 2.228, 1.96)
    """
    if freedom > MANY:
        return NormalDist().inv_cdf((1 + level) / 2)
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _held(middle, freedom) < level else (low, middle)
    return tan(low) * sqrt(freedom)


def _held(angle: float, freedom: int) -> float:
    """Return the share of Student's t within ``tan(angle) * sqrt(freedom)`` of 0, by finite sums."""
    term = cos(angle) if freedom % 2 else 1.0
    total = 0.0 if freedom == 1 else term
    for step in range(2 + freedom % 2, freedom - 1, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    if freedom % 2:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total
