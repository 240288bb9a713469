"""A reading of a Langfuse export: a trace with its observations.

Choices: the type of an observation tells its role: GENERATION, TOOL, AGENT. A SPAN is a node if its metadata names a
LangGraph node of its own name; a SPAN without a model call within a node named ``tools`` is a tool; any other type is
a frame. An observation without an end takes no time. Tokens are those of ``usageDetails``, as stated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading, moment

TOKENS = {
    "input_tokens": ("input",),
    "output_tokens": ("output",),
    "cache_read_tokens": (
        "input_cache_read",
        "cache_read_input_tokens",
        "prompt_details.cache_read",
        "input_cached_tokens",
    ),
    "cache_write_tokens": ("input_cache_creation", "cache_creation_input_tokens", "input_cache_write"),
}


def role(raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> Literal["agent", "node", "turn", "tool", "other"]:
    node = metadata.get("langgraph_node")
    match raw["type"]:
        case "GENERATION":
            return "turn"
        case "TOOL":
            return "tool"
        case "AGENT":
            return "agent"
        case "SPAN" if node == raw["name"]:
            return "node"
        case "SPAN" if node == "tools":
            return "tool"
        case _:
            return "other"


def span(raw: Mapping[str, Any]) -> Span:
    metadata = raw.get("metadata") or {}
    metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    usage = raw.get("usageDetails") or {}
    start = moment(raw["startTime"])
    kind = role(raw, metadata)
    return Span(
        raw["id"],
        raw.get("parentObservationId"),
        raw["name"].removeprefix("execute_tool ") if kind == "tool" else raw["name"],
        kind,
        start,
        moment(raw["endTime"]) if raw.get("endTime") else start,
        raw.get("level") == "ERROR",
        {key: next((int(usage[name]) for name in names if name in usage), None) for key, names in TOKENS.items()},
    )


def read(path: Path) -> Reading:
    """The reading of one export."""
    export = json.loads(path.read_text())
    observations = export.get("observations") or export["trace"]["observations"]
    return read_spans(map(span, observations))
