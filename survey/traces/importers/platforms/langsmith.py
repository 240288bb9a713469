"""LangSmith: runs of models, tools and chains, as its client and its exports write them.

A run becomes a span. Agents are the nodes of LangGraph, by the rule in ``survey.traces.importers.spans.graphs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from survey.traces.importers.json_values import Fields, instant, items, mapping, number, text
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.team import traces_of
from survey.traces.importers.spans.usage import object_below, stated_usage
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

KINDS = {
    "llm": "LLM",
    "chat_model": "LLM",
    "embedding": "EMBEDDING",
    "tool": "TOOL",
    "retriever": "RETRIEVER",
    "chain": "CHAIN",
    "prompt": "CHAIN",
    "parser": "CHAIN",
}
"""The type of a run and the kind of span that it is in OpenInference."""

EXPECTED = "expected runs with an id, a run_type and a start_time, of models or tools"


def recognises(log: Log) -> bool:
    """Return whether the log holds runs, by its first objects."""
    return any(_is_run(run) for item in log.opening() for run in [item, *map(mapping, items(item.get("runs")))])


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id."""
    return traces_of(log, _spans(log), content, "langsmith", EXPECTED, Counter())


def _spans(log: Log) -> Iterator[Span | None]:
    order = 0
    for item in log.objects():
        waiting: list[tuple[Any, str | None]] = [(item, None)]
        if "runs" in item:
            waiting = [(run, None) for run in reversed(items(item["runs"]))]
        while waiting:
            found, parent = waiting.pop()
            run = mapping(found)
            order += 1
            yield _span(run, order, parent) if _is_run(run) else None
            inside = text(run.get("id")) or parent
            waiting += [(child, inside) for child in reversed(items(run.get("child_runs")))]


def _is_run(run: Fields) -> bool:
    return text(run.get("id")) is not None and text(run.get("run_type")) in KINDS and "start_time" in run


def _span(run: Fields, order: int, parent: str | None) -> Span:
    above = [part[-36:] for part in (text(run.get("dotted_order")) or "").split(".")[:-1]]
    trace = text(run.get("trace_id")) or (above or [str(run["id"])])[0]
    extra, outputs = mapping(run.get("extra")), mapping(run.get("outputs"))
    metadata, error = mapping(extra.get("metadata")), text(run.get("error"))
    asked, answer = mapping(extra.get("invocation_params")), mapping(outputs.get("output"))
    kind = KINDS[str(run["run_type"])]
    models = (metadata.get("ls_model_name"), asked.get("model"), asked.get("model_name"))
    attributes: dict[str, Any] = {
        "openinference.span.kind": kind,
        "metadata": metadata,
        "input.value": run.get("inputs"),
        "output.value": run.get("outputs"),
        "llm.output_messages": run.get("outputs") if kind == "LLM" else None,
        "tool.id": _message(answer).get("tool_call_id") if kind == "TOOL" else None,
        "gen_ai.request.model": next(filter(None, map(text, models)), None),
        **_judgements(run, whole=not above and parent is None and run.get("parent_run_id") is None),
    }
    if kind in ("LLM", "EMBEDDING"):
        attributes |= _usage(run, outputs)
    if error is not None and error.startswith(("CancelledError", "KeyboardInterrupt")):
        attributes["error.type"] = "cancelled"
    elif error is not None and error.startswith("TimeoutError"):
        attributes["error.type"] = "timeout"
    return Span(
        run=trace,
        trace=trace,
        id=str(run["id"]),
        parent=text(run.get("parent_run_id")) or parent or (above[-1] if above else None),
        name=text(run.get("name")) or "run",
        start=instant(run.get("start_time")),
        end=instant(run.get("end_time")),
        failed=error is not None or run.get("status") == "error" or _message(answer).get("status") == "error",
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource={},
        events=[],
        links=[],
        order=float(order),
    )


def _message(value: Fields) -> Fields:
    """Return the fields of a message of LangChain, serialised or not."""
    return mapping(value.get("kwargs")) or value


def _judgements(run: Fields, *, whole: bool) -> dict[str, Any]:
    """Return the means of feedback as annotations; feedback on the outermost run concerns the whole trace."""
    found: dict[str, Any] = {}
    for place, (name, stats) in enumerate(mapping(run.get("feedback_stats")).items()):
        key = f"{'trace.' if whole else ''}annotations.{place}.annotation"
        found |= {f"{key}.name": name, f"{key}.score": mapping(stats).get("avg")}
    return found


def _usage(run: Fields, outputs: Fields) -> dict[str, Any]:
    """Return tokens and cost."""
    usage = object_below(outputs, "usage_metadata", "token_usage") or run
    given = [number(run.get(key)) for key in ("prompt_cost", "completion_cost")]
    cost = number(run.get("total_cost")) or number(usage.get("total_cost")) or sum(filter(None, given)) or None
    return {**stated_usage(usage), "llm.cost.total": cost}


IMPORTER = Importer(
    "langsmith",
    "LangSmith runs",
    recognises,
    read,
    "Runs of models, tools and chains: a list, one on each line, an object with runs, or runs that hold their child "
    "runs. Agents are nodes of LangGraph, by the rule given for OpenTelemetry; those of other frameworks are not told "
    "apart. Tried on a real run of LangGraph with five nodes, three of them in parallel, whose log has no tokens. Lost "
    "are chains, prompts and parsers, and the times inside streamed answers. Means of feedback become rewards.",
)
