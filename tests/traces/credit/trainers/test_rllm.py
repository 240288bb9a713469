"""rLLM: from episodes to the advantage of every step."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pytest

from survey.traces.credit import NotMeasurable
from survey.traces.training.trainers import rllm
from tests.traces.credit.trainers.objects import Episode, Step, TerminationReason, Trajectory

PLAN = "first add the numbers and then halve them"


def step(said: str, *heard: str, tokens: int = 3) -> Step:
    talk = [{"role": "user", "content": text} for text in heard] + [{"role": "assistant", "content": said}]
    return Step([1], list(range(tokens)), [-0.1] * tokens, talk, said)


def episode(id: str, correct: bool = True, idle: bool = False) -> Episode:
    """A planner whose plan a solver reads and follows, and perhaps somebody who is not heard."""
    team = [
        Trajectory("planner", steps=[step(PLAN, "the mean of 2 and 4?")], reward=float(correct)),
        Trajectory("solver", steps=[step("let me see", PLAN), step("it is 3", PLAN, "let me see")], reward=1.0),
    ]
    if idle:
        team.insert(1, Trajectory("idle", steps=[step("I have no idea what to do", "hello")]))
    return Episode(id, None, TerminationReason.ENV_DONE, correct, team)


def given(found: Episode) -> list[Any]:
    return [step.advantage for trajectory in found.trajectories for step in trajectory.steps]


def test_each_step_gets_the_credit_of_its_agent() -> None:
    whole = episode("sum:0")
    assert rllm.credit([whole], "agent", "leave-one-out") == [whole]
    planner, solver, again = given(whole)
    assert solver == again > planner > 0  # without the solver, nothing of the plan reaches the end
    assert all(type(value) is float for value in given(whole))


def test_shares_add_up_to_the_reward() -> None:
    right, wrong = episode("sum:0"), episode("sum:1", correct=False)
    rllm.credit([right], "agent", "shapley")
    planner, solver, _ = given(right)
    assert planner + solver == pytest.approx(1)
    rllm.credit([wrong], "agent", "shapley")
    assert given(wrong) == [0, 0, 0]


def test_episodes_of_a_task_are_compared() -> None:
    batch = [episode("a:0"), episode("a:1", False), episode("b:0"), episode("b:1")]
    rllm.credit(batch, "agent", "group")
    assert [given(one)[0] for one in batch] == pytest.approx([0.7070, -0.7070, 0, 0], abs=1e-3)


def test_a_named_reward_is_that_of_a_trajectory() -> None:
    one = episode("a:0", correct=False)
    rllm.credit([one], "team", "broadcast", reward="solver")
    assert given(one) == [1, 1, 1]


def test_the_list_of_a_step_has_the_length_of_its_response_whatever_its_output_says() -> None:
    one = episode("a:0")
    one.trajectories[0].steps[0].model_output = {"completion_length": 5}
    rllm.credit([one], "token", "broadcast", reward="correct")
    assert [len(value) for value in given(one)] == [3, 3, 3]
    assert one.trajectories[0].steps[0].model_output == {"completion_length": 5}


def test_dictionaries_are_read_as_objects_are() -> None:
    as_objects, as_dictionaries = episode("a:0"), asdict(episode("a:0"))
    rllm.credit([as_objects])
    rllm.credit([as_dictionaries])
    steps = [step for trajectory in as_dictionaries["trajectories"] for step in trajectory["steps"]]
    assert [step["advantage"] for step in steps] == given(as_objects)


def test_with_tokens_as_units_a_step_gets_a_list_as_long_as_its_response() -> None:
    one = episode("a:0")
    one.trajectories[1].steps[0].response_ids = [7] * 5
    rllm.credit([one], "token", "gae", gamma=0.5)
    assert [len(values) for values in given(one)] == [3, 5, 3]


def test_the_traces_are_those_of_the_importer() -> None:
    [trace] = rllm.traces([episode("a:0")])
    assert [event.type for event in trace.events].count("model_call") == 3
    assert trace.head["group"]["id"] == "a"
    assert sorted(trace.rewards) == ["correct", "planner", "solver"]


def test_tasks_and_metadata_may_hold_anything() -> None:
    one = episode("a:0")
    one.task = one.metadata["self"] = one
    one.trajectories[0].steps[0].metadata = {"timing": {}, "self": one}
    rllm.credit([one])
    assert None not in given(one)


def test_tool_calls_are_read_through_the_wrapper_of_an_action() -> None:
    @dataclass
    class Action:
        """As in rllm/types.py."""

        action: Any

    one = episode("a:0")
    one.trajectories[1].steps[1].action = Action([{"id": "c1", "function": {"name": "search", "arguments": "{}"}}])
    [trace] = rllm.traces([one])
    assert [event.tool for event in trace if event.type == "tool_call"] == ["search"]


# ------------------------------------------------------------------- what cannot be credited


def broken(kind: str) -> list[Any]:
    good, bad = episode("a:0"), episode("a:1")
    if kind == "a missing rollout":
        return [good, None]
    if kind == "no steps":
        bad.trajectories = []
    if kind == "no reward":
        bad.trajectories[1].reward = None
    if kind == "a reward that is no number":
        bad.trajectories[1].reward = float("nan")
    return [good, bad]


BAD = ("a missing rollout", "no steps", "no reward", "a reward that is no number")


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_credited_is_named_skipped_or_given_nothing(kind: str) -> None:
    with pytest.raises(NotMeasurable, match=r"episode 1: needs" if kind == BAD[0] else r"a:1: needs"):
        rllm.credit(broken(kind), "agent", "shapley", reward="solver")
    told: list[str] = []
    batch = broken(kind)
    assert rllm.credit(batch, "agent", "shapley", reward="solver", bad="skip", report=told.append) == batch[:1]
    assert len(told) == 1
    assert given(batch[0])[0] > 0
    assert not batch[1] or given(batch[1]) in ([], [None] * 3)
    batch = broken(kind)
    assert rllm.credit(batch, "agent", "shapley", reward="solver", bad="zero") == batch
    assert not batch[1] or given(batch[1]) in ([], [0.0] * 3)


def test_an_episode_alone_in_its_group_cannot_be_compared() -> None:
    with pytest.raises(NotMeasurable, match="b:0: "):
        rllm.credit([episode("a:0"), episode("a:1"), episode("b:0")], "agent", "group")
    batch = [episode("a:0"), episode("a:1"), episode("b:0")]
    assert rllm.credit(batch, "agent", "group", bad="skip") == batch[:2]


def test_all_that_cannot_be_credited_are_named_at_once() -> None:
    with pytest.raises(NotMeasurable) as error:
        rllm.credit([None, episode("a:0"), episode("b:0")], "agent", "group")
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["episode 0", "a", "b"]


def test_an_empty_batch_stays_empty() -> None:
    assert rllm.credit([]) == []
