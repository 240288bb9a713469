"""What a span says, in whichever names it says it.

The GenAI semantic conventions (current, and the names of 1.36 and before), OpenInference,
OpenLLMetry's ``traceloop.*`` and Agent Lightning. Where several speak, the GenAI names count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from survey.traces.importers.json_values import items, mapping, number, text, tokens
from survey.traces.importers.opentelemetry.spans import Span

OPERATIONS = {
    "invoke_agent": "agent",
    "create_agent": "creation",
    "chat": "model",
    "text": "model",
    "completion": "model",
    "text_completion": "model",
    "generate_content": "model",
    "call_llm": "model",
    "embeddings": "model",
    "execute_tool": "tool",
    "retrieval": "tool",
    "plan": "plan",
    "invoke_workflow": "workflow",
}
"""``gen_ai.operation.name``, and what it makes of the span; operations on memories are tools."""

OPENINFERENCE = {
    "AGENT": "agent",
    "LLM": "model",
    "EMBEDDING": "model",
    "TOOL": "tool",
    "RETRIEVER": "tool",
    "RERANKER": "tool",
    "GUARDRAIL": "guardrail",
}

TRACELOOP = {"agent": "agent", "tool": "tool", "handoff": "handoff", "workflow": "workflow"}

REQUESTS = {"chat": "model", "completion": "model", "embedding": "model", "rerank": "tool"}

REWARD_SPANS = ("agentlightning.reward", "agentlightning.annotation")

MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "embedding.model_name")

TRANSFER = re.compile(r"(?:transfer|handoff)_(?:back_)?to_(?P<agent>.+)")
"""The tool by which LangGraph and the OpenAI Agents SDK let a model hand over to an agent."""

JUDGEMENT = re.compile(
    r"(?:(?P<scope>trace|session)\.)?(?:(?:annotations|evaluations)\.(?P<number>\d+)\.)?"
    r"(?:annotation|evaluation)\.(?P<field>name|score|label|annotator_kind)"
)

CALL_ID = re.compile(r"(?:llm\.output_messages|gen_ai\.completion)\.\d+\..*tool_calls?\..*\bid")


class Judgement(NamedTuple):
    """A score or a label that somebody gave."""

    name: str
    score: float | None = None
    label: str | None = None
    by: str | None = None
    scope: str = "span"


def kind(span: Span) -> str:
    """agent, creation, model, tool, plan, workflow, guardrail, handoff, reward; or nothing of these."""
    said = span.attributes
    if span.name in REWARD_SPANS or rewards(span):
        return "reward"
    if target(span):
        return "handoff"
    operation = (text(said.get("gen_ai.operation.name")) or "").lower().partition(".")[0]
    opening = span.name.partition(" ")[0]
    if not operation and opening in OPERATIONS and any(key.startswith("gen_ai.") for key in said):
        operation = opening
    if "memory" in operation:
        return "tool"
    known = (
        OPERATIONS.get(operation)
        or OPENINFERENCE.get((text(said.get("openinference.span.kind")) or "").upper())
        or TRACELOOP.get(text(said.get("traceloop.span.kind")) or "")
        or REQUESTS.get(text(said.get("llm.request.type")) or "")
    )
    if known:
        return known
    if text(said.get("graph.node.id")):
        return "agent"
    return "model" if usage(span) and model(span) and "traceloop.span.kind" not in said else ""


def acted(span: Span) -> bool:
    """Whether an agent, a model, a tool or a judge is behind the span."""
    return kind(span) not in ("", "workflow")


def generation(span: Span) -> str | None:
    """The type of event that our own exporter made the span of."""
    found = span.attributes.get("orchestration.event")
    return found if found in ("model_call", "orchestrator_decision", "aggregate") else None


def decisions(said: Mapping[str, Any]) -> set[str]:
    """The O codes that our own exporter wrote down."""
    return set((text(said.get("orchestration.decision")) or "").split()) & {"O1", "O2", "O3", "O4", "O5"}


def names_an_agent(span: Span) -> bool:
    """Whether an attribute names the agent, and not only the span's own name."""
    return _first(span, *AGENT_NAMES, "gen_ai.agent.id") is not None


AGENT_NAMES = ("gen_ai.agent.name", "agent.name", "graph.node.name", "graph.node.id", "traceloop.entity.name")


def agent_name(span: Span) -> str:
    """The logical agent."""
    return _first(span, *AGENT_NAMES) or span.name.removeprefix("invoke_agent ").removeprefix("create_agent ")


def agent_id(span: Span) -> str | None:
    """The identifier of the agent, where the writer has one beside its name."""
    return _first(span, "gen_ai.agent.id", "agent.id")


