"""rLLM: episodes, and ``step.advantage``, which its trainer takes with ``use_precomputed_advantage``.

Read in rllm-org/rllm at 9beb6e0: ``Episode``, ``Trajectory`` and ``Step`` of ``rllm.types``, and
``rllm.trainer.algorithms.advantage``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from survey.traces.credit import Policy
from survey.traces.importers.rollouts.rllm.run import Run as Episode
from survey.traces.importers.rollouts.rllm.steps import trajectories
from survey.traces.model import Content, Trace
from survey.traces.training.trainers.common import Report, Run, got, numbers, plain

EPISODE = ("id", "termination_reason", "is_correct", "metrics")
TRAJECTORY = ("name", "reward", "signals")
STEP = (
    "prompt_ids", "response_ids", "chat_completions", "observation", "action", "model_response", "model_output",
    "reward", "mc_return", "thought",
)  # fmt: skip
"""What we read of each; tasks, artifacts and metadata may hold anything, and are left alone."""


def credit(
    episodes: Sequence[Any],
    unit: str = "agent",
    method: str = "shapley",
    *,
    bad: Policy = "raise",
    report: Report | None = None,
    **options: Any,
) -> list[Any]:
    """Set ``advantage`` of every step, and return the episodes that have it: all but those that were skipped.

    A step gets a number, which rLLM repeats for each of its ``response_ids``; with tokens as units, a list. Train on
    the returned episodes alone, as rLLM refuses a step without an advantage beside others that have one. Episodes
    are compared if they share the part of their id before the colon.
    """
    runs = [_run(episode, f"episode {place}") for place, episode in enumerate(episodes)]
    credited = []
    for episode, own in zip(episodes, numbers(runs, unit, method, bad, report, **options), strict=True):
        if own is None:
            continue
        given = iter(own)
        for step in _steps(episode):
            values = next(given)
            _set(step, values.tolist() if unit == "token" and len(values) != 1 else float(values[0]))
        credited.append(episode)
    return credited


def traces(episodes: Sequence[Any]) -> list[Trace]:
    """Return the traces of the episodes in which an agent took a step."""
    runs = (_run(episode, f"episode {place}") for place, episode in enumerate(episodes))
    return [run.trace for run in runs if run.trace is not None]


def _run(episode: Any, name: str) -> Run:
    fields = {} if episode is None else _fields(episode)
    name = str(fields.get("id") or name)
    if not trajectories(fields):
        return Run(name, None, missing="needs an episode with a trajectory that has steps")
    read = Episode(fields, name, Content())
    agents, trace = read.agents, read.trace()
    own = {agent: [event.id for event in trace.events if _is_turn(event, agent)] for agent in agents}
    return Run(name, trace, [turn for agent in agents for turn in own[agent]])


def _fields(episode: Any) -> dict[str, Any]:
    """Return an episode in memory as rLLM writes it to a file."""
    found = {name: plain(got(episode, name)) for name in EPISODE}
    found["trajectories"] = [
        {name: plain(got(trajectory, name)) for name in TRAJECTORY}
        | {"steps": [_step(step) for step in got(trajectory, "steps") or []]}
        for trajectory in got(episode, "trajectories") or []
    ]
    return found


def _step(step: Any) -> dict[str, Any]:
    found = {name: plain(got(step, name)) for name in STEP}
    action = found["action"]
    if isinstance(action, dict) and action.keys() == {"action"}:
        found["action"] = action["action"]  # rLLM wraps it in an ``Action``
    output, trained = found["model_output"], found["response_ids"]
    if isinstance(output, dict) and trained:  # the trainer's own count, whatever the model's server says
        found["model_output"] = output | {"completion_length": len(trained)}
    metadata = got(step, "metadata") or got(step, "info")
    if isinstance(metadata, dict) and "timing" in metadata:
        found["metadata"] = {"timing": plain(metadata["timing"])}
    return found


def _is_turn(event: Any, agent: str) -> bool:
    return bool(event.type == "model_call" and event.agent == agent)


def _steps(episode: Any) -> list[Any]:
    """Return the steps in the order of the agents: trajectory by trajectory."""
    found = [got(trajectory, "steps") or [] for trajectory in (got(episode, "trajectories") or [] if episode else [])]
    return [step for steps in found for step in steps]


def _set(step: Any, value: float | list[float]) -> None:
    if isinstance(step, dict):
        step["advantage"] = value
    else:
        step.advantage = value
