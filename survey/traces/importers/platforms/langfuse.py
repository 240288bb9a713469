"""Langfuse: a trace with its observations, or observations alone, as its interface and its public API export them.

An observation becomes a span: its type says what it is, its metadata holds the attributes of the OpenTelemetry span
that Langfuse received. What Langfuse states itself (model, usage, cost, level) takes precedence over these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from survey.traces.importers.json_values import Fields, instant, items, mapping, number, parsed, text
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.spans.span import Span, dotted
from survey.traces.importers.spans.team import traces_of
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

KINDS = {
    "GENERATION": "LLM",
    "EMBEDDING": "EMBEDDING",
    "AGENT": "AGENT",
    "TOOL": "TOOL",
    "RETRIEVER": "RETRIEVER",
    "GUARDRAIL": "GUARDRAIL",
    "CHAIN": "CHAIN",
    "EVALUATOR": "EVALUATOR",
    "SPAN": "CHAIN",
    "EVENT": "CHAIN",
}
"""The type of an observation and the kind of span that it is in OpenInference."""

UNTYPED = ("SPAN", "CHAIN")
"""Types that Langfuse gives to what it does not know; its older versions knew no others besides GENERATION."""

READ = ("input_cache_read", "input_cached_tokens", "cache_read_input_tokens", "prompt_details.cache_read")
WRITTEN = ("input_cache_creation", "input_cache_write", "cache_creation_input_tokens", "prompt_details.cache_write")
REASONING = ("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning")

APART = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Kinds of input tokens that providers count beside the input; Langfuse itself counts all ``input_`` beside it."""

EXPECTED = "expected a trace with observations, or a list of observations with ids and types"


