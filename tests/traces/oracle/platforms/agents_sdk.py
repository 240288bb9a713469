"""A reading of an export of the OpenAI Agents SDK: ``trace.span`` objects on lines, or in records of start and end.

Choices: ``span_data.type`` tells the role: ``agent``, ``generation`` and ``response`` (turns), ``function`` (a tool).
All others are frames: tasks, turns of the runner, guardrails, handoffs. The last record of a span counts. Tokens are
those of ``usage``, as stated; what the SDK's own platform refuses to take stands in its ``details``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading, moment

ROLES: Mapping[str, Literal["agent", "turn", "tool"]] = {
    "agent": "agent", "generation": "turn", "response": "turn", "function": "tool",
}  # fmt: skip


def tokens(data: Mapping[str, Any]) -> dict[str, int | None]:
    usage = data.get("usage") or {}
    cached = usage.get("input_tokens_details") or (usage.get("details") or {}).get("input_tokens_details") or {}
    return {
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "cache_read_tokens": cached.get("cached_tokens"),
        "cache_write_tokens": cached.get("cache_write_tokens"),
    }


def span(raw: Mapping[str, Any]) -> Span:
    data = raw["span_data"]
    start = moment(raw["started_at"])
    return Span(
        raw["id"],
        raw["parent_id"],
        data.get("name") or data["type"],
        ROLES.get(data["type"], "other"),
        start,
        moment(raw["ended_at"]) if raw["ended_at"] else start,
        bool(raw["error"]),
        tokens(data) if data["type"] in ("generation", "response") else {},
    )


def read(path: Path) -> Reading:
    """The reading of one export of one trace."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    held = [line.get("span", line) for line in lines]
    last = {each["id"]: each for each in held if each.get("object") == "trace.span"}
    return read_spans(map(span, last.values()))
