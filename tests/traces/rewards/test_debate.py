"""R6: judges, agreement, and zero-sum games."""

from __future__ import annotations

from itertools import combinations
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.rewards import NotMeasurable, Reward, debate
from tests.traces.rewards.runs import by_unit, debate_run, points, run_of
from tests.traces.strategies import MODEST, Json

OFF: dict[str, Any] = {"judge": 0.0, "agreement": 0.0, "zero_sum": 0.0}


def alone(run: Any, part: str, weight: float = 1.0, **options: Any) -> list[Reward]:
    """Return one part of the family without the others."""
    return debate(run, **{**OFF, part: weight}, **options)


def test_a_message_is_paid_the_mean_of_its_judges() -> None:
    paid = alone(debate_run(), "judge")
    assert by_unit(paid) == {"e1": 0.75, "e2": 0.25}
    assert (paid[0].kind, paid[0].part, paid[0].why) == (
        "message",
        "judge",
        "judged judge 0.5, rules 1: on average 0.75",
    )


def test_only_the_named_judges_are_asked() -> None:
    assert by_unit(alone(debate_run(), "judge", judges=["rules"])) == {"e1": 1.0}


def test_what_outsiders_say_is_not_paid() -> None:
    events: list[Json] = [{"type": "message", "agent": "user", "to": "lead", "reward": 1}, {"type": "model_call"}]
    with pytest.raises(NotMeasurable, match="needs a reward on a message"):
        alone(run_of(events), "judge")


def test_a_debater_is_paid_the_share_of_others_with_its_final_answer() -> None:
    paid = alone(debate_run(), "agreement")
    assert by_unit(paid) == {"a": 0.5, "b": 0.5, "c": 0.0}
    assert paid[2].why == "its final answer equals that of 0 of 2 others with a known answer"


def test_what_is_returned_counts_before_what_is_said_later() -> None:
    events: list[Json] = [
        {"type": "return", "agent": "a", "to": "lead", "content_ref": "x"},
        {"type": "return", "agent": "b", "to": "lead", "content_ref": "x"},
        {"type": "message", "agent": "b", "to": "a", "content_ref": "bye"},
    ]
    assert by_unit(alone(run_of(events), "agreement", among=["a", "b"])) == {"a": 1.0, "b": 1.0}


def test_of_two_opponents_one_wins_what_the_other_loses() -> None:
    paid = alone(debate_run(), "zero_sum", among=["a", "b"])
    assert by_unit(paid) == {"a": 1.5 - 0.25, "b": 0.25 - 1.5}
    assert paid[0].why == "its 1.5 against b 0.25"


def test_talking_more_is_not_winning() -> None:
    events: list[Json] = [
        {"type": "message", "agent": "a", "to": "b", "reward": 0.5},
        {"type": "message", "agent": "a", "to": "b", "reward": 0.5},
        {"type": "message", "agent": "b", "to": "a", "reward": 0.75},
    ]
    assert by_unit(alone(run_of(events, topology="debate"), "zero_sum")) == {"a": -0.25, "b": 0.25}


def test_a_weight_is_in_the_number_and_in_the_sentence() -> None:
    (first, *_) = alone(debate_run(), "zero_sum", 0.5, among=["a", "b"])
    assert (first.reward, first.why) == (0.625, "its 1.5 against b 0.25; weight 0.5")


@MODEST
@given(st.lists(points, min_size=2, max_size=7), st.data())
def test_a_zero_sum_game_adds_up_to_zero_whoever_plays_whom(own: list[float], data: st.DataObject) -> None:
    names = [f"d{number}" for number in range(len(own))]
    run = run_of(
        [{"type": "message", "agent": name, "to": "d0"} for name in names],
        topology="debate",
        rewards=dict(zip(names, own, strict=True)),
    )
    possible = list(combinations(names, 2))
    pairs = data.draw(st.one_of(st.none(), st.lists(st.sampled_from(possible), min_size=1, unique=True)))
    paid = alone(run, "zero_sum", pairs=pairs)
    assert fsum(one.reward for one in paid) == pytest.approx(0, abs=1e-9)
    if pairs is None:
        mean = fsum(own) / len(own)
        assert by_unit(paid) == pytest.approx(
            {name: (s - mean) * len(own) / (len(own) - 1) for name, s in zip(names, own, strict=True)}
        )


TOPOLOGY = (
    "needs agents that answer the same question: the declared topology is unknown, not debate (or name them: among)"
)
ROWS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("judge", {}, {"judges": ["nobody"]}, "judge: needs a reward named nobody on a message"),
    ("agreement", {"topology": "unknown"}, {}, f"agreement: {TOPOLOGY}"),
    ("zero_sum", {"topology": "unknown"}, {}, f"zero_sum: {TOPOLOGY}"),
    ("agreement", {}, {"among": ["a"]}, "agreement: needs two debaters: there is 1"),
    ("zero_sum", {}, {}, "zero_sum: needs a reward of every debater: c has none (or name the others: among)"),
]


@pytest.mark.parametrize(("part", "head", "options", "reason"), ROWS, ids=[row[3][:50] for row in ROWS])
def test_missing_data_is_named(part: str, head: Any, options: Any, reason: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        alone(debate_run(**head), part, **options)
    assert str(raised.value) == f"{reason} (a weight of 0 leaves a part out)"


def test_agreement_needs_two_known_answers() -> None:
    events: list[Json] = [
        {"type": "message", "agent": "a", "to": "b", "content_ref": "x"},
        {"type": "message", "agent": "b", "to": "a"},
    ]
    with pytest.raises(NotMeasurable, match="needs a content_ref on two final answers: 1 debater has one"):
        alone(run_of(events, topology="debate"), "agreement")


def test_a_debater_who_is_not_on_the_team_is_a_mistake() -> None:
    with pytest.raises(ValueError, match='"d" is not on the team'):
        alone(debate_run(), "agreement", among=["a", "d"])
    with pytest.raises(ValueError, match="not a pair of debaters"):
        alone(debate_run(), "zero_sum", among=["a", "b"], pairs=[("a", "c")])
