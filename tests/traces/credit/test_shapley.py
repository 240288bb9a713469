"""Shapley values: the axioms, an oracle, and the guarantees of the estimates."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.credit import Game, NotMeasurable, exact, leave_one_out, sampled
from survey.traces.credit.shapley import DESIGNS, Design
from tests.traces.credit.drawn import MODEST, named, pairs_of_tables, seeded, shares, tabled, tables, worths

UNBIASED: list[Design] = ["permutation", "antithetic", "stratified", "latin"]


# the axioms


@MODEST
@given(tables())
def test_shares_add_up_to_the_worth_of_all_minus_the_empty_coalition(table: list[float]) -> None:
    assert sum(shares(exact(tabled(table))).values()) == pytest.approx(table[-1] - table[0])


@MODEST
@given(tables(least=2))
def test_units_that_contribute_alike_get_alike(table: list[float]) -> None:
    swapped = [(bits & ~3) | (bits & 1) << 1 | (bits & 2) >> 1 for bits in range(len(table))]
    even = [(worth + table[other]) / 2 for worth, other in zip(table, swapped, strict=True)]
    found = shares(exact(tabled(even)))
    assert found["a"] == pytest.approx(found["b"])


@MODEST
@given(tables())
def test_a_unit_that_never_changes_anything_gets_nothing(table: list[float]) -> None:
    assert exact(tabled([*table, *table]))[-1].value == pytest.approx(0)


@MODEST
@given(pairs_of_tables())
def test_shares_of_a_sum_of_games_are_the_sums_of_shares(pair: tuple[list[float], list[float]]) -> None:
    one, other = (shares(exact(tabled(table))) for table in pair)
    both = shares(exact(tabled([a + b for a, b in zip(*pair, strict=True)])))
    assert both == pytest.approx({unit: one[unit] + other[unit] for unit in one})


@MODEST
@given(tables(), st.integers(-8, 8))
def test_shares_of_a_multiple_are_that_multiple_of_the_shares(table: list[float], factor: int) -> None:
    once, often = shares(exact(tabled(table))), shares(exact(tabled([factor * worth for worth in table])))
    assert often == pytest.approx({unit: factor * share for unit, share in once.items()})


@MODEST
@given(st.lists(worths, min_size=1, max_size=6), worths)
def test_where_contributions_add_up_leave_one_out_and_shapley_are_the_contributions(
    own: list[float], nothing: float
) -> None:
    contributions = dict(zip(named(len(own)), own, strict=True))
    game = Game(tuple(contributions), lambda present: nothing + sum(contributions[unit] for unit in present))
    assert shares(exact(game)) == pytest.approx(contributions)
    assert shares(leave_one_out(game)) == pytest.approx(contributions)


@MODEST
@given(tables(most=4))
def test_the_formula_is_the_mean_over_all_orders(table: list[float]) -> None:
    game = tabled(table)
    totals = dict.fromkeys(game.units, 0.0)
    orders = list(permutations(game.units))
    for order in orders:
        for place, unit in enumerate(order):
            totals[unit] += game(order[: place + 1]) - game(order[:place])
    assert shares(exact(game)) == pytest.approx({unit: total / len(orders) for unit, total in totals.items()})


# the oracle


@pytest.mark.parametrize("number", [1, 2, 5, 10])
def test_shapiq_finds_the_same(number: int) -> None:
    from shapiq.game_theory import exact as exactly  # loaded here: it takes seconds

    game = seeded(number, number)
    weights = 1 << np.arange(number)
    table = game.table()
    oracle = exactly.ExactComputer(lambda rows: table[np.atleast_2d(rows).astype(int) @ weights], number)("SV")
    assert [share.value for share in exact(game)] == pytest.approx([oracle[(place,)] for place in range(number)])


# how many


def test_twenty_units_are_exact_and_more_are_refused_with_advice() -> None:
    game = Game(named(20), lambda present: float(bool(present)), dependents=[(1 << 20) - 1] * 20)
    assert [share.value for share in exact(game)] == pytest.approx([1 / 20] * 20)
    with pytest.raises(NotMeasurable, match=r"21 units have 2\^21 coalitions, too many for exact values: draw samples"):
        exact(Game(named(21), lambda present: 0.0))


def test_each_coalition_is_evaluated_once() -> None:
    asked: list[frozenset[str]] = []
    game = Game(named(4), lambda present: asked.append(present) or float(len(present)))  # type: ignore[func-returns-value]
    exact(game)
    sampled(game, 50)
    leave_one_out(game)
    assert len(asked) == len(set(asked)) == 16


def test_equivalent_coalitions_are_evaluated_once() -> None:
    game = Game(("lead", "helper"), lambda present: float(len(present)), dependents=[0b11, 0b10])
    assert shares(exact(game)) == {"lead": 1.5, "helper": 0.5}
    assert sorted(game.known) == [0b00, 0b01, 0b11]


@pytest.mark.parametrize("number", [1, 7, 64, 65, 1000])
def test_a_coalition_is_given_by_the_names_of_its_units_for_any_number_of_them(number: int) -> None:
    units = tuple(f"u{place}" for place in range(number))
    asked: list[frozenset[str]] = []
    game = Game(units, lambda present: asked.append(present) or 0.0)  # type: ignore[func-returns-value]
    for names in ((), units[:1], units[-1:], units[::3], units):
        game(names)
        assert asked[-1] == frozenset(names)


@MODEST
@given(tables(), st.sampled_from(get_args(Design)), st.booleans())
def test_a_game_evaluated_in_batches_is_the_same_game(table: list[float], design: Design, together: bool) -> None:
    one = tabled(table)
    everybody = (1 << len(one.units)) - 1
    fall = [everybody if together and place == 0 else 1 << place for place in range(len(one.units))]
    places = 1 << np.arange(len(one.units))

    def never(present: frozenset[str]) -> float:
        raise AssertionError(present)

    one = replace(one, dependents=fall)
    many = Game(one.units, never, dependents=fall, batch_value=lambda rows: np.array(table)[rows @ places])
    assert shares(exact(many)) == pytest.approx(shares(exact(one)))
    assert shares(leave_one_out(many)) == pytest.approx(shares(leave_one_out(one)))
    assert shares(sampled(many, 4, 7, design)) == pytest.approx(shares(sampled(one, 4, 7, design)))
    rows = np.array([[bits >> place & 1 for place in range(len(one.units))] for bits in range(len(table))], dtype=bool)
    assert many.worths(rows) == pytest.approx(one.worths(rows))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (np.array([1.0, np.nan]), r"a finite number for every coalition: the worth of \['a', 'b'\] is nan"),
        (np.array([1.0]), r"a number for every coalition: found \(1,\) for 2"),
        (np.ones((2, 2)), r"a number for every coalition: found \(2, 2\) for 2"),
    ],
)
def test_worths_that_are_no_numbers_or_not_as_many_as_were_asked_for_are_refused(found: np.ndarray, said: str) -> None:
    game = Game(named(2), lambda _: 0.0, batch_value=lambda _: found)
    with pytest.raises(NotMeasurable, match=f"needs {said}"):
        game.worths(np.ones((2, 2), dtype=bool))


def test_a_worth_that_is_no_number_is_refused_with_the_coalition() -> None:
    with pytest.raises(NotMeasurable, match=r"needs a finite number for every coalition: the worth of \['a'\] is nan"):
        exact(Game(("a",), lambda present: float("nan") if present else 0.0))


# estimates


@pytest.mark.parametrize("design", UNBIASED)
def test_an_interval_covers_the_exact_value_as_often_as_it_says(design: Design) -> None:
    game = seeded(5, 7)
    truth = shares(exact(game))
    level, seeds = 0.9, 200
    hits = dict.fromkeys(truth, 0)
    for seed in range(seeds):
        for share in sampled(game, 60, seed, design, level):
            assert share.low is not None and share.high is not None
            hits[share.unit] += share.low <= truth[share.unit] <= share.high
    spread = (level * (1 - level) * seeds) ** 0.5
    assert all(abs(count - level * seeds) < 3 * spread for count in hits.values()), hits
    assert abs(sum(hits.values()) / seeds / len(hits) - level) < 0.03


@pytest.mark.parametrize("design", UNBIASED)
def test_the_mean_of_many_estimates_is_the_exact_value(design: Design) -> None:
    game = seeded(4, 1)
    estimates = np.array([[share.value for share in sampled(game, 24, seed, design)] for seed in range(200)])
    errors = estimates.mean(axis=0) - [share.value for share in exact(game)]
    assert np.all(np.abs(errors) < 3 * estimates.std(axis=0) / 200**0.5)


@pytest.mark.parametrize("design", get_args(Design))
def test_estimates_add_up_to_the_whole_exactly(design: Design) -> None:
    game = seeded(5, 3)
    assert sum(shares(sampled(game, 10, 1, design)).values()) == pytest.approx(
        game.worth(game.grand_coalition) - game.worth(0)
    )


@pytest.mark.parametrize("design", get_args(Design))
def test_the_same_seed_gives_the_same_estimates(design: Design) -> None:
    assert sampled(seeded(4, 2), 20, 5, design) == sampled(seeded(4, 2), 20, 5, design)
    assert sampled(seeded(4, 2), 20, 5, design) != sampled(seeded(4, 2), 20, 6, design)


def test_pairs_of_orders_take_the_noise_out_of_what_grows_evenly_with_the_team() -> None:
    game = Game(named(6), lambda present: len(present) ** 2)
    plain, paired = (sampled(game, 100, 0, design) for design in ("permutation", "antithetic"))
    assert all(share.value == pytest.approx(6) for share in paired)
    assert any(abs(share.value - 6) > 0.1 for share in plain)


def test_positions_take_the_noise_out_of_what_depends_on_the_position_alone() -> None:
    game = Game(named(5), lambda present: float(len(present) >= 3))
    assert [share.value for share in sampled(game, 20, 0, "stratified")] == pytest.approx([0.2] * 5)


def test_latin_times_of_joining_take_noise_out_where_pairs_do_and_put_none_in_where_one_unit_tips_the_scale() -> None:
    def error(game: Game, design: Design) -> float:
        truth = shares(exact(game))
        found = [shares(sampled(game, 20, seed, design)) for seed in range(60)]
        return float(np.mean([(own[unit] - truth[unit]) ** 2 for own in found for unit in truth]))

    threes = Game(
        named(10), lambda present: float(sum(set(three) <= present for three in ("abc", "cde", "efg", "ghi")))
    )
    vote = Game(named(11), lambda present: float(len(present) > 5))
    assert error(threes, "latin") < 0.8 * error(threes, "permutation")
    assert error(vote, "latin") < 1.1 * error(vote, "permutation") < 0.8 * error(vote, "antithetic")


def test_a_unit_that_was_never_seen_to_matter_still_has_an_interval() -> None:
    game = Game(("a", "b"), lambda present: float("a" in present))
    found = {share.unit: share for share in sampled(game, 100)}
    assert found["b"].value == 0
    assert (found["b"].low, found["b"].high) == pytest.approx((-0.03, 0.03), abs=0.001)


def test_in_causal_orders_no_unit_joins_before_those_it_depends_on() -> None:
    game = Game(("lead", "a", "b"), lambda present: len(present) ** 2, dependents=[0b111, 0b010, 0b100])
    found = shares(sampled(game, 400, 0, "causal"))
    assert found["lead"] == 1
    assert found["a"] == pytest.approx(4, abs=0.2)
    assert found["a"] + found["b"] == pytest.approx(8)


def test_without_dependence_causal_orders_are_all_orders() -> None:
    game = seeded(4, 9)
    causal = shares(sampled(game, 4000, 0, "causal"))
    assert causal == pytest.approx(shares(exact(game)), abs=0.02)


def test_an_estimate_records_its_method() -> None:
    assert sampled(seeded(3, 0), 100)[0].why == f"100 {DESIGNS['permutation']}; 95% interval"
    assert sampled(seeded(3, 0), 100, design="stratified")[0].why.startswith("102 ")


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        sampled(seeded(2, 0), level=level)
