"""Export to Harbor's Agent Trajectory Interchange Format, ATIF 1.7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from survey.traces.importers.rollouts.atif import TRACE
from survey.traces.importers.rollouts.atif.steps import TURNS
from survey.traces.model import OUTSIDE, Event, Trace

VERSION = "ATIF-v1.7"


def atif(trace: Trace) -> dict[str, Any]:
    """Return the trace as one document: the trajectory of its root, with those of its sub-agents embedded.

    A turn is a step; its tool calls, spawns and their results belong to it. Acts for which the format has no word
    are steps of the system. Without stored content, messages and arguments are empty. A step has one time, and the
    format has no place for edges, labels, rewards and sub-decisions: ``extra`` of the document holds the trace
    itself, which our importer reads back.

    >>> event = {"id": "e1", "t": 0, "type": "model_call", "agent": "solo", "tokens": {"input": 9, "output": 2}}
    >>> step = atif(Trace([Event.of(event)], [], {}))["steps"][0]
    >>> step["source"], step["metrics"]
    ('agent', {'prompt_tokens': 9, 'completion_tokens': 2})
    """
    agents = _Agents(trace)
    trajectories = {agent: _trajectory(trace, agents, agent) for agent in agents.order}
    for agent in reversed(agents.order[1:]):
        trajectories[agents.parents[agent]].setdefault("subagent_trajectories", []).insert(0, trajectories[agent])
        _add_cost(trajectories[agents.parents[agent]], trajectories[agent])
    root = trajectories[agents.order[0]]
    return {**root, "session_id": trace.id or "trace", "extra": {TRACE: trace.to_json()}}


class _Agents:
    """The agents: their events, their parents, and the results and turns of their calls."""

    def __init__(self, trace: Trace) -> None:
        self.clock = _Clock(trace)
        self.events: dict[str, list[Event]] = defaultdict(list)
        self.spawns: dict[str, Event] = {}
        self.returns: dict[str, Event] = {}
        self.results: dict[str, list[Event]] = defaultdict(list)
        ids: dict[str, Event] = {}
        causes = {edge.dst: edge.src for edge in reversed(trace.edges) if edge.type == "causal"}
        for event in sorted(trace, key=lambda event: event.t):
            ids.setdefault(event.id, event)
            self.events[_whose(event)].append(event)
        for event in ids.values():
            if event.type == "spawn" and event.to and event.to not in self.spawns and event.to not in OUTSIDE:
                self.spawns[event.to] = event
            elif event.type == "return" and (spawn := self.spawns.get(event.agent)) and spawn.agent == event.to:
                self.returns.setdefault(event.agent, event)
            elif event.type == "tool_result" and event.parent in ids and ids[event.parent].type == "tool_call":
                self.results[event.parent].append(event)
        self.turns = {}
        for event in ids.values():
            cause = ids.get(event.parent or causes.get(event.id, ""))
            if cause and cause.type in TURNS and cause.agent == event.agent:
                self.turns[event.id] = cause.id
        self._arrange(trace)

    def _arrange(self, trace: Trace) -> None:
        """Order the agents, each after its parent; the root adopts those that nobody spawned."""
        children: dict[str, list[str]] = defaultdict(list)
        for child, spawn in self.spawns.items():
            children[spawn.agent].append(child)
        free = [agent for agent in [*self.events, *self.spawns] if agent not in self.spawns and agent not in OUTSIDE]
        free = list(dict.fromkeys(free)) or [next(iter(self.spawns), "main")]
        root = "main" if "main" in free else max(free, key=lambda agent: len(children[agent]))
        self.parents: dict[str, str] = {}
        self.order = [root]
        everyone = dict.fromkeys([*free, *self.spawns])
        for start in [root, *everyone]:
            if start != root and start not in self.parents:
                self.parents[start] = root
                self.order.append(start)
            waiting = [start]
            while waiting:
                agent = waiting.pop(0)
                for child in children[agent]:
                    if child != root and child not in self.parents:
                        self.parents[child] = agent
                        self.order.append(child)
                        waiting.append(child)


class _Clock:
    """Times of the trace as ISO 8601; None in an ordinal trace."""

    def __init__(self, trace: Trace) -> None:
        self._timed = trace.time != "ordinal"
        try:
            started = datetime.fromisoformat(str(trace.source.get("started")))
            self._origin = started if started.tzinfo else started.replace(tzinfo=UTC)
        except ValueError:
            self._origin = datetime.fromtimestamp(0, UTC)

    def at(self, t: float | None) -> str | None:
        """Return a time; None beyond the last date."""
        if t is None or not self._timed:
            return None
        try:
            return (self._origin + timedelta(seconds=t)).isoformat()
        except OverflowError:
            return None


def _whose(event: Event) -> str:
    """Return the agent whose trajectory holds the event: an act of a person belongs to its receiver."""
    if event.agent not in OUTSIDE:
        return event.agent
    return event.to if event.to and event.to not in OUTSIDE else "main"


def _trajectory(trace: Trace, agents: _Agents, agent: str) -> dict[str, Any]:
    steps = _Steps(trace, agents, agent).all()
    about = trace.agents.get(agent, {})
    if not steps:
        spawn = agents.spawns.get(agent)
        t = agents.clock.at(spawn.t if spawn else 0)
        steps = [_without_none({"step_id": 1, "timestamp": t, "source": "system", "message": ""})]
    return _without_none(
        {
            "schema_version": VERSION,
            "trajectory_id": agent,
            "agent": _without_none(
                {
                    "name": _text(about.get("name")) or agent,
                    "version": _text(trace.source.get("version")) or "unknown",
                    "model_name": _text(about.get("model")),
                }
            ),
            "steps": steps,
            "final_metrics": _totals(agents, agent, steps),
        }
    )


class _Steps:
    """The steps of one agent, in order."""

    def __init__(self, trace: Trace, agents: _Agents, agent: str) -> None:
        self._trace, self._agents, self._agent = trace, agents, agent
        self._steps: list[dict[str, Any]] = []
        self._of_turn: dict[str, dict[str, Any]] = {}

    def all(self) -> list[dict[str, Any]]:
        """Return all steps, numbered, starting with the task that the spawn gave."""
        spawn = self._agents.spawns.get(self._agent)
        if spawn and spawn.content:
            self._step(spawn, "user", {})
        for event in self._agents.events[self._agent]:
            self._add(event)
        return [{"step_id": number, **step} for number, step in enumerate(self._steps, 1)]

    def _add(self, event: Event) -> None:
        agents = self._agents
        if event.type in TURNS:
            self._of_turn[event.id] = self._step(event, "agent", _turn(event))
        elif event.type == "tool_call":
            self._call(event)
        elif event.type == "spawn" and event.to and agents.spawns.get(event.to) == event and event.to in agents.parents:
            self._spawn(event, event.to)
        elif event.type == "tool_result" and event in agents.results.get(event.parent or "", [])[:1]:
            pass  # written with its call
        elif event.agent in OUTSIDE and self._is_plain_prompt(event):
            self._step(event, "user", {})
        elif not self._is_implied(event):
            self._note(event)

    def _is_plain_prompt(self, event: Event) -> bool:
        """Return whether a user step represents the event: the task before the first turn, then interventions."""
        return event.status == "ok" and event.type == ("human_intervention" if self._of_turn else "message")

    def _is_implied(self, event: Event) -> bool:
        """Return whether other fields imply the event: the result of the spawn (return, despawn), the root (stop)."""
        if event.type in ("return", "despawn") and event.agent == self._agent:
            returned = self._agents.returns.get(self._agent)
            return event == returned or (event.type == "despawn" and returned is not None)
        return event.type == "stop" and self._agent == self._agents.order[0]

    def _step(self, event: Event, source: str, more: Mapping[str, Any]) -> dict[str, Any]:
        fields = {"timestamp": self._agents.clock.at(event.t), "source": source, "message": _content(event)}
        step = _without_none({**fields, **more})
        self._steps.append(step)
        return step

    def _call(self, event: Event) -> None:
        """Add a tool call to the step of its turn; without a turn, to a step without a model call."""
        agents = self._agents
        step = self._at_turn(event)
        step.setdefault("tool_calls", []).append(_tool_call(event, "unknown"))
        for result in agents.results[event.id][:1]:
            outcome = {"source_call_id": event.id, "content": _content(result), "extra": _status(result)}
            _observation(step).append(_without_none(outcome))

    def _spawn(self, event: Event, child: str) -> None:
        """Write a spawn as a tool call whose result refers to the trajectory of the child."""
        agents = self._agents
        step, returned = self._at_turn(event), agents.returns.get(child)
        step.setdefault("tool_calls", []).append(_tool_call(event, "spawn_agent"))
        reference = {"trajectory_id": child, "extra": {"role": event.role} if event.role else None}
        outcome = {
            "source_call_id": event.id,
            "content": _content(returned) if returned else None,
            "subagent_trajectory_ref": [_without_none(reference)],
            "extra": _status(returned) if returned else None,
        }
        _observation(step).append(_without_none(outcome))

    def _at_turn(self, event: Event) -> dict[str, Any]:
        turn = self._of_turn.get(self._agents.turns.get(event.id, ""))
        if turn is not None:
            return turn
        silent = {"timestamp": self._agents.clock.at(event.t), "source": "agent", "message": "", "llm_call_count": 0}
        self._steps.append(_without_none(silent))
        return self._steps[-1]

    def _note(self, event: Event) -> None:
        """Write an event without a counterpart in the format as a step of the system."""
        extra: dict[str, Any] = _without_none({"event": event.type, "to": event.to, "status": event.status_})
        if event.type == "compaction":
            extra["context_management"] = {"type": "compaction", "boundary": "replace"}
        self._step(event, "system", {"extra": extra})


def _turn(event: Event) -> dict[str, Any]:
    metrics = _metrics(event)
    return {
        "model_name": _text(event.model),
        "metrics": metrics,
        "llm_call_count": 1 if metrics or event.type == "model_call" else None,
        "extra": _status(event),
    }


def _metrics(event: Event) -> dict[str, Any] | None:
    """Return tokens as the format counts them: the prompt includes tokens read from and written to the cache."""
    kinds = event.by_kind
    prompt = [value for key in ("input", "cache_read", "cache_write") if (value := kinds.get(key)) is not None]
    extra = {
        "cache_creation_input_tokens": _whole(kinds.get("cache_write")),
        "reasoning_tokens": _whole(kinds.get("reasoning")),
        "total_tokens": None if kinds else _whole(event.tokens),
    }
    metrics = {
        "prompt_tokens": _whole(sum(prompt)) if prompt else None,
        "completion_tokens": _whole(kinds.get("output")),
        "cached_tokens": _whole(kinds.get("cache_read")),
        "cost_usd": event.cost,
        "extra": _without_none(extra) or None,
    }
    return _without_none(metrics) or None


def _totals(agents: _Agents, agent: str, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return sums over the steps; without recorded steps, the figures of the agent's return."""
    counted = [step["metrics"] for step in steps if "metrics" in step]
    returned = agents.returns.get(agent)
    if not counted and returned and not any("llm_call_count" in step for step in steps):
        counted = [_metrics(returned) or {}]
    names = {f"total_{key}": [metrics[key] for metrics in counted if key in metrics] for key in _SUMMED}
    sums = {name: sum(values) for name, values in names.items() if values}
    more: dict[str, int] = defaultdict(int)
    for metrics in counted:
        for key, value in metrics.get("extra", {}).items():
            more[key] += value
    return {**sums, "total_steps": len(steps), **({"extra": dict(more)} if more else {})}


_SUMMED = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")


def _add_cost(parent: dict[str, Any], child: Mapping[str, Any]) -> None:
    """The cost of a trajectory is that of its sub-agents, too."""
    if (cost := child["final_metrics"].get("total_cost_usd")) is not None:
        totals = parent["final_metrics"]
        totals["total_cost_usd"] = totals.get("total_cost_usd", 0) + cost


def _status(event: Event) -> dict[str, str] | None:
    return {"status": event.status} if event.status != "ok" else None


def _tool_call(event: Event, otherwise: str) -> dict[str, Any]:
    return {"tool_call_id": event.id, "function_name": event.tool or otherwise, "arguments": {}}


def _observation(step: dict[str, Any]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = step.setdefault("observation", {"results": []})["results"]
    return results


def _content(event: Event) -> str:
    return event.content or ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {key: value for key, value in fields.items() if value is not None}
