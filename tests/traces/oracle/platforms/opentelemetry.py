"""A reading of OTLP JSON with the names of OpenInference or of the GenAI conventions, new or old.

Choices: ``openinference.span.kind`` goes before ``gen_ai.operation.name``. A span with neither is a frame around
others. A CHAIN span whose metadata names a LangGraph node of its own name is a node. Tokens are taken as stated, from
model spans alone: input may include what was read from a cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading

Role = Literal["agent", "node", "turn", "tool", "other"]
ROLES: Mapping[str, Role] = {
    "LLM": "turn",
    "TOOL": "tool",
    "AGENT": "agent",
    "chat": "turn",
    "generate_content": "turn",
    "text_completion": "turn",
    "execute_tool": "tool",
    "invoke_agent": "agent",
}
TOKENS = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "cache_read_tokens": ("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"),
    "cache_write_tokens": ("gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"),
}


def value(given: Mapping[str, Any]) -> Any:
    """The value of an attribute; integers are strings in OTLP JSON."""
    kind, inner = next(iter(given.items()), ("", None))
    return int(str(inner)) if kind == "intValue" else inner


def role(name: str, attributes: Mapping[str, Any]) -> Role:
    kind = attributes.get("openinference.span.kind") or attributes.get("gen_ai.operation.name") or ""
    if kind == "CHAIN":
        metadata = attributes.get("metadata") or "{}"
        node = (json.loads(metadata) if isinstance(metadata, str) else metadata).get("langgraph_node")
        return "node" if node == name else "other"
    return ROLES.get(kind, "other")


def tokens(attributes: Mapping[str, Any]) -> dict[str, int | None]:
    """The first name that says it, for each kind."""
    return {
        kind: next((int(attributes[name]) for name in names if name in attributes), None)
        for kind, names in TOKENS.items()
    }


def span(raw: Mapping[str, Any]) -> Span:
    attributes = {each["key"]: value(each.get("value", {})) for each in raw.get("attributes", ())}
    kind = role(raw["name"], attributes)
    name = (
        attributes.get("gen_ai.tool.name") or attributes.get("tool.name") or raw["name"]
        if kind == "tool"
        else raw["name"]
    )
    return Span(
        raw["spanId"],
        raw.get("parentSpanId") or None,
        name,
        kind,
        int(raw["startTimeUnixNano"]) / 1e9,
        int(raw["endTimeUnixNano"]) / 1e9,
        (raw.get("status") or {}).get("code") in (2, "STATUS_CODE_ERROR"),
        tokens(attributes),
    )


def read(path: Path) -> Reading:
    """The reading of one file: a JSON object, or one on each line."""
    text = path.read_text()
    try:
        parts = [json.loads(text)]
    except json.JSONDecodeError:
        parts = [json.loads(line) for line in text.splitlines() if line.strip()]
    return read_spans(
        span(raw)
        for part in parts
        for resource in part["resourceSpans"]
        for scope in resource["scopeSpans"]
        for raw in scope["spans"]
    )
