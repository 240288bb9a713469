"""Three values at once, given each two of them: the exact distribution of how many entries have all three.

Of N entries it is known how many have each of three values, and how many have each two of them. One number is left
open, that of the entries with all three: k determines the eight cells of the table of having and not having. Without a
three-way term, the probability of k is proportional to ``odds ** k`` over the product of the factorials of the eight
cells (Zelen, 1971). With ``odds`` 1, the three values neither attract nor repel each other beyond their pairs. Other
odds arise where the axes have more values: merging the rest leaves a trace of their pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature.gaps.independence import Counts, Numbers, log_factorials

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

LEAST = 1e-12
"""Expected numbers are taken to be at least this large in odds, which could not be divided otherwise."""

ROWS = 20_000
"""Cells whose distributions are computed together; those of similar width come together."""

WIDE, FAR = 64, 9
"""Of a distribution over more numbers than ``WIDE``, those within ``FAR`` standard deviations of its peak are computed.

The distribution is log-concave: what is left out is less than a rounding error.
"""

SIGNS = (1, -1, -1, -1, 1, 1, 1, -1)
"""How each of the eight cells enters the odds: those with an odd number of the values multiply, others divide."""


@dataclass(frozen=True, slots=True)
class Seven:
    """The number of entries with all three values, with each two and with each one; arrays that broadcast."""

    all_three: Any
    first_second: Any
    first_third: Any
    second_third: Any
    first: Any
    second: Any
    third: Any


def log_odds(total: int, numbers: Seven) -> Numbers:
    """Return the log odds ratio of three values: how the odds of two of them change with the third."""
    eight = _eight(total, *(getattr(numbers, name) for name in Seven.__slots__))
    logs = (np.log(np.maximum(cell, LEAST)) for cell in eight)
    return np.asarray(sum(sign * log for sign, log in zip(SIGNS, logs, strict=True)))


def lower_tails(total: int, numbers: Seven, odds: Numbers) -> tuple[Numbers, Numbers]:
    """Return the probability of at most the observed number with all three, and the standard deviation of the number.

    ``odds`` are log odds ratios, which broadcast like the numbers.
    """
    parts = np.broadcast_arrays(*(getattr(numbers, name) for name in Seven.__slots__), odds)
    shape = parts[0].shape
    *seven, logs = (part.reshape(-1) for part in parts)
    least, most = _range(total, *seven[1:])
    wide = np.flatnonzero(most - least > WIDE)
    least[wide], most[wide] = _window(total, [part[wide] for part in seven], logs[wide], least[wide], most[wide])
    p, spread = np.ones(len(logs)), np.zeros(len(logs))
    order = np.argsort(most - least, kind="stable")
    order = order[(most - least)[order] > 0]
    for start in range(0, len(order), ROWS):
        here = order[start : start + ROWS]
        p[here], spread[here] = _tails(total, [part[here] for part in seven], logs[here], least[here], most[here])
    return p.reshape(shape), spread.reshape(shape)


def _range(total: int, ab: Counts, ac: Counts, bc: Counts, a: Counts, b: Counts, c: Counts) -> tuple[Counts, Counts]:
    """Return the least and the greatest number of entries that can have all three values."""
    least = np.maximum.reduce([np.zeros_like(ab), ab + ac - a, ab + bc - b, ac + bc - c])
    return least, np.minimum.reduce([ab, ac, bc, total - a - b - c + ab + ac + bc])


def _window(total: int, seven: list[Counts], odds: Numbers, least: Counts, most: Counts) -> tuple[Counts, Counts]:
    """Return the part of each range that holds the distribution and, if it is further out, the observed number."""
    found, *given = seven
    low, high = least.copy(), most.copy()
    while (low < high).any():  # the peak: the greatest k that is no less likely than the one before
        k = (low + high + 1) // 2
        cells = [np.maximum(cell, 0).astype(float) for cell in _eight(total, k, *given)]
        gain = odds + sum(
            -np.log(np.maximum(cell, LEAST)) if sign > 0 else np.log(cell + 1)
            for sign, cell in zip(SIGNS, cells, strict=True)
        )
        low, high = np.where(gain >= 0, k, low), np.where(gain >= 0, high, k - 1)
    spread = sum(1 / (cell + 1.0) for cell in _eight(total, low, *given)) ** -0.5
    reach = np.ceil(FAR * (spread + 1)).astype(np.int64)
    return np.maximum(least, np.minimum(low, found) - reach), np.minimum(most, np.maximum(low, found) + reach)


def _eight(total: int, k: Any, ab: Any, ac: Any, bc: Any, a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    """Return the eight cells of the table of having and not having three values."""
    return (
        k, ab - k, ac - k, bc - k, a - ab - ac + k, b - ab - bc + k, c - ac - bc + k,
        total - a - b - c + ab + ac + bc - k,
    )  # fmt: skip


def _tails(total: int, seven: list[Counts], odds: Numbers, least: Counts, most: Counts) -> tuple[Numbers, Numbers]:
    found, *given = (part[:, None] for part in seven)
    k = least[:, None] + np.arange(int((most - least).max()) + 1)
    inside = k <= most[:, None]
    of = log_factorials(total)
    logs = np.where(inside, k, 0) * odds[:, None]
    for cell in _eight(total, k, *given):
        logs -= of[np.where(inside, cell, 0)]
    logs = np.where(inside, logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = (weights * k).sum(axis=1, keepdims=True)
    spread = np.sqrt((weights * (k - mean) ** 2).sum(axis=1))
    return np.minimum((weights * (k <= found)).sum(axis=1), 1.0), spread
