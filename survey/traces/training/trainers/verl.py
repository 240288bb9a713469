"""verl: the rows of a ``DataProto``, and numbers for an advantage estimator that returns them unchanged.

Read in verl-project/verl at 1dda039: ``DataProto``, ``register_adv_est``, and the keys ``{uid}_{session}_{index}`` of
the rows in ``verl.trainer.ppo.v1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from survey.traces.credit import Policy
from survey.traces.model import Trace
from survey.traces.training.trainers.common import (
    Report,
    Row,
    Run,
    array,
    got,
    ids,
    like,
    numbers,
    run_of,
    spread,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCORES = ("token_level_scores", "rm_scores", "token_level_rewards")
"""Columns with the score of a row, the first of them that a table has."""


def credit(table: Any, keys: Sequence[str], agents: Sequence[str], **options: Any) -> Any:
    """Put ``advantages(table, ...)`` into ``token_level_rewards``, and return the table."""
    batch = got(table, "batch", table)
    batch["token_level_rewards"] = like(batch["response_mask"], advantages(table, keys, agents, **options))
    return table


def advantages(
    table: Any,
    keys: Sequence[str],
    agents: Sequence[str],
    unit: str = "agent",
    method: str = "shapley",
    *,
    bad: Policy = "raise",
    report: Report | None = None,
    **options: Any,
) -> NDArray[np.float32]:
    """Return advantages of shape (rows, response length), 0 where ``response_mask`` is 0.

    ``table`` is a ``DataProto``, or a dictionary of its columns. Each row is a turn: ``keys`` names it by prompt,
    rollout and turn, ``{uid}_{session}_{index}``, and ``agents`` the agent that took it, which verl does not record.
    A rollout has the score of its last turn, as in verl. Rows of a rollout that is skipped get 0: verl has no place
    for less.
    """
    runs, places = _runs(table, keys, agents)
    given: list[NDArray[np.float64] | None] = [None] * len(keys)
    for own, rows in zip(numbers(runs, unit, method, bad, report, **options), places, strict=True):
        for row, values in zip(rows, own or (), strict=bool(own)):
            given[row] = values
    return spread(given, array(_column(table, "response_mask")))


def traces(table: Any, keys: Sequence[str], agents: Sequence[str]) -> list[Trace]:
    """Return the traces of the rollouts in a table, in the order of their first rows."""
    return [run.trace for run in _runs(table, keys, agents)[0] if run.trace is not None]


def _runs(table: Any, keys: Sequence[str], agents: Sequence[str]) -> tuple[list[Run], list[list[int]]]:
    """Return each rollout, and its rows in the order of their turns."""
    mask = array(_first(table, "response_mask"))
    scores = array(_first(table, *SCORES)).sum(axis=1, dtype=float)
    if not len(keys) == len(agents) == len(mask):
        raise ValueError(f"the table has {len(mask)} rows, but there are {len(keys)} keys and {len(agents)} agents")
    prompts, responses = _column(table, "prompts"), _column(table, "responses")
    rollouts: dict[tuple[str, str], dict[int, int]] = {}
    for row, key in enumerate(keys):
        uid, *place = key.rsplit("_", 2)
        if len(place) != 2 or not place[1].isdecimal():
            raise ValueError(f'the key of row {row} is "{key}" (expected uid_session_index)')
        turns = rollouts.setdefault((uid, place[0]), {})
        if (other := turns.setdefault(int(place[1]), row)) != row:
            raise ValueError(f'the key of row {row} is "{key}", and row {other} is the same turn')
    runs, places = [], []
    for (uid, session), turns in rollouts.items():
        rows = [row for _, row in sorted(turns.items())]
        known = [
            Row(
                str(agents[row]),
                int((mask[row] != 0).sum()),
                ids(prompts[row]) if prompts is not None else (),
                ids(array(responses[row])[mask[row] != 0]) if responses is not None else (),
            )
            for row in rows
        ]
        runs.append(run_of(f"{uid}_{session}", uid, uid, known, {"score": float(scores[rows[-1]])}, system="verl"))
        places.append(rows)
    return runs, places


def _first(table: Any, *names: str) -> Any:
    """Return the first of these columns that a table has; it has to have one."""
    for name in names:
        if (found := _column(table, name)) is not None:
            return found
    raise ValueError(f"the table has no {' or '.join(names)}")


def _column(table: Any, name: str) -> Any:
    for columns in (got(table, "batch"), got(table, "non_tensor_batch"), table):
        if columns is not None and hasattr(columns, "keys") and name in columns.keys():  # noqa: SIM118 - a TensorDict
            return columns[name]
    return None
