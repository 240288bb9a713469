"""A reading of a Who&When record: a labelled history without times.

Choices: a step of ``human`` is the task. "Orchestrator (thought)", "Orchestrator (-> X)" and any other Orchestrator
step are acts of the Orchestrator, the main agent; a step "(-> X)" asks X, once per step. In the generated set the
first speaker is the main agent and the name goes before the role. ``Computer_terminal`` is no agent: its steps are
results of tool calls of the speaker before it. A result that names no failure in its exit code, or whose text is
redacted, did not fail. Every step of an agent is a turn.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.traces.oracle.timeline import Reading

TERMINAL = "Computer_terminal"


def read(path: Path) -> Reading:
    """The reading of one record."""
    history = json.loads(path.read_text())["history"]
    speakers = [step.get("name") or step["role"] for step in history]
    agents = {speaker.split(" (")[0] for speaker in speakers if speaker not in (TERMINAL, "human")}
    asked = [found[1] for speaker in speakers if (found := re.search(r"\(-> (.+)\)", speaker))]
    agents |= set(asked)
    results = [
        step.get("content") or "" for step, speaker in zip(history, speakers, strict=True) if speaker == TERMINAL
    ]
    return Reading(
        agents=len(agents),
        sub_agents=max(0, len(agents) - 1),
        at_once=None,
        tool_calls=len(results),
        failed_tool_calls=sum(bool(re.match(r"exitcode: [^0]", text)) for text in results),
        delegations=len(asked),
        turns=sum(speaker not in (TERMINAL, "human") for speaker in speakers),
    )
