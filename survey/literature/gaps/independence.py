"""How few entries a cell holds, against what its row and column alone would let one expect.

The null hypothesis is that the values of one axis are dealt out among the entries without
regard to the other axis, with both margins as they are. Then the count of a single cell is
hypergeometric whatever the shape of the axes, sets included: of N entries, ``a`` have the
row's value and ``b`` the column's. The probability of so few or fewer is therefore exact.

Many cells are looked at, and the emptiest of many is empty by chance more often than any
one. The corrected probability allows for that: how often the least likely cell of a table
whose columns are dealt out anew is at least as unlikely (Westfall and Young's single-step
minimum p). Dealing out whole rows of the second axis keeps the values of a set together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, lgamma
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import late

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")

Counts: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "NDArray[np.float64]"
Flags: TypeAlias = "NDArray[np.bool_]"

PERMUTATIONS = 2000
SEED = 20260504

AT_ONCE = 4_000_000
"""Numbers held at once while permuting: bounds memory for large pools."""

MANY = 2_000
"""Of more entries than this, equal ones are dealt out together, and chances come from logarithms."""

TIE = 1e-12
"""Probabilities closer than this are the same one, computed along two ways."""


@dataclass(frozen=True)
class Independence:
    """A table of counts against independence; every array has a row per value and a column per value.

    ``residual`` is Haberman's adjusted residual, in standard deviations (not a number where a
    margin is empty or everything); ``p`` the probability of so few in this cell alone;
    ``corrected`` the same with all cells of the table allowed for.
    """

    observed: Counts
    expected: Numbers
    residual: Numbers
    p: Numbers
    corrected: Numbers


def independence(
    rows: Counts, columns: Counts, tested: Flags | None = None, permutations: int = PERMUTATIONS, seed: int = SEED
) -> Independence:
    """Two indicator matrices, an entry per line, against each other.

    Cells that are not ``tested`` (they cannot be filled) have p = 1 and no say in the correction.
    The result depends on the order of the lines only through the permutations that are drawn:
    give the entries in an order that does not change.
    """
    whole = len(rows)
    down, across = rows.sum(axis=0), columns.sum(axis=0)
    observed = rows.T @ columns
    tested = np.ones(observed.shape, dtype=bool) if tested is None else tested
    if not whole:
        empty = np.zeros(observed.shape)
        return Independence(observed, empty, np.full(observed.shape, np.nan), empty + 1, empty + 1)
    expected = np.outer(down, across) / whole
    variance = expected * (1 - down / whole)[:, None] * (1 - across / whole)[None, :]
    residual = np.full(observed.shape, np.nan)
    np.divide(observed - expected, np.sqrt(variance), out=residual, where=variance > 0)
    chances = _chances(whole, down, across, tested)
    p = _looked_up(chances, observed)
    smallest = np.concatenate([
        _looked_up(chances, dealt).reshape(len(dealt), -1).min(axis=1, initial=1.0)
        for dealt in _dealt(rows, columns, permutations, seed)
    ])  # fmt: skip
    return Independence(observed, expected, residual, p, corrected(p, smallest))


def corrected(p: Numbers, smallest: Numbers) -> Numbers:
    """Each p as its rank among the smallest p of the permuted tables; never 0, and never below p itself.

    Allowing for more cells cannot make one cell less likely: what falls below p is sampling error.
    """
    ranks = np.searchsorted(np.sort(smallest), p + TIE, side="right")
    return np.asarray(np.maximum((1 + ranks) / (1 + len(smallest)), p), dtype=float)


@lru_cache(maxsize=100_000)
def so_few(whole: int, marked: int, drawn: int) -> tuple[float, ...]:
    """The chance of at most k marked ones among the drawn, for k = 0, 1, ...: exact, in whole numbers.

    Whole numbers of thousands of digits take long: for many entries it is right to nine digits.

    >>> so_few(4, 2, 2)
    (0.16666666666666666, 0.8333333333333334, 1.0)
    """
    least = max(0, marked + drawn - whole)
    if whole > MANY:
        return (0.0,) * least + _by_logarithms(whole, marked, drawn, least)
    term = comb(marked, least) * comb(whole - marked, drawn - least)
    ways, total, chances = 0, comb(whole, drawn), [0.0] * least
    for k in range(least, min(marked, drawn) + 1):
        ways += term
        chances.append(ways / total)
        # from each term to the next by a whole factor and a whole divisor: much faster than anew
        term = term * (marked - k) * (drawn - k) // ((k + 1) * (whole - marked - drawn + k + 1))
    return tuple(chances)


def _by_logarithms(whole: int, marked: int, drawn: int, least: int) -> tuple[float, ...]:
    """The same from the least number on that can be drawn."""
    of = _log_factorials(whole)
    k = np.arange(least, min(marked, drawn) + 1)
    ways = of[marked] - of[k] - of[marked - k] + of[whole - marked] - of[drawn - k] - of[whole - marked - drawn + k]
    chances = np.exp(ways - (of[whole] - of[drawn] - of[whole - drawn]))
    return tuple(np.minimum(chances.cumsum(), 1.0).tolist())


@lru_cache(maxsize=8)
def _log_factorials(whole: int) -> Numbers:
    return np.array([lgamma(n + 1) for n in range(whole + 1)])


def _chances(whole: int, down: Counts, across: Counts, tested: Flags) -> Numbers:
    """The chance of at most k, by row, column and k; 1 where a cell is not tested."""
    most = int(min(down.max(initial=0), across.max(initial=0)))
    out = np.ones((len(down), len(across), most + 1))
    for i, a in enumerate(down.tolist()):
        for j, b in enumerate(across.tolist()):
            if tested[i, j]:
                chances = so_few(whole, a, b)
                out[i, j, : len(chances)] = chances
    return out


def _looked_up(chances: Numbers, counts: Counts) -> Numbers:
    i, j = np.indices(chances.shape[:2])
    return np.asarray(chances[i, j, counts])


def _dealt(rows: Counts, columns: Counts, permutations: int, seed: int) -> list[Counts]:
    """The tables that come out when the second axis is dealt out anew, in batches."""
    rng = np.random.default_rng(seed)
    if len(rows) > MANY:
        return [_dealt_by_kind(rows, columns, permutations, rng)]
    batch = max(1, AT_ONCE // max(1, columns.size))
    first, second = rows.T.astype(np.float32), columns.astype(np.float32)
    out = []
    for start in range(0, permutations, batch):
        size = min(batch, permutations - start)
        order = rng.permuted(np.tile(np.arange(len(rows)), (size, 1)), axis=1)
        out.append(np.rint(first @ second[order]).astype(np.int64))
    return out


def _dealt_by_kind(rows: Counts, columns: Counts, permutations: int, rng: np.random.Generator) -> Counts:
    """The same tables, each kind of line dealt to each kind at once: the work does not grow with the entries.

    How many lines of one kind come to another is hypergeometric, given what is left to deal out.
    """
    kinds, wanted = np.unique(rows, axis=0, return_counts=True)
    others, there = np.unique(columns, axis=0, return_counts=True)
    left = np.tile(there, (permutations, 1))
    out = np.zeros((permutations, rows.shape[1], columns.shape[1]), dtype=np.int64)
    for kind, number in zip(kinds, wanted, strict=True):
        missing, beyond = np.full(permutations, number), left.sum(axis=1)
        came = np.empty_like(left)
        for place in range(len(others)):
            beyond = beyond - left[:, place]
            came[:, place] = rng.hypergeometric(left[:, place], beyond, missing)
            missing = missing - came[:, place]
        left = left - came
        out += kind[None, :, None] * (came @ others)[:, None, :]
    return out
