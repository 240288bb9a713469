"""A trace as OTLP JSON with the GenAI semantic conventions, for any program that shows or stores spans."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from survey.traces.importers.records import HEAD, RECORDS, in_text, taken_apart
from survey.traces.model import OUTSIDE, Event, Trace, number

__all__ = ["otlp"]

INTERNAL, CLIENT = 1, 3
FAILED = 2

UNSET = 1
"""The start of a trace with an unknown start time: one second after 1970, as 0 means "not set" in OTLP."""

GENERATIONS = ("model_call", "orchestrator_decision", "aggregate")


def otlp(trace: Trace) -> dict[str, Any]:
    """Return an OTLP JSON document: a span for each agent, generation and tool call, and span events for the rest.

    Ids are hashes of the trace id and the event ids, so that the same trace yields the same document. Edges
    between spans are span links that name their type. In an ordinal trace a step lasts a second, and the
    resource attribute ``orchestration.time`` says so. The attributes ``orchestration.trace`` of the first span and
    ``orchestration.records`` of each hold the trace itself, which our importer reads back.
    """
    return {"resourceSpans": [{"resource": {"attributes": _resource(trace)}, "scopeSpans": [_Export(trace).scope()]}]}


def _resource(trace: Trace) -> list[dict[str, Any]]:
    source = trace.source
    return _attributes(
        {
            "service.name": trace.head.get("system") or source.get("system") or "unknown_service",
            "service.version": source.get("version"),
            "orchestration.time": trace.time,
        }
    )


class _Export:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.events = sorted(trace, key=lambda event: event.t)
        self.origin = _origin(trace)
        self.trace_id = _hash(trace.id, 16)
        self.last = max((event.end for event in self.events), default=0.0)
        self.own: dict[str, list[Event]] = defaultdict(list)
        self.spawns: dict[str, Event] = {}
        self.returns: dict[str, Event] = {}
        """The last return of each spawned agent: the end of its span."""
        for event in self.events:
            self._take(event)
        for agent in self.trace.agents.keys() - OUTSIDE:
            self.own[agent]
        self.returns = {agent: back for agent, back in self.returns.items() if self._agent_around(agent)}
        self.results = self._paired()
        self.spans: dict[str, dict[str, Any]] = {}
        """Spans by the event or agent that they represent."""
        self.of_event: dict[str, str] = {}
        """The span of each event."""

    def scope(self) -> dict[str, Any]:
        for agent in self.own:
            self._write_agent(agent)
        for event in self.events:
            self._write_event(event)
        if not self.spans:
            self._span("trace", "trace", 0, self.last, {}, None)
        self._write_rewards()
        self._write_links()
        self._write_records()
        return {"scope": {"name": "survey.traces"}, "spans": list(self.spans.values())}

    def _take(self, event: Event) -> None:
        if event.agent not in OUTSIDE:
            self.own[event.agent].append(event)
        if event.type == "spawn" and event.to and event.to not in OUTSIDE:
            self.own[event.to]
            self.spawns.setdefault(event.to, event)
        if event.type == "return":
            self.returns[event.agent] = event

    def _paired(self) -> dict[str, Event]:
        """Return the result of each call: by its parent, else by the edge between them."""
        kinds = {event.id: event for event in self.events}
        found = {event.parent: event for event in self.events if event.type == "tool_result" and event.parent}
        for edge in self.trace.edges:
            src, dst = kinds.get(edge.src), kinds.get(edge.dst)
            if src and dst and src.type == "tool_call" and dst.type == "tool_result":
                found.setdefault(src.id, dst)
        return {call: result for call, result in found.items() if call in kinds and kinds[call].type == "tool_call"}

    # spans

    def _write_agent(self, agent: str) -> None:
        spawn, back, about = self.spawns.get(agent), self.returns.get(agent), self.trace.agents.get(agent, {})
        acts = self.own[agent]
        own = (event.agent_name for event in acts if event.type != "spawn" and event.agent_name)
        named = spawn.agent_name if spawn else None  # a spawn names the agent that it creates
        name = about.get("name") or next(own, named or agent)
        start = min([event.t for event in acts] + ([spawn.t] if spawn else []), default=0.0)
        end = back.end if back else self.last if spawn is None else max([start, *(event.end for event in acts)])
        parent = self._agent_around(agent)
        attributes: dict[str, Any]
        if parent and spawn and spawn.tool:
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": spawn.tool,
                "gen_ai.tool.call.id": spawn.id,
            }
            self._span(f"via {agent}", f"execute_tool {spawn.tool}", spawn.t, end, attributes, parent)
            parent = f"via {agent}"
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.id": agent,
            "gen_ai.agent.name": name,
            "gen_ai.request.model": about.get("model"),
            "orchestration.role": about.get("role") or (spawn.role if spawn else None),
        }
        if back and back.tokens:
            attributes |= _usage(back)
        self._span(
            f"agent {agent}",
            f"invoke_agent {name}",
            start,
            end,
            attributes,
            parent,
            status=back.status if back else "ok",
        )
        if back:
            self.of_event[back.id] = f"agent {agent}"
        if spawn:
            self.of_event[spawn.id] = f"agent {agent}"

    def _agent_around(self, agent: str) -> str | None:
        """Return the span of the agent that spawned this one; None in a spawn cycle."""
        seen = {agent}
        spawn = self.spawns.get(agent)
        first = spawn.agent if spawn and spawn.agent in self.own else None
        above = first
        while above is not None:
            if above in seen:
                return None
            seen.add(above)
            spawn = self.spawns.get(above)
            above = spawn.agent if spawn and spawn.agent in self.own else None
        return f"agent {first}" if first else None

    def _write_event(self, event: Event) -> None:
        if event.type == "tool_call":
            self._write_call(event)
        elif event.type == "message" and event.transfer and event.to:
            self._write_handoff(event)
        elif event.type in GENERATIONS or (event.tokens and event.type != "return"):
            self._write_generation(event, event.id)
        elif event.type not in ("spawn", "tool_result") and event is not self.returns.get(event.agent):
            self._note(event)

    def _write_call(self, call: Event) -> None:
        result = self.results.get(call.id)
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool or "tool",
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.call.arguments": call.content,
            "gen_ai.tool.call.result": result.content if result else None,
        }
        status = result.status if result and result.status != "ok" else call.status
        end = result.t if result else None
        self._span(
            call.id, f"execute_tool {call.tool or 'tool'}", call.t, end, attributes, self._around(call), status=status
        )
        self.of_event[call.id] = call.id
        if result:
            self.of_event[result.id] = call.id

    def _write_handoff(self, event: Event) -> None:
        name = self.trace.agents.get(event.to or "", {}).get("name") or event.to
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": f"transfer_to_{name}",
            "gen_ai.transfer.mode": "pass_control",
            "gen_ai.transfer.target.name": name,
        }
        opened = f"execute_tool transfer_to_{name} {name}"
        self._span(event.id, opened, event.t, event.t, attributes, self._around(event), status=event.status)
        self.of_event[event.id] = event.id

    def _write_generation(self, event: Event, key: str) -> None:
        model = self.trace.agents.get(event.agent, {}).get("model")
        operation = "chat" if event.tokens is not None or event.type == "model_call" else "plan"
        attributes = {
            "gen_ai.operation.name": operation,
            "gen_ai.request.model": model if operation == "chat" else None,
            "llm.cost.total": event.cost,
            "gen_ai.output.messages": _message(event.content),
            **_usage(event),
        }
        name = f"{operation} {model}" if model and operation == "chat" else operation
        kind = CLIENT if operation == "chat" else INTERNAL
        self._span(key, name, event.t, event.end, attributes, self._around(event), kind=kind, status=event.status)
        self.of_event.setdefault(event.id, key)

    def _note(self, event: Event) -> None:
        """Write an event without a span in the conventions on the span of its agent."""
        around = self._around(event) or next(iter(self.spans), None)
        if around:
            attributes = {"orchestration.agent": event.agent, "orchestration.to": event.to}
            note = {
                "timeUnixNano": self._nanoseconds(event.t),
                "name": f"orchestration.{event.type}",
                "attributes": _attributes(attributes),
            }
            self.spans[around]["events"].append(note)

    def _around(self, event: Event) -> str | None:
        key = f"agent {event.agent}"
        return key if key in self.spans else None

    def _span(
        self,
        key: str,
        name: str,
        start: float,
        end: float | None,
        attributes: Mapping[str, Any],
        parent: str | None,
        kind: int = INTERNAL,
        status: str = "ok",
    ) -> None:
        failed = {"error.type": "_OTHER" if status == "error" else status} if status != "ok" else {}
        span = {
            "traceId": self.trace_id,
            "spanId": self._span_id(key),
            "parentSpanId": self._span_id(parent) if parent else None,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": self._nanoseconds(start),
            "endTimeUnixNano": None if end is None else self._nanoseconds(max(start, end)),
            "attributes": _attributes({**attributes, **failed}),
            "events": [],
            "links": [],
            "status": {"code": FAILED} if failed else {},
        }
        self.spans[key] = {field: value for field, value in span.items() if value is not None}

    # rewards and links

    def _write_rewards(self) -> None:
        for event in self.events:
            named = event.reward if isinstance(event.reward, dict) else {"reward": event.reward}
            if event.id in self.of_event:
                self._score(self.of_event[event.id], event.end, named)
        if self.spans:
            self._score(next(iter(self.spans)), self.last, self.trace.rewards)

    def _score(self, key: str, t: float, named: Mapping[str, Any]) -> None:
        for name, score in named.items():
            if number(score) is not None:
                attributes = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": float(score)}
                note = {"timeUnixNano": self._nanoseconds(t), "name": "gen_ai.evaluation.result"}
                self.spans[key]["events"].append({**note, "attributes": _attributes(attributes)})

    def _write_links(self) -> None:
        for edge in self.trace.edges:
            src, dst = self.of_event.get(edge.src), self.of_event.get(edge.dst)
            if edge.type not in ("temporal", "spawn") and src and dst and src != dst:
                attributes = _attributes({"orchestration.edge": edge.type})
                link = {"traceId": self.trace_id, "spanId": self._span_id(src), "attributes": attributes}
                self.spans[dst]["links"].append(link)

    def _write_records(self) -> None:
        """Write the trace itself: each event on the span that it is about, the head on the first."""
        head, records = taken_apart(self.trace)
        first = next(iter(self.spans))
        placed: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for event, record in zip(self.trace.events, records, strict=True):
            placed[self.of_event.get(event.id) or self._around(event) or first].append(record)
        self.spans[first]["attributes"] += _attributes({HEAD: in_text(head)})
        for key, beside in placed.items():
            self.spans[key]["attributes"] += _attributes({RECORDS: in_text(beside)})

    def _span_id(self, key: str) -> str:
        return _hash(f"{self.trace.id}/{key}", 8)

    def _nanoseconds(self, t: float) -> str:
        return str(self.origin + round(t * 1e9))


def _origin(trace: Trace) -> int:
    """Return the nanoseconds since 1970 at t = 0."""
    try:
        return round(datetime.fromisoformat(str(trace.source.get("started"))).timestamp() * 1e6) * 1000
    except (ValueError, OverflowError):
        return UNSET * 10**9


def _hash(name: str, size: int) -> str:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def _usage(event: Event) -> dict[str, Any]:
    """Return tokens under the names of the conventions, which count cached tokens as input."""
    tokens = event.by_kind
    if not tokens:
        return {"gen_ai.usage.total_tokens": _whole(event.tokens)}
    parts = [tokens[kind] for kind in ("input", "cache_read", "cache_write") if kind in tokens]
    return {
        "gen_ai.usage.input_tokens": _whole(sum(parts)) if parts else None,
        "gen_ai.usage.output_tokens": _whole(tokens.get("output")),
        "gen_ai.usage.cache_read.input_tokens": _whole(tokens.get("cache_read")),
        "gen_ai.usage.cache_creation.input_tokens": _whole(tokens.get("cache_write")),
        "gen_ai.usage.reasoning.output_tokens": _whole(tokens.get("reasoning")),
    }


def _whole(value: Any) -> float | None:
    count = number(value)
    return int(count) if count is not None and count == int(count) else count


def _message(content: Any) -> str | None:
    if not isinstance(content, str):
        return None
    return json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": content}], "finish_reason": "stop"}])


def _attributes(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return OTLP's list of keys and typed values, integers as strings; None is left out."""
    return [{"key": key, "value": _value(value)} for key, value in attributes.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}
