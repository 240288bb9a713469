"""The JSON Schema of a trace, and the event types that each edge type may join."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

VERSION = 1


@cache
def schema() -> Mapping[str, Any]:
    """Return the JSON Schema (2020-12) of version 1. Callers must not modify it."""
    document: Mapping[str, Any] = json.loads(text())
    return document


def text() -> str:
    """Return the text of the schema as published."""
    return Path(__file__).with_name("schema.json").read_text("utf-8")


def definition(name: str) -> Mapping[str, Any]:
    """Return one of the schema's definitions."""
    found: Mapping[str, Any] = schema()["$defs"][name]
    return found


EVENT_TYPES: tuple[str, ...] = tuple(definition("event_type")["enum"])
EDGE_TYPES: tuple[str, ...] = tuple(definition("edge_type")["enum"])
ADDED_FIELDS: frozenset[str] = frozenset(definition("event_added")["properties"])
EVENT_FIELDS: frozenset[str] = ADDED_FIELDS | frozenset(definition("event")["properties"])

ANY = frozenset(EVENT_TYPES)
ACTS = frozenset(
    {"orchestrator_decision", "model_call", "aggregate", "message", "delegate", "tool_call", "human_intervention"}
)
TURNS_AND_RESULTS = frozenset({"tool_call", "tool_result", "model_call", "orchestrator_decision", "aggregate"})

TYPING: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    # succession within one agent, and general causes: no constraint on types
    "temporal": (ANY, ANY),
    "causal": (ANY, ANY),
    # from a decision to the spawn, and from the spawn to the first act of the new agent
    "spawn": (ACTS | {"spawn"}, ANY - {"despawn", "stop"}),
    # from the sending of a message to the receiver's next act
    "message": (frozenset({"message", "delegate", "spawn", "human_intervention"}), ANY),
    # a call, its result, and the turn that made it or uses it; acts that feed a call
    "tool_dependency": (ACTS | {"tool_result", "return"}, TURNS_AND_RESULTS | {"message", "return"}),
    # from the end of a piece of work to the act that continues it; a tool returns as an agent does
    "return": (
        frozenset({"return", "tool_result", "tool_call", "despawn", "aggregate"}),
        ANY - {"spawn"},
    ),
    # from results to the act that aggregates them
    "aggregate": (
        frozenset({"return", "message", "tool_result", "model_call", "aggregate"}),
        frozenset({"aggregate", "orchestrator_decision", "return", "stop"}),
    ),
    # flow of unsafe or untrusted content: no constraint
    "safety_flow": (ANY, ANY),
}
"""For each edge type, the allowed event types of its source and of its target."""
