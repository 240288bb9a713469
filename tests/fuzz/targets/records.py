"""Removal of single records from logs: each must change the trace or its reported losses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

Record = Mapping[str, Any]
Place = tuple[str | int, ...]

LISTS: Mapping[str, frozenset[str]] = {
    "opentelemetry": frozenset({"resourceSpans", "scopeSpans", "resource_spans", "scope_spans", "spans"}),
    "langfuse": frozenset({"observations", "data"}),
    "langsmith": frozenset({"runs", "child_runs"}),
    "atif": frozenset({"subagent_trajectories", "steps"}),
    "inspect": frozenset({"samples", "events"}),
    "who-and-when": frozenset({"history"}),
    "rllm": frozenset({"episodes", "trajectories", "steps"}),
    "swe-agent": frozenset({"attempts", "trajectory"}),
    "mini-swe-agent": frozenset({"messages"}),
    "gemini": frozenset({"messages"}),
}
"""For logs of one document, the nested lists that lead to its records; the last kind holds them."""


def _spans(record: Record) -> bool:
    """Return whether the span is an act; the run of a program around agents is not."""
    return ("spanId" in record or "span_id" in record) and '"workflow"' not in json.dumps(record)


def _exported(record: Record) -> bool:
    """Return whether the line is a call that has ended: what a record of its start says is said again."""
    data = record.get("span_data")
    calls = ("generation", "response", "function", "handoff")
    return isinstance(data, dict) and data.get("type") in calls and isinstance(record.get("ended_at"), str)


def _steps(record: Record) -> bool:
    said = record.get("message")
    return "step_id" in record and bool((isinstance(said, str) and said) or record.get("tool_calls"))


def _items(record: Record) -> bool:
    payload = record.get("payload")
    if record.get("type") != "response_item" or not isinstance(payload, dict):
        return False
    return payload.get("type") not in ("function_call_output", "reasoning") and payload.get("role") not in (
        "user",
        "developer",
        "system",
    )


ACTS: Mapping[str, Callable[[Record], bool]] = {
    "opentelemetry": _spans,
    "openai-agents": _exported,
    "weave": lambda record: "openai_agent_function" in str(record.get("op_name")),
    "langfuse": lambda record: record.get("type") in ("GENERATION", "TOOL"),
    "langsmith": lambda record: record.get("run_type") in ("llm", "tool"),
    "atif": _steps,
    "inspect": lambda record: record.get("event") in ("model", "tool"),
    "who-and-when": lambda record: "content" in record,
    "claude-code": lambda record: record.get("type") == "assistant",
    "codex": _items,
    "copilot": lambda record: record.get("type") == "assistant.message",
    "gemini": lambda record: record.get("type") == "gemini" and bool(record.get("content")),
    "marble": lambda record: True,
    "verl": lambda record: "output" in record,
    "rllm": lambda record: "model_response" in record,
    "swe-agent": lambda record: "observation" in record,
    "mini-swe-agent": lambda record: record.get("role") == "assistant",
}
"""Records that are acts. Boundaries, internal records of the program and repeated answers may be ignored."""


def without_one(importer: str, data: bytes) -> tuple[str, bytes] | None:
    """Return a log without one of its acts, and that act; empty if it has none. The choice depends on the log only."""
    if importer not in ACTS:
        return None
    pick = int.from_bytes(blake2b(data, digest_size=6).digest(), "big")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _without_a_line(importer, data, pick)
    if importer not in LISTS:
        return None
    try:
        places = [place for place, record in _records(document, LISTS[importer]) if ACTS[importer](record)]
        if not places:
            return None
        *path, last = places[pick % len(places)]
        around = document
        for step in path:
            around = around[step]
        gone = around.pop(last)
        return json.dumps(gone), json.dumps(document).encode()
    except RecursionError:
        return None


def _without_a_line(importer: str, data: bytes, pick: int) -> tuple[str, bytes] | None:
    lines = data.split(b"\n")
    records = [_parsed(line) for line in lines]
    names = [str(record.get("uuid") or record) for record in records]
    times = Counter(names)  # a repeated record is one act
    acts = [n for n, record in enumerate(records) if record and ACTS[importer](record) and times[names[n]] == 1]
    if importer in LISTS or not acts:
        return None
    gone = lines.pop(acts[pick % len(acts)])
    return gone.decode("utf-8", "replace"), b"\n".join(lines)


def _parsed(line: bytes) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _records(document: Any, lists: frozenset[str], path: Place = ()) -> Iterator[tuple[Place, Record]]:
    if not isinstance(document, dict):
        return
    for name in lists & document.keys():
        for number, record in enumerate(document[name] if isinstance(document[name], list) else ()):
            if isinstance(record, dict):
                place = (*path, name, number)
                yield place, record
                yield from _records(record, lists, place)
