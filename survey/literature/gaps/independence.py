"""Test of independence: whether a cell has fewer entries than its row and column total suggest.

Under the null hypothesis the values of one axis are assigned to the entries independently of the other axis, with both
margins fixed. The count of a single cell is then hypergeometric for every shape of axis, sets included: of N entries,
``a`` have the row's value and ``b`` the column's. The probability of this count or a lower one is therefore exact.

With many cells, the emptiest is empty by chance more often than any single one. The corrected probability allows for
that: it is how often, when the second axis is permuted, the least likely cell of the table is at least as unlikely
(Westfall and Young's single-step minimum p). Permuting entire rows of the second axis keeps the values of a set
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, lgamma
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Counts: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "NDArray[np.float64]"
Flags: TypeAlias = "NDArray[np.bool_]"

PERMUTATIONS = 2000
SEED = 20260504

AT_ONCE = 4_000_000
"""Maximum number of values in memory while permuting."""

MANY = 2_000
"""Above this number of entries, equal ones are permuted together, and probabilities come from logarithms."""

TIE = 1e-12
"""Tolerance for equal probabilities that were computed in two ways."""


@dataclass(frozen=True)
class Independence:
    """A table of counts tested against independence; every array has a row per value and a column per value.

    ``residual`` is Haberman's adjusted residual, in standard deviations (NaN where a margin is empty or full); ``p``
    is the probability of so few entries in this cell alone; ``corrected`` is the same, corrected for all cells of the
    table.
    """

    observed: Counts
    expected: Numbers
    residual: Numbers
    p: Numbers
    corrected: Numbers


def independence(
    rows: Counts, columns: Counts, tested: Flags | None = None, permutations: int = PERMUTATIONS, seed: int = SEED
) -> Independence:
    """Test two indicator matrices, with a line per entry, against independence.

    Cells that are not ``tested`` (they are impossible) have p = 1 and do not take part in the correction. The order
    of the lines affects the result only through the random permutations; pass the entries in a stable order.
    """
    total = len(rows)
    down, across = rows.sum(axis=0), columns.sum(axis=0)
    observed = rows.T @ columns
    tested = np.ones(observed.shape, dtype=bool) if tested is None else tested
    if not total:
        empty = np.zeros(observed.shape)
        return Independence(observed, empty, np.full(observed.shape, np.nan), empty + 1, empty + 1)
    expected = np.outer(down, across) / total
    variance = expected * (1 - down / total)[:, None] * (1 - across / total)[None, :]
    residual = np.full(observed.shape, np.nan)
    np.divide(observed - expected, np.sqrt(variance), out=residual, where=variance > 0)
    chances = _chances(total, down, across, tested)
    p = _looked_up(chances, observed)
    smallest = np.concatenate([
        _looked_up(chances, permuted).reshape(len(permuted), -1).min(axis=1, initial=1.0)
        for permuted in _permuted(rows, columns, permutations, seed)
    ])  # fmt: skip
    return Independence(observed, expected, residual, p, corrected(p, smallest))


def corrected(p: Numbers, smallest: Numbers) -> Numbers:
    """Return each p as its rank among the smallest p of the permuted tables; never 0, and never below p itself.

    A correction for more cells cannot lower a probability: a value below p would be sampling error.
    """
    ranks = np.searchsorted(np.sort(smallest), p + TIE, side="right")
    return np.asarray(np.maximum((1 + ranks) / (1 + len(smallest)), p), dtype=float)


@lru_cache(maxsize=100_000)
def hypergeometric_cdf(total: int, marked: int, drawn: int) -> tuple[float, ...]:
    """Return the probability of at most k marked items among the drawn ones, for k = 0, 1, ...

    Computed exactly with integers; for more than ``MANY`` items with logarithms, accurate to nine digits.

    >>> hypergeometric_cdf(4, 2, 2)
    (0.16666666666666666, 0.8333333333333334, 1.0)
    """
    least = max(0, marked + drawn - total)
    if total > MANY:
        return (0.0,) * least + _by_logarithms(total, marked, drawn, least)
    term = comb(marked, least) * comb(total - marked, drawn - least)
    ways, all_ways, chances = 0, comb(total, drawn), [0.0] * least
    for k in range(least, min(marked, drawn) + 1):
        ways += term
        chances.append(ways / all_ways)
        # each term follows from the previous one by an integer factor and divisor: much faster than computing it anew
        term = term * (marked - k) * (drawn - k) // ((k + 1) * (total - marked - drawn + k + 1))
    return tuple(chances)


def _by_logarithms(total: int, marked: int, drawn: int, least: int) -> tuple[float, ...]:
    """Return the same, starting with the least possible number."""
    of = log_factorials(total)
    k = np.arange(least, min(marked, drawn) + 1)
    ways = of[marked] - of[k] - of[marked - k] + of[total - marked] - of[drawn - k] - of[total - marked - drawn + k]
    chances = np.exp(ways - (of[total] - of[drawn] - of[total - drawn]))
    return tuple(np.minimum(chances.cumsum(), 1.0).tolist())


@lru_cache(maxsize=8)
def log_factorials(largest: int) -> Numbers:
    """Return log(n!) for n from 0 to the largest."""
    return np.array([lgamma(n + 1) for n in range(largest + 1)])


def _chances(total: int, down: Counts, across: Counts, tested: Flags) -> Numbers:
    """Return the probability of at most k entries, by row, column and k; 1 where a cell is not tested."""
    most = int(min(down.max(initial=0), across.max(initial=0)))
    out = np.ones((len(down), len(across), most + 1))
    for i, a in enumerate(down.tolist()):
        for j, b in enumerate(across.tolist()):
            if tested[i, j]:
                chances = hypergeometric_cdf(total, a, b)
                out[i, j, : len(chances)] = chances
    return out


def _looked_up(chances: Numbers, counts: Counts) -> Numbers:
    i, j = np.indices(chances.shape[:2])
    return np.asarray(chances[i, j, counts])


def _permuted(rows: Counts, columns: Counts, permutations: int, seed: int) -> list[Counts]:
    """Return the tables under random permutations of the second axis, in batches."""
    rng = np.random.default_rng(seed)
    if len(rows) > MANY:
        return [_permuted_by_kind(rows, columns, permutations, rng)]
    batch = max(1, AT_ONCE // max(1, columns.size))
    first, second = rows.T.astype(np.float32), columns.astype(np.float32)
    out = []
    for start in range(0, permutations, batch):
        size = min(batch, permutations - start)
        order = rng.permuted(np.tile(np.arange(len(rows)), (size, 1)), axis=1)
        out.append(np.rint(first @ second[order]).astype(np.int64))
    return out


def _permuted_by_kind(rows: Counts, columns: Counts, permutations: int, rng: np.random.Generator) -> Counts:
    """Return the same tables, assigning equal lines together: the cost does not grow with the number of entries.

    The number of lines of one kind assigned to another kind is hypergeometric, given the lines that are left.
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
