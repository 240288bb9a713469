"""A span of any writer in one form, with its attributes under the names of the OpenTelemetry conventions."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.json_values import text

DEEPEST = 12
"""Attribute values nested deeper than this are truncated; real ones stay below six levels."""


@dataclass(slots=True, eq=False)
class Span:
    """A span in normalised form; times in epoch seconds, attributes under their dotted names."""

    run: str
    trace: str
    id: str
    parent: str | None
    name: str
    start: float | None
    end: float | None
    failed: bool
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]
    events: list[tuple[str, float | None, Mapping[str, Any]]]
    links: list[tuple[str, str | None]]
    """Spans of the same trace that led to this one, and the type of edge if the link says so."""
    order: float
    elsewhere: int = 0
    """Links to spans of other traces."""
    children: list[Span] = field(default_factory=list)
    above: Span | None = None


def dotted(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of nested objects under dotted names."""
    found: dict[str, Any] = {}
    waiting = [("", value, 0)]
    while waiting:
        prefix, level, depth = waiting.pop()
        for key, item in level.items():
            if isinstance(item, Mapping) and depth < DEEPEST:
                waiting.append((f"{prefix}{key}.", item, depth + 1))
            else:
                found[f"{prefix}{key}"] = item
    return found


def hexadecimal(value: Any, size: int) -> str | None:
    """Return an id from hexadecimal, base64 or a number in lower-case hexadecimal.

    Protobuf's own JSON mapping writes base64, OTLP requires hexadecimal. An id of zeros means none.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << (8 * size):
        return f"{value:0{2 * size}x}"
    id = text(value)
    if id is None:
        return None
    if len(id) == 4 * -(-size // 3) and id.endswith("="):
        try:
            return base64.b64decode(id, validate=True).hex().strip("0") and base64.b64decode(id).hex()
        except ValueError:  # not base64 after all
            return id
    id = id.lower().removeprefix("0x")
    return id if id.strip("0") else None
