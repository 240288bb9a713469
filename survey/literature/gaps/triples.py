"""Three axes at once: combinations of values that never occur although each pair in them does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.gaps.independence import corrected
from survey.literature.gaps.indicators import entry_axes, in_order, indicators, strict_keys, values
from survey.literature.gaps.no_three_way import no_three_way
from survey.literature.pool import Pool
from survey.literature.taxonomy import Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


@dataclass(frozen=True, slots=True)
class TripleCell:
    """A value on each of three axes.

    ``pairs`` counts the entries with the first two values, with the first and the last, and with the last two. ``p`` is
    the probability of so few entries with all three given these pairs, ``corrected`` the same, corrected for all cells.
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
        """Joint gaps, the least likely to be empty by chance first."""
        return tuple(sorted((c for c in self if c.joint), key=lambda c: (c.corrected, c.p, -c.expected)))


def triple(pool: Pool, first: str, second: str, third: str, strict: bool = False) -> TripleMap:
    """Test three axes of entries against the log-linear model without the three-way term.

    The pairs of values are taken as they are, however surprising: what is asked is whether all three values meet less
    often than their pairs let expect. The expected count is that of the model fitted to all pairs; ``p`` is the exact
    probability of so few entries given the counts of the three values and of their pairs, ``residual`` the distance
    from the expected count in standard deviations of that distribution. ``corrected`` is the share of pools drawn
    from the model in which the least likely cell is at least as unlikely; impossible cells take no part.

    Raises:
        ValueError: if an axis does not exist, is not one of entries, or is given twice.

    """
    axes = entry_axes(pool, first, second, third)
    one, two, three = axes
    entries = in_order(pool.keep(strict_keys(pool)) if strict else pool)
    inside = [e for e in entries if all(values(e, axis) for axis in axes)]
    a, b, c = (indicators(inside, axis) for axis in axes)
    places = list(product(*(enumerate(axis.value_cells) for axis in axes)))
    why = [pool.taxonomy.excluded({one.id: x, two.id: y, three.id: z}) for (_, x), (_, y), (_, z) in places]
    shape = (a.shape[1], b.shape[1], c.shape[1])
    expected, spread, p = np.zeros(shape), np.zeros(shape), np.ones(shape)
    after = p
    if inside:
        tested = np.array([not reason for reason in why]).reshape(shape)
        model = no_three_way(a, b, c)
        expected, (found, spread) = model.expected, model.test()
        p = np.where(tested, found, 1.0)
        after = corrected(p, model.smallest(tested))
    cells = []
    for ((i, x), (j, y), (k, z)), reason in zip(places, why, strict=True):
        keys = tuple(e.key for e, line in zip(inside, a[:, i] * b[:, j] * c[:, k], strict=True) if line)
        mean = float(expected[i, j, k])
        cells.append(
            TripleCell(
                (x, y, z), keys, mean, (len(keys) - mean) / float(spread[i, j, k]) if spread[i, j, k] else None,
                float(p[i, j, k]), float(after[i, j, k]),
                (int(a[:, i] @ b[:, j]), int(a[:, i] @ c[:, k]), int(b[:, j] @ c[:, k])), reason,
            )
        )  # fmt: skip
    return TripleMap((one, two, three), pool.day, len(entries), len(inside), tuple(cells))
