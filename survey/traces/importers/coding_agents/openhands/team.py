"""Builds the trace of a run, from its stream or from the conversations of its team."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.coding_agents.openhands.acts import ROOT, Act
from survey.traces.importers.coding_agents.openhands.conversations import Conversation
from survey.traces.importers.coding_agents.openhands.logs import Source
from survey.traces.importers.coding_agents.openhands.run import Run, Spent
from survey.traces.importers.coding_agents.openhands.streams import Stream
from survey.traces.importers.json_values import Fields, mapping, number, text
from survey.traces.model import Builder, Content, Trace

NAME = "openhands"


def trace_of(source: Source, content: Content) -> Trace | None:
    """Return the trace of a run; None if no agent acts in it."""
    if source.is_stream:
        stream = Stream(source.events)
        return _trace(source, content, stream.acts, stream.lost, stream.models, {}, stream)
    team = _Team(source)
    models = {each.agent: each.model for each in team.conversations if each.model}
    return _trace(source, content, team.acts(), team.lost, models, team.paid(), team)


def _trace(
    source: Source,
    content: Content,
    acts: list[Act],
    lost: Counter[str],
    models: Mapping[str, str],
    paid: Mapping[str, Spent],
    told: Stream | _Team,
) -> Trace | None:
    record = source.record
    metadata = mapping(record.get("metadata"))
    stamped = any(act.t is not None for act in acts)
    builder = Builder(
        source.name,
        text(record.get("instance_id")) or source.name,
        importer=NAME,
        system=NAME,
        version=told.version,
        time="seconds" if stamped else "ordinal",
        content=content,
    )
    model = text(mapping(metadata.get("llm_config")).get("model"))
    builder.agent(ROOT, name=told.name or text(metadata.get("agent_class")), model=models.get(ROOT) or model)
    run = Run(builder, acts, paid)
    if not run.write():
        return None
    for agent, used in models.items():
        if agent in run.members:
            builder.agent(agent, model=used)
    for what, count in lost.items():
        builder.lost(what, count)
    builder.lost("lines that are not JSON objects", source.unreadable)
    _judge(builder, record, run, told.total)
    return builder.build()


def _judge(builder: Builder, record: Fields, run: Run, total: float) -> None:
    """Add what an evaluation says: totals, the patch, and whether it solved the task."""
    metrics, result = mapping(record.get("metrics")), mapping(record.get("test_result"))
    totals = usage.of_metrics(mapping(metrics.get("accumulated_token_usage"))) or {}
    usage.declare(builder, "usd", number(metrics.get("accumulated_cost")), run.cost)
    spent = max(total, sum(count for kind, count in totals.items() if kind != "reasoning"))
    usage.declare(builder, "tokens", spent, run.tokens)
    builder.lost("tokens in the totals of agents beyond those of their model calls", int(spent > run.tokens))
    usage.answer(builder, result.get("git_patch") or record.get("git_patch"))
    resolved = mapping(record.get("report")).get("resolved", record.get("resolved"))
    resolved = mapping(result.get("report")).get("resolved") if resolved is None else resolved
    if isinstance(resolved, bool):
        builder.head["outcome"] = {**builder.head.get("outcome", {}), "success": resolved}


class _Team:
    """The conversations of a team; one without a name in the log is known by the task that it was given."""

    def __init__(self, source: Source) -> None:
        self.version: str | None = None
        self.name: str | None = None
        self.conversations: list[Conversation] = []
        self.lost = Counter[str]()
        self._of: dict[str, Conversation] = {}
        self._add(source, ROOT)

    def _add(self, source: Source, agent: str) -> None:
        prefix = "" if agent == ROOT else f"{agent}/"
        conversation = Conversation(source.events, source.state, agent, prefix=prefix)
        self.conversations.append(conversation)
        self._of[agent] = conversation
        self.lost += conversation.lost
        children = [(child, Conversation(child.events, child.state, "").task) for child in source.children]
        for act in conversation.acts:
            for start in act.starts:
                found = next((child for child, task in children if task and task == start.task), None)
                if found and start.agent not in self._of:
                    children = [each for each in children if each[0] is not found]
                    self._add(found, start.agent)
        self.lost["sub-agents whose spawning call is missing"] += len(children)

    @property
    def total(self) -> float:
        """All tokens, as the conversation of the main agent adds them up."""
        return self._of[ROOT].total

    def paid(self) -> dict[str, Spent]:
        """Return what each sub-agent spent, as its parent counts it."""
        starts = [(own, start) for own in self.conversations for act in own.acts for start in act.starts]
        return {start.agent: own.spent_by(start.agent) for own, start in starts}

    def acts(self) -> list[Act]:
        """Return the acts of all in the order of time; those of a sub-agent after the call that starts it."""
        waiting: list[tuple[float, int, int]] = []
        lines: list[Iterator[Act]] = []
        pending: list[Act] = []
        begun: set[str] = set()
        found: list[Act] = []

        def push(line: int, floor: float) -> None:
            if act := next(lines[line], None):
                pending.append(act)
                heapq.heappush(waiting, (max(floor, floor if act.t is None else act.t), line, len(pending) - 1))

        def begin(agent: str, floor: float) -> None:
            if agent in self._of and agent not in begun:
                begun.add(agent)
                lines.append(iter(self._of[agent].acts))
                push(len(lines) - 1, floor)

        begin(ROOT, float("-inf"))
        while waiting:
            t, line, place = heapq.heappop(waiting)
            act = pending[place]
            found.append(act)
            for start in act.starts:
                begin(start.agent, t)
            push(line, t)
        return found
