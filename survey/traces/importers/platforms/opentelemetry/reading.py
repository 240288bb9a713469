"""Read spans of different writers into one form.

OTLP JSON (one document, or one on each line), console output of the SDKs, and the formats of Phoenix and Agent
Lightning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from survey.traces.importers.json_values import instant, items, mapping, number, text
from survey.traces.importers.log import Log
from survey.traces.importers.spans.span import DEEPEST, Span, dotted, hexadecimal
from survey.traces.model import NOTHING


def looks_like_spans(log: Log) -> bool:
    """Return whether the log holds spans, by its first objects."""
    if log.is_folder:
        return False
    try:
        return any(True for value in _opening(log) for found in _flat(value) if found[0] is not None)
    except OSError:
        return False


def read_spans(log: Log) -> Iterator[Span | None]:
    """Yield every span of the log, in file order; None for an object that is not a span."""
    order = 0
    for value in [] if log.is_folder else _documents(log):
        for found, resource in _flat(value):
            order += 1
            yield None if found is None else _span(found, resource, order)


def _opening(log: Log) -> list[Any]:
    if log.document is not None:
        return [log.document]
    return list(log.opening(5)) or list(islice(_concatenated(log.text), 1))


def _documents(log: Log) -> Iterator[Any]:
    """Yield the JSON values of the log: one document, one on each line, or concatenated."""
    if log.document is not None:
        yield log.document
        return
    any_line = False
    for record in log.records():
        any_line = True
        yield record.fields
    if not any_line and (values := list(_concatenated(log.text))):
        log.unreadable = 0  # lines do not matter here
        yield from values


def _concatenated(content: str) -> Iterator[Any]:
    """Yield concatenated, indented JSON values, as the Python SDK prints them to a console."""
    decoder = json.JSONDecoder()
    place = content.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(content, place)
        except (ValueError, RecursionError):
            return
        yield value
        place = content.find("{", end)


def _flat(value: Any) -> Iterator[tuple[Mapping[str, Any] | None, Mapping[str, Any]]]:
    """Yield span objects with their resource, from any wrapping."""
    for item in value if isinstance(value, list) else [value]:
        found = mapping(item)
        groups = _first(found, "resourceSpans", "resource_spans", "batches")
        if isinstance(groups, list):
            for group in map(mapping, groups):
                resource = _attributes(mapping(group.get("resource")).get("attributes"))
                scopes = _first(group, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
                for scope in map(mapping, items(scopes)):
                    for span in items(scope.get("spans")):
                        yield (span if _ids(mapping(span)) else None), resource
        elif _ids(found):
            yield found, _attributes(mapping(found.get("resource")).get("attributes"))
        else:
            for span in items(_first(found, "spans", "data", "items")):
                if _ids(mapping(span)):
                    yield span, _attributes(mapping(span.get("resource")).get("attributes"))


def _ids(found: Mapping[str, Any]) -> tuple[str, str, str | None] | None:
    """Return trace, span and parent ids; None if this is not a span object."""
    context = mapping(_first(found, "context", "spanContext", "span_context"))
    trace = _first(found, "traceId", "trace_id", "context.trace_id") or _first(context, "traceId", "trace_id")
    span = _first(found, "spanId", "span_id", "context.span_id") or _first(context, "spanId", "span_id")
    if text(found.get("name")) is None or not any(key in found for key in STARTS | {"attributes"}):
        return None  # a log line of a program can have both ids, too
    above = mapping(_first(found, "parent", "parentSpanContext", "parent_span_context"))
    parent = _first(found, "parentSpanId", "parent_span_id", "parent_id", "parentId") or _first(
        above, "spanId", "span_id"
    )
    ids = hexadecimal(trace, 16), hexadecimal(span, 8), hexadecimal(parent, 8)
    return (ids[0], ids[1], ids[2]) if ids[0] and ids[1] else None


LATEST = 253402300800.0
"""The year 10000: later timestamps are invalid."""

NOTED = ("timeUnixNano", "time_unix_nano")

STARTS = {"startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"}


def _span(found: Mapping[str, Any], resource: Mapping[str, Any], order: int) -> Span:
    ids = _ids(found)
    assert ids is not None
    trace, id, parent = ids
    attributes = _span_attributes(found)
    own = mapping(found.get("status"))
    code = str(_first(own, "code", "status_code", "statusCode") or _first(found, "status_code", "statusCode")).upper()
    links = [_ids_of_link(mapping(link)) for link in items(found.get("links"))]
    sequence = _first(found, "sequence_id") or _first(resource, "agentlightning.span_sequence_id")
    rollout = text(found.get("rollout_id")) or text(resource.get("agentlightning.rollout_id"))
    attempt = text(found.get("attempt_id")) or text(resource.get("agentlightning.attempt_id"))
    return Span(
        run="/".join(filter(None, (rollout, attempt))) if rollout else trace,
        trace=trace,
        id=id,
        parent=parent,
        name=text(found.get("name")) or "span",
        start=_moment(found, ("startTimeUnixNano", "start_time_unix_nano"), ("start_time", "startTime")),
        end=_moment(found, ("endTimeUnixNano", "end_time_unix_nano"), ("end_time", "endTime")),
        failed=code in ("2", "ERROR", "STATUS_CODE_ERROR"),
        attributes=attributes,
        resource={**resource, **({"agentlightning.rollout_id": rollout} if rollout else {})},
        events=[
            (text(event.get("name")) or "", _moment(event, NOTED, ("timestamp",)), _attributes(event.get("attributes")))
            for event in map(mapping, items(found.get("events")))
        ],
        links=[(span, type) for where, span, type in links if span and where in (None, trace)],
        order=number(sequence) or float(order),
        elsewhere=sum(1 for where, span, _ in links if not span or where not in (None, trace)),
    )


def _span_attributes(found: Mapping[str, Any]) -> Mapping[str, Any]:
    attributes = _attributes(found.get("attributes"))
    if not attributes:  # a table of spans with a column for each attribute
        attributes = {key[11:]: value for key, value in found.items() if key.startswith("attributes.")}
    kind = text(found.get("span_kind"))
    return {"openinference.span.kind": kind, **attributes} if kind else attributes


def _ids_of_link(link: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    context = mapping(link.get("context"))
    trace = _first(link, "traceId", "trace_id") or _first(context, "traceId", "trace_id")
    span = _first(link, "spanId", "span_id") or _first(context, "spanId", "span_id")
    type = text(_attributes(link.get("attributes")).get("orchestration.edge"))
    return hexadecimal(trace, 16), hexadecimal(span, 8), type


def _moment(found: Mapping[str, Any], nanoseconds: tuple[str, ...], others: tuple[str, ...]) -> float | None:
    """Return epoch seconds; in OTLP a time of zero means not set."""
    value, unit = _counted(_first(found, *nanoseconds)), 1e9
    if value is None:
        value, unit = _first(found, *others), 1
        if isinstance(value, list) and len(value) == 2:  # seconds and nanoseconds, in JavaScript
            whole, rest = number(value[0]), number(value[1])
            value = None if whole is None or rest is None else whole + rest / 1e9
    if isinstance(value, (int, float)) and value > LATEST * 1e9:
        return None
    moment = value / unit if unit != 1 and value is not None else instant(value)
    return moment if moment is not None and 0 < moment < LATEST else None


def _attributes(value: Any) -> Mapping[str, Any]:
    """Return attributes under dotted names, from OTLP's list of keys and values or from an object, nested or not."""
    if isinstance(value, list):
        pairs = {key: _plain(item.get("value"), 0) for item in map(mapping, value) if (key := text(item.get("key")))}
        return dotted(pairs)
    return dotted(value) if isinstance(value, Mapping) else NOTHING


def _plain(value: Any, depth: int) -> Any:
    """Decode an OTLP value; integers are strings there."""
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return None if isinstance(value, Mapping) else value
    for name, item in value.items():
        match name.replace("_", "").removesuffix("Value").removesuffix("value").lower():
            case "int":
                return _counted(item)
            case "array":
                return [_plain(entry, depth + 1) for entry in items(mapping(item).get("values"))]
            case "kvlist":
                entries = [mapping(entry) for entry in items(mapping(item).get("values"))]
                return {
                    key: _plain(entry.get("value"), depth + 1) for entry in entries if (key := text(entry.get("key")))
                }
            case "string" | "bool" | "double":
                return item
    return None


def _counted(value: Any) -> float | None:
    if isinstance(value, str) and value.isascii() and value[:1].isdigit() and value.isdigit():
        return int(value[:30])
    return number(value)


def _first(found: Mapping[str, Any], *keys: str) -> Any:
    return next((found[key] for key in keys if found.get(key) is not None), None)