def recognises(log: Log) -> bool:
    """Return whether the log holds a Langfuse trace with observations, or observations."""
    return any(_observed(item) or any(map(_observed, _held(item))) for item in log.opening())


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id."""
    odd = Counter[str]()
    return traces_of(log, _spans(log, odd), content, "langfuse", EXPECTED, odd, experimental=True)


def _spans(log: Log, odd: Counter[str]) -> Iterator[Span | None]:
    order = 0
    for item in log.objects():
        judged = _judgements([*items(item.get("scores")), *items(mapping(item.get("trace")).get("scores"))])
        whole = {f"trace.{key}": value for key, value in judged.pop(None, {}).items()}
        for observation in _held(item) or [item]:
            if _observed(observation):
                order += 1
                yield _span(observation, order, {**whole, **judged.pop(text(observation.get("id")), {})})
                whole = {}
            else:
                yield None
        odd["scores of observations that are not in the log"] += len(judged)


def _held(item: Fields) -> list[Fields]:
    """Return the observations inside a trace, or inside a page of an answer of the public API."""
    for holder in (item, mapping(item.get("trace"))):
        for key in ("observations", "data"):
            if found := [mapping(each) for each in items(holder.get(key))]:
                return found
    return []


def _observed(item: Fields) -> bool:
    return text(item.get("id")) is not None and text(item.get("type")) in KINDS and "startTime" in item


def _span(item: Fields, order: int, judged: Mapping[str, Any]) -> Span:
    metadata = mapping(parsed(item.get("metadata"), "{"))
    output = mapping(parsed(item.get("output"), "tool_call_id"))
    trace, name = text(item.get("traceId")) or "trace", text(item.get("name")) or "observation"
    type, own = str(item["type"]), dotted(mapping(parsed(metadata.get("attributes"), "{")))
    answered = text(output.get("tool_call_id")) if type in UNTYPED else None
    kind = "TOOL" if answered else text(own.get("openinference.span.kind")) if type in UNTYPED else None
    attributes: dict[str, Any] = {
        **own,
        "metadata": metadata,
        "openinference.span.kind": kind or KINDS[type],
        "tool.id": answered or own.get("tool.id"),
        "input.value": item.get("input"),
        "output.value": item.get("output"),
        **judged,
    }
    if type in ("GENERATION", "EMBEDDING"):
        attributes |= {"gen_ai.response.model": item.get("model"), **_usage(item)}
    if "cancel" in (text(item.get("statusMessage")) or "").lower() and item.get("level") == "ERROR":
        attributes["error.type"] = "cancelled"
    resource = dotted(mapping(parsed(metadata.get("resourceAttributes"), "{")))
    return Span(
        run=trace,
        trace=trace,
        id=str(item["id"]),
        parent=text(item.get("parentObservationId")),
        name=name,
        start=instant(item.get("startTime")),
        end=instant(item.get("startTime" if type == "EVENT" else "endTime")),
        failed=item.get("level") == "ERROR" or output.get("status") == "error",
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource=resource,
        events=[],
        links=[],
        order=float(order),
    )


def _usage(item: Fields) -> dict[str, Any]:
    """Return tokens and cost in the names of the GenAI conventions, whose input includes what a cache held."""
    old = mapping(item.get("usage"))
    usage = {key: count for key, value in mapping(item.get("usageDetails")).items() if (count := number(value))}
    prompt, completion = usage.get("input"), usage.get("output")
    total = usage.get("total")
    beside = {
        side: sum(count for key, count in usage.items() if key.startswith(f"{side}_") or key in apart)
        for side, apart in (("input", APART), ("output", ()))
    }
    if total is None or total != (prompt or 0) + (completion or 0):
        prompt = (prompt or 0) + beside["input"] if prompt is not None or beside["input"] else None
        completion = (completion or 0) + beside["output"] if completion is not None or beside["output"] else None
    costs = mapping(item.get("costDetails"))
    cost = number(costs.get("total")) or sum(filter(None, map(number, costs.values()))) or None
    return {
        "gen_ai.usage.input_tokens": prompt if usage else old.get("input"),
        "gen_ai.usage.output_tokens": completion if usage else old.get("output"),
        "gen_ai.usage.total_tokens": total if usage else old.get("total"),
        "gen_ai.usage.cache_read.input_tokens": _first(usage, READ),
        "gen_ai.usage.cache_creation.input_tokens": _first(usage, WRITTEN),
        "gen_ai.usage.reasoning.output_tokens": _first(usage, REASONING),
        "llm.cost.total": cost or number(item.get("totalCost")) or number(item.get("calculatedTotalCost")) or None,
    }


def _first(usage: Mapping[str, float], names: tuple[str, ...]) -> float | None:
    return next((usage[name] for name in names if name in usage), None)


def _judgements(scores: list[Any]) -> dict[str | None, dict[str, Any]]:
    """Return scores as annotations, by the observation that they concern; None for the trace."""
    found: dict[str | None, dict[str, Any]] = {}
    for place, score in enumerate(map(mapping, scores)):
        known = {
            "name": text(score.get("name")),
            "score": None if score.get("dataType") == "CATEGORICAL" else number(score.get("value")),
            "label": text(score.get("stringValue")) or text(score.get("value")),
            "annotator_kind": text(score.get("source")),
        }
        about = found.setdefault(text(score.get("observationId")), {})
        about |= {f"annotations.{place}.annotation.{key}": value for key, value in known.items() if value is not None}
    return found


IMPORTER = Importer(
    "langfuse",
    "Langfuse traces",
    recognises,
    read,
    "A trace with its observations, a page of the public API, or a list of observations. Generations are model calls; "
    "scores become rewards; nodes of LangGraph are agents by the rule given for OpenTelemetry. Tried on a real export "
    "of each of AutoGen, Google ADK, LangGraph, LlamaIndex, Microsoft Agent Framework and OpenAI Agents SDK, all with "
    "one agent. Lost are observations that are no act of an agent (chains, events, evaluators), prompts by name, and "
    "the reason of an error.",
    experimental=True,
)
