"""W&B Weave: calls of operations, as its interface and its public API export them.

The tokens and costs in a call's summary include those of all calls inside it. What is left without these is its own:
a call with tokens of its own is a call of a model. What else it is, its kind says, or the integration that wrote it.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import count as numbers
from typing import Any

from survey.traces.importers.json_values import Fields, instant, items, mapping, number, parsed, text
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.spans.span import Span, dotted
from survey.traces.importers.spans.team import traces_of
from survey.traces.importers.spans.usage import object_below, stated_usage
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]

KINDS = {"agent": "AGENT", "llm": "LLM", "tool": "TOOL", "search": "RETRIEVER", "guardrail": "GUARDRAIL"}
"""The kind of an operation and the kind of span that it is in OpenInference."""

AGENTS_SDK = {
    "agent": "AGENT", "function": "TOOL", "guardrail": "GUARDRAIL",
    "generation": "LLM", "response": "LLM", "transcription": "LLM", "speech": "LLM",
}  # fmt: skip
LANGCHAIN = {"llm": "LLM", "chat_model": "LLM", "tool": "TOOL", "retriever": "RETRIEVER", "embedding": "EMBEDDING"}
"""What the operations of two integrations are, by their names: ``openai_agent_function``, ``langchain.Tool.web``."""

OPERATION = re.compile(r"weave:///[^/]+/[^/]+/op/(?P<name>[^:]+)(?::.*)?", re.DOTALL)
LANGCHAIN_NAME = re.compile(r"langchain\.(?P<type>[A-Z]\w*?)\.(?P<name>.+)", re.DOTALL)

JUDGES = (("wandb.annotation.", "human", "value"), ("wandb.runnable.", "scorer", "output"))
"""Types of feedback that are judgements, who gives them, and where they stand."""

COUNTED = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens")

EXPECTED = "expected calls with an id, a trace_id, an op_name and a started_at, of agents, models or tools"

Usage = dict[str, dict[str, float]]
"""Tokens by model, under dotted names."""


def recognises(log: Log) -> bool:
    """Return whether the log holds calls, by its first objects."""
    return any(_is_call(call) for item in log.opening() for call in _held(item))


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each trace id."""
    odd = Counter[str]()
    return traces_of(log, _spans(log, odd), content, "weave", EXPECTED, odd, experimental=True)


def _held(item: Fields) -> list[Fields]:
    return [mapping(call) for call in items(item.get("calls"))] or [mapping(item.get("call")) or item]


def _is_call(item: Fields) -> bool:
    ids = (item.get(name) for name in ("id", "trace_id", "op_name"))
    return all(map(text, ids)) and "started_at" in item and ("inputs" in item or "summary" in item)


def _spans(log: Log, odd: Counter[str]) -> Iterator[Span | None]:
    calls = [call for item in log.objects() for call in _held(item)]
    inside: dict[tuple[Any, Any], list[Fields]] = defaultdict(list)
    for call in filter(_is_call, calls):
        if parent := text(call.get("parent_id")):
            inside[call["trace_id"], parent].append(call)
    for order, call in enumerate(calls):
        yield _span(call, inside[call["trace_id"], call["id"]], order, odd) if _is_call(call) else None


def _span(call: Fields, inside: list[Fields], order: int, odd: Counter[str]) -> Span:
    operation = OPERATION.fullmatch(str(call["op_name"]))
    name = operation["name"] if operation else str(call["op_name"])
    output, summary = mapping(call.get("output")), mapping(mapping(call.get("summary")).get("weave"))
    error = text(call.get("exception"))
    parent = text(call.get("parent_id"))
    odd["references to a group of traces"] += parent is None and text(call.get("thread_id")) is not None
    attributes = {
        **_attributes(call, name, inside, odd),
        **_judgements(items(summary.get("feedback")), odd),
        "error.type": text(mapping(parsed(error, "{")).get("type")),
        "gen_ai.workflow.name": None if parent else text(call.get("display_name")) or name,
    }
    return Span(
        run=str(call["trace_id"]),
        trace=str(call["trace_id"]),
        id=str(call["id"]),
        parent=parent,
        name=_display(call, name),
        start=instant(call.get("started_at")),
        end=instant(call.get("ended_at")),
        failed=error is not None or summary.get("status") == "error" or bool(mapping(output.get("error"))),
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource={},
        events=[],
        links=[],
        order=float(order),
    )


def _display(call: Fields, name: str) -> str:
    """Return what an agent or a tool is called."""
    if found := LANGCHAIN_NAME.fullmatch(name):
        return found["name"]
    shown = (text(call.get("display_name")) or name).removeprefix(f"{name} - ")
    method = shown == name and _weave(call).get("kind") == "agent" and "." in name
    return name.rpartition(".")[0] if method else shown  # all methods of a class of agents are one agent


def _weave(call: Fields) -> Fields:
    return mapping(mapping(call.get("attributes")).get("weave"))


def _kind(call: Fields, name: str) -> str | None:
    if found := LANGCHAIN_NAME.fullmatch(name):
        return LANGCHAIN.get(found["type"].lower())  # the kind of a chain may be that of a call beside it
    if name.startswith("openai_agent_"):
        return AGENTS_SDK.get(name.removeprefix("openai_agent_"))
    return KINDS.get(text(_weave(call).get("kind")) or "")


