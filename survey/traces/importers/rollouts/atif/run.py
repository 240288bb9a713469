"""One run, read from the trajectories of its agents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from survey.traces.importers.json_values import flag, instance, items, mapping, number, text
from survey.traces.importers.rollouts.atif.documents import Document, TrajectoryIndex
from survey.traces.importers.rollouts.atif.steps import (
    TURNS,
    amount,
    moment,
    objects,
    outcomes,
    references,
    status,
    usage,
    words,
)
from survey.traces.model import OUTSIDE, Builder, Content, Trace


class _Started(NamedTuple):
    """A sub-agent that a step calls, and the result that refers to it."""

    event: str
    child: str
    found: Document | None
    outcome: Mapping[str, Any]
    returns: bool
    """Whether the result is the return of the sub-agent."""
    alone: bool


class Run:
    """A builder of runs: the trace, and the progress of each agent."""

    def __init__(self, root: Document, index: TrajectoryIndex, content: Content) -> None:
        self._index, self._root = index, root
        self._ids: dict[int, str] = {}
        self._heads: list[Document] = []
        self._taken = set(OUTSIDE)
        self._name_agents()
        stamps = [moment(step.get("timestamp")) for d in self._heads for p in index.parts(d) for step in p.steps]
        known = [stamp for stamp in stamps if stamp is not None]
        self._origin = known[0] if known else None
        run = text(root.fields.get("session_id")) or root.name or (root.path.stem if root.path else "trajectory")
        self.builder = Builder(
            run,
            run,
            importer="atif",
            system=text(root.agent.get("name")),
            version=text(root.agent.get("version")),
            time="ordinal" if not known else "seconds" if len(known) == len(stamps) else "mixed",
            content=content,
        )
        self._clock: dict[str, float | None] = {}
        self._latest: dict[str, float] = {}
        self._worked: set[str] = set()
        self._working: set[str] = set()
        self._spawns: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._incoming: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._answered = False

    def _name_agents(self) -> None:
        """Name the agent of every trajectory in the run, and count the calls of each agent."""
        self._calls: Counter[str] = Counter()
        self._name(self._root, "main")
        for document in self._heads:
            for part in self._index.parts(document):
                self._ids[id(part.fields)] = self._ids[id(document.fields)]
            for each in (*self._index.referenced(document), *document.embedded()):
                if id(each.fields) not in self._ids:
                    self._name(each, each.name or (each.path.stem if each.path else "agent"))
            for part in self._index.parts(document):
                self._calls.update(self._child(reference, part) for reference in part.references())

    def _name(self, document: Document, name: str) -> None:
        agent, number = name, 2
        while agent in self._taken:
            agent, number = f"{name}#{number}", number + 1
        self._taken.add(agent)
        self._ids[id(document.fields)] = agent
        self._heads.append(document)

    def _child(self, reference: Mapping[str, Any], part: Document) -> str:
        """Return the agent of a reference, even if its trajectory is missing."""
        if found := self._index.resolve(reference, part.path):
            return self._ids[id(found.fields)]
        file = Path(text(reference.get("trajectory_path")) or "").stem
        session = text(reference.get("session_id"))
        other = session if session != self._root.fields.get("session_id") else None
        return instance(reference.get("trajectory_id")) or instance(other) or instance(file) or "sub-agent"

    def trace(self) -> Trace | None:
        """Return the trace of the run; None if it is empty."""
        read: set[str] = set()
        for head in self._heads:
            waiting = [head]
            stack: list[Iterator[Document]] = []
            while waiting or stack:
                if waiting and (agent := self._ids[id(waiting[0].fields)]) not in read:
                    read.add(agent)
                    stack.append(self._agent(agent, waiting[0]))
                waiting = [child] if stack and (child := next(stack[-1], None)) else []
                if stack and not waiting:
                    stack.pop()
        if self._answered:
            end = None if self._origin is None else max(self._latest.values())
            self._event("stop", self._ids[id(self._root.fields)], end, decision=["O5"])
        self._figures()
        return self.builder.build() if self._latest else None

    def _agent(self, agent: str, document: Document) -> Iterator[Document]:
        """Write the events of an agent; yield each sub-agent when it is its turn to be read."""
        fields = document.agent
        name = text(fields.get("name"))
        self.builder.agent(
            agent,
            name=name if name != agent else None,
            model=text(fields.get("model_name")),
        )
        self._clock.setdefault(agent, self._origin)
        self._working.add(agent)
        answer = None
        parts = self._index.parts(document)
        for part in parts:
            for step in part.steps:
                if flag(step.get("is_copied_context")):
                    self.builder.lost("steps copied from an earlier trajectory")
                    continue
                t = self._moment(agent, step.get("timestamp"))
                turn = self._act(agent, step, t)
                calls = self._calls_of(agent, step, turn, t)
                started = self._started(agent, step, part, turn, t)
                yield from (each.found for each in started if each.found)
                self._results(agent, step, calls, started, t)
                if step.get("source") != "system" or started:
                    answer = None if calls or outcomes(step) else turn
        self._working.discard(agent)
        if text(parts[-1].fields.get("continued_trajectory_ref")):
            self.builder.lost("continuations that are missing")
            answer = None
        if document is self._root:
            self._answered = answer is not None

    def _moment(self, agent: str, stamp: object) -> float | None:
        """Return the time of a step, or of the previous step; None in a run without times."""
        t, last = moment(stamp), self._clock[agent]
        if t is not None and last is not None and t < last:
            self.builder.lost("steps dated before what they follow, moved to its time")
        elif t is not None:
            self._clock[agent] = t
        return self._clock[agent]

    def _event(self, type: str, agent: str, t: float | None, **fields: Any) -> str:
        id = self.builder.event(type, agent, t, **fields)
        waiting, self._incoming[agent] = self._incoming[agent], []
        for src, edge in waiting:
            if edge == "return" and not (type in TURNS and self._over(src, t)):
                self._incoming[agent].append((src, edge))
            else:
                sort = "aggregate" if (edge, type) == ("return", "aggregate") else edge
                sort = "causal" if (edge, type) == ("spawn", "return") else sort
                self.builder.link(src, id, sort, derived=edge in ("message", "causal"))
        self._latest[agent] = max(self._latest.get(agent, 0.0), self.builder[id].t)
        if type in TURNS or type == "compaction":
            self._before[agent] = id
        return id

    def _over(self, returned: str, t: float | None) -> bool:
        """Return whether a sub-agent has returned by a time: the result of its call may only confirm its start."""
        return t is None or self.builder[returned].t <= t

    def _act(self, agent: str, step: Mapping[str, Any], t: float | None) -> str | None:
        """Write the turn of a step, or the act of the user or the system."""
        message, source = words(step.get("message")), step.get("source")
        if source == "agent":
            return self._turn(agent, step, message, t)
        management = mapping(mapping(step.get("extra")).get("context_management")).get("type")
        if source == "user":
            self._prompted(agent, message, t)
        elif management in ("compaction", "pruning"):
            self._event("compaction", agent, t, text=message)
        elif source != "system":
            self.builder.lost("steps of an unknown source")
        elif message or not outcomes(step):
            self.builder.lost("system messages")
        return None

    def _turn(self, agent: str, step: Mapping[str, Any], message: str | None, t: float | None) -> str | None:
        metrics, count = mapping(step.get("metrics")), number(step.get("llm_call_count"))
        spawning = any(references(outcome) for outcome in outcomes(step))
        if count == 0 and not spawning:
            self.builder.lost("steps that call neither a model nor a tool", int(not items(step.get("tool_calls"))))
            return None
        returned = any(edge == "return" and self._over(event, t) for event, edge in self._incoming[agent])
        type = "orchestrator_decision" if spawning else "aggregate" if returned else "model_call"
        self.builder.lost("model calls merged into one step", int(count) - 1 if count and count > 1 else 0)
        self._worked.add(agent)
        return self._event(
            type,
            agent,
            t,
            text=message,
            decision={"orchestrator_decision": ["O1", "O2"], "aggregate": ["O4"]}.get(type),
            tokens=usage(metrics),
            cost=amount(metrics.get("cost_usd")),
            model=text(step.get("model_name")),
            status=status(step),
        )

    def _calls_of(
        self, agent: str, step: Mapping[str, Any], turn: str | None, t: float | None
    ) -> dict[str, str | None]:
        """Write the tool calls of a step and return them by id; a call that starts a sub-agent becomes its spawn."""
        starts = {text(outcome.get("source_call_id")) for outcome in outcomes(step) if references(outcome)}
        calls: dict[str, str | None] = {}
        for call in objects(step.get("tool_calls")) if step.get("source") == "agent" else ():
            name = text(call.get("tool_call_id"))
            if name in starts:
                calls[name or ""] = None
                continue
            id = self._event("tool_call", agent, t, tool=text(call.get("function_name")), parent=turn)
            if turn:
                self.builder.link(turn, id, "causal")
            calls.setdefault(name or f"unnamed {id}", id)
            self._worked.add(agent)
        return calls

    def _prompted(self, agent: str, message: str | None, t: float | None) -> None:
        """Write a user message: first the task, then interventions; for a sub-agent, the task of its spawn."""
        begun = agent in self._worked
        if agent not in self._spawns:
            event = self._event("human_intervention" if begun else "message", "user", t, to=agent, text=message)
            self._incoming[agent].append((event, "causal" if begun else "message"))
        elif begun:
            self.builder.lost("instructions to sub-agents without a sender")
        else:
            self.builder.amend(self._spawns[agent], **self.builder.content.fields(message))

    def _started(
        self, agent: str, step: Mapping[str, Any], part: Document, turn: str | None, t: float | None
    ) -> list[_Started]:
        """Write and return the sub-agents that a step calls."""
        calls = {
            call.get("tool_call_id"): call for call in objects(step.get("tool_calls")) if text(call.get("tool_call_id"))
        }
        started = []
        for outcome in outcomes(step):
            call, referenced = calls.get(text(outcome.get("source_call_id")), {}), references(outcome)
            for reference in referenced:
                child = self._child(reference, part)
                if child in self._working:
                    self.builder.lost("references to an agent that is still working")
                    continue
                found = self._index.resolve(reference, part.path)
                event = self._start(agent, child, reference, text(call.get("function_name")), turn, t)
                if not found and self.builder[event].type == "spawn":
                    self.builder.lost("sub-agents whose own trajectory is missing")
                returns = not flag(mapping(reference.get("extra")).get("is_sidechain"))
                started.append(_Started(event, child, found, outcome, returns, len(referenced) == 1))
        return started

    def _start(
        self,
        agent: str,
        child: str,
        reference: Mapping[str, Any],
        tool: str | None,
        turn: str | None,
        t: float | None,
    ) -> str:
        extra = mapping(reference.get("extra"))
        role = text(extra.get("role")) or text(extra.get("subagent_type"))
        again, cause = child in self._clock, turn or self._before.get(agent)
        event = self._event("delegate" if again else "spawn", agent, t, to=child, role=role, tool=tool)
        if cause:
            self.builder.link(cause, event, "causal", derived=turn is None)
        if not again:
            self.builder.agent(child, role=role)
            self._spawns[child], self._clock[child] = event, t
            self._incoming[child].append((event, "spawn"))
        return event

    def _results(
        self,
        agent: str,
        step: Mapping[str, Any],
        calls: dict[str, str | None],
        started: list[_Started],
        t: float | None,
    ) -> None:
        """Write the results of the tool calls of a step, and the returns of the sub-agents that it started."""
        for each in started:
            self._returned(agent, each, t)
        for outcome in outcomes(step) if step.get("source") == "agent" else ():
            if references(outcome):
                continue
            name = text(outcome.get("source_call_id"))
            call = calls.pop(name, None) if name else None
            if call is None:
                self.builder.lost("observations without a tool call in their step")
                continue
            at = self.builder[call].t if t is not None else None
            self.builder.lost("times of results, set to those of their calls", int(t is not None))
            message = words(outcome.get("content"))
            result = self._event("tool_result", agent, at, parent=call, text=message, status=status(outcome))
            self.builder.link(call, result, "tool_dependency")

    def _returned(self, agent: str, started: _Started, t: float | None) -> None:
        child, outcome, found = started.child, started.outcome, started.found
        self._calls[child] -= 1
        if not started.returns:
            self.builder.lost("returns of sub-agents that are not logged")
            return
        t = None if t is None else max(self._latest.get(child, 0.0), t)
        again = self.builder[started.event].type == "delegate"
        costs: dict[str, Any] = {}
        if found and child not in self._worked and not again:
            totals = mapping(found.fields.get("final_metrics"))
            costs = {"tokens": usage(totals, "total_"), "cost": amount(totals.get("total_cost_usd"))}
        returned = self._event(
            "return",
            child,
            t,
            to=agent,
            text=words(outcome.get("content")) if started.alone else None,
            status=status(outcome),
            **costs,
        )
        if again:
            self.builder.link(started.event, returned, "causal")
        self._incoming[agent].append((returned, "return"))
        self._latest[agent] = max(self._latest[agent], self.builder[returned].t)
        if self._calls[child] <= 0:
            self._event("despawn", child, t)

    def _figures(self) -> None:
        """Copy the totals of the log, in addition to the sums over the events."""
        totals = mapping(self._root.fields.get("final_metrics"))
        figures = {key: value for key in sorted(totals) if (value := number(totals[key])) is not None}
        if figures:
            self.builder.head["metrics"] = figures
