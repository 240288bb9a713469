"""MARBLE (MultiAgentBench): one result for each task, as JSON Lines, without times or model calls.

A planner, here ``main``, delegates tasks; agents return results and may exchange messages while they work; the
planner summarises and decides whether to continue. In a chain each agent chooses the next; in a tree the root
agent delegates tasks downwards.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from survey.traces.importers.json_values import Fields, items, mapping, number, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import OUTSIDE, Builder, Content, Trace

NAME = "marble"
ROOT = "main"
TOPOLOGIES = {"star": "centralized", "tree": "hierarchical"}
"""The topology that a mode implies. "graph" is written for any team and implies nothing."""
MESSAGE = re.compile(r"^From (?P<sender>\S[^\n:]{,80}?) to (?P<receiver>\S[^\n:]{,80}?): ", re.MULTILINE)
SESSION = re.compile(r"^In Session \S+ *$", re.MULTILINE)
NOT_SCORED = -1
SCORES = {
    "task": "task_evaluation",
    "code": "code_quality",
    "planning": "planning_scores",
    "communication": "communication_scores",
    "kpi": "agent_kpis",
}
"""Names of the rewards, with their source fields."""

Session = list[tuple[str, str, str]]
"""Messages: sender, receiver, text."""


def recognises(log: Log) -> bool:
    """Return whether the first record has a task and iterations."""
    with suppress(OSError, BadLog):
        return any(_is_result(record) for record in log.opening(1))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each task, in file order."""
    last: Builder | None = None
    strangers = 0
    for place, record in enumerate(log.objects(), 1):
        if not _is_result(record):
            strangers += 1
            continue
        if last:
            yield last.build()
        last = _built(record, f"{log.path.stem}:{place}", content)
    if not last:
        raise BadLog(f"{log.path.name}: found no result (expected objects with task and iterations, one on each line)")
    last.lost("lines that are not JSON objects", log.unreadable)
    last.lost("records that are not results", strangers)
    yield last.build()


def _is_result(record: Fields) -> bool:
    return "task" in record and isinstance(record.get("iterations"), list)


def _built(record: Fields, name: str, content: Content) -> Builder:
    task = text(record.get("task"))
    builder = Builder(
        name,
        content.fields(task).get("content_ref") or name,  # the same task has the same hash in every file read together
        importer=NAME,
        system="marble",
        time="ordinal",
        content=content,
    )
    iterations = items(record["iterations"])
    Run(builder, _team(record)).write(task, iterations)
    in_a_tree = any(text(mapping(iteration).get("root_agent")) for iteration in iterations)
    mode = "tree" if in_a_tree else text(record.get("coordination_mode")) or ""
    builder.head["topology"] = TOPOLOGIES.get(mode)
    spent = number(record.get("token_usage"))
    if spent is not None and spent >= 0:
        builder.costs["tokens"] = spent
        builder.lost("token counts of single acts, known only in total")
    builder.head["rewards"] = _rewards(builder, record)
    milestones = number(record.get("total_milestones"))
    builder.head["metrics"] = None if milestones is None else {"total_milestones": milestones}
    return builder


class Run:
    """A builder of runs."""

    def __init__(self, builder: Builder, agents: set[str]) -> None:
        self.builder, self.agents = builder, agents
        self.to_come: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.before: str | None = None
        """In a chain, the previous agent, which chose the next one."""

    def write(self, task: str | None, iterations: list[Any]) -> None:
        """Write the task and every iteration."""
        self.builder.agent(ROOT, name="planner")
        for agent in sorted(self.agents):
            self.builder.agent(agent, name=agent)
        self._await_next(ROOT, self._add("message", "user", to=ROOT, text=task), "message")
        for place, iteration in enumerate(iterations, 1):
            if isinstance(iteration, Mapping):
                self._iteration(iteration, last=place == len(iterations))
            else:
                self.builder.lost("iterations that are not JSON objects")

    def _iteration(self, iteration: Fields, last: bool) -> None:
        top, current = _agent(iteration.get("root_agent")), _agent(iteration.get("current_agent"))
        self._assign(iteration, top, current)
        returned = self._work(iteration, top)
        if summary := _plain(iteration.get("summary")):
            id = self._add("aggregate", ROOT, decision=["O4"], text=summary)
            for result in returned:
                self.builder.link(result, id, "aggregate")
        else:
            for result in returned:
                self._await_next(ROOT, result, "return")
        if last and iteration.get("continue_simulation") is False:
            self._add("stop", ROOT, decision=["O5"])
        self.before = current

    def _assign(self, iteration: Fields, top: str | None, current: str | None) -> None:
        """Write the delegation of tasks: by the planner, the root agent of a tree or the previous one of a chain."""
        tasks = list(_tasks(iteration))
        if not tasks:
            return
        giver = top or (self.before if current != self.before else None) or ROOT
        if top:
            self._hand(ROOT, top, None, self._add("orchestrator_decision", ROOT, decision=["O2"]))
            plans = len(items(iteration.get("task_assignments")))
            self.builder.lost("plans passed down a tree by unnamed agents", max(0, plans - 1))
        decision = self._add("orchestrator_decision", giver, decision=["O2"])
        for agent, task in tasks:
            if agent == giver:
                self.builder.lost("tasks that agents assign to themselves")
            else:
                self._hand(giver, agent, _plain(task), decision)

    def _hand(self, giver: str, agent: str, task: str | None, decision: str) -> None:
        id = self._add("delegate", giver, to=agent, parent=decision, text=task)
        self.builder.link(decision, id, "causal")
        self._await_next(agent, id, "message")

    def _work(self, iteration: Fields, top: str | None) -> list[str]:
        """Write messages and returns; return the events of the returns to the planner."""
        sessions = list(self._sessions(iteration.get("communications")))
        results = list(_results(iteration))
        if top:  # who is listed first, and finishes last
            results.sort(key=lambda result: result[0] == top)
        busy = {agent for agent, _ in results}
        self._talk(session for session in sessions if session[0][0] not in busy)
        returned = []
        for agent, result in results:
            # A session is part of the work of whoever opened it, and the log has no finer order.
            self._talk(session for session in sessions if session[0][0] == agent)
            sessions = [session for session in sessions if session[0][0] != agent]
            receiver = top if top and agent != top else ROOT
            id = self._add("return", agent, to=receiver, text=_plain(result))
            if receiver == ROOT:
                returned.append(id)
            else:
                self._await_next(receiver, id, "return")
        return returned

    def _talk(self, sessions: Iterable[Session]) -> None:
        for session in sessions:
            for sender, receiver, body in session:
                self._await_next(receiver, self._add("message", sender, to=receiver, text=body), "message")

    def _sessions(self, communications: object) -> Iterator[Session]:
        """Conversations, message by message. Only names of the team make a line the start of a message."""
        for talk in communications if isinstance(communications, list) else [communications]:
            if not talk:
                continue
            sessions = [self._messages(part) for part in SESSION.split(talk)] if isinstance(talk, str) else []
            if not any(sessions):
                self.builder.lost("communications without a message")
            yield from filter(None, sessions)

    def _messages(self, session: str) -> Session:
        found = [
            match
            for match in MESSAGE.finditer(session)
            if match["sender"] in self.agents and match["receiver"] in self.agents
        ]
        ends = [*(match.start() for match in found), len(session)][1:]
        return [
            (match["sender"], match["receiver"], session[match.end() : end].strip())
            for match, end in zip(found, ends, strict=True)
        ]

    def _add(self, type: str, agent: str, **fields: Any) -> str:
        id = self.builder.event(type, agent, **fields)
        for src, link in self.to_come.pop(agent, ()):
            self.builder.link(src, id, link)
        return id

    def _await_next(self, agent: str, src: str, link: str) -> None:
        self.to_come[agent].append((src, link))


