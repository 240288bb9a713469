"""CoMLRL: from the samples of all agents to a return for each agent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from survey.traces.credit import NotMeasurable
from survey.traces.model import Trace
from survey.traces.training.trainers import comlrl
from tests.traces.credit.trainers.objects import NodeSample, Tensor


def sample(agent: int, returns: list[float], step: int = 2, turn: int = 0) -> NodeSample:
    written = [Tensor([agent] * (place + 1)) for place in range(len(returns))]
    data = {"prompt_input_ids": Tensor([[1, 2]]), "completion_input_ids": [written], "reference_kls": [0.1, 0.2, 0.3]}
    return NodeSample(agent, turn, data, list(returns), 0.0, 0.0, step)


def buffers(returns: list[float], agents: int = 2) -> list[list[NodeSample]]:
    return [[sample(agent, returns)] for agent in range(agents)]


def test_each_agent_gets_a_return_of_its_own() -> None:
    given = buffers([1.0, 0.0, 0.5])
    comlrl.credit(given, "agent", "shapley")
    assert [own[0].returns for own in given] == [[0.5, 0, 0.25]] * 2


def test_completions_of_a_node_are_compared() -> None:
    given = buffers([1.0, 0.0])
    comlrl.credit(given)
    assert [own[0].returns for own in given] == [pytest.approx([0.707, -0.707], abs=1e-3)] * 2


def test_nodes_are_told_apart_by_step_and_turn() -> None:
    given = [[sample(agent, [1.0, 0.0]), sample(agent, [3.0, 1.0], 4, 1)] for agent in range(2)]
    comlrl.credit(given, "agent", "magrpo")
    assert [[one.returns for one in own] for own in given] == [[[0.5, -0.5], [1, -1]]] * 2


def test_the_value_of_a_team_without_an_agent_may_be_asked_of_the_reward_function() -> None:
    """The first agent does all the work: without it, there is no reward."""

    def judged(trace: Trace) -> Any:
        return lambda part: float("agent-0" in {event.agent for event in part})

    given = buffers([1.0, 1.0])
    comlrl.credit(given, "agent", "leave-one-out", value=judged)
    assert [own[0].returns for own in given] == [[1, 1], [0, 0]]


def test_the_traces_have_the_tokens_of_the_completions() -> None:
    first, second = comlrl.traces(buffers([1.0, 0.0]))
    assert [(event.agent, event.tokens) for event in second] == [("agent-0", 2), ("agent-1", 2)]
    assert first.rewards == {"return": 1.0}


def test_samples_of_some_agents_are_refused() -> None:
    with pytest.raises(ValueError, match="step 2, turn 0: 1 of 2 agents have a sample"):
        comlrl.credit([[sample(0, [1.0])], []])


def test_returns_that_differ_between_agents_are_refused() -> None:
    with pytest.raises(ValueError, match="set joint_mode to aligned"):
        comlrl.credit([[sample(0, [1.0, 2.0])], [sample(1, [2.0, 1.0])]])


def test_several_samples_of_one_agent_are_refused() -> None:
    """Two samples of two agents, but both of the first."""
    with pytest.raises(ValueError, match="step 2, turn 0: 1 of 2 agents have a sample"):
        comlrl.credit([[sample(0, [1.0, 0.0]), sample(0, [1.0, 0.0])], []])
    with pytest.raises(ValueError, match="step 2, turn 0: 3 samples of 2 agents"):
        comlrl.credit([[sample(0, [1.0]), sample(0, [1.0])], [sample(1, [1.0])]])


def test_a_completion_gets_the_mean_over_its_tokens_and_nothing_if_it_is_empty() -> None:
    given = buffers([1.0, 1.0])
    given[1][0].completions_data["completion_input_ids"][0][1] = Tensor([])
    comlrl.credit(given, "token", "gae", gamma=0.5, by_agent=True)
    assert [own[0].returns for own in given] == [[1, 0.75], [1, 0]]
    nothing = buffers([1.0, 0.0])
    for [own] in nothing:
        own.completions_data["completion_input_ids"][0][1] = Tensor([])
    comlrl.credit(nothing, "token", "magrpo")
    assert [own[0].returns for own in nothing] == [[0.5, 0]] * 2


# ------------------------------------------------------------------- what cannot be credited


def test_a_return_that_is_no_number_is_named_left_out_or_given_nothing() -> None:
    returns = [1.0, float("nan"), 0.0]
    with pytest.raises(NotMeasurable, match="step 2, turn 0, completion 1: needs a finite number"):
        comlrl.credit(buffers(returns), "agent", "shapley")
    given, told = buffers(returns), list[str]()
    comlrl.credit(given, "agent", "magrpo", bad="skip", report=told.append)
    for [own] in given:
        assert own.returns == [0.5, -0.5]
        assert [len(tokens.tolist()) for tokens in own.completions_data["completion_input_ids"][0]] == [1, 3]
        assert own.completions_data["reference_kls"] == [0.1, 0.3]
    assert told
    assert "completion 1" in told[0]
    zero = buffers(returns)
    comlrl.credit(zero, "agent", "magrpo", bad="zero")
    assert zero[0][0].returns == [0.5, 0, -0.5]
    assert np.isfinite(zero[1][0].returns).all()


def test_a_completion_left_alone_cannot_be_compared() -> None:
    with pytest.raises(NotMeasurable, match="completion 0"):
        comlrl.credit(buffers([1.0]), "agent", "magrpo")
    given = buffers([1.0])
    comlrl.credit(given, "agent", "magrpo", bad="skip")
    assert given[0][0].returns == []
