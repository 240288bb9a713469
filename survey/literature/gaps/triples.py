"""Three axes at once: combinations of values that never occur although each pair in them does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.gaps.independence import (
    AT_ONCE,
    PERMUTATIONS,
    SEED,
    Counts,
    Numbers,
    corrected,
    hypergeometric_cdf,
)
from survey.literature.gaps.indicators import entry_axes, in_order, indicators, strict_keys, values
from survey.literature.pool import Pool
from survey.literature.taxonomy import Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


@dataclass(frozen=True, slots=True)
class TripleCell:
    """A value on each of three axes.

    ``pairs`` counts the entries with the first two values, with the first and the last, and with the last two.
    """

    cells: tuple[str, str, str]
    entries: tuple[str, ...]
    expected: float
    residual: float | None
    p: float
    corrected: float
    pairs: tuple[int, int, int]
    why: str = ""

    @property
    def count(self) -> int:
        """The number of entries in the cell."""
        return len(self.entries)

    @property
    def joint(self) -> bool:
        """Whether each pair of the values occurs in an entry and all three in none, although they could."""
        return not self.entries and all(self.pairs) and not self.why


@dataclass(frozen=True)
class TripleMap:
    """Three axes crossed: a cell for every combination of values; ``n`` entries have a value on all three."""

    axes: tuple[Axis, Axis, Axis]
    day: date
    total: int
    n: int
    cells: tuple[TripleCell, ...]

    def __iter__(self) -> Iterator[TripleCell]:
        return iter(self.cells)

    @property
    def joint(self) -> tuple[TripleCell, ...]:
        """The joint gaps, least likely first."""
        return tuple(sorted((c for c in self if c.joint), key=lambda c: (c.corrected, -c.expected)))


def triple(pool: Pool, first: str, second: str, third: str, strict: bool = False) -> TripleMap:
    """Test three axes of entries against mutual independence, with all margins fixed.

    The expected count is that of three independent traits. ``p`` is exact: given the number of entries with the
    first two values, the third is hypergeometric. ``residual`` is the distance from the expected count in standard
    deviations of that distribution.

    Raises:
        ValueError: if an axis does not exist, is not one of entries, or is given twice.

    """
    axes = entry_axes(pool, first, second, third)
    one, two, three = axes
    entries = in_order(pool.keep(strict_keys(pool)) if strict else pool)
    inside = [e for e in entries if all(values(e, axis) for axis in axes)]
    a, b, c = (indicators(inside, axis) for axis in axes)
    p, expected, spread, chances = _exact(len(inside), a, b, c)
    after = corrected(p, _smallest(a, b, c, chances)) if len(inside) else p
    found = []
    for (i, x), (j, y), (k, z) in product(*(enumerate(axis.value_cells) for axis in axes)):
        keys = tuple(e.key for e, line in zip(inside, a[:, i] * b[:, j] * c[:, k], strict=True) if line)
        found.append(
            TripleCell(
                (x, y, z), keys, float(expected[i, j, k]),
                (len(keys) - float(expected[i, j, k])) / float(spread[i, j, k]) if spread[i, j, k] else None,
                float(p[i, j, k]), float(after[i, j, k]),
                (int(a[:, i] @ b[:, j]), int(a[:, i] @ c[:, k]), int(b[:, j] @ c[:, k])),
                pool.taxonomy.excluded({one.id: x, two.id: y, three.id: z}),
            )
        )  # fmt: skip
    return TripleMap((one, two, three), pool.day, len(entries), len(inside), tuple(found))


@lru_cache(maxsize=100_000)
def triple_cdf(total: int, first: int, second: int, third: int) -> tuple[tuple[float, ...], float]:
    """Return the probability of at most k entries with three traits, for k = 0, 1, ...; and the standard deviation."""
    most = min(first, second, third)
    exactly, mean_square = [0.0] * (most + 1), 0.0
    met = _probabilities(hypergeometric_cdf(total, first, second))
    for both, weight in enumerate(met):
        for k, chance in enumerate(_probabilities(hypergeometric_cdf(total, both, third))):
            exactly[k] += weight * chance
            mean_square += weight * chance * k * k
    at_most, out = 0.0, []
    for chance in exactly:
        at_most += chance
        out.append(min(at_most, 1.0))
    mean = first * second * third / total**2
    return tuple(out), max(mean_square - mean**2, 0.0) ** 0.5


def _probabilities(cdf: tuple[float, ...]) -> list[float]:
    return [now - before for before, now in zip((0.0, *cdf), cdf, strict=False)]


def _exact(total: int, a: Counts, b: Counts, c: Counts) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return p, expected count and standard deviation of every cell, and the probabilities of every count in it."""
    sums = [m.sum(axis=0).tolist() for m in (a, b, c)]
    shape = tuple(map(len, sums))
    observed = np.einsum("ni,nj,nk->ijk", a, b, c)
    chances = np.ones((*shape, min(max(s, default=0) for s in sums) + 1))
    spread = np.zeros(shape)
    expected = np.zeros(shape)
    if total:
        for place in np.ndindex(*shape):
            x, y, z = (s[n] for s, n in zip(sums, place, strict=True))
            found, spread[place] = triple_cdf(total, x, y, z)
            chances[place][: len(found)] = found
            expected[place] = x * y * z / total**2
    return _looked_up(chances, observed), expected, spread, chances


def _smallest(a: Counts, b: Counts, c: Counts, chances: Numbers) -> Numbers:
    """Return the smallest probability of each table under random permutations of the second and third axes.

    There are many entries, but few different lines per axis. Entries are therefore counted by the lines on the first
    two axes, and only then by value.
    """
    rng = np.random.default_rng(SEED)
    total = len(a)
    (one, first_kind), (two, second_kind) = _kinds(a), _kinds(b)
    kinds = len(one), len(two)
    batch = max(1, AT_ONCE // max(total * a.shape[1] * b.shape[1], prod(kinds) * c.shape[1]))
    out = []
    for start in range(0, PERMUTATIONS, batch):
        size = min(batch, PERMUTATIONS - start)
        first, second = (rng.permuted(np.tile(np.arange(total), (size, 1)), axis=1) for _ in range(2))
        table = np.arange(size)[:, None]
        place = np.ravel_multi_index((table, first_kind, second_kind[first]), (size, *kinds)).ravel()
        met = [np.bincount(place, third[second].ravel(), size * prod(kinds)).reshape(size, *kinds) for third in c.T]
        permuted = np.rint(np.einsum("knxy,xi,yj->nijk", met, one, two, optimize=True)).astype(np.int64)
        out.append(_looked_up(chances, permuted).reshape(size, -1).min(axis=1))
    return np.concatenate(out)


def _kinds(lines: Counts) -> tuple[Counts, Counts]:
    """Return the distinct lines, and the index of each line among them."""
    kinds, which = np.unique(lines, axis=0, return_inverse=True)
    return kinds, which.reshape(-1)


def _looked_up(chances: Numbers, counts: Counts) -> Numbers:
    i, j, k = np.indices(chances.shape[:3])
    return np.asarray(chances[i, j, k, counts])
