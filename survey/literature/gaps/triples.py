"""Three axes at once: what is filled two by two and empty all together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from survey.extras import late
from survey.literature.gaps.independence import AT_ONCE, PERMUTATIONS, SEED, Counts, Numbers, corrected, so_few
from survey.literature.gaps.indicators import entry_axes, in_order, indicators, strict_keys, values
from survey.literature.pool import Pool
from survey.literature.taxonomy import Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = late("numpy")


@dataclass(frozen=True, slots=True)
class TripleCell:
    """A value on each of three axes.

    ``pairs`` counts the entries that have the first two values, the outer two, and the last two.
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
        """How many entries stand here."""
        return len(self.entries)

    @property
    def joint(self) -> bool:
        """Whether each two of the values meet in some entry, and the three in none, though they could."""
        return not self.entries and all(self.pairs) and not self.why


@dataclass(frozen=True)
class TripleMap:
    """A cell for every value of every one of three axes; ``n`` entries have a value on all of them."""

    axes: tuple[Axis, Axis, Axis]
    day: date
    whole: int
    n: int
    cells: tuple[TripleCell, ...]

    def __iter__(self) -> Iterator[TripleCell]:
        return iter(self.cells)

    @property
    def joint(self) -> tuple[TripleCell, ...]:
        """What is filled two by two and empty together, the most to be expected first."""
        return tuple(sorted((c for c in self if c.joint), key=lambda c: (c.corrected, -c.expected)))


def triple(pool: Pool, first: str, second: str, third: str, strict: bool = False) -> TripleMap:
    """Three axes of entries against each other, under mutual independence with all margins fixed.

    The expected count is that of three traits dealt out independently. ``p`` is exact: given how
    many entries have the first two values, the third is hypergeometric. ``residual`` is the
    distance from the expected count in standard deviations of that distribution.

    Raises:
        ValueError: if an axis does not exist, is not asked of entries, or comes twice.

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
def so_few_of_three(whole: int, first: int, second: int, third: int) -> tuple[tuple[float, ...], float]:
    """The chance of at most k entries with three traits, for k = 0, 1, ...; and the spread of their number."""
    most = min(first, second, third)
    at_most, mean_square = [0.0] * (most + 1), 0.0
    met = _steps(so_few(whole, first, second))
    for both, weight in enumerate(met):
        for k, chance in enumerate(_steps(so_few(whole, both, third))):
            at_most[k] += weight * chance
            mean_square += weight * chance * k * k
    total, out = 0.0, []
    for chance in at_most:
        total += chance
        out.append(min(total, 1.0))
    mean = first * second * third / whole**2
    return tuple(out), max(mean_square - mean**2, 0.0) ** 0.5


def _steps(at_most: tuple[float, ...]) -> list[float]:
    return [now - before for before, now in zip((0.0, *at_most), at_most, strict=False)]


def _exact(whole: int, a: Counts, b: Counts, c: Counts) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Probability, expected count and spread of every cell, and the chances of every count in it."""
    sums = [m.sum(axis=0).tolist() for m in (a, b, c)]
    shape = tuple(map(len, sums))
    observed = np.einsum("ni,nj,nk->ijk", a, b, c)
    chances = np.ones((*shape, min(max(s, default=0) for s in sums) + 1))
    spread = np.zeros(shape)
    expected = np.zeros(shape)
    if whole:
        for place in np.ndindex(*shape):
            x, y, z = (s[n] for s, n in zip(sums, place, strict=True))
            found, spread[place] = so_few_of_three(whole, x, y, z)
            chances[place][: len(found)] = found
            expected[place] = x * y * z / whole**2
    return _looked_up(chances, observed), expected, spread, chances


def _smallest(a: Counts, b: Counts, c: Counts, chances: Numbers) -> Numbers:
    """The smallest probability of each table that comes out when the second and third axes are dealt out anew.

    Entries are many, and the kinds of lines that they have on an axis few: they are counted by kind
    of line on the first two axes, and only then by value.
    """
    rng = np.random.default_rng(SEED)
    whole = len(a)
    (one, first_kind), (two, second_kind) = _kinds(a), _kinds(b)
    kinds = len(one), len(two)
    batch = max(1, AT_ONCE // max(whole * a.shape[1] * b.shape[1], prod(kinds) * c.shape[1]))
    out = []
    for start in range(0, PERMUTATIONS, batch):
        size = min(batch, PERMUTATIONS - start)
        first, second = (rng.permuted(np.tile(np.arange(whole), (size, 1)), axis=1) for _ in range(2))
        table = np.arange(size)[:, None]
        place = np.ravel_multi_index((table, first_kind, second_kind[first]), (size, *kinds)).ravel()
        met = [np.bincount(place, third[second].ravel(), size * prod(kinds)).reshape(size, *kinds) for third in c.T]
        dealt = np.rint(np.einsum("knxy,xi,yj->nijk", met, one, two, optimize=True)).astype(np.int64)
        out.append(_looked_up(chances, dealt).reshape(size, -1).min(axis=1))
    return np.concatenate(out)


def _kinds(lines: Counts) -> tuple[Counts, Counts]:
    """The different lines, and which of them each line is."""
    kinds, which = np.unique(lines, axis=0, return_inverse=True)
    return kinds, which.reshape(-1)


def _looked_up(chances: Numbers, counts: Counts) -> Numbers:
    i, j, k = np.indices(chances.shape[:3])
    return np.asarray(chances[i, j, k, counts])