def _team(record: Fields) -> set[str]:
    """Return the names of all agents in the record."""
    named = {agent for name in mapping(record.get("agent_kpis")) if (agent := _agent(name))}
    for iteration in map(mapping, items(record["iterations"])):
        named |= {agent for agent, _ in (*_tasks(iteration), *_results(iteration))}
        named |= {agent for key in ("root_agent", "current_agent") if (agent := _agent(iteration.get(key)))}
    return named


def _tasks(iteration: Fields) -> Iterator[tuple[str, Any]]:
    """Yield tasks by agent; a tree has a list of plans, one for each agent with agents below it."""
    given = iteration.get("task_assignments")
    for plan in given if isinstance(given, list) else [given]:
        for name, task in mapping(plan).items():
            if agent := _agent(name):
                yield agent, task


def _results(iteration: Fields) -> Iterator[tuple[str, Any]]:
    """Yield results by agent: ``{"agent_id": ..., "result": ...}``, ``{agent: result}``, or one result of a chain."""
    for result in items(iteration.get("task_results")):
        fields = mapping(result)
        pairs = [(fields["agent_id"], fields.get("result"))] if "agent_id" in fields else list(fields.items())
        for name, returned in pairs:
            if agent := _agent(name):
                yield agent, returned
    if iteration.get("result") is not None and (current := _agent(iteration.get("current_agent"))):
        yield current, iteration["result"]


def _agent(name: object) -> str | None:
    """Return a name that differs from the planner's and from those of participants outside the team."""
    known = text(name)
    return f"{known}-agent" if known in OUTSIDE or known == ROOT else known


def _plain(content: object) -> str | None:
    """Return the text of a task, a result or a summary, which may be any JSON."""
    if content is None or isinstance(content, str):
        return content
    try:
        return json.dumps(content, sort_keys=True)
    except RecursionError:
        return None


def _rewards(builder: Builder, record: Fields) -> dict[str, float]:
    """Return scores by name, without those never given (-1)."""
    given: list[tuple[str, object]] = []
    for name, key in SCORES.items():
        _spread(name, record.get(key), given)
    rewards: dict[str, float] = {}
    for name, value in given:
        score = number(value)
        if score is None:
            builder.lost("evaluations that are not numbers")
        elif score == NOT_SCORED:
            builder.lost("evaluations that were not scored")
        else:
            rewards[name] = score
    return rewards


def _spread(name: str, value: object, into: list[tuple[str, object]], depth: int = 3) -> None:
    """Flatten lists and objects into single values, each named by its path."""
    if isinstance(value, Mapping) and depth:
        for key, part in value.items():
            _spread(f"{name}/{key}", part, into, depth - 1)
    elif isinstance(value, list) and depth:
        for place, part in enumerate(value, 1):
            _spread(f"{name}/{place}", part, into, depth - 1)
    elif value is not None:
        into.append((name, value))


IMPORTER = Importer(
    NAME,
    "MARBLE results",
    recognises,
    read,
    "One task on each line: assignments, results, conversations, summaries and scores. No times; only the total of "
    "tokens. The topology is unknown in the mode `graph`, which is written for any team.",
)
