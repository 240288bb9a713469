"""MLflow: traces with their info and the data of their spans, as ``Trace.to_json`` of versions 2 and 3 writes them.

A span holds its values as JSON in texts. What MLflow states itself (type, model, tokens, cost) takes precedence over
attributes of other conventions, which a span keeps that came to MLflow from OpenTelemetry.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from survey.traces.importers.json_values import Fields, instant, items, mapping, number, parsed, text
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.spans.span import Span, dotted, hexadecimal
from survey.traces.importers.spans.team import traces_of
from survey.traces.importers.spans.usage import BESIDE, object_below, stated_usage
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

KINDS = {
    "LLM": "LLM",
    "CHAT_MODEL": "LLM",
    "EMBEDDING": "EMBEDDING",
    "AGENT": "AGENT",
    "TOOL": "TOOL",
    "MEMORY": "TOOL",
    "RETRIEVER": "RETRIEVER",
    "RERANKER": "RERANKER",
    "GUARDRAIL": "GUARDRAIL",
}
"""The type of a span and the kind of span that it is in OpenInference; all others are frames around others."""

RUN = "mlflow.openai.agent_run_root"
"""Marks the span around a run of the OpenAI Agents SDK, which has the type of an agent; its agents have their own."""

RATINGS = {True: 1.0, False: 0.0, "yes": 1.0, "no": 0.0}
"""The numbers that MLflow itself gives to words of its judges."""

EXPECTED = "expected a trace with info and data, or an object with spans that have attributes of MLflow"


def recognises(log: Log) -> bool:
    """Return whether the log holds traces of MLflow, by its first objects."""
    return any(True for item in log.opening() for _ in _traces(item))


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace of MLflow."""
    odd = Counter[str]()
    return traces_of(log, _spans(log, odd), content, "mlflow", EXPECTED, odd, experimental=True)


def _spans(log: Log, odd: Counter[str]) -> Iterator[Span | None]:
    order = 0
    for item in log.objects():
        found = [*_traces(item)]
        if not found:
            yield None
        for info, spans in found:
            judged = _judgements(items(info.get("assessments")), odd)
            whole = {f"trace.{key}": value for key, value in judged.pop(None, {}).items()}
            if not any("mlflow.chat.tokenUsage" in mapping(span.get("attributes")) for span in spans):
                odd["tokens of a trace beyond those of its model calls"] += _stated(info)
            odd["references to a group of traces"] += "mlflow.trace.session" in _metadata(info)
            for span in spans:
                order += 1
                id = _id(span)
                yield _span(span, id, info, order, {**whole, **judged.pop(id, {})}) if id else None
                whole = whole if id is None else {}
            odd["judgements of spans that are not in the log"] += len(judged)


def _traces(item: Fields) -> Iterator[tuple[Fields, list[Fields]]]:
    """Yield the info and the spans of the traces in an object: one, one in a row of a table, or a page of them."""
    for found in (item, mapping(parsed(item.get("trace"), "mlflow."))):
        if spans := _held(found):
            yield mapping(found.get("info")) or found, spans
            return  # a row repeats its trace in a text
    for found in map(mapping, items(item.get("traces"))):
        if spans := _held(found):
            yield mapping(found.get("info")) or found, spans


def _held(found: Fields) -> list[Fields]:
    """Return the spans of a trace, or none if they are not of MLflow."""
    spans = [mapping(span) for span in items((mapping(found.get("data")) or found).get("spans"))]
    return spans if any(map(_is_span, spans)) else []


def _is_span(span: Fields) -> bool:
    attributes = mapping(span.get("attributes"))
    return _id(span) is not None and any(key.startswith("mlflow.") for key in attributes if isinstance(key, str))


def _id(span: Fields) -> str | None:
    return hexadecimal(span.get("span_id") or mapping(span.get("context")).get("span_id"), 8)


def _metadata(info: Fields) -> Fields:
    return mapping(info.get("trace_metadata")) or mapping(info.get("request_metadata"))


def _stated(info: Fields) -> int:
    """Return the total of tokens that a trace states."""
    usage = mapping(parsed(_metadata(info).get("mlflow.trace.tokenUsage"), "tokens"))
    return round(number(usage.get("total_tokens")) or 0)


def _span(span: Fields, id: str, info: Fields, order: int, judged: Mapping[str, Any]) -> Span:
    own = {key: _value(value) for key, value in mapping(span.get("attributes")).items()}
    trace = text(info.get("trace_id")) or text(info.get("request_id")) or text(own.get("mlflow.traceRequestId"))
    trace = trace or hexadecimal(span.get("trace_id") or mapping(span.get("context")).get("trace_id"), 16) or "trace"
    status = mapping(span.get("status")).get("code") or span.get("status_code")
    failed = str(status).upper().endswith("ERROR") or status == 2
    links = [mapping(link) for link in items(span.get("links"))]
    here = [link for link in links if link.get("trace_id") == trace]
    parent = hexadecimal(span.get("parent_span_id") or span.get("parent_id"), 8)
    attributes = {
        **dotted({key: value for key, value in own.items() if not key.startswith("mlflow.") and key != "metadata"}),
        **_attributes(own),
        **judged,
        "error.type": _error(span) if failed else None,
        "gen_ai.workflow.name": None if parent else mapping(info.get("tags")).get("mlflow.traceName"),
    }
    return Span(
        run=trace,
        trace=trace,
        id=id,
        parent=parent,
        name=text(span.get("name")) or "span",
        start=instant(span.get("start_time_unix_nano", span.get("start_time"))),
        end=instant(span.get("end_time_unix_nano", span.get("end_time"))),
        failed=failed,
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource={},
        events=[],
        links=[(other, None) for link in here if (other := hexadecimal(link.get("span_id"), 8))],
        order=float(order),
        elsewhere=len(links) - len(here),
    )


