"""A reading of a SWE-agent trajectory: steps without times.

Choices: a step is a turn, unless it is the last one, has no action, and the exit status names a reason to give up: then
the program added it. An action is a call. It failed if nothing ran (no time passed and nothing was observed), or if
the observation says that it was cancelled. Each attempt is an agent, started by the program that holds the attempts;
a reviewer that scored attempts and a chooser are one more agent each. The answers of a reviewer and the one of a
chooser are turns. Tokens are those of the whole file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Reading


def gave_up(run: Mapping[str, Any]) -> bool:
    last, status = run["trajectory"][-1], run["info"].get("exit_status") or ""
    return not last["action"].strip() and "exit_" in status and "exit_command" not in status


def failed(step: Mapping[str, Any]) -> bool:
    nothing = step.get("execution_time") == 0 and not step["observation"] and step["action"].strip() != "exit"
    return nothing or "was cancelled because it took more than" in step["observation"]


def read(path: Path) -> Reading:
    """The reading of one file."""
    document = json.loads(path.read_text())
    attempts = document.get("attempts") or []
    runs = attempts or [document]
    steps = [step for run in runs for step in run["trajectory"]]
    calls = [step for step in steps if step["action"].strip()]
    answers = [answer for run in runs for answer in (run["info"].get("review") or {}).get("outputs", [])]
    chooser = document["info"].get("chooser")
    spent = document["info"]["model_stats"]
    return Reading(
        agents=len(attempts) + 1 + bool(answers) + bool(chooser),
        sub_agents=len(attempts) + bool(answers) + bool(chooser),
        at_once=None,
        tool_calls=len(calls),
        failed_tool_calls=sum(map(failed, calls)),
        delegations=0,
        turns=len(steps) - sum(map(gave_up, runs)) + len(answers) + bool(chooser),
        input_tokens=spent["tokens_sent"],
        output_tokens=spent["tokens_received"],
    )
