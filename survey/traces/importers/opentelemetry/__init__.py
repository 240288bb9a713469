"""OpenTelemetry: spans with the GenAI conventions, OpenInference, OpenLLMetry or Agent Lightning names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.importers.opentelemetry.reading import looks_like_spans, read_spans
from survey.traces.importers.spans.conventions import acted
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.team import trace_of
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

EXPECTED = "expected OTLP JSON with resourceSpans, or objects with trace and span ids, of agents, models or tools"


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id; for Agent Lightning, one for each attempt at a rollout."""
    runs: dict[str, list[Span]] = {}
    odd = Counter[str]()
    for span in read_spans(log):
        if span is None:
            odd["objects that are not spans"] += 1
        else:
            runs.setdefault(span.run, []).append(span)
    found = f"{len(runs)} traces" if runs else "no spans"
    acting = {run: spans for run, spans in runs.items() if any(map(acted, spans))}
    odd["traces of programs without an agent, a model or a tool"] = len(runs) - len(acting)
    odd["lines that are not JSON objects"] = log.unreadable
    traces = 0
    for run, spans in acting.items():
        trace = trace_of(run, spans, content, {} if traces else odd)
        if trace.events:
            traces += 1
            yield trace
    if not traces:
        raise BadLog(f"{log.path.name}: found {found}, without acts of an agent ({EXPECTED})")


IMPORTER = Importer(
    "opentelemetry",
    "OpenTelemetry spans (GenAI, OpenInference, OpenLLMetry)",
    looks_like_spans,
    read,
    "OTLP JSON and its forms in consoles and viewers, current and older GenAI names, and the frameworks that emit "
    "them: OpenAI Agents SDK, LangGraph, AutoGen, Agent Lightning. A trace for each trace id. Cached tokens are "
    "subtracted from the input, which includes them. Messages between agents have no spans and are mostly missing.",
)
