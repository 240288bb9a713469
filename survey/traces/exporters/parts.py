"""The parts of a trace for which a format may have no place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from survey.traces.model import Trace

PARTS: Mapping[str, Callable[[Trace], bool]] = {
    "times": lambda trace: trace.time != "ordinal" and any(event.end > 0 for event in trace),
    "tokens": lambda trace: any(event.tokens_ is not None for event in trace),
    "costs": lambda trace: any(event.cost is not None for event in trace),
    "rewards": lambda trace: bool(trace.rewards) or any(event.reward is not None for event in trace),
    "labels": lambda trace: bool(trace.labels),
    "outcome": lambda trace: "outcome" in trace.head,
    "edges": lambda trace: len(trace.edges) > 0,
    "decisions": lambda trace: any(event.decision is not None for event in trace),
    "failures": lambda trace: any(event.status != "ok" for event in trace),
    "texts": lambda trace: any(event.content or event.content_ref for event in trace),
    "models": lambda trace: any(about.get("model") for about in trace.agents.values()),
    "marks of waiting": lambda trace: any(event.waits_for is not None for event in trace),
    "marks of trust": lambda trace: any(event.trusted is not None for event in trace),
}
"""Each part with whether a trace has it."""
