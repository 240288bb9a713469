"""A reading of a mini-SWE-agent trajectory: a conversation, in most versions with times.

Choices: a message of the assistant, a response object, and a format error that holds its response are turns. A turn
ends with its stamp and begins with the stamp before; without a stamp it takes no time. The actions of a turn are
calls, from its stamp to that of their results; version 1 has no list of actions: there, a single block for the shell is
one. A call failed if its return code is not 0. A message of a person is no work.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Reading, length, union

BLOCK = re.compile(r"```bash\n(.*?)\n```", re.DOTALL)
CODE = re.compile(r"<returncode>(-?\d+)</returncode>")


def usage(message: dict[str, Any]) -> tuple[int, int, int]:
    raw = (message.get("extra", {}).get("response") or message).get("usage") or {}
    details = raw.get("prompt_tokens_details") or raw.get("input_tokens_details") or {}
    cached = details.get("cached_tokens") or 0
    return (
        raw.get("prompt_tokens", raw.get("input_tokens", 0)) - cached,
        raw.get("completion_tokens", raw.get("output_tokens", 0)),
        cached,
    )


def read(path: Path) -> Reading:
    """The reading of one file."""
    document = json.loads(path.read_text())
    old = document["trajectory_format"] == "mini-swe-agent-1"
    turns, calls, failures = 0, 0, 0
    stamps: list[float] = []
    spent, busy = [0, 0, 0], []
    open_calls = 0
    for message in document["messages"]:
        extra = message.get("extra", {})
        stamp = message.get("timestamp", extra.get("timestamp"))
        speaks = message.get("role") == "assistant" or message.get("object") == "response"
        if speaks or extra.get("interrupt_type") == "FormatError":
            turns += 1
            spent = [sum(pair) for pair in zip(spent, usage(message), strict=True)]
            blocks = BLOCK.findall(message["content"]) if old else []
            open_calls = len(blocks) == 1 if old else len(extra.get("actions") or [])
            calls += open_calls
        elif open_calls:
            found = CODE.search(str(message.get("content"))) if old else None
            code = int(found[1]) if found else extra.get("returncode", 0)
            failures += code != 0
            open_calls -= 1
        if stamp is not None:
            if stamps and (speaks or "returncode" in extra or old):
                busy.append((stamps[-1], stamp))
            stamps.append(stamp)
    return Reading(
        agents=1,
        sub_agents=0,
        at_once=None,
        tool_calls=calls,
        failed_tool_calls=failures,
        delegations=0,
        turns=turns,
        input_tokens=spent[0],
        output_tokens=spent[1],
        cache_read_tokens=spent[2],
        wall=stamps[-1] - stamps[0] if stamps else None,
        work=length(union(busy)) if stamps else None,
    )
