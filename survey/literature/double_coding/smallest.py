"""The smallest number of changes whose gains reach a goal, and every choice that is part of such a smallest set.

Each member of a group can be changed in one of several ways, each with a cost and a gain. This is a bounded knapsack
with few kinds of members; best gains by cost are combined group by group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NEVER = -(10**12)
"""A gain that is out of reach."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One kind of change of a member: how many readings it takes, what it adds, and the ways to make it."""

    cost: int
    gain: int
    ways: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Members that are alike, and what each of them can be changed to."""

    size: int
    choices: tuple[Choice, ...]


def smallest(groups: Sequence[Group], need: int) -> tuple[int | None, dict[int, tuple[Choice, ...]]]:
    """Return the smallest cost at which the gains reach ``need``, and by group the choices of any set that does.

    The cost is None if no set reaches it.
    """
    live = {place: group for place, group in enumerate(groups) if group.choices}
    most = sum(group.size * max(choice.cost for choice in group.choices) for group in live.values())
    budget = 1
    while True:
        gains = _joined([_gains(group, group.size, budget) for group in live.values()], budget)
        if gains[budget] >= need:
            break
        if budget >= most:
            return None, {}
        budget = min(2 * budget, most)
    cost = next(some for some, gain in enumerate(gains) if gain >= need)
    tables = {place: _gains(group, group.size, cost) for place, group in live.items()}
    chosen = {}
    for place, group in live.items():
        others = [table for other, table in tables.items() if other != place]
        rest = _joined([*others, _gains(group, group.size - 1, cost)], cost)
        part = tuple(c for c in group.choices if c.cost <= cost and rest[cost - c.cost] + c.gain >= need)
        if part:
            chosen[place] = part
    return cost, chosen


def _gains(group: Group, size: int, budget: int) -> list[int]:
    """Return the largest gain of so many members of a group, for each cost up to the budget."""
    best = [0] * (budget + 1)
    for _ in range(min(size, budget)):
        before, best = best, [
            max([best[cost], *(best[cost - c.cost] + c.gain for c in group.choices if c.cost <= cost)])
            for cost in range(budget + 1)
        ]  # fmt: skip
        if before == best:
            break
    return best


def _joined(tables: Sequence[Sequence[int]], budget: int) -> list[int]:
    total = [0] * (budget + 1)
    for table in tables:
        if any(table):
            total = [max(total[some] + table[cost - some] for some in range(cost + 1)) for cost in range(budget + 1)]
    return total