def same_agent(one: Span, other: Span) -> bool:
    """Whether two spans are of the same agent: by id where both have one, else by name."""
    ids = agent_id(one), agent_id(other)
    return ids[0] == ids[1] if ids[0] and ids[1] else agent_name(one) == agent_name(other)


def workflow_name(span: Span) -> str | None:
    """The workflow that the span is the run of."""
    return _first(span, "gen_ai.workflow.name", "traceloop.workflow.name")


def tool(span: Span) -> str:
    """The tool called."""
    return _first(span, "gen_ai.tool.name", "tool.name", "traceloop.entity.name") or span.name.removeprefix(
        "execute_tool "
    )


def call_id(span: Span) -> str | None:
    """The identifier that the model gave the call."""
    return _first(span, "gen_ai.tool.call.id", "tool.id", "tool_call.id")


def model(span: Span) -> str | None:
    """The model that answered, or was asked."""
    return _first(span, *MODELS)


def target(span: Span) -> str | None:
    """Whom a handoff hands over to."""
    said = span.attributes
    if said.get("gen_ai.transfer.mode") == "pass_control":
        return text(said.get("gen_ai.transfer.target.name"))
    named = _first(span, "gen_ai.handoff.to_agent", "gen_ai.agent.handoff.target.name")
    if named is None and span.name.startswith("handoff to ") and "openinference.span.kind" in said:
        named = span.name.removeprefix("handoff to ")
    return named


def likely_target(span: Span) -> str | None:
    """Whom a tool hands over to, going by the tool's name alone."""
    found = TRANSFER.fullmatch(tool(span))
    return found["agent"] if found else None


def comes_after(span: Span) -> str | None:
    """The node of the graph, or the agent, that led to this one."""
    return _first(span, "graph.node.parent_id")


def handed_over_by(span: Span) -> str | None:
    """The agent that handed over to this one, where the agent's own span says so."""
    return _first(span, "gen_ai.agent.handoff_parent", "gen_ai.agent.handoff.source.name")


def was_there(span: Span) -> bool:
    """Whether the agent was there from the start, as our own exporter says of those that nobody spawned."""
    return span.attributes.get("orchestration.spawned") is False


def never_returned(span: Span) -> bool:
    """Whether the end of the span is no return, as our own exporter says."""
    return span.attributes.get("orchestration.returned") is False


def beyond(span: Span) -> bool:
    """Whether the tokens of an agent's span come on top of those of its model calls, as our own exporter says."""
    return span.attributes.get("orchestration.usage_beyond") is True


