"""Agent Lightning: completed rollouts, and ``token_level_scores`` of the batch that its adapter makes of them.

Read in microsoft/agent-lightning at c632d8d (1.0.0): ``CompletedRollout`` and ``Triplet``, ``RolloutAdapter`` with
``trace_aggregator.level: transition``, and ``_train_step``, which drops the rows that ``is_drop_mask`` marks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.traces.credit import Policy
from survey.traces.model import Trace
from survey.traces.training.trainers.common import Report, Row, Run, array, got, ids, like, numbers, run_of, spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Naming = Callable[[Any], str]
"""Maps a triplet to the agent that made the call: the trainer does not record it."""


def credit(
    rollouts: Sequence[Any],
    batch: Any,
    agent: Naming,
    unit: str = "agent",
    method: str = "shapley",
    *,
    bad: Policy = "raise",
    report: Report | None = None,
    **options: Any,
) -> Any:
    """Put an advantage on each trained token of each row into ``token_level_scores``, and return the batch.

    Each row is a call of a model: ``rollout_id_list`` and ``turn_index_list`` say which. Rows of rollouts that are
    skipped are marked in ``is_drop_mask``, so that the trainer drops them. Rollouts of one ``data_id`` are compared.
    """
    turns = got(batch, "non_tensor_batch")
    if "turn_index_list" not in turns:
        raise ValueError("the batch has no turn_index_list: set agentlightning.trace_aggregator.level to transition")
    found = numbers([_run(rollout, agent) for rollout in rollouts], unit, method, bad, report, **options)
    known: dict[str, list[NDArray[np.float64]] | None] = {}
    for rollout, own in zip(rollouts, found, strict=True):
        if (name := str(got(rollout, "rollout_id"))) in known:
            raise ValueError(f"several of the rollouts given are {name}: which one a row belongs to is unknown")
        known[name] = own
    if strange := {str(name) for name in turns["rollout_id_list"]} - known.keys():
        raise ValueError(f"the batch has rows of {', '.join(sorted(strange))}, which is not among the rollouts given")
    given = [
        _at(int(turn), own, str(rollout)) if (own := known[str(rollout)]) else None
        for rollout, turn in zip(turns["rollout_id_list"], turns["turn_index_list"], strict=True)
    ]
    columns = got(batch, "batch")
    changed = {"token_level_scores": like(columns["token_level_scores"], spread(given, _mask(columns)))}
    if (skipped := np.array([own is None for own in given])).any():
        marked = columns["is_drop_mask"]
        both = array(marked) | skipped
        changed["is_drop_mask"] = marked.new_tensor(both) if hasattr(marked, "new_tensor") else both
    for name, column in changed.items():
        columns[name] = column
    return batch


def _at(turn: int, own: Sequence[NDArray[np.float64]], rollout: str) -> NDArray[np.float64]:
    if not 0 <= turn < len(own):
        raise ValueError(f"the batch has a row of turn {turn} of {rollout}, which has {len(own)} turns")
    return own[turn]


def traces(rollouts: Sequence[Any], agent: Naming) -> list[Trace]:
    """Return the traces of the rollouts in which a model was called."""
    return [run.trace for rollout in rollouts if (run := _run(rollout, agent)).trace is not None]


def _run(rollout: Any, agent: Naming) -> Run:
    rows = []
    for triplet in got(rollout, "triplets") or []:
        prompt, response = (ids(got(got(triplet, part), "token_ids")) for part in ("prompt", "response"))
        rows.append(Row(agent(triplet), len(response), prompt, response))
    reward, group = got(rollout, "final_reward"), str(got(rollout, "data_id"))
    rewards = {} if reward is None else {"final_reward": float(reward)}
    return run_of(str(got(rollout, "rollout_id")), group, group, rows, rewards, system="agent-lightning")


def _mask(columns: Any) -> NDArray[Any]:
    """Return the trained tokens of the responses: all but the padding, as the trainer computes them."""
    if "response_mask" in columns.keys():  # noqa: SIM118 - a TensorDict
        return array(columns["response_mask"])
    length = array(columns["responses"]).shape[1]
    return array(columns["attention_mask"])[:, -length:]
