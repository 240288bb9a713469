"""Minimum set cover: compared with exhaustive search and a solver, and independent of the order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from survey.literature.related.set_cover import EXACT, Cost, Cover, smallest_cover

Sets = list[list[str]]

SETS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5), max_size=9)


def costs(number: int) -> list[Cost]:
    """Return costs such that every choice has a different sum, so that the cheapest is unique."""
    return [(place % 3, 1 << place) for place in range(number)]


def held(sets: Sets, chosen: tuple[int, ...]) -> set[str]:
    return {element for place in chosen for element in sets[place]}


def cheapest(sets: Sets, prices: list[Cost]) -> tuple[int, ...]:
    """Return the least choice by number, then by cost, by exhaustive search."""
    for size in range(len(sets) + 1):
        complete = [c for c in combinations(range(len(sets)), size) if held(sets, c) == held(sets, tuple(range(len(sets))))]  # fmt: skip
        if complete:
            return min(complete, key=lambda c: [sum(prices[place][n] for place in c) for n in (0, 1)])
    raise AssertionError


@pytest.mark.parametrize(
    ("sets", "chosen"),
    [
        pytest.param([], (), id="nothing to cover"),
        pytest.param([[], []], (), id="sets that hold nothing"),
        pytest.param([["a"], ["a", "b"]], (1,), id="one holds all"),
        pytest.param([["a", "b"], ["c", "d"], ["b", "c"], ["a"], ["d"]], (0, 1), id="pairs"),
        # the set that adds most, the first, is in no smallest cover
        pytest.param([list("abcd"), list("abe"), list("cdf")], (1, 2), id="greed would take three"),
        pytest.param([["a", "a"], ["a"]], (0,), id="an element twice"),
    ],
)
def test_the_cover_is_minimal(sets: Sets, chosen: tuple[int, ...]) -> None:
    assert smallest_cover(sets, costs(len(sets))) == Cover(chosen, True)


def test_among_minimal_covers_the_least_cost_decides() -> None:
    assert smallest_cover(["ab", "ab", "ab"], [(1, 0), (0, 2), (0, 1)]).chosen == (2,)
    assert smallest_cover(["a", "b", "ab"], [(0,), (0,), (9,)]).chosen == (2,)


@given(SETS)
def test_it_equals_exhaustive_search(sets: Sets) -> None:
    found = smallest_cover(sets, costs(len(sets)))
    assert found.smallest
    assert held(sets, found.chosen) == held(sets, tuple(range(len(sets))))
    assert found.chosen == cheapest(sets, costs(len(sets)))


@given(SETS.flatmap(lambda sets: st.tuples(st.just(sets), st.permutations(range(len(sets))))))
def test_the_order_of_the_sets_changes_nothing(case: tuple[Sets, list[int]]) -> None:
    sets, order = case
    prices = costs(len(sets))
    turned = smallest_cover([sets[place] for place in order], [prices[place] for place in order])
    assert sorted(order[place] for place in turned.chosen) == list(smallest_cover(sets, prices).chosen)


@pytest.mark.parametrize("seed", range(5))
def test_a_solver_finds_no_fewer(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random.random((40, 60)) < 0.12
    table[:, table.sum(axis=0) == 0] = True
    sets = [[str(n) for n in np.flatnonzero(row)] for row in table]
    found = smallest_cover(sets, costs(len(sets)))
    solved = milp(
        np.ones(40),
        constraints=LinearConstraint(table.T.astype(float), lb=1),
        integrality=np.ones(40),
        bounds=Bounds(0, 1),
    )
    assert found.smallest
    assert len(found.chosen) == round(solved.fun)


def test_a_truncated_search_says_so_and_has_no_redundant_sets() -> None:
    random = np.random.default_rng(7)
    sets = [[str(n) for n in np.flatnonzero(random.random(80) < 0.1)] for _ in range(120)]
    found = smallest_cover(sets, costs(len(sets)), budget=5)
    whole = held(sets, tuple(range(len(sets))))
    assert not found.smallest
    assert held(sets, found.chosen) == whole
    assert all(held(sets, tuple(p for p in found.chosen if p != place)) != whole for place in found.chosen)


def test_a_cover_of_very_many_sets_is_not_called_minimal() -> None:
    sets = [[str(n), str(n + 1)] for n in range(EXACT + 50)]
    found = smallest_cover(sets, costs(len(sets)))
    assert held(sets, found.chosen) == held(sets, tuple(range(len(sets))))
    assert not found.smallest
