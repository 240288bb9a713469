"""A reading of calls of W&B Weave: a list of them, or one on each line.

Choices: the operation's name says the role where an integration wrote it (``openai_agent_agent``, ``langchain.Llm``),
else ``attributes.weave.kind`` does: agent, llm (a turn), tool and search (tools). A call without a kind is a turn if its
summary has tokens and nothing is inside it, as far as the summary counts calls. A turn around another turn, and an agent
within one of the same class, are frames. Tokens are those of the summary, else of the answer of LangChain or the
metrics of the OpenAI Agents SDK; what Anthropic read from a cache or wrote to it, beside its input, is added to that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading, moment

Role = Literal["agent", "node", "turn", "tool", "other"]
ROLES: Mapping[str, Role] = {
    "openai_agent_agent": "agent", "openai_agent_function": "tool", "openai_agent_generation": "turn",
    "langchain.Llm": "turn", "langchain.Tool": "tool",
    "agent": "agent", "llm": "turn", "tool": "tool", "search": "tool",
}  # fmt: skip


def usages(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object named ``usage_metadata``, however deep."""
    if isinstance(value, dict):
        if "usage_metadata" in value:
            yield value["usage_metadata"]
        for inner in value.values():
            yield from usages(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from usages(inner)


def tokens(raw: Mapping[str, Any]) -> dict[str, int | None]:
    by_model = list((raw["summary"].get("usage") or {}).values())
    output = raw["output"] if isinstance(raw["output"], dict) else {}
    stated = by_model[0] if by_model else next(usages(output), output.get("metrics") or {})
    read = (stated.get("prompt_tokens_details") or {}).get("cached_tokens")
    details = stated.get("input_token_details") or {}
    beside = [stated.get(f"cache_{kind}_input_tokens") or 0 for kind in ("read", "creation")]
    asked = stated.get("prompt_tokens", stated.get("input_tokens"))
    return {
        "input_tokens": asked and asked + sum(beside),
        "output_tokens": stated.get("completion_tokens", stated.get("output_tokens")),
        "cache_read_tokens": read or details.get("cache_read") or stated.get("cache_read_input_tokens"),
        "cache_write_tokens": stated.get("cache_creation_input_tokens"),
    }


def span(raw: Mapping[str, Any]) -> Span:
    operation = raw["op_name"].rpartition("/")[2].partition(":")[0]
    output = raw["output"] if isinstance(raw["output"], dict) else {}
    name, role = raw["display_name"] or operation, ROLES.get(operation, "other")
    if operation.startswith("langchain."):
        _, type, name = operation.split(".", 2)
        node = output.get("extra", {}).get("metadata", {}).get("langgraph_node")
        role = "node" if node == name else ROLES.get(f"langchain.{type}", "other")
    elif role == "other":
        alone = sum(raw["summary"]["status_counts"].values()) == 1
        kind = raw["attributes"]["weave"].get("kind")
        role = ROLES.get(kind, "turn" if alone and raw["summary"].get("usage") else "other")
        if kind == "agent" and raw["display_name"] is None:
            name = operation.rpartition(".")[0] or operation
    start = moment(raw["started_at"])
    return Span(
        raw["id"],
        raw["parent_id"],
        name,
        role,
        start,
        moment(raw["ended_at"]) if raw["ended_at"] else start,
        bool(raw["exception"] or output.get("error")),
        tokens(raw) if role == "turn" else {},
    )


def read(path: Path) -> Reading:
    """The reading of the calls of one trace."""
    text = path.read_text()
    calls = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    spans = {found.id: found for found in map(span, calls)}
    for inner in [found for found in spans.values() if found.role in ("turn", "agent")]:
        outer = spans.get(inner.parent or "")
        if outer and outer.role == inner.role == "turn":
            outer.role, outer.tokens = "other", {}
        elif outer and outer.role == inner.role and outer.name == inner.name:
            inner.role = "other"
    return read_spans(spans.values())
