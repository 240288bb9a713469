"""OpenAI Agents SDK: its traces and spans, as a tracing processor or exporter writes them to JSON.

An exported object is a ``trace`` or a ``trace.span`` with ``span_data`` of some type. Programs write them on lines, as
a list, as the body of a request (``data``), beside each other (``trace`` and ``spans``), or within a record of an event
at the start and the end of each span.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from survey.traces.importers.json_values import Fields, instant, mapping, text
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.team import traces_of
from survey.traces.importers.spans.usage import stated_usage
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

SYSTEM = "openai-agents"

HELD = ("data", "spans", "span", "trace", "item", "items")
"""Where programs put exported objects within their own records."""

EXPECTED = "expected exported objects trace.span with span_data, of agents, models or tools"


def recognises(log: Log) -> bool:
    """Return whether the log holds exported spans, by its first objects."""
    return any(_is_span(found) for record in log.opening() for found in _exported(record))


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id."""
    odd = Counter[str]()
    return traces_of(log, _spans(log, odd), content, "openai-agents", EXPECTED, odd, experimental=True)


def _spans(log: Log, odd: Counter[str]) -> Iterator[Span | None]:
    known: dict[tuple[str, str], Fields] = {}
    names: dict[str, str] = {}
    strangers = 0
    for record in log.objects():
        found = [*_exported(record)]
        for each in found:
            if _is_span(each):
                key = str(each["trace_id"]), str(_id(each))
                before = known.get(key)
                odd["repeated spans"] += before is not None and text(before.get("ended_at")) is not None
                known[key] = each
            elif name := text(each.get("workflow_name")):
                names[text(each.get("id")) or ""] = name
                odd["references to a group of traces"] += text(each.get("group_id")) is not None
        strangers += not found
    for order, span in enumerate(known.values()):
        yield _span(span, names, order)
    yield from [None] * strangers


def _exported(record: Fields) -> Iterator[Fields]:
    """Yield the exported objects in a record, one level of the program's own fields deep."""
    if _is_exported(record):
        yield record
        return
    for key in HELD:
        value = record.get(key)
        yield from filter(_is_exported, map(mapping, value if isinstance(value, list) else [value]))


def _is_exported(found: Fields) -> bool:
    return _is_span(found) or (found.get("object") == "trace" and text(found.get("id")) is not None)


def _is_span(found: Fields) -> bool:
    data = mapping(found.get("span_data"))
    return text(data.get("type")) is not None and text(found.get("trace_id")) is not None and _id(found) is not None


def _id(found: Fields) -> str | None:
    return text(found.get("id")) or text(found.get("span_id"))


def _span(found: Fields, names: Mapping[str, str], order: int) -> Span:
    data, trace = mapping(found["span_data"]), str(found["trace_id"])
    parent = text(found.get("parent_id"))
    attributes = {**_attributes(data), "gen_ai.workflow.name": None if parent else names.get(trace)}
    return Span(
        run=trace,
        trace=trace,
        id=str(_id(found)),
        parent=parent,
        name=text(data.get("name")) or str(data["type"]),
        start=instant(found.get("started_at")),
        end=instant(found.get("ended_at")),
        failed=bool(mapping(found.get("error"))),
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource={"service.name": SYSTEM},
        events=[],
        links=[],
        order=float(order),
    )


def _attributes(data: Fields) -> dict[str, Any]:
    """Return ``span_data`` under the names of the GenAI conventions.

    A task or a turn is none of them: its usage repeats that of the calls in it, and of all agents that ran meanwhile.
    """
    match text(data.get("type")):
        case "agent":
            return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": data.get("name")}
        case "handoff":
            return {
                "gen_ai.handoff.from_agent": data.get("from_agent"),
                "gen_ai.handoff.to_agent": data.get("to_agent"),
            }
        case "function":
            return {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": data.get("name"),
                "gen_ai.tool.call.arguments": data.get("input"),
                "gen_ai.tool.call.result": data.get("output"),
            }
        case "guardrail":
            return {"openinference.span.kind": "GUARDRAIL", "gen_ai.guardrail.triggered": data.get("triggered")}
        case "generation" | "response" | "transcription" | "speech":
            return _call(data)
    return {}


def _call(data: Fields) -> dict[str, Any]:
    """Return a call of a model; its answer is beside it, or in the response that some programs add."""
    response = mapping(data.get("response"))
    usage = mapping(data.get("usage")) or mapping(response.get("usage"))
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": data.get("model") or response.get("model"),
        "gen_ai.output.messages": data.get("output") or response.get("output"),
        "gen_ai.response.id": data.get("response_id"),
        **stated_usage({**mapping(usage.get("details")), **usage}),  # where the SDK moves what its platform refuses
    }


IMPORTER = Importer(
    "openai-agents",
    "OpenAI Agents SDK traces",
    recognises,
    read,
    "Exported traces and spans on lines, in a list, or within records of their start and end. Agents as tools are "
    "spawned and return; a handoff passes control. Tried on a run of the SDK with four agents whose models were "
    "scripted. Spans of responses name no model, and those of older versions have no tokens. Lost are tasks, turns and "
    "spans of the program's own, and what people wrote, which is only in the input of the models.",
    experimental=True,
)
