"""OpenTelemetry: spans with the GenAI conventions, OpenInference, OpenLLMetry or Agent Lightning names.

Which nodes of LangGraph are agents, ``survey.traces.importers.spans.graphs`` states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from survey.traces.importers.log import Importer, Log
from survey.traces.importers.platforms.opentelemetry.reading import looks_like_spans, read_spans
from survey.traces.importers.spans.team import traces_of
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

EXPECTED = "expected OTLP JSON with resourceSpans, or objects with trace and span ids, of agents, models or tools"


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id; for Agent Lightning, one for each attempt at a rollout."""
    return traces_of(log, read_spans(log), content, "opentelemetry", EXPECTED, Counter())


IMPORTER = Importer(
    "opentelemetry",
    "OpenTelemetry spans (GenAI, OpenInference, OpenLLMetry)",
    looks_like_spans,
    read,
    "OTLP JSON and its forms in consoles and viewers, current and older GenAI names, and the frameworks that emit "
    "them: OpenAI Agents SDK, LangGraph, AutoGen, Agent Lightning up to 0.3 with AgentOps. A trace for each trace id, "
    "or for each attempt at a rollout of Agent Lightning. Cached tokens are subtracted from the input, which includes "
    "them. Messages between agents have no spans and are mostly missing. In "
    "LangGraph each execution of a node that calls a model or a tool is an agent, and each step leads to the next; a "
    "graph of which only one node calls a model, one run at a time, is one agent with tools. Tried on a real run of "
    "LangGraph with five nodes, three of them in parallel.",
)