def _value(value: Any) -> Any:
    """Return an attribute, which MLflow writes as JSON in a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _error(span: Fields) -> str | None:
    """Return the kind of exception that a span failed with."""
    raised = (mapping(mapping(event).get("attributes")).get("exception.type") for event in items(span.get("events")))
    return next(filter(None, map(text, raised)), None)


def _attributes(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what MLflow states in the names of other conventions."""
    kind = KINDS.get(text(own.get("mlflow.spanType")) or "")
    if own.get(RUN) is True:
        kind = None
    asked, answer = own.get("mlflow.spanInputs"), own.get("mlflow.spanOutputs")
    found = {
        "openinference.span.kind": kind or own.get("openinference.span.kind"),
        "metadata": own.get("metadata"),
        "input.value": asked,
        "output.value": answer,
    }
    if own.get("mlflow.spanType") == "WORKFLOW":
        found["gen_ai.operation.name"] = "invoke_workflow"
    if kind in ("LLM", "EMBEDDING"):
        found |= {"llm.output_messages": answer, "gen_ai.request.model": _model(own)}
        found |= _usage(own)
    elif kind == "TOOL":
        found["tool.id"] = text(mapping(answer).get("tool_call_id")) or own.get("tool.id")
    elif kind == "GUARDRAIL":
        found["gen_ai.guardrail.triggered"] = mapping(answer).get("triggered")
    elif "from_agent" in mapping(asked) and (to := text(mapping(answer).get("to_agent"))):
        found["gen_ai.handoff.to_agent"] = to  # as the tracer of the OpenAI Agents SDK writes it
    elif kind is None:
        found |= _usage(own)  # of a call of a model that its program gave no type
    return found


def _model(own: Mapping[str, Any]) -> str | None:
    asked = mapping(own.get("invocation_params"))
    named = (own.get("mlflow.llm.model"), own.get("model"), asked.get("model"), asked.get("model_name"))
    return next(filter(None, map(text, named)), None)


def _usage(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return tokens and cost. The input includes what a cache held; MLflow adds it where a provider does not."""
    usage, answer = mapping(own.get("mlflow.chat.tokenUsage")), mapping(own.get("mlflow.spanOutputs"))
    stated = {
        **stated_usage({key: value for key, value in usage.items() if key not in BESIDE}),
        "gen_ai.usage.cache_read.input_tokens": usage.get("cache_read_input_tokens"),
        "gen_ai.usage.cache_creation.input_tokens": usage.get("cache_creation_input_tokens"),
    }
    if not usage and text(own.get("mlflow.spanType")) in KINDS:  # older versions leave it in the answer of the provider
        stated = stated_usage(mapping(answer.get("usage")) or object_below(answer, "token_usage"))
    return {**stated, "llm.cost.total": mapping(own.get("mlflow.llm.cost")).get("total_cost")}


def _judgements(assessments: list[Any], odd: Counter[str]) -> dict[str | None, dict[str, Any]]:
    """Return feedback as annotations, by the span that it concerns; None for the trace."""
    found: dict[str | None, dict[str, Any]] = {}
    for place, assessment in enumerate(map(mapping, assessments)):
        feedback = mapping(assessment.get("feedback"))
        if "value" not in feedback or feedback["value"] is None:
            odd["expected answers" if "expectation" in assessment else "failed evaluations"] += 1
            continue
        if assessment.get("valid") is False:
            odd["judgements replaced by a later one"] += 1
            continue
        value = feedback["value"]
        rating = RATINGS.get(value.lower() if isinstance(value, str) else value) if _plain(value) else None
        known = {
            "name": text(assessment.get("assessment_name")) or text(assessment.get("name")),
            "score": number(value) if rating is None else rating,
            "label": text(value) if rating is None else None,
            "annotator_kind": text(mapping(assessment.get("source")).get("source_type")),
        }
        about = found.setdefault(hexadecimal(assessment.get("span_id"), 8), {})
        about |= {f"annotations.{place}.annotation.{key}": held for key, held in known.items() if held is not None}
    return found


def _plain(value: object) -> bool:
    """Return whether the value is a truth value or a word: 1 and 0 are numbers already."""
    return isinstance(value, (bool, str))


IMPORTER = Importer(
    "mlflow",
    "MLflow traces",
    recognises,
    read,
    "Traces as JSON of versions 2 and 3, in a list, on lines, or in rows of a table of traces. Agents are the spans of "
    "that type, and nodes of LangGraph by the rule given for OpenTelemetry. Feedback becomes rewards; yes and no are 1 "
    "and 0. Tried on runs of the OpenAI Agents SDK with four agents and of LangGraph with five, whose models "
    "were scripted. Lost are chains, parsers and tasks, expected answers, and the times inside streamed answers.",
    experimental=True,
)
