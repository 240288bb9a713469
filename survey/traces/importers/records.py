"""A trace that went out in another format and comes back as it was.

Formats of others have no place for much that a trace says. Where they leave room to their writers, our exporters put
the trace itself there: whole, or as a head and a record for each event, so that the parts stay beside what they are
about. Their importers take the trace from there if every part has arrived, and else read the format as anyone would.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from survey.traces.checks.sanitising import sanitised
from survey.traces.checks.validation import validators
from survey.traces.importers.json_values import items, mapping, parsed
from survey.traces.model import EVENT_FIELDS, Content, Trace, schema
from survey.traces.problems import Problems

HEAD, RECORDS = "orchestration.trace", "orchestration.records"
"""The attributes of spans for a head and for records."""

FURTHER = ("additionalProperties", "unevaluatedProperties")
"""Violations that are only further fields."""

REFERENCE = re.compile(r"blake2b:[0-9a-f]{16}(?::[0-9]+)?")
"""What stands for a text in a trace."""


def taken_apart(trace: Trace) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the head of a trace, and a record for each event: its place, its fields, and the edges that end there.

    The head counts events and edges, and has the edges that end at no event.
    """
    ends: dict[str, list[list[Any]]] = defaultdict(list)
    for place, edge in enumerate(trace.edges):
        ends[edge.dst].append([place, edge.src, edge.type])
    records = [
        {"place": place, "event": event.to_json(), "after": ends.pop(event.id, [])}
        for place, event in enumerate(trace.events)
    ]
    stray = [[place, src, type, dst] for dst, edges in ends.items() for place, src, type in edges]
    return {"head": dict(trace.head), "events": len(trace.events), "edges": len(trace.edges), "stray": stray}, records


def put_together(head: Mapping[str, Any], records: Iterable[Mapping[str, Any]], content: Content) -> Trace | None:
    """Return the trace for what ``taken_apart`` made of it; None if a part is missing, twice there, or damaged."""
    try:
        events = {record["place"]: record["event"] for record in records}
        edges = {
            place: {"src": src, "dst": record["event"]["id"], "type": type}
            for record in records
            for place, src, type in record["after"]
        }
        edges |= {place: {"src": src, "dst": dst, "type": type} for place, src, type, dst in head["stray"]}
        document = {
            **head["head"],
            "events": [events[place] for place in range(head["events"])],
            "edges": [edges[place] for place in range(head["edges"])],
        }
    except (KeyError, TypeError, ValueError):
        return None
    return restored(document, content)


def restored(found: object, content: Content) -> Trace | None:
    """Return the trace of a document, if it is valid; with its free text only if the user chose so."""
    problems = Problems()
    try:
        document = sanitised(found, (), problems)
    except RecursionError:
        return None
    if problems.counts or not isinstance(document, dict):
        return None
    lists = items(document.get("events")), items(document.get("edges"))
    for violations, part in zip(validators(), (document, *lists), strict=True):
        if any(violation.keyword not in FURTHER for violation in violations(part)):
            return None
    return Trace.of(document if content.keep else _without_text(document, content))


def _without_text(document: Mapping[str, Any], content: Content) -> dict[str, Any]:
    """Return the document with a hash in place of each text; fields that the schema does not define can hold more."""
    head = {key: value for key, value in document.items() if key in schema()["properties"]}
    labels = [label | _hashed("why", label, content) for label in items(head.get("labels"))]
    events = [_event_without_text(event, content) for event in document["events"]]
    return {**head, **({"labels": labels} if labels else {}), "events": events}


def _event_without_text(event: Mapping[str, Any], content: Content) -> dict[str, Any]:
    known = {
        key: value
        for key, value in event.items()
        if (key in EVENT_FIELDS and key != "content") or isinstance(value, (bool, int, float))
    }
    return content.fields(event.get("content")) | known


def _hashed(key: str, fields: Mapping[str, Any], content: Content) -> dict[str, str]:
    words = fields.get(key)
    return {key: content.reference(words)} if words and not REFERENCE.fullmatch(words) else {}


def in_text(part: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """Return a head, or records, as one line of JSON, for formats whose values are texts."""
    return json.dumps(part, separators=(",", ":"))


def told(attributes: Iterable[Mapping[str, Any]], content: Content) -> Trace | None:
    """Return the trace in the attributes of spans; None if they hold none, or not all of it."""
    head: Any = None
    records: list[Mapping[str, Any]] = []
    for own in attributes:
        head = head or parsed(own.get(HEAD), "head")
        records += [mapping(record) for record in items(parsed(own.get(RECORDS), "place"))]
    return put_together(mapping(head), records, content) if head else None
