"""A reading of an ATIF trajectory: steps, and the trajectories of sub-agents below them.

Choices: each trajectory is an agent, and so is each ``agent_id`` of side chains and each reference to a trajectory that
is not there. A step of the agent is a turn, unless it says that no model was called. A call whose observation refers to
a trajectory is a delegation, and also a tool call. What a step copies from another context is not counted again.
Prompt tokens include what was cached; what was written to a cache is an extra of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Reading, moment


def below(trajectory: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The trajectory and all below it."""
    yield trajectory
    for child in trajectory.get("subagent_trajectories") or ():
        yield from below(child)


def read(path: Path) -> Reading:
    """The reading of one document."""
    found = list(below(json.loads(path.read_text())))
    steps = [step for one in found for step in one["steps"] if not step.get("is_copied_context")]
    asked = [step for step in steps if step["source"] == "agent"]
    seen = [result for step in steps for result in (step.get("observation") or {}).get("results") or ()]
    references = [ref for result in seen for ref in result.get("subagent_trajectory_ref") or ()]
    chains = {step["extra"]["agent_id"] for step in steps if (step.get("extra") or {}).get("is_sidechain")}
    spent = [step["metrics"] for step in asked if step.get("metrics")]
    stamps = [moment(step["timestamp"]) for step in steps if step.get("timestamp")]
    children = max(len(references), len(found) - 1) + len(chains)
    failed = [result for result in seen if (result.get("extra") or {}).get("tool_result_is_error")]
    return Reading(
        agents=1 + children,
        sub_agents=children,
        at_once=None,
        tool_calls=sum(len(step.get("tool_calls") or ()) for step in asked),
        failed_tool_calls=len(failed),
        delegations=children,
        turns=sum(step.get("llm_call_count") != 0 for step in asked),
        input_tokens=sum(each.get("prompt_tokens") or 0 for each in spent),
        output_tokens=sum(each.get("completion_tokens") or 0 for each in spent),
        cache_read_tokens=sum(each.get("cached_tokens") or 0 for each in spent),
        wall=max(stamps) - min(stamps) if stamps else None,
    )
