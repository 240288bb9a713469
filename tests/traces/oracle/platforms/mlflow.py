"""A reading of MLflow traces: an object with ``info`` and ``data.spans``, or a row of a table with ``spans``.

Choices: every attribute is JSON in a text. ``mlflow.spanType`` tells the role: AGENT, LLM and CHAT_MODEL (turns), TOOL,
RETRIEVER and MEMORY (tools). A CHAIN whose metadata names a LangGraph node of its own name is a node. The span that the
tracer of the OpenAI Agents SDK puts around a run, and a turn around another turn, are frames. Tokens are those of
``mlflow.chat.tokenUsage``, else of the answer of LangChain, as stated: input includes what was read from a cache.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading

ROLES: Mapping[str, Literal["agent", "turn", "tool"]] = {
    "AGENT": "agent", "LLM": "turn", "CHAT_MODEL": "turn", "TOOL": "tool", "RETRIEVER": "tool", "MEMORY": "tool",
}  # fmt: skip


def number(id: str | None) -> str | None:
    """The number of an id, in base64 or hexadecimal."""
    if not id:
        return None
    return id.removeprefix("0x") if id.startswith("0x") else base64.b64decode(id).hex()


def tokens(attributes: Mapping[str, Any]) -> dict[str, int | None]:
    usage = attributes.get("mlflow.chat.tokenUsage")
    if usage is None:
        answer = attributes.get("mlflow.spanOutputs")
        usage = (answer.get("llm_output") or {}).get("token_usage") if isinstance(answer, dict) else None
        usage = usage or {}
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        usage = {
            "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"),
            "cache_read_input_tokens": cached,
        }
    return {
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "cache_read_tokens": usage.get("cache_read_input_tokens"),
        "cache_write_tokens": usage.get("cache_creation_input_tokens"),
    }


def span(raw: Mapping[str, Any]) -> Span:
    attributes = {key: json.loads(value) for key, value in raw["attributes"].items()}
    role: Literal["agent", "node", "turn", "tool", "other"] = ROLES.get(attributes["mlflow.spanType"], "other")
    if attributes.get("mlflow.openai.agent_run_root"):
        role = "other"
    elif role == "other" and (attributes.get("metadata") or {}).get("langgraph_node") == raw["name"]:
        role = "node"
    start = raw.get("start_time_unix_nano") or raw["start_time"]
    status = raw.get("status_code") or raw["status"]["code"]
    return Span(
        str(number(raw.get("span_id") or raw["context"]["span_id"])),
        number(raw.get("parent_span_id") or raw.get("parent_id")),
        raw["name"],
        role,
        start / 1e9,
        (raw.get("end_time_unix_nano") or raw.get("end_time") or start) / 1e9,
        status.endswith("ERROR"),
        tokens(attributes) if role == "turn" else {},
    )


def read(path: Path) -> Reading:
    """The reading of one trace."""
    trace = json.loads(path.read_text())
    spans = {found.id: found for found in map(span, trace.get("spans") or trace["data"]["spans"])}
    for inner in [found for found in spans.values() if found.role == "turn"]:
        outer = spans.get(inner.parent or "")
        if outer and outer.role == "turn":
            outer.role, outer.tokens = "other", {}
    return read_spans(spans.values())
