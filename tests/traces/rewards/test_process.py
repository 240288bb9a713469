"""R4: turns are paid their scores, or their return-to-go."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given

from survey.traces.rewards import NotMeasurable, Run, process
from tests.traces.rewards.runs import by_unit, paid_runs, run_of, search
from tests.traces.strategies import MODEST


def test_a_turn_is_paid_its_scores_added_up_and_an_unscored_turn_has_no_row() -> None:
    paid = process(search())
    assert by_unit(paid) == {"e1": 0.375, "e5": 0.5, "e8": -0.25, "e16": 1.5}
    assert {one.kind for one in paid} == {"turn"}
    assert paid[0].why == "scored plan 0.25, form 0.125 on this turn of lead"


def test_only_the_named_scores_count_if_names_are_given() -> None:
    assert by_unit(process(search(), names=["form"])) == {"e1": 0.125}


def test_the_return_to_go_is_that_of_the_agents_own_later_turns() -> None:
    assert by_unit(process(search(), discount=0.5)) == {
        "e1": 0.375 + 0.5 * 1.5,
        "e5": 0.5 - 0.5 * 0.25,
        "e8": -0.25,
        "e16": 1.5,
    }


def test_an_unscored_turn_passes_on_what_comes_after_it_and_the_last_ones_have_no_row() -> None:
    run = run_of([{"type": "model_call"}, {"type": "model_call", "reward": 1}, {"type": "model_call"}])
    assert by_unit(process(run, discount=0.5)) == {"e1": 0.5, "e2": 1.0}


def test_messages_are_the_turns_of_who_shows_no_others() -> None:
    assert by_unit(process(run_of([{"type": "message", "to": "b", "reward": 0.5}]))) == {"e1": 0.5}


def test_a_trace_without_scored_turns_needs_them() -> None:
    run = run_of([{"type": "model_call"}, {"type": "return", "to": "user", "reward": 1}])
    with pytest.raises(NotMeasurable, match=r"^needs a reward on a turn \(a decision, model call or aggregation\)$"):
        process(run)
    with pytest.raises(NotMeasurable, match="needs a reward named judge on a turn"):
        process(search(), names=["judge"])


def test_a_discount_beyond_1_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 0 to 1"):
        process(search(), discount=1.5)


@MODEST
@given(paid_runs())
def test_without_discounting_away_the_first_return_to_go_is_all_an_agent_was_scored(run: Run) -> None:
    try:
        scored, to_go = by_unit(process(run)), by_unit(process(run, discount=1))
    except NotMeasurable:
        return
    agents = {event.id: actor for event, actor in zip(run.events, run.timeline.actors, strict=True)}
    for agent in {agents[id] for id in scored}:
        own = [value for id, value in scored.items() if agents[id] == agent]
        assert next(value for id, value in to_go.items() if agents[id] == agent) == pytest.approx(fsum(own))


@MODEST
@given(paid_runs())
def test_with_all_discounted_away_a_scored_turn_is_paid_its_score(run: Run) -> None:
    try:
        scored, to_go = by_unit(process(run)), by_unit(process(run, discount=0))
    except NotMeasurable:
        return
    assert {id: to_go[id] for id in scored} == scored
    assert not any(value for id, value in to_go.items() if id not in scored)
