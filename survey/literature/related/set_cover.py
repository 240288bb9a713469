"""Minimum set cover: exact where the search is fast, otherwise the best cover found, marked as not proven minimal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

BUDGET = 20_000
"""Maximum number of search steps; queries on a hand-curated pool need a few hundred at most."""

EXACT = 300
"""Maximum number of distinct sets for the exact search, whose preparation compares every two sets."""

Cost = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cover:
    """The indices of the chosen sets, in order, and whether the cover is proven minimal."""

    chosen: tuple[int, ...]
    smallest: bool


def smallest_cover(sets: Sequence[Sequence[Hashable]], costs: Sequence[Cost], budget: int = BUDGET) -> Cover:
    """Return the smallest number of sets that contain every element of all sets; among those, the least costly.

    A cost is a tuple of non-negative numbers; tuples are added element by element, and the sums compared from left to
    right. If the search takes more than ``budget`` steps, the best cover so far is returned, without redundant sets.

    >>> smallest_cover(["ab", "bc", "c", "a"], [(2,), (0,), (0,), (1,)])
    Cover(chosen=(1, 3), smallest=True)
    """
    elements: dict[Hashable, int] = {}
    for held in sets:
        for element in held:
            elements.setdefault(element, len(elements))
    masks = [sum(1 << elements[element] for element in dict.fromkeys(held)) for held in sets]
    every = (1 << len(elements)) - 1
    places = _cheapest_of_each(masks, costs)
    found = _greedy(places, masks, costs, every)
    if len(places) > EXACT:
        return Cover(tuple(sorted(found)), len(found) <= 1)
    places = _undominated(places, masks, costs)
    fewest = _Search(places, masks, [()] * len(sets), every, budget)
    found = fewest.better_than(found)
    if fewest.exhausted:
        return Cover(tuple(sorted(found)), len(found) <= fewest.at_least(every))
    cheapest = _Search(places, masks, costs, every, budget)
    return Cover(tuple(sorted(cheapest.better_than(found))), True)


class _Search:
    """Branch and bound: elements contained in few sets are covered first, by each of these sets in turn."""

    def __init__(self, places: list[int], masks: list[int], costs: Sequence[Cost], every: int, budget: int) -> None:
        self.masks, self.every, self.left = masks, every, budget
        self.costs = {place: (1, *costs[place]) for place in places}
        bits = [1 << n for n in range(every.bit_length())]
        holding = {bit: [place for place in places if masks[place] & bit] for bit in bits}
        self.holders = dict(sorted(holding.items(), key=lambda pair: (len(pair[1]), pair[1])))
        self.as_mask = {bit: sum(1 << place for place in holders) for bit, holders in self.holders.items()}

    @property
    def exhausted(self) -> bool:
        return self.left <= 0

    def better_than(self, known: list[int]) -> list[int]:
        """Return the best cover; a known cover as a starting point prunes most of the search."""
        self.best, self.least = known, self._cost(known)
        self._extend([], self._cost([]), 0)
        return self.best

    def at_least(self, wanted: int) -> int:
        """Return a lower bound on the number of sets: elements of which no set contains two."""
        number, used = 0, 0
        for bit, holders in self.as_mask.items():
            if wanted & bit and not holders & used:
                number += 1
                used |= holders
        return number

    def _extend(self, chosen: list[int], cost: Cost, covered: int) -> None:
        self.left -= 1
        if covered == self.every:
            if cost < self.least:
                self.best, self.least = list(chosen), cost
            return
        bound = (cost[0] + self.at_least(self.every & ~covered), *cost[1:])
        if self.exhausted or bound >= self.least:
            return
        bit = next(bit for bit in self.holders if not covered & bit)
        for place in sorted(self.holders[bit], key=lambda p: (-(self.masks[p] & ~covered).bit_count(), self.costs[p])):
            self._extend([*chosen, place], _sum(cost, self.costs[place]), covered | self.masks[place])

    def _cost(self, chosen: list[int]) -> Cost:
        total: Cost = (0,) * len(next(iter(self.costs.values()), (0,)))
        for place in chosen:
            total = _sum(total, self.costs[place])
        return total


def _sum(a: Cost, b: Cost) -> Cost:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _cheapest_of_each(masks: list[int], costs: Sequence[Cost]) -> list[int]:
    """Return the cheapest of each group of equal sets."""
    best: dict[int, int] = {}
    for place in sorted(range(len(masks)), key=lambda p: (costs[p], p)):
        if masks[place]:
            best.setdefault(masks[place], place)
    return list(best.values())


def _undominated(places: list[int], masks: list[int], costs: Sequence[Cost]) -> list[int]:
    """Return the sets that are not contained in another set of equal or lower cost."""
    return [
        p
        for p in places
        if not any(q != p and masks[p] & ~masks[q] == 0 and costs[q] <= costs[p] for q in places)
    ]  # fmt: skip


def _greedy(places: list[int], masks: list[int], costs: Sequence[Cost], every: int) -> list[int]:
    """Choose the set that adds most until all is covered; then remove redundant sets."""
    chosen: list[int] = []
    covered = 0
    while covered != every:
        place = min(places, key=lambda p: (-(masks[p] & ~covered).bit_count(), costs[p]))
        chosen.append(place)
        covered |= masks[place]
    for place in sorted(chosen, key=lambda p: costs[p], reverse=True):
        rest = 0
        for other in chosen:
            rest |= masks[other] if other != place else 0
        if rest == every:
            chosen.remove(place)
    return chosen
