"""The meaning of span attributes in all supported conventions.

The GenAI semantic conventions (current, and the names of 1.36 and before), OpenInference, OpenLLMetry's
``traceloop.*``, Agent Lightning and AgentOps. If a span uses several, the GenAI names take precedence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from survey.traces.importers.json_values import mapping, number, parsed, text, tokens, word
from survey.traces.importers.spans.judgements import REWARD_SPANS, rewards
from survey.traces.importers.spans.span import Span

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
"""``gen_ai.operation.name`` and the kind of span that it implies; operations on memories are tools."""

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

AGENTOPS = {
    "agent": "agent",
    "tool": "tool",
    "llm": "model",
    "guardrail": "guardrail",
    "workflow": "workflow",
    "session": "workflow",
}
"""``agentops.span.kind``, in the logs of Agent Lightning that AgentOps traced."""

REQUESTS = {"chat": "model", "completion": "model", "embedding": "model", "rerank": "tool"}

MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "embedding.model_name")

TRANSFER = re.compile(r"(?:transfer|handoff)_(?:back_)?to_(?P<agent>.+)")
"""The handoff tool of LangGraph and the OpenAI Agents SDK."""

NAMED = re.compile(r"(?:invoke_agent|create_agent) (.+)|agent_run \[(.+)\]", re.DOTALL)
"""Names of spans that contain the name of an agent."""

ANSWERED = re.compile(r'"tool_call_id": ?"([^"\\]+)"')
"""The call that LangChain's message with the result of a tool answers."""

CALL_ID = re.compile(r"(?:llm\.output_messages|gen_ai\.completion)\.\d+\.(?>.*?tool_calls?\.).*\bid")


def kind(span: Span) -> str:
    """Return agent, creation, model, tool, plan, workflow, guardrail, handoff, reward; or "".

    A node of a graph that is not declared an agent is a "node".
    """
    attributes = span.attributes
    if span.name in REWARD_SPANS or rewards(span):
        return "reward"
    if target(span):
        return "handoff"
    operation = (text(attributes.get("gen_ai.operation.name")) or "").lower().partition(".")[0]
    opening = span.name.partition(" ")[0]
    if not operation and opening in OPERATIONS and any(key.startswith("gen_ai.") for key in attributes):
        operation = opening
    if "memory" in operation:
        return "tool"
    known = (
        OPERATIONS.get(operation)
        or OPENINFERENCE.get((text(attributes.get("openinference.span.kind")) or "").upper())
        or TRACELOOP.get(text(attributes.get("traceloop.span.kind")) or "")
        or REQUESTS.get(text(attributes.get("llm.request.type")) or "")
        or AGENTOPS.get(text(attributes.get("agentops.span.kind")) or "")
    )
    if known:
        return known
    if text(attributes.get("graph.node.id")):
        return "node"
    return "model" if usage(span) and model(span) and "traceloop.span.kind" not in attributes else ""


def acted(span: Span) -> bool:
    """Return whether the span is an act of an agent, a model, a tool or a judge."""
    return kind(span) not in ("", "workflow")


def states_its_agent(span: Span) -> bool:
    """Return whether the span states the name of the agent that it runs."""
    return _first(span, "gen_ai.agent.name", "agent.name") is not None


def names_an_agent(span: Span) -> bool:
    """Return whether an attribute names the agent, rather than only the name of the span."""
    return _first(span, *AGENT_NAMES, "gen_ai.agent.id") is not None


AGENT_NAMES = (
    "gen_ai.agent.name",
    "agent.name",
    "graph.node.name",
    "graph.node.id",
    "traceloop.entity.name",
    "operation.name",
)


def agent_name(span: Span) -> str:
    """Return the logical agent."""
    named = NAMED.fullmatch(span.name)
    return _first(span, *AGENT_NAMES) or (named[1] or named[2] if named else span.name)


def agent_id(span: Span) -> str | None:
    """Return the identifier of the agent, if there is one besides its name."""
    return _first(span, "gen_ai.agent.id", "agent.id")


def same_agent(one: Span, other: Span) -> bool:
    """Return whether two spans belong to the same agent: by id if both have one, else by name."""
    ids = agent_id(one), agent_id(other)
    return ids[0] == ids[1] if ids[0] and ids[1] else agent_name(one) == agent_name(other)


