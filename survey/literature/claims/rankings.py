"""Rankings: the values of each main axis by count, and how stable the order is across variants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from math import sqrt

from survey.literature.claims.robustness import FULL, variant_pool
from survey.literature.claims.verdicts import Judge
from survey.literature.pool import Pool, Variant, cells, counted, pairs
from survey.literature.taxonomy import Axis


@dataclass(frozen=True)
class Order:
    """The values of an axis by count in one variant, compared with the full pool.

    ``tau`` is Kendall's tau-b of the two orders (None if there is nothing to order), ``reversed`` the number of pairs
    of values in reverse order. For leave-one-out both are the worst case, and ``turns`` are the entries whose removal
    changes the leading value.
    """

    variant: Variant
    counts: Mapping[str, int]
    leaders: tuple[str, ...]
    stays: bool = True
    tau: float | None = None
    reversed: int = 0
    turns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """The values of a main axis, the most frequent first, in every variant that can order them."""

    axis: Axis
    full: Order
    orders: tuple[Order, ...]

    @property
    def ordered(self) -> tuple[str, ...]:
        """The values of the full pool, the most frequent first, equals in the order of the taxonomy."""
        return tuple(sorted(self.full.counts, key=lambda cell: -self.full.counts[cell]))

    @property
    def pairs(self) -> int:
        """The number of pairs of values with different counts in the full pool."""
        return sum(a != b for a, b in combinations(self.full.counts.values(), 2))

    @property
    def survived(self) -> int:
        """The number of variants in which the same value leads."""
        return sum(order.stays for order in self.orders)


def rankings(pool: Pool, day: date | None = None) -> tuple[Ranking, ...]:
    """Return the ranking of every main axis in every variant that could change it.

    Records readmitted without tags could not. Axes on which no entry has a value are left out.
    """
    judge = pool.once(Judge)
    found = (_ranking(judge, axis, day or pool.day) for axis in pool.taxonomy.main)
    return tuple(ranking for ranking in found if ranking.full.leaders)


def _ranking(judge: Judge, axis: Axis, day: date) -> Ranking:
    now = judge.pool.as_of(day)
    full = _order(FULL, _count(now, axis))
    orders = []
    for variant in judge.pool.claims.variants:
        if variant.leave_one_out:
            orders.append(_without_one(variant, now, axis, full))
        elif not variant.readmit and (other := _ordering(judge, variant, axis, day)) is not None:
            order = _order(variant, _count(other, axis), full)
            orders += [order] if order.leaders else []
    return Ranking(axis, full, tuple(orders))


def _ordering(judge: Judge, variant: Variant, axis: Axis, day: date) -> Pool | None:
    """Return the entries that a variant ranks on an axis; None if it does not apply to the axis."""
    if variant.reading:
        if axis.id in variant.rankings:
            return judge.pool.as_of(day).where(pairs(variant.rankings[axis.id]))
        coding = getattr(judge.readings, variant.reading, "")
        if not coding or not judge.pool.codings[coding].on(axis.id):
            return None
    return variant_pool(judge, variant, day)


def _count(pool: Pool, axis: Axis) -> dict[str, int]:
    """Return the number of entries per value of an axis, without words for absence."""
    found = Counter(cell for entry in pool for cell in counted(entry, axis))
    return {cell: found[cell] for cell in cells(axis) if cell.partition(": ")[0] in axis.values}


def _order(variant: Variant, counts: Mapping[str, int], full: Order | None = None) -> Order:
    most = max(counts.values(), default=0)
    leaders = tuple(cell for cell, number in counts.items() if number == most and most)
    if full is None:
        return Order(variant, counts, leaders)
    tau, turned = tau_b(list(full.counts.values()), list(counts.values()))
    return Order(variant, counts, leaders, leaders == full.leaders, tau, turned)


def _without_one(variant: Variant, pool: Pool, axis: Axis, full: Order) -> Order:
    turns, taus, turned = [], [], 0
    known: dict[tuple[str, ...], Order] = {}
    for entry in pool:
        kind = counted(entry, axis)
        if kind not in known:
            rest = {cell: number - (cell in kind) for cell, number in full.counts.items()}
            known[kind] = _order(variant, rest, full)
        order = known[kind]
        turns += [] if order.stays else [entry.key]
        taus += [] if order.tau is None else [order.tau]
        turned = max(turned, order.reversed)
    return Order(variant, {}, full.leaders, not turns, min(taus, default=None), turned, tuple(turns))


def tau_b(one: Sequence[int], other: Sequence[int]) -> tuple[float | None, int]:
    """Return Kendall's tau-b of two counts of the same values, and the number of pairs they order differently.

    Tau-b is None if one of the counts orders no pair.

    >>> tau_b([3, 2, 1], [3, 1, 2])
    (0.3333333333333333, 1)
    """
    products = [(a - b, c - d) for (a, c), (b, d) in combinations(zip(one, other, strict=True), 2)]
    alike = sum(x * y > 0 for x, y in products)
    turned = sum(x * y < 0 for x, y in products)
    comparable = sum(x != 0 for x, _ in products) * sum(y != 0 for _, y in products)
    return ((alike - turned) / sqrt(comparable) if comparable else None), turned
