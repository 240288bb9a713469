"""Capture-recapture against hand-worked cases, exact expectations from scipy, and simulations that know the truth."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from scipy.stats import hypergeom

from survey.literature.counting.flow import FEWEST, chao, two_lists


def test_a_hand_worked_case_of_two_lists() -> None:
    """Two readers find 9 and 14 works, 7 of them the same: 10 * 15 / 8 - 1."""
    estimate = two_lists(9, 14, 7)
    assert (estimate.found, estimate.total) == (16, 17.75)


@pytest.mark.parametrize(("total", "first", "second"), [(60, 45, 40), (200, 130, 120), (31, 20, 18)])
def test_the_estimate_is_right_on_average(total: int, first: int, second: int) -> None:
    """Where the lists together are longer than the truth, Chapman's estimate has no bias: summed over every outcome."""
    outcomes = [k for k in range(FEWEST, min(first, second) + 1) if hypergeom.pmf(k, total, first, second) > 0]
    assert hypergeom.cdf(FEWEST - 1, total, first, second) < 1e-6
    mean = sum(
        float(hypergeom.pmf(k, total, first, second)) * (two_lists(first, second, k).total or 0) for k in outcomes
    )
    assert mean == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize(("total", "first", "second"), [(60, 30, 30), (136, 50, 85), (400, 120, 150)])
def test_the_interval_covers_the_truth_as_often_as_it_says(total: int, first: int, second: int) -> None:
    covered = counted = 0.0
    for both in range(FEWEST, min(first, second) + 1):
        estimate = two_lists(first, second, both)
        chance = float(hypergeom.pmf(both, total, first, second))
        assert estimate.low is not None and estimate.high is not None and estimate.total is not None
        assert estimate.found <= estimate.low <= estimate.total <= estimate.high
        covered += chance * (estimate.low <= total <= estimate.high)
        counted += chance
    assert counted > 0.99
    assert 0.95 <= covered / counted < 0.99


def test_the_ends_of_the_interval_are_those_of_scipy() -> None:
    estimate = two_lists(50, 85, 31)
    assert estimate.low is not None and estimate.high is not None
    held = [n for n in range(104, 400)
            if hypergeom.cdf(31, n, 50, 85) > 0.025 and hypergeom.sf(30, n, 50, 85) > 0.025]  # fmt: skip
    assert (estimate.low, estimate.high) == (held[0], held[-1])


def test_lists_that_find_everything_leave_nothing_to_estimate() -> None:
    estimate = two_lists(20, 20, 20)
    assert (estimate.found, estimate.total, estimate.low) == (20, 20.0, 20.0)


@pytest.mark.parametrize("both", [0, FEWEST - 1])
def test_lists_that_share_too_little_have_no_estimate(both: int) -> None:
    estimate = two_lists(40, 30, both)
    assert (estimate.total, estimate.low, estimate.high) == (None, None, None)
    assert f"share {both} works" in estimate.why_not


def test_lists_cannot_share_more_than_they_have() -> None:
    with pytest.raises(ValueError, match="cannot share 4"):
        two_lists(3, 9, 4)


def test_a_hand_worked_case_of_many_lists() -> None:
    """Five lists; 10 works found once, 4 twice, 3 three times: 17 + 4/5 * 10 * 9 / (2 * 5)."""
    estimate = chao(5, {1: 10, 2: 4, 3: 3})
    assert estimate.found == 17
    assert estimate.total == pytest.approx(24.2)


@pytest.mark.parametrize(
    ("occasions", "frequencies", "why"),
    [(2, {1: 4, 2: 9}, "three occasions or more"), (4, {1: 9}, "found exactly twice"), (3, {}, "exactly twice")],
)
def test_few_lists_or_no_repeated_work_have_no_estimate(occasions: int, frequencies: dict[int, int], why: str) -> None:
    estimate = chao(occasions, frequencies)
    assert estimate.total is None
    assert why in estimate.why_not


def _frequencies(chances: list[float], occasions: int, draw: random.Random) -> Counter[int]:
    times = Counter(sum(draw.random() < chance for _ in range(occasions)) for chance in chances)
    del times[0]
    return times


def test_many_lists_that_find_each_work_alike_lead_to_the_truth() -> None:
    draw = random.Random(20)
    estimates = [chao(6, _frequencies([0.3] * 200, 6, draw)) for _ in range(1500)]
    totals = [e.total or 0 for e in estimates]
    assert sum(totals) / len(totals) == pytest.approx(200, rel=0.02)
    covered = sum((e.low or 0) <= 200 <= (e.high or 0) for e in estimates) / len(estimates)
    assert 0.93 <= covered <= 0.985


def test_works_that_are_hard_to_find_make_the_estimate_a_lower_bound() -> None:
    draw = random.Random(21)
    chances = [0.6] * 100 + [0.05] * 100
    totals = [chao(6, _frequencies(chances, 6, draw)).total or 0 for _ in range(600)]
    found = [sum(_frequencies(chances, 6, draw).values()) for _ in range(600)]
    assert sum(found) / 600 < sum(totals) / 600 < 200


def test_lists_that_resemble_each_other_make_completeness_too_high() -> None:
    """The sentence of the page: where the same works are easy for both lists, the estimated number is too low."""
    draw = random.Random(22)
    totals = []
    for _ in range(500):
        chances = [0.8] * 100 + [0.2] * 100
        lists = [{n for n, chance in enumerate(chances) if draw.random() < chance} for _ in range(2)]
        totals.append(two_lists(len(lists[0]), len(lists[1]), len(lists[0] & lists[1])).total or 0)
    assert sum(totals) / len(totals) < 160