def workflow_name(span: Span) -> str | None:
    """Return the workflow of the span."""
    return _first(span, "gen_ai.workflow.name", "traceloop.workflow.name")


def tool(span: Span) -> str:
    """Return the tool called."""
    return _first(
        span, "gen_ai.tool.name", "tool.name", "traceloop.entity.name", "operation.name"
    ) or span.name.removeprefix("execute_tool ")


def call_id(span: Span) -> str | None:
    """Return the identifier that the model gave the call."""
    named = _first(span, "gen_ai.tool.call.id", "tool.id", "tool_call.id")
    if named is None and (found := ANSWERED.search(text(span.attributes.get("output.value")) or "")):
        named = found[1]
    return named


def model(span: Span) -> str | None:
    """Return the model that answered, else the model requested."""
    return _first(span, *MODELS)


def target(span: Span) -> str | None:
    """Return the target of a handoff."""
    attributes = span.attributes
    if attributes.get("gen_ai.transfer.mode") == "pass_control":
        return text(attributes.get("gen_ai.transfer.target.name"))
    named = _first(span, "gen_ai.handoff.to_agent", "gen_ai.agent.handoff.target.name")
    if named is None and span.name.startswith("handoff to ") and "openinference.span.kind" in attributes:
        named = span.name.removeprefix("handoff to ")
    return named


def likely_target(span: Span) -> str | None:
    """Return the target of a handoff by the name of the tool alone."""
    found = TRANSFER.fullmatch(tool(span))
    return found["agent"] if found else None


def previous_node(span: Span) -> str | None:
    """Return the graph node, or the agent, that led to this one."""
    return _first(span, "graph.node.parent_id")


def handoff_source(span: Span) -> str | None:
    """Return the agent that handed over to this one, if the agent's own span names it."""
    return _first(span, "gen_ai.agent.handoff_parent", "gen_ai.agent.handoff.source.name")


def usage(span: Span) -> dict[str, float] | float | None:
    """Return tokens by kind, or their total if the kinds are unknown.

    In all conventions the input includes tokens read from and written to a cache. Some writers exclude them;
    a cache count larger than the input shows this, and nothing is subtracted.
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
    """Return the cost in US dollars, if recorded."""
    found = _number(span, "llm.cost.total")
    return found if found is not None and found >= 0 else None


def status(span: Span) -> str | None:
    """Return error, timeout, cancelled or rejected; None on success."""
    error = (text(span.attributes.get("error.type")) or "").lower()
    if not error and not span.failed:
        return None
    if "timeout" in error or "deadline" in error:
        return "timeout"
    if "cancel" in error:
        return "cancelled"
    return "rejected" if error == "rejected" else "error"


def error(span: Span) -> str | None:
    """Return the kind of the failure, if the log names one that says more than the status."""
    thrown = (word(about.get("exception.type")) for name, _, about in span.events if name == "exception")
    kind = word(span.attributes.get("error.type")) or next(filter(None, thrown), None)
    return None if kind in ("_OTHER", status(span)) else kind


def input_text(span: Span) -> str | None:
    """Return the input text."""
    return _words(span, "gen_ai.tool.call.arguments", "gen_ai.input.messages", "input.value", "traceloop.entity.input")


def output_text(span: Span) -> str | None:
    """Return the output text."""
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
    """Return whether a guardrail intervened; None if the span does not say."""
    found = span.attributes.get("gen_ai.guardrail.triggered")
    return found if isinstance(found, bool) else None


def calls(span: Span) -> set[str]:
    """Return the ids of the tool calls that a model requested."""
    found = {value for key, value in span.attributes.items() if isinstance(value, str) and CALL_ID.fullmatch(key)}
    for key in ("gen_ai.output.messages", "llm.output_messages"):
        found |= set(_call_ids(parsed(span.attributes.get(key))))
    return found


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
    attributes = span.attributes
    for key in keys:
        value = attributes.get(key) or {name: item for name, item in attributes.items() if name.startswith(f"{key}.")}
        if isinstance(value, str) and value:
            return value
        if isinstance(value, (list, Mapping)) and value:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return None


def all_usage(span: Span) -> float:
    """Return the total of the tokens of a span."""
    found = usage(span)
    if isinstance(found, dict):
        return sum(count for kind, count in found.items() if kind != "reasoning")
    return found or 0
