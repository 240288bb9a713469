"""A reading of LangSmith runs: a list of runs, nested by ``parent_run_id``.

Choices: ``llm`` and ``chat_model`` runs are turns, ``tool`` runs tools, a ``chain`` run whose metadata names a
LangGraph node of its own name a node, any other chain a frame. A run with an ``error`` failed. Tokens come from the
first ``usage_metadata`` in the outputs, else from ``token_usage``, else from the fields of the run itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading


def stamp(text: str) -> float:
    """Seconds of a time, which is UTC if it names no zone."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def usages(value: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Every object of this name, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get(name), dict):
            yield value[name]
        for inner in value.values():
            yield from usages(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from usages(inner, name)


def tokens(run: Mapping[str, Any]) -> dict[str, int | None]:
    stated = next(usages(run.get("outputs"), "usage_metadata"), None) or next(
        usages(run.get("outputs"), "token_usage"), run
    )
    details = stated.get("input_token_details") or {}
    return {
        "input_tokens": stated.get("input_tokens", stated.get("prompt_tokens")),
        "output_tokens": stated.get("output_tokens", stated.get("completion_tokens")),
        "cache_read_tokens": details.get("cache_read"),
        "cache_write_tokens": details.get("cache_creation"),
    }


def span(run: Mapping[str, Any]) -> Span:
    node = ((run.get("extra") or {}).get("metadata") or {}).get("langgraph_node")
    role: Literal["turn", "tool", "node", "other"] = "other"
    if run["run_type"] in ("llm", "chat_model"):
        role = "turn"
    elif run["run_type"] == "tool":
        role = "tool"
    elif node == run["name"]:
        role = "node"
    start = stamp(run["start_time"])
    end = stamp(run["end_time"]) if run.get("end_time") else start
    return Span(run["id"], run.get("parent_run_id"), run["name"], role, start, end, bool(run.get("error")), tokens(run))


def read(path: Path) -> Reading:
    """The reading of one file: a list of runs, an object with ``runs``, or a run on each line."""
    text = path.read_text()
    try:
        runs = json.loads(text)
    except json.JSONDecodeError:
        runs = [json.loads(line) for line in text.splitlines() if line.strip()]
    return read_spans(map(span, runs["runs"] if isinstance(runs, dict) else runs))
