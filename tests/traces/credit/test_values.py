"""Value functions of parts of a run."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces.credit import NotMeasurable, bystanders, exact, game_of, outcome, reach, recorded
from survey.traces.metrics import measure
from survey.traces.model import graph
from survey.traces.replay import final_acts, without
from tests.traces.credit.drawn import fork, shares
from tests.traces.credit.test_units import EXAMPLE
from tests.traces.strategies import Json, small

TURN: Json = {"type": "model_call"}

RECORDED: list[tuple[str, dict[str, Any], float]] = [
    ("the reward of the team", {"rewards": {"team": 0.5, "style": 1}, "outcome": {"score": 0.1}}, 0.5),
    ("the only reward", {"rewards": {"judge": 0.25}}, 0.25),
    ("the score", {"rewards": {"a": 1, "b": 2}, "outcome": {"success": False, "score": 0.75}}, 0.75),
    ("success", {"outcome": {"success": True}}, 1),
]


@pytest.mark.parametrize(("head", "score"), [row[1:] for row in RECORDED], ids=[row[0] for row in RECORDED])
def test_the_recorded_number_is(head: dict[str, Any], score: float) -> None:
    assert recorded(small([TURN], **head)) == score


def test_a_reward_can_be_asked_for_by_name() -> None:
    assert recorded(small([TURN], rewards={"team": 1, "style": 0.5}), "style") == 0.5
    with pytest.raises(
        NotMeasurable, match=r'needs the reward "stile", which the trace does not have \(did you mean "style"\?\)'
    ):
        recorded(small([TURN], rewards={"style": 0.5}), "stile")


def test_without_a_number_there_is_none() -> None:
    with pytest.raises(NotMeasurable, match=r"needs a reward or an outcome of the whole run$"):
        recorded(small([TURN]))
    with pytest.raises(NotMeasurable, match="of a, b, say which"):
        recorded(small([TURN], rewards={"a": 1, "b": 2}))


def test_the_whole_reaches_as_much_as_the_measure_says() -> None:
    assert reach(EXAMPLE)(EXAMPLE) == measure(EXAMPLE, ["returns_used"])["returns_used"].value == 1
    assert final_acts(graph(EXAMPLE)) == ["e26"]


def test_a_part_reaches_its_share_of_the_whole() -> None:
    value = reach(fork())
    assert value(fork()) == 1
    assert value(without(fork(), "a")) == pytest.approx(2 / 3)
    assert value(without(fork(), "lead")) == 0


def test_tokens_count_only_if_they_lead_to_the_result() -> None:
    value = reach(fork(), "tokens")
    assert value(fork()) == pytest.approx((3 + 3 * 2 + 5) / 16)
    assert value(without(fork(), "idle")) == value(fork())


def test_an_agent_knows_what_it_did_before_though_something_between_is_gone() -> None:
    a: Json = {"agent": "a"}
    trace = small(
        [TURN, {**TURN, **a, "tokens": 4}, {"type": "message", **a, "to": "b"}, {"type": "return", **a, "to": "lead"}, {"type": "aggregate"}],
        [("e2", "e3", "causal"), ("e3", "e4", "temporal"), ("e4", "e5", "aggregate")],
    )  # fmt: skip
    assert reach(trace, "tokens")(without(trace, "e3")) == 1


def test_the_outcome_counts_as_long_as_the_act_that_gives_it_is_left() -> None:
    value = outcome(fork(0.5))
    assert value(fork()) == value(without(fork(), "a", "b")) == 0.5
    assert value(without(fork(), "a", "b", "c")) == 0


def test_the_outcome_may_need_all_work_that_was_used() -> None:
    value = outcome(fork(), needs="returns")
    assert value(without(fork(), "idle")) == 1
    assert value(without(fork(), "a")) == 0
    found = shares(exact(game_of(fork(), "agent", value)))
    assert found == pytest.approx({"lead": 0.25, "a": 0.25, "b": 0.25, "c": 0.25, "idle": 0})


def test_the_outcome_may_need_named_events_and_be_worth_something_without() -> None:
    value = outcome(fork(), needs=["e4"], otherwise=-1)
    assert (value(without(fork(), "b")), value(without(fork(), "a"))) == (1, -1)
    with pytest.raises(KeyError, match='no event has the id "e99"'):
        outcome(fork(), needs=["e99"])


def test_those_who_can_stand_in_for_each_other_share() -> None:
    found = shares(exact(game_of(fork(), "agent", outcome(fork()))))
    assert found == pytest.approx({"lead": 0.75, "a": 1 / 12, "b": 1 / 12, "c": 1 / 12, "idle": 0})


def test_reach_needs_what_it_weighs() -> None:
    with pytest.raises(NotMeasurable, match="needs returned work: there are no returns"):
        reach(small([TURN]))
    with pytest.raises(NotMeasurable, match="needs tokens: no event records any"):
        reach(small([TURN]), "tokens")


def test_an_agent_whose_return_is_unused_is_a_bystander() -> None:
    assert bystanders(fork(), "agent") == {"idle"}
