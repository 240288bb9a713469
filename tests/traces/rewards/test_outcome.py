"""R1, R2 and R3: the value is the recorded one, or a sum computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces.rewards import NotMeasurable, individual, per_role, shared
from tests.traces.rewards.runs import by_unit, run_of, search
from tests.traces.strategies import Json

ONE: list[Json] = [{"type": "model_call"}]


@pytest.mark.parametrize(
    ("head", "of", "reward", "why"),
    [
        (
            {"rewards": {"team": 0.5}, "outcome": {"score": 0.9, "success": True}},
            None,
            0.5,
            'the run\'s reward "team" is 0.5',
        ),
        ({"outcome": {"score": 0.9, "success": True}}, None, 0.9, "the outcome's score is 0.9"),
        ({"outcome": {"success": True}}, None, 1.0, "the run succeeded"),
        ({"outcome": {"success": False}}, None, 0.0, "the run did not succeed"),
        ({"rewards": {"team": 0.5}, "outcome": {"score": 0.9}}, "score", 0.9, "the outcome's score is 0.9"),
        ({"rewards": {"team": 0}, "outcome": {"score": 0.9}}, None, 0.0, 'the run\'s reward "team" is 0'),
    ],
    ids=["reward first", "then score", "then success", "failure is 0", "score by choice", "a recorded 0 is a reward"],
)
def test_the_shared_outcome_is_the_first_that_the_trace_says(head: Any, of: Any, reward: float, why: str) -> None:
    (paid,) = shared(run_of(ONE, **head), of=of)
    assert (paid.kind, paid.unit, paid.family, paid.reward, paid.why) == ("team", "r", "R1", reward, why)


def test_broadcast_pays_the_same_to_everyone_on_the_team_and_to_nobody_else() -> None:
    run = run_of(
        [{"type": "human_intervention", "agent": "user"}, {"type": "spawn", "to": "a"}, {"type": "tool_call", "tool": "t"},
         {"type": "tool_result", "agent": "t", "tool": "t", "parent": "e3"}],
        rewards={"team": 0.5}, agents=[{"id": "silent"}],
    )  # fmt: skip
    assert by_unit(shared(run, broadcast=True)) == {"lead": 0.5, "a": 0.5, "silent": 0.5}


def test_an_agent_is_paid_what_is_recorded_under_its_id_or_its_own_name() -> None:
    agents = [{"id": "lead", "name": "chief"}, {"id": "a1", "name": "twin"}, {"id": "a2", "name": "twin"}]
    run = run_of(ONE, agents=agents, rewards={"chief": 0.25, "a2": 0.75, "twin": 9, "team": 1})
    assert by_unit(individual(run)) == {"lead": 0.25, "a2": 0.75}


def test_recorded_rewards_can_have_a_prefix() -> None:
    run = run_of(ONE, rewards={"kpi/lead": 3})
    assert by_unit(individual(run, prefix="kpi/")) == {"lead": 3.0}


def test_without_a_recorded_one_an_agents_events_are_added_up() -> None:
    assert by_unit(individual(search())) == {"lead": 0.25 + 0.125 + 1.5, "a": 0.5 - 0.25, "b": 1.0}
    assert by_unit(individual(search(), how="mean")) == {"lead": 1.875 / 2, "a": 0.125, "b": 1.0}
    assert by_unit(individual(search(), names=["plan"])) == {"lead": 0.25}


def test_recorded_and_summed_rewards_are_never_mixed() -> None:
    assert by_unit(individual(search(rewards={"c": 2}))) == {"c": 2.0}
    assert "c" not in by_unit(individual(search(rewards={"c": 2}), of="events"))


def test_what_a_result_is_paid_is_its_callers_and_a_tool_is_paid_nothing() -> None:
    events: list[Json] = [
        {"type": "tool_call", "tool": "t"},
        {"type": "tool_result", "agent": "t", "tool": "t", "parent": "e1", "reward": 0.5},
        {"type": "tool_result", "agent": "stray", "tool": "u", "reward": 8},
    ]
    assert by_unit(individual(run_of(events))) == {"lead": 0.5}


def test_a_role_is_paid_what_is_recorded_under_its_name() -> None:
    assert by_unit(per_role(search(rewards={"searcher": 0.25, "team": 1}))) == {"searcher": 0.25}


def test_a_role_is_paid_the_mean_or_sum_over_its_paid_agents() -> None:
    assert by_unit(per_role(search())) == {"searcher": (0.25 + 1) / 2}
    (paid,) = per_role(search(), how="sum")
    assert (paid.kind, paid.reward, paid.why) == ("role", 1.25, "the sum over 2 agents of the role (a 0.25, b 1)")


def test_the_team_reward_belongs_to_no_agent_of_any_name() -> None:
    run = run_of(ONE, agents=[{"id": "team", "role": "team"}], rewards={"team": 1})
    with pytest.raises(NotMeasurable):
        individual(run)
    with pytest.raises(NotMeasurable):
        per_role(run)


MISSING = [
    (shared, {}, {}, 'needs a reward "team" of the run, outcome.score or outcome.success'),
    (shared, {"of": "success"}, {"outcome": {"score": 1}}, "needs outcome.success"),
    (individual, {}, {}, "needs a reward of the run under the id or name of an agent, or a reward on an event"),
    (individual, {"of": "events"}, {"rewards": {"lead": 1}}, "needs a reward on an event"),
    (individual, {"of": "recorded"}, {"rewards": {"team": 1}}, "needs a reward of the run under the id or name of an agent"),
    (per_role, {}, {"rewards": {"lead": 1}}, "needs roles: no agent has one"),
    (per_role, {"of": "recorded"}, {"agents": [{"id": "lead", "role": "chief"}]}, "needs a reward of the run under the name of a role"),
    (per_role, {}, {"agents": [{"id": "lead", "role": "chief"}]},
     "needs a reward of the run under the name of a role, a reward of the run under the id or name of an agent, or a reward on an event"),
    (per_role, {}, {"agents": [{"id": "lead"}, {"id": "x", "role": "chief"}], "rewards": {"lead": 1}},
     "needs a reward of an agent with a role: those that are paid have none"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "options", "head", "reason"), MISSING, ids=[row[3][:60] for row in MISSING])
def test_missing_data_is_named(function: Any, options: Any, head: Any, reason: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        function(run_of(ONE, **head), **options)
    assert str(raised.value) == reason
