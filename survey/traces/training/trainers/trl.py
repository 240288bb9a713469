"""TRL: the columns that ``rollout_func`` returns beside the tokens, and a reward function for ``GRPOTrainer``.

Read in huggingface/trl at f2cd577 and in the package trl 1.16.0: ``_generate``, which passes further columns on to
reward functions, ``_calculate_rewards``, which takes None for a completion that has no reward, and
``_generate_and_score_completions``, which leaves such completions out of the baseline and gives them the advantage 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from survey.traces.credit import Policy
from survey.traces.model import Trace
from survey.traces.training.trainers.common import Report, Row, Run, numbers, run_of, single

Columns = Mapping[str, Sequence[Any]]
"""The columns of the completions: ``run`` and ``agent`` of each, and ``score``, that of its run."""


def reward_function(
    unit: str = "agent",
    method: str = "shapley",
    *,
    bad: Policy = "raise",
    report: Report | None = None,
    **options: Any,
) -> Callable[..., list[float | None]]:
    """Return a reward function that gives each completion the credit of its turn.

    Each completion is a turn, those of a run in order. ``rollout_func`` returns, besides what TRL requires, the lists
    ``run``, ``agent`` and ``score``, and ``task`` where runs are to be compared by something else than their prompt.
    A completion of a run that is skipped gets None.
    """

    def credit(completion_ids: Sequence[Sequence[int]], **columns: Any) -> list[float | None]:
        runs, places = _runs(completion_ids, columns)
        found: list[float | None] = [None] * len(completion_ids)
        for own, rows in zip(numbers(runs, unit, method, bad, report, **options), places, strict=True):
            for row, value in zip(rows, own or (), strict=bool(own)):
                found[row] = single(value)
        return found

    return credit


def traces(completion_ids: Sequence[Sequence[int]], **columns: Any) -> list[Trace]:
    """Return the traces of the runs, from the arguments of a reward function."""
    return [run.trace for run in _runs(completion_ids, columns)[0] if run.trace is not None]


def _runs(completion_ids: Sequence[Sequence[int]], columns: Columns) -> tuple[list[Run], list[list[int]]]:
    """Return each run, and its completions in order."""
    if missing := [name for name in ("run", "agent", "score") if name not in columns]:
        raise ValueError(f"the reward function was not given {', '.join(missing)}: return it from rollout_func")
    tasks = columns.get("task") or columns.get("prompts") or [""] * len(completion_ids)
    members: dict[str, list[int]] = {}
    for row, run in enumerate(columns["run"]):
        members.setdefault(str(run), []).append(row)
    runs = []
    for name, rows in members.items():
        score, task = columns["score"][rows[-1]], _name(tasks[rows[0]])
        known = [Row(str(columns["agent"][row]), len(completion_ids[row])) for row in rows]
        runs.append(run_of(name, task, task, known, {} if score is None else {"score": float(score)}, system="trl"))
    return runs, list(members.values())


def _name(task: Any) -> str:
    """Return a name for the task of a run: itself, or the text of a conversation."""
    return task if isinstance(task, str) else repr(task)