def usage(span: Span) -> dict[str, float] | float | None:
    """Tokens by kind, or their number where no more is said.

    In all conventions those read from and written to a cache are part of the input.
    Some writers leave them out of it; a cache larger than the input shows that, and takes nothing off.
    """
    prompt = _number(span, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
    completion = _number(
        span, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"
    )
    read = _number(
        span,
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    )
    written = _number(
        span,
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    )
    reasoning = _number(span, "gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning")
    cached = (read or 0) + (written or 0)
    if prompt is not None and cached <= prompt:
        prompt -= cached
    found = tokens(
        input=prompt, output=completion, cache_read=read or None, cache_write=written or None, reasoning=reasoning
    )
    if found and any(found.values()):
        return found
    return _number(span, "gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens") or None


def cost(span: Span) -> float | None:
    """US dollars, where the writer reckoned them."""
    found = _number(span, "llm.cost.total")
    return found if found is not None and found >= 0 else None


def status(span: Span) -> str | None:
    """error, timeout, cancelled or rejected; None if it went well."""
    error = (text(span.attributes.get("error.type")) or "").lower()
    if not error and not span.failed:
        return None
    if "timeout" in error or "deadline" in error:
        return "timeout"
    if "cancel" in error:
        return "cancelled"
    return "rejected" if error == "rejected" else "error"


def asked(span: Span) -> str | None:
    """The text that went in."""
    return _words(span, "gen_ai.tool.call.arguments", "gen_ai.input.messages", "input.value", "traceloop.entity.input")


def answered(span: Span) -> str | None:
    """The text that came out."""
    return _words(
        span,
        "gen_ai.tool.call.result",
        "gen_ai.output.messages",
        "output.value",
        "gen_ai.completion.0.content",
        "llm.output_messages.0.message.content",
        "traceloop.entity.output",
    )


def triggered(span: Span) -> bool | None:
    """Whether a guardrail stepped in, where the span says so."""
    found = span.attributes.get("gen_ai.guardrail.triggered")
    return found if isinstance(found, bool) else None


def calls(span: Span) -> set[str]:
    """The ids of the tool calls that a model's answer asked for."""
    found = {value for key, value in span.attributes.items() if isinstance(value, str) and CALL_ID.fullmatch(key)}
    for key in ("gen_ai.output.messages", "llm.output_messages"):
        found |= set(_call_ids(_parsed(span.attributes.get(key))))
    return found


def rewards(span: Span) -> dict[str, float]:
    """What an Agent Lightning span rewards, by name; in each of the spellings it has had."""
    said = span.attributes
    found: dict[str, float] = {}
    for key, value in said.items():
        name = key.removeprefix("agentlightning.reward.")
        score = number(value)
        if name == key or score is None or name.startswith("metadata."):
            continue
        index, _, what = name.partition(".")
        if what == "value":
            found[text(said.get(f"agentlightning.reward.{index}.name")) or f"reward {index}"] = score
        elif not what:
            found[name] = score
    if not found and (score := number(said.get("reward"))) is not None and span.name in REWARD_SPANS:
        found["primary"] = score
    for key in ("agentops.task.output", "agentops.entity.output"):
        given = mapping(_parsed(said.get(key), "reward")) or {k: said.get(f"{key}.{k}") for k in ("type", "value")}
        if given.get("type") == "reward" and (score := number(given.get("value"))) is not None:
            found.setdefault("primary", score)
    return found


def rewarded_response(span: Span) -> str | None:
    """The model answer that a reward is for."""
    said = span.attributes
    if said.get("agentlightning.link.0.key_match") == "gen_ai.response.id":
        return text(said.get("agentlightning.link.0.value_match"))
    return None


def judgements(span: Span) -> Iterator[Judgement]:
    """Scores and labels on the span: OpenInference's, and evaluation events of the GenAI conventions."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for key, value in _judging(span.attributes):
        if match := JUDGEMENT.fullmatch(key):
            place = match["scope"] or "span", match["number"] or ""
            found.setdefault(place, {})[match["field"]] = value
    for (scope, _), fields in found.items():
        yield from _judgement(fields, "name", "score", "label", scope)
    for name, _, said in span.events:
        if name == "gen_ai.evaluation.result":
            prefix = "gen_ai.evaluation"
            yield from _judgement(said, f"{prefix}.name", f"{prefix}.score.value", f"{prefix}.score.label", "span")


def _judgement(fields: Mapping[str, Any], name: str, score: str, label: str, scope: str) -> Iterator[Judgement]:
    called, scored, labelled = text(fields.get(name)), number(fields.get(score)), text(fields.get(label))
    if called and (scored is not None or labelled):
        yield Judgement(called, scored, labelled, text(fields.get("annotator_kind")), scope)


def _judging(said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from said.items()
    for scope in ("", "trace.", "session."):
        for plural in ("annotations", "evaluations"):
            for index, fields in enumerate(items(said.get(scope + plural))):
                for key, value in mapping(fields).items():
                    yield f"{scope}{plural}.{index}.{key}", value


def _call_ids(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, list) and depth < 8:
        for item in value:
            yield from _call_ids(item, depth + 1)
    elif isinstance(value, Mapping) and depth < 8:
        for id in (
            value.get("id") if value.get("type") in ("tool_call", "function") else None,
            value.get("tool_call.id"),
        ):
            if isinstance(id, str):
                yield id
        for key, item in value.items():
            if key == "tool_call" and isinstance(id := mapping(item).get("id"), str):
                yield id
            yield from _call_ids(item, depth + 1)


def _parsed(value: Any, only_with: str = "tool_call") -> Any:
    """A value that may be JSON in a text; texts that cannot matter are not parsed."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if only_with in value else None
    except (ValueError, RecursionError):
        return None


def _first(span: Span, *keys: str) -> str | None:
    return next((found for key in keys if (found := text(span.attributes.get(key)))), None)


def _number(span: Span, *keys: str) -> float | None:
    for key in keys:
        value = span.attributes.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value[:15])
        if (found := number(value)) is not None and found >= 0:
            return found
    return None


def _words(span: Span, *keys: str) -> str | None:
    said = span.attributes
    for key in keys:
        value = said.get(key) or {name: item for name, item in said.items() if name.startswith(f"{key}.")}
        if isinstance(value, str) and value:
            return value
        if isinstance(value, (list, Mapping)) and value:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return None


def all_usage(span: Span) -> float:
    """All tokens of a span."""
    found = usage(span)
    if isinstance(found, dict):
        return sum(count for kind, count in found.items() if kind != "reasoning")
    return found or 0
