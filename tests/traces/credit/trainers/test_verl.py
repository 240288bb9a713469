"""verl: from the rows of a table to an array that an estimator returns unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from survey.traces.credit import NotMeasurable
from survey.traces.training.trainers import verl
from tests.traces.credit.trainers.objects import DataProto, Tensor

REPLY = list(range(100, 110))
MASK = [[1, 1, 0, 1, 0], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0], [1, 1, 1, 1, 0]]
KEYS = ["q_1_0_1", "q_1_0_0", "q_1_1_0", "q_1_1_1"]
"""Two rollouts of the prompt "q_1", of two turns each; the first rows are not in order."""
AGENTS = ["solver", "planner", "planner", "solver"]


def table(scores: tuple[float, ...] = (1, 1, 0, 0), mask: Any = MASK, wrap: Any = Tensor) -> DataProto:
    """Scores stand on the last token of a row, as verl writes them."""
    placed = np.zeros(np.shape(mask), dtype=np.float32)
    placed[:, -1] = scores
    return DataProto({"response_mask": wrap(np.array(mask)), "token_level_scores": wrap(placed)})


def test_each_trained_token_gets_the_advantage_of_its_row() -> None:
    found = verl.advantages(table(), KEYS, AGENTS, "agent", "shapley")
    assert found.dtype == np.float32
    assert found.tolist() == (np.array([0.5, 0.5, 0, 0])[:, None] * np.array(MASK)).tolist()


def test_rollouts_of_a_prompt_are_compared() -> None:
    found = verl.advantages(table(), KEYS, AGENTS, "agent", "agent-wise")
    assert found[:, 0].tolist() == pytest.approx([0.707, 0.707, -0.707, -0.707], abs=1e-3)


def test_a_rollout_has_the_score_of_its_last_turn() -> None:
    [first, second] = verl.traces(table((0.75, 0.25, 0, 0)), KEYS, AGENTS)
    assert first.rewards == {"score": 0.75}
    assert [event.agent for event in first] == ["planner", "solver"]
    assert [int(event.tokens or 0) for event in first] == [3, 3]
    assert first.head["group"] == second.head["group"] == {"id": "q_1"}


def test_a_reply_that_a_later_prompt_repeats_leads_to_it() -> None:
    mask = [[1] * len(REPLY), [1] * len(REPLY), [1] * len(REPLY)]
    given = table((1, 1, 1), mask)
    given.batch["responses"] = Tensor([REPLY, [9] * len(REPLY), [5] * len(REPLY)])
    given.batch["prompts"] = Tensor([[0] * 20, [0] * 20, [1, *REPLY[:-1], *[2] * 10]])
    keys, agents = ["q_0_0", "q_0_1", "q_0_2"], ["planner", "idle", "solver"]
    [trace] = verl.traces(given, keys, agents)
    assert [(edge.src, edge.dst) for edge in trace.edges] == [("e1", "e3")]
    found = verl.advantages(given, keys, agents, "agent", "leave-one-out")
    assert found[:, 0].tolist() == pytest.approx(
        [2 / 3, 1 / 3, 2 / 3]
    )  # without one of the two, neither reaches the end


def test_a_plain_dictionary_of_arrays_is_a_table_too() -> None:
    flat = {**table(wrap=np.asarray).batch}
    assert verl.advantages(flat, KEYS, AGENTS).tolist() == verl.advantages(table(), KEYS, AGENTS).tolist()


def test_the_numbers_replace_the_rewards_of_tokens() -> None:
    given = table()
    assert verl.credit(given, KEYS, AGENTS, unit="agent", method="shapley") is given
    numbers = given.batch["token_level_rewards"]
    assert isinstance(numbers, Tensor)
    assert numbers.values.dtype == np.float32
    assert numbers.values.tolist() == verl.advantages(table(), KEYS, AGENTS).tolist()


def test_tokens_are_credited_where_the_mask_is_one() -> None:
    found = verl.advantages(table(), KEYS, AGENTS, "token", "gae", gamma=0.5)
    assert (found[np.array(MASK) == 0] == 0).all()
    assert found[0][np.array(MASK[0]) == 1].tolist() == [1 / 4, 1 / 2, 1]


def test_every_row_needs_a_key_and_an_agent() -> None:
    with pytest.raises(ValueError, match="the table has 4 rows, but there are 3 keys and 4 agents"):
        verl.advantages(table(), KEYS[:3], AGENTS)


@pytest.mark.parametrize("key", ["q", "q_1", "q_1_last"])
def test_a_key_of_another_form_is_named(key: str) -> None:
    with pytest.raises(ValueError, match=f'the key of row 3 is "{key}"'):
        verl.advantages(table(), [*KEYS[:3], key], AGENTS)


def test_two_rows_of_one_turn_are_refused() -> None:
    with pytest.raises(ValueError, match=r'the key of row 1 is "q_1_0_01", and row 0 is the same turn'):
        verl.advantages(table(), ["q_1_0_1", "q_1_0_01", *KEYS[2:]], AGENTS)


@pytest.mark.parametrize("missing", ["response_mask", "token_level_scores"])
def test_a_column_that_a_table_lacks_is_named(missing: str) -> None:
    given = table()
    del given.batch[missing]
    with pytest.raises(ValueError, match=f"the table has no {missing}"):
        verl.advantages(given, KEYS, AGENTS)


def test_scores_of_half_precision_are_summed_in_full() -> None:
    given = table(wrap=np.asarray)
    given.batch["token_level_scores"] = np.full((4, 5), 60000, dtype=np.float16)
    assert {trace.rewards["score"] for trace in verl.traces(given, KEYS, AGENTS)} == {5 * float(np.float16(60000))}


# ------------------------------------------------------------------- what cannot be credited


@pytest.mark.parametrize(
    ("scores", "method"), [((float("nan"), 1, 0, 0), "shapley"), ((float("inf"), 1, 0, 0), "group")]
)
def test_a_score_that_is_no_number_is_named_and_its_rows_get_nothing(scores: Any, method: str) -> None:
    with pytest.raises(NotMeasurable, match="q_1_0: "):
        verl.advantages(table(scores), KEYS, AGENTS, "agent", method)
    for bad in ("skip", "zero"):
        told: list[str] = []
        found = verl.advantages(table(scores), KEYS, AGENTS, "agent", method, bad=bad, report=told.append)
        assert np.isfinite(found).all()
        assert not found[:2].any()
        assert told[0].startswith("q_1_0: ")


def test_a_rollout_left_alone_by_missing_ones_is_named() -> None:
    """A rollout whose agent loop returns nothing has no rows."""
    given = table((1, 1), MASK[:2])
    with pytest.raises(NotMeasurable, match=r"q_1_0: .*group"):
        verl.advantages(given, KEYS[:2], AGENTS[:2], "agent", "group")
    assert not verl.advantages(given, KEYS[:2], AGENTS[:2], "agent", "group", bad="zero").any()


def test_an_agent_that_acts_once_in_a_group_gets_nothing_while_the_others_are_compared() -> None:
    told: list[str] = []
    agents = [*AGENTS[:3], "judge"]
    found = verl.advantages(table(), KEYS, agents, "agent", "agent-wise", bad="skip", report=told.append)
    assert found[:, 0].tolist() == pytest.approx([0, 0.707, -0.707, 0], abs=1e-3)
    assert len(told) == 2


def test_tokens_of_an_agent_that_acts_once_in_a_group_get_nothing_too() -> None:
    agents = [*AGENTS[:3], "judge"]
    with pytest.raises(NotMeasurable, match='"judge" takes one'):
        verl.advantages(table(), KEYS, agents, "token", "agent-wise")
    for bad in ("skip", "zero"):
        found = verl.advantages(table(), KEYS, agents, "token", "agent-wise", bad=bad)
        assert found[:, 0].tolist() == pytest.approx([0, 0.707, -0.707, 0], abs=1e-3)
