"""CoMLRL: the samples in ``rollout_buffers``, and their ``returns``.

Read in the package comlrl 1.4.3 (OpenMLRL/CoMLRL), ``comlrl.trainers.reinforce.magrpo``: ``NodeSample``,
``_train_step_returns``, which puts the samples of all agents into the buffers before it calls
``_drain_ready_buffers``, and ``_compute_advantages``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from survey.traces.credit import Policy
from survey.traces.model import Trace
from survey.traces.training.trainers.common import Report, Row, Run, got, ids, numbers, run_of, single

Node = tuple[int, int]
"""The step and the turn at which all agents generated completions."""


def credit(
    buffers: Sequence[Sequence[Any]],
    unit: str = "agent",
    method: str = "agent-wise",
    *,
    bad: Policy = "raise",
    report: Report | None = None,
    **options: Any,
) -> None:
    """Replace ``returns`` of every sample: for each agent and completion its credit, not the return of the team.

    The joint completions of one node are compared: completion j of every agent is one run. It takes samples of
    ``joint_mode: aligned``, where these share a return. What is skipped goes from the sample, completion and all.
    """
    nodes = _nodes(buffers)
    runs = [run for node, samples in nodes.items() for run in _runs(node, samples)]
    found = iter(numbers(runs, unit, method, bad, report, **options))
    for samples in nodes.values():
        given = [next(found) for _ in samples[0].returns]
        kept = [place for place, own in enumerate(given) if own]
        for agent, sample in enumerate(samples):
            sample.returns = [single(own[agent]) for own in given if own]
            if len(kept) < len(given):
                _keep(sample.completions_data, kept)


def traces(buffers: Sequence[Sequence[Any]]) -> list[Trace]:
    """Return the traces of the joint completions, node by node."""
    found = (run for node, samples in _nodes(buffers).items() for run in _runs(node, samples))
    return [run.trace for run in found if run.trace is not None]


def _nodes(buffers: Sequence[Sequence[Any]]) -> dict[Node, list[Any]]:
    """Return the samples of all agents for each node, once every agent has one."""
    found: dict[Node, list[Any]] = {}
    for buffer in buffers:
        for sample in buffer:
            found.setdefault((sample.node_env_step, sample.turn_idx), []).append(sample)
    for (step, turn), samples in found.items():
        agents = {sample.agent_idx for sample in samples}
        if len(agents) != len(buffers):
            raise ValueError(f"step {step}, turn {turn}: {len(agents)} of {len(buffers)} agents have a sample")
        if len(samples) != len(agents):
            raise ValueError(f"step {step}, turn {turn}: {len(samples)} samples of {len(agents)} agents, not one each")
        if any(repr(list(sample.returns)) != repr(list(samples[0].returns)) for sample in samples):
            raise ValueError(f"step {step}, turn {turn}: the returns of agents differ; set joint_mode to aligned")
    return found


def _runs(node: Node, samples: Sequence[Any]) -> list[Run]:
    step, turn = node
    written = [got(sample.completions_data, "completion_input_ids")[0] for sample in samples]
    return [
        run_of(
            f"step {step}, turn {turn}, completion {place}",
            f"step {step}",
            f"step {step}, turn {turn}",
            [
                Row(f"agent-{sample.agent_idx}", len(ids(own[place])))
                for sample, own in zip(samples, written, strict=True)
            ],
            {"return": float(value)},
            system="comlrl",
        )
        for place, value in enumerate(samples[0].returns)
    ]


def _keep(data: dict[str, Any], kept: Sequence[int]) -> None:
    """Keep these completions of a sample, with what belongs to each."""
    written = data["completion_input_ids"][0]
    data["completion_input_ids"] = [[written[place] for place in kept]]
    if data.get("reference_kls"):
        data["reference_kls"] = [data["reference_kls"][place] for place in kept]
