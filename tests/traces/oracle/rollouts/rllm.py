"""A reading of an episode of rLLM: each trajectory is an agent, and each of its steps a call of a model.

Choices: an episode names no agent that starts the others. Lengths of prompt and completion are the tokens; where the
model's output is missing, the ids of the tokens are counted; where both are, nothing is known. The wall time is that
from the start of the first step to the end of the last one's work on the model and the environment, for one trajectory.
An environment that took time was called like a tool, unless the step called tools; ``finish`` is none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Reading, moment


def read(path: Path, place: int = 0) -> Reading:
    """The reading of one episode."""
    document = json.loads(path.read_text())
    episode = document[place] if isinstance(document, list) else document
    found = [each[1] if isinstance(each, list) else each for each in episode["trajectories"]]
    steps = [step for trajectory in found for step in trajectory["steps"]]
    calls = [call for step in steps for call in called(step)]
    acted = [step for step in steps if step.get("timing", {}).get("env_time") and not called(step)]
    timed = [step["timing"] for step in steps if step.get("timing", {}).get("start_timestamp")]
    wall = None
    if timed and len(found) == 1:
        last = timed[-1]
        end = moment(last["start_timestamp"]) + last["llm_time"] + last["env_time"]
        wall = end - moment(timed[0]["start_timestamp"])
    return Reading(
        agents=len(found),
        sub_agents=0,
        at_once=None,
        tool_calls=len(calls) + len(acted),
        failed_tool_calls=0,
        delegations=0,
        turns=len(steps),
        input_tokens=sum(side(step, "prompt_length", "prompt_ids") for step in steps),
        output_tokens=sum(side(step, "completion_length", "response_ids") for step in steps),
        wall=wall,
    )


def called(step: dict[str, Any]) -> list[Any]:
    """The tool calls of a step: of the model's message, of the action, or of the model's output."""
    said = [message for message in step.get("chat_completions") or [] if message["role"] == "assistant"][-1:]
    action = step.get("action")
    acted = (
        [each for each in action if isinstance(each, dict) and "function" in each] if isinstance(action, list) else []
    )
    return (
        (said[0].get("tool_calls") if said else None)
        or acted
        or (step.get("model_output") or {}).get("tool_calls")
        or []
    )


def side(step: dict[str, Any], length: str, ids: str) -> int:
    """The tokens of a prompt or of a completion."""
    return (step.get("model_output") or {}).get(length) or len(step.get(ids) or [])
