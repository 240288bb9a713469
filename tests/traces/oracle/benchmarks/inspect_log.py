"""A reading of an Inspect log (``.json`` or ``.eval``), or of a bare list of events.

Choices:

- Each sample is a run of its own; figures of several samples are added, those of wall time and the critical path too,
  since samples are separate tasks. The greatest number of sub-agents at once is that of the busiest sample.
- A span of the type ``agent`` is an agent. A span of another type is a frame. Calls outside any agent span belong to
  the main agent, which is there if it made any or if no agent span is.
- An event runs from ``timestamp`` to ``completed``. Without ``completed`` the stamp is taken as its end, and it begins
  at the event before it in the same span.
- The usage of a model call is that of its output. ``input_tokens`` is taken as stated.
- A tool with an ``error`` failed. A tool event whose ``agent_span_id`` names a span is around that agent.
- The times of approvals and of input from a person are not told as intervals: no wait for people is read.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

from tests.traces.oracle.platforms.spans import Span, read_spans
from tests.traces.oracle.timeline import Reading, added, moment


def samples(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The events of each sample."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.startswith("samples/") and name.endswith(".json"):
                    yield json.loads(archive.read(name))["events"]
        return
    log = json.loads(path.read_text())
    if "events" in log:
        yield log["events"]
    for sample in log.get("samples") or ():
        yield sample["events"]


def spans(events: list[dict[str, Any]]) -> list[Span]:
    """The agent spans, model calls and tool calls of one sample."""
    made: dict[str, Span] = {}
    last = max(moment(event["timestamp"]) for event in events)
    before: dict[str | None, float] = {}
    for place, event in enumerate(events):
        at = moment(event["timestamp"])
        kind = event["event"]
        if kind == "span_begin":
            role: Literal["agent", "other"] = "agent" if event.get("type") == "agent" else "other"
            made[event["id"]] = Span(event["id"], event.get("parent_id"), event.get("name") or "", role, at, last)
        elif kind == "span_end" and event["id"] in made:
            made[event["id"]].end = at
        elif kind in ("model", "tool"):
            start, end = (
                (at, moment(event["completed"]))
                if event.get("completed")
                else (before.get(event.get("span_id"), at), at)
            )
            usage = (event.get("output") or {}).get("usage") or {} if kind == "model" else {}
            id = f"event {place}"
            made[id] = Span(
                id,
                event.get("span_id"),
                event.get("function") or event.get("model") or kind,
                "turn" if kind == "model" else "tool",
                start,
                end,
                bool(event.get("error")),
                {
                    "input_tokens": usage.get("input_tokens"),
                    "output_tokens": usage.get("output_tokens"),
                    "cache_read_tokens": usage.get("input_tokens_cache_read"),
                    "cache_write_tokens": usage.get("input_tokens_cache_write"),
                },
            )
        before[event["id"] if kind == "span_begin" else event.get("span_id")] = at
    for place, event in enumerate(events):
        if event["event"] == "tool" and event.get("agent_span_id") in made:
            made[event["agent_span_id"]].parent = f"event {place}"
    return list(made.values())


def read(path: Path) -> Reading:
    """The reading of one log."""
    readings = [read_spans(spans(events)) for events in samples(path)]
    figures = {
        each.name: added_or_summed([getattr(reading, each.name) for reading in readings]) for each in fields(Reading)
    }
    figures["at_once"] = max((reading.at_once or 0 for reading in readings), default=0)
    return Reading(**figures)


def added_or_summed(values: list[Any]) -> Any:
    if any(isinstance(value, float) for value in values):
        return sum(value for value in values if value is not None)
    return added(values)
