"""A reading of a line of verl's rollout dump: one output of the model, as text, without times and tokens.

Choices: the output opens with a turn, and each block of results after a tool call is followed by another one, unless
the output ends there. A tool call counts if its markup is closed and holds JSON. No result says whether it failed.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from tests.traces.oracle.timeline import Reading


def read(path: Path, line: int = 0) -> Reading:
    """The reading of one line."""
    output = json.loads(path.read_text().splitlines()[line])["output"].removeprefix("assistant\n")
    calls = []
    for block in output.split("<tool_call>")[1:]:
        inside, closed, _ = block.partition("</tool_call>")
        with suppress(ValueError):
            calls += [json.loads(inside)["name"]] if closed else []
    parts = re.split(r"</tool_call>\s*(?:user|tool)\n", output)
    turns = 1 + sum("\nassistant\n" in part for part in parts[1:])
    return Reading(
        agents=1,
        sub_agents=0,
        at_once=None,
        tool_calls=len(calls),
        failed_tool_calls=0,
        delegations=0,
        turns=turns,
    )
