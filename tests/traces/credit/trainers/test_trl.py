"""TRL: a reward function that gives each completion the credit of its turn."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces.credit import NotMeasurable
from survey.traces.training.trainers import trl

IDS = [[1, 2, 3], [4, 5], [6], [7, 8]]


def columns(**changed: Any) -> dict[str, Any]:
    """What GRPOTrainer passes: two runs of two turns, with the columns that rollout_func returned."""
    return {
        "prompts": ["2 + 2?"] * 4,
        "completions": ["plan", "4", "plan", "5"],
        "completion_ids": IDS,
        "run": ["a", "a", "b", "b"],
        "agent": ["planner", "solver"] * 2,
        "score": [1.0, 1.0, 0.0, 0.0],
        "trainer_state": object(),
        **changed,
    }


def test_each_completion_gets_the_credit_of_its_turn() -> None:
    assert trl.reward_function("agent", "shapley")(**columns()) == [0.5, 0.5, 0, 0]


def test_runs_of_a_prompt_are_compared() -> None:
    found = trl.reward_function("agent", "agent-wise")(**columns())
    assert found == pytest.approx([0.707, 0.707, -0.707, -0.707], abs=1e-3)
    assert sum(map(float, found)) == pytest.approx(0, abs=1e-9)  # type: ignore[arg-type]


def test_runs_of_a_conversation_are_compared_too() -> None:
    talk = [{"role": "user", "content": "2 + 2?"}]
    found = trl.reward_function("agent", "group")(**columns(prompts=[talk] * 4))
    assert found[0] == pytest.approx(0.707, abs=1e-3)


def test_runs_of_a_task_are_compared_if_agents_have_prompts_of_their_own() -> None:
    given = columns(prompts=["plan it", "solve it"] * 2, task=["sum"] * 4)
    assert {trace.task for trace in trl.traces(**given)} == {"sum"}


def test_turns_may_take_any_places() -> None:
    mixed = columns(run=["a", "b", "a", "b"], agent=["planner", "planner", "solver", "solver"], score=[1, 0, 1, 0])
    assert trl.reward_function("agent", "shapley")(**mixed) == [0.5, 0, 0.5, 0]


def test_columns_that_rollout_func_did_not_return_are_named() -> None:
    given = columns()
    del given["agent"], given["score"]
    with pytest.raises(ValueError, match="was not given agent, score: return it from rollout_func"):
        trl.reward_function()(**given)


def test_an_empty_completion_gets_nothing() -> None:
    found = trl.reward_function("token", "magrpo")(**columns(completion_ids=[[1], [], [], []]))
    assert found == [0.5, 0, 0, 0]


# ------------------------------------------------------------------- what cannot be credited


@pytest.mark.parametrize(("score", "needs"), [(None, "b: needs a reward"), (float("nan"), "b: needs a finite number")])
def test_completions_of_a_run_without_a_score_are_named_skipped_or_given_nothing(score: Any, needs: str) -> None:
    given = columns(score=[1.0, 1.0, score, score])
    with pytest.raises(NotMeasurable, match=needs):
        trl.reward_function("agent", "shapley")(**given)
    told: list[str] = []
    assert trl.reward_function("agent", "shapley", bad="skip", report=told.append)(**given) == [0.5, 0.5, None, None]
    assert told[0].startswith(needs)
    assert trl.reward_function("agent", "shapley", bad="zero")(**given) == [0.5, 0.5, 0, 0]


def test_a_run_alone_in_its_group_cannot_be_compared() -> None:
    alone = columns(prompts=["2 + 2?"] * 2 + ["3 + 3?"] * 2)
    with pytest.raises(NotMeasurable, match=r"a: .*\n.*b: "):
        trl.reward_function("agent", "group")(**alone)
    assert trl.reward_function("agent", "group", bad="skip")(**alone) == [None] * 4