def _attributes(call: Fields, name: str, inside: list[Fields], odd: Counter[str]) -> dict[str, Any]:
    otel = mapping(mapping(call.get("attributes")).get("otel_span"))
    if otel:  # a span that came from OpenTelemetry says itself what it is
        return dotted(mapping(otel.get("attributes")))
    output, inputs = call.get("output"), mapping(call.get("inputs"))
    metadata, found = mapping(mapping(output).get("metadata")), {"input.value": inputs, "output.value": output}
    kind, usage, cost = _kind(call, name), _own_usage(call, inside), _own_cost(call, inside)
    if usage and (inside or _descendants(call)):
        odd["tokens of calls that are not in the log"] += round(sum(map(_total, usage.values())))
        usage = {}
    if kind is None and usage:
        kind = "LLM"
    found["openinference.span.kind"] = kind
    if name.startswith("langchain."):
        extra = mapping(mapping(output).get("extra"))
        found |= {"metadata": mapping(extra.get("metadata"))}
        if kind == "TOOL":
            found["output.value"] = json.dumps(output, ensure_ascii=False, sort_keys=True)
    if kind in ("LLM", "EMBEDDING"):
        found |= {"llm.output_messages": output, "llm.cost.total": cost, **_tokens(output, name, usage)}
        found["gen_ai.request.model"] = next(
            filter(None, map(text, (*(usage if len(usage) == 1 else ()), inputs.get("model"), metadata.get("model")))),
            None,
        )
    if kind == "GUARDRAIL":
        found["gen_ai.guardrail.triggered"] = metadata.get("triggered")
    if name == "openai_agent_handoff":
        found["gen_ai.handoff.to_agent"] = text(metadata.get("to_agent"))
    return found


def _tokens(output: Any, name: str, usage: Usage) -> dict[str, Any]:
    """Return the tokens of a call of a model: its own, or those that its answer states."""
    together: Counter[str] = Counter()
    for counts in usage.values():
        together.update(counts)
    if together:
        return stated_usage(_nested(together))
    if name.startswith("openai_agent_"):
        return stated_usage(mapping(mapping(output).get("metrics")))
    return stated_usage(object_below(output, "usage_metadata"))  # of LangChain


def _nested(counts: Mapping[str, float]) -> dict[str, Any]:
    """Return counts with the details in objects of their own, as a provider states them."""
    found: dict[str, Any] = {key: count for key, count in counts.items() if "." not in key}
    for key in counts.keys() - found.keys():
        outer, _, inner = key.partition(".")
        details = found.setdefault(outer, {})
        if isinstance(details, dict):
            details[inner] = counts[key]
    return found


def _usage(call: Fields) -> Usage:
    by_model = mapping(mapping(call.get("summary")).get("usage"))
    return {
        model: {key: count for key, value in dotted(mapping(usage)).items() if (count := number(value)) is not None}
        for model, usage in by_model.items()
    }


def _own_usage(call: Fields, inside: list[Fields]) -> Usage:
    """Return the tokens of a call without those of the calls inside it; none if nothing is left."""
    found = _usage(call)
    for each in map(_usage, inside):
        for model, counts in each.items():
            for key, count in counts.items():
                if key in found.get(model, {}):
                    found[model][key] = max(0.0, found[model][key] - count)
    return {model: counts for model, counts in found.items() if _total(counts)}


def _total(counts: Mapping[str, float]) -> float:
    return counts.get("total_tokens") or sum(counts.get(key, 0.0) for key in COUNTED)


def _own_cost(call: Fields, inside: list[Fields]) -> float | None:
    cost = _cost(call) - sum(map(_cost, inside))
    return cost if cost > 0 else None


def _cost(call: Fields) -> float:
    """Return the dollars that Weave computed for a call and those inside it."""
    costs = mapping(mapping(mapping(call.get("summary")).get("weave")).get("costs"))
    parts = ("prompt_tokens_total_cost", "completion_tokens_total_cost")
    return sum(number(mapping(cost).get(part)) or 0.0 for cost in costs.values() for part in parts)


def _descendants(call: Fields) -> bool:
    """Return whether the summary counts more than the call itself."""
    counts = mapping(mapping(call.get("summary")).get("status_counts"))
    return sum(filter(None, map(number, counts.values()))) > 1


def _judgements(feedback: list[Any], odd: Counter[str]) -> dict[str, Any]:
    """Return annotations of people and results of scorers as annotations; notes and reactions are no judgements."""
    found: dict[str, Any] = {}
    place = numbers()
    for each in map(mapping, feedback):
        type, payload = text(each.get("feedback_type")) or "", mapping(each.get("payload"))
        by, held = next(((by, key) for start, by, key in JUDGES if type.startswith(start)), (None, ""))
        if by is None:
            odd["judgements without numbers"] += 1
            continue
        name, value = type.split(".", 2)[2], payload.get(held)
        for part, inner in (dotted(value) if isinstance(value, Mapping) else {"": value}).items():
            known = {
                "name": f"{name}.{part}" if part else name,
                "score": float(inner) if isinstance(inner, bool) else number(inner),
                "label": None if part else text(inner),
                "annotator_kind": by,
            }
            key = f"annotations.{next(place)}.annotation"
            found |= {f"{key}.{field}": given for field, given in known.items() if given is not None}
    return found


IMPORTER = Importer(
    "weave",
    "W&B Weave calls",
    recognises,
    read,
    "Calls in a list, on lines, or in a page of the public API. Agents and tools are operations of that kind, or of "
    "the integrations of OpenAI Agents SDK and LangChain; a call with tokens of its own is a call of a model. Tried on "
    "a run of the OpenAI Agents SDK with four agents, whose models were scripted. Lost are other operations, notes, "
    "reactions and the reasons of scorers. Scores in the output of an evaluation are not read.",
    experimental=True,
)
