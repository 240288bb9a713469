"""R8 and custom mixes."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.rewards import NotMeasurable, Reward, Run, combined, hybrid, individual, shared
from tests.traces.rewards.runs import by_unit, paid_runs, points, run_of, search
from tests.traces.strategies import MODEST


def test_the_hybrid_is_the_weighted_sum_for_each_agent() -> None:
    paid = hybrid(search(rewards={"team": 1}), local=0.25)
    assert by_unit(paid) == pytest.approx({"lead": 0.75 + 0.25 * 1.875, "a": 0.75 + 0.25 * 0.25, "b": 0.75 + 0.25})
    assert {(one.kind, one.family) for one in paid} == {("agent", "R8")}
    assert paid[1].why == "0.75 × 1 (R1) + 0.25 × 0.25 (R2)"


@MODEST
@given(paid_runs())
def test_at_0_the_hybrid_is_the_shared_outcome_and_at_1_the_individual(run: Run) -> None:
    for local, function in ((0, partial(shared, run, broadcast=True)), (1, partial(individual, run))):
        try:
            expected = by_unit(function())
        except NotMeasurable:
            with pytest.raises(NotMeasurable):
                hybrid(run, local=local)
        else:
            assert by_unit(hybrid(run, local=local)) == expected


@MODEST
@given(paid_runs(), st.sampled_from([0.125, 0.5, 0.75]))
def test_in_between_it_lies_on_the_line_between_both(run: Run, local: float) -> None:
    try:
        paid = by_unit(hybrid(run, local=local))
    except NotMeasurable:
        return
    team, own = by_unit(hybrid(run, local=0)), by_unit(hybrid(run, local=1))
    assert paid == pytest.approx({agent: (1 - local) * team[agent] + local * own[agent] for agent in own})


def test_it_says_which_side_is_missing() -> None:
    with pytest.raises(NotMeasurable, match=r"^needs R1 and R2, and R2 needs a reward of the run under"):
        hybrid(run_of([{"type": "model_call"}], rewards={"team": 1}))
    with pytest.raises(NotMeasurable, match=r"^needs R1 and R2, and R1 needs .*; R2 needs"):
        hybrid(run_of([{"type": "model_call"}]))


def test_a_weight_beyond_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"local part is 1\.5 \(expected 0 to 1\)"):
        hybrid(search(rewards={"team": 1}), local=1.5)


def some(**rewards: float) -> list[Reward]:
    return [Reward("agent", unit, value, "R2", "because") for unit, value in rewards.items()]


def test_a_mix_adds_up_the_parts_of_a_unit_before_it_weighs_them() -> None:
    parts = [*some(a=1.0), Reward("agent", "a", 0.5, "R6", "because", "agreement")]
    (paid,) = combined(parts, some(a=4.0), (2, 0.25), family="mine")
    assert (paid.reward, paid.family, paid.why) == (4.0, "mine", "2 × 1.5 (R2, R6) + 0.25 × 4 (R2)")


def test_units_of_another_kind_are_other_units() -> None:
    paid = combined(some(a=1), [Reward("role", "a", 2, "R3", "because")], missing=0)
    assert [(one.kind, one.reward) for one in paid] == [("agent", 0.5), ("role", 1.0)]


def test_a_unit_paid_on_one_side_only_is_refused_unless_one_says_what_stands_in() -> None:
    with pytest.raises(ValueError, match=r'^agent "b" is paid on one side only \(1 such units'):
        combined(some(a=1, b=2), some(a=3))
    paid = combined(some(a=1, b=2), some(a=3), missing=-1)
    assert by_unit(paid) == {"a": 2.0, "b": 0.5}
    assert paid[1].why == "0.5 × 2 (R2) + 0.5 × -1 (substitute for a missing reward)"


amounts = st.dictionaries(st.sampled_from("abc"), points, min_size=1)


@MODEST
@given(amounts, amounts, points, points)
def test_mixing_is_linear_and_a_side_of_weight_0_is_not_looked_at(
    a: dict[str, float], b: dict[str, float], u: float, v: float
) -> None:
    paid = by_unit(combined(some(**a), some(**b), (u, v), missing=0))
    units = (set(a) if u else set()) | (set(b) if v else set())
    assert paid == pytest.approx({unit: u * a.get(unit, 0) + v * b.get(unit, 0) for unit in units})
