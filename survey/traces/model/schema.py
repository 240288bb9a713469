"""The schema of a trace and, beside it, the table of which edges may join which events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

VERSION = 1


@cache
def schema() -> Mapping[str, Any]:
    """The JSON Schema (2020-12) of version 1. Not to be changed by who gets it."""
    document: Mapping[str, Any] = json.loads(text())
    return document


def text() -> str:
    """The same as it is published."""
    return files("survey.traces.model").joinpath("schema.json").read_text("utf-8")


def definition(name: str) -> Mapping[str, Any]:
    """One of the schema's definitions."""
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
    # what leads to what within one agent, and plain causes: no constraint on types
    "temporal": (ANY, ANY),
    "causal": (ANY, ANY),
    # out of a decision into the making of an agent, and from there to whatever the new agent does first
    "spawn": (ACTS | {"spawn"}, ANY - {"despawn", "stop"}),
    # from the sending to the receiver's next act
    "message": (frozenset({"message", "delegate", "spawn", "human_intervention"}), ANY),
    # a call, its result, and the turn that made it or uses it; acts that feed a call
    "tool_dependency": (ACTS | {"tool_result", "return"}, TURNS_AND_RESULTS | {"message", "return"}),
    # from the end of a piece of work to whoever goes on with it; a tool returns as an agent does
    "return": (
        frozenset({"return", "tool_result", "tool_call", "despawn", "model_call", "aggregate"}),
        ANY - {"spawn"},
    ),
    # from what comes back to what puts it together
    "aggregate": (
        frozenset({"return", "message", "tool_result", "model_call", "aggregate"}),
        frozenset({"aggregate", "orchestrator_decision", "return", "stop"}),
    ),
    # where unsafe or untrusted content goes: no constraint
    "safety_flow": (ANY, ANY),
}
"""For each edge type, the event types it may start from and those it may lead to."""
