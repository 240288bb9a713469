"""Agent Lightning: from completed rollouts to the scores of the batch that its adapter makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from survey.traces.credit import NotMeasurable
from survey.traces.training.trainers import agent_lightning
from tests.traces.credit.trainers.objects import CompletedRollout, DataProto, Tensor, Triplet

LENGTH = 6


def rollout(id: str, reward: float | None, *turns: tuple[str, int]) -> CompletedRollout:
    triplets = [
        Triplet(
            {"token_ids": [1, 2]}, {"token_ids": [3] * tokens, "log_probs": None}, metadata={"server": {"name": agent}}
        )
        for agent, tokens in turns
    ]
    return CompletedRollout(id, "q", reward, triplets)


def name(triplet: Any) -> str:
    return str(triplet.metadata["server"]["name"])


def batch(rollouts: list[CompletedRollout], wrap: Any = Tensor) -> DataProto:
    """Rows by call, as the adapter writes them at the level "transition"."""
    rows = [(one, turn, call) for one in rollouts for turn, call in enumerate(one.triplets or [])]
    lengths = [len(call.response["token_ids"]) for *_, call in rows]
    padded = np.array([[1, 1] + [1] * length + [0] * (LENGTH - length) for length in lengths])
    return DataProto(
        {
            "responses": wrap(np.full((len(rows), LENGTH), 3)),
            "attention_mask": wrap(padded),
            "token_level_scores": wrap(np.zeros((len(rows), LENGTH), dtype=np.float32)),
            "is_drop_mask": wrap(np.zeros(len(rows), dtype=bool)),
        },
        {
            "rollout_id_list": np.array([one.rollout_id for one, *_ in rows]),
            "turn_index_list": np.array([turn for _, turn, _ in rows]),
        },
    )


TEAM = [rollout("r0", 1.0, ("planner", 2), ("solver", 4)), rollout("r1", 0.0, ("planner", 1), ("solver", 3))]


def scores(given: DataProto) -> list[list[float]]:
    found = given.batch["token_level_scores"]
    return np.asarray(getattr(found, "values", found)).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("wrap", [Tensor, np.asarray])
def test_each_token_of_a_call_gets_the_credit_of_its_agent(wrap: Any) -> None:
    given = batch(TEAM, wrap)
    assert agent_lightning.credit(TEAM, given, name, "agent", "shapley") is given
    assert scores(given)[0] == [0.5] * 2 + [0] * 4
    assert scores(given)[1] == [0.5] * 4 + [0] * 2
    assert scores(given)[2] == [0] * 6


def test_rollouts_of_one_sample_are_compared() -> None:
    given = batch(TEAM)
    agent_lightning.credit(TEAM, given, name, "agent", "agent-wise")
    assert [row[0] for row in scores(given)] == pytest.approx([0.707, 0.707, -0.707, -0.707], abs=1e-3)


def test_rows_that_the_adapter_left_out_are_not_missed() -> None:
    given = batch(TEAM)
    for columns in (given.batch, given.non_tensor_batch):
        columns.update({key: column[[0, 3]] for key, column in columns.items()})
    agent_lightning.credit(TEAM, given, name, "turn", "leave-one-out")
    assert scores(given)[0] == [0.5] * 2 + [0] * 4
    assert len(scores(given)) == 2


def test_rows_of_whole_trajectories_are_refused() -> None:
    given = batch(TEAM)
    del given.non_tensor_batch["turn_index_list"]
    with pytest.raises(ValueError, match=r"set agentlightning\.trace_aggregator\.level to transition"):
        agent_lightning.credit(TEAM, given, name)


def test_rows_of_other_rollouts_are_refused() -> None:
    with pytest.raises(ValueError, match="the batch has rows of r1, which is not among the rollouts given"):
        agent_lightning.credit(TEAM[:1], batch(TEAM), name)


def test_the_traces_name_the_agents() -> None:
    first, _ = agent_lightning.traces([*TEAM, CompletedRollout("r9", "q")], name)
    assert [event.agent for event in first] == ["planner", "solver"]
    assert first.head["group"] == {"id": "q"}


def test_rollouts_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="several of the rollouts given are r0"):
        agent_lightning.credit([*TEAM, TEAM[0]], batch(TEAM), name)


@pytest.mark.parametrize("turn", [-1, 2])
def test_a_row_of_a_turn_that_its_rollout_lacks_is_refused(turn: int) -> None:
    given = batch(TEAM)
    given.non_tensor_batch["turn_index_list"][3] = turn
    with pytest.raises(ValueError, match=f"a row of turn {turn} of r1, which has 2 turns"):
        agent_lightning.credit(TEAM, given, name)


def test_a_rollout_that_wrote_nothing_is_compared_and_not_dropped() -> None:
    """Without a token there is no unit to credit, which makes the rollout no bad one."""
    team = [TEAM[0], rollout("r1", 0.0, ("planner", 0))]
    given = batch(team)
    agent_lightning.credit(team, given, name, "token", "group")
    assert scores(given)[0] == pytest.approx([0.707] * 2 + [0] * 4, abs=1e-3)
    assert not any(scores(given)[2])
    assert not any(given.batch["is_drop_mask"].tolist())


def test_a_rollout_that_wrote_nothing_and_has_no_reward_is_dropped() -> None:
    team = [*TEAM, rollout("r2", float("nan"), ("planner", 0))]
    given = batch(team)
    agent_lightning.credit(team, given, name, "token", "group", bad="skip")
    assert given.batch["is_drop_mask"].tolist() == [False] * 4 + [True]


# ------------------------------------------------------------------- what cannot be credited


@pytest.mark.parametrize(
    ("bad_one", "needs"),
    [
        (rollout("r1", None, ("planner", 1)), "r1: needs a reward"),
        (rollout("r1", float("nan"), ("planner", 1)), "r1: needs a finite number"),
        (CompletedRollout("r1", "q", 1.0, None), "r1: needs turns: there are none"),
    ],
)
def test_what_cannot_be_credited_is_named_dropped_or_given_nothing(bad_one: CompletedRollout, needs: str) -> None:
    team = [TEAM[0], bad_one]
    with pytest.raises(NotMeasurable, match=needs):
        agent_lightning.credit(team, batch(team), name)
    told: list[str] = []
    skipped = agent_lightning.credit(team, batch(team), name, bad="skip", report=told.append)
    rows = [False, False] + [True] * len(bad_one.triplets or [])
    assert skipped.batch["is_drop_mask"].tolist() == rows
    assert told[0].startswith(needs)
    zero = agent_lightning.credit(team, batch(team), name, bad="zero")
    assert zero.batch["is_drop_mask"].tolist() == [False] * len(rows)
    assert not np.any(scores(zero)[2:])
    assert scores(zero)[:2] == scores(skipped)[:2]


def test_a_rollout_alone_in_its_sample_is_dropped() -> None:
    skipped = agent_lightning.credit(TEAM[:1], batch(TEAM[:1]), name, "agent", "group", bad="skip")
    assert skipped.batch["is_drop_mask"].tolist() == [True, True]


def test_a_batch_that_cannot_be_marked_stays_as_it_was() -> None:
    given = batch(TEAM[:1])
    given.batch["token_level_scores"] = Tensor(np.ones((2, LENGTH)))
    del given.batch["is_drop_mask"]
    with pytest.raises(KeyError, match="is_drop_mask"):
        agent_lightning.credit(TEAM[:1], given, name, "agent", "group", bad="skip")
    assert scores(given) == [[1] * LENGTH] * 2
