"""Writes the acts of a team: turns from their causes on, calls, delegations and returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.coding_agents.openhands.acts import ROOT, Act, Start
from survey.traces.model import NO_TOKENS, Builder

Spent = tuple[dict[str, float] | None, float | None]


@dataclass
class _Member:
    """An agent so far."""

    id: str
    clock: float | None
    """When its last act ended, or what it reads was there."""
    spawn: str | None = None
    parent: str = ROOT
    waiting: list[tuple[str, str, bool]] = field(default_factory=list)
    """What its next act follows from, with the type of the link, and whether the link is inferred."""
    turns: dict[str, str] = field(default_factory=dict)
    calls: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Open calls by id: their events and tools."""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Agents that it waits for, each with the id of the call."""
    expects: int = 0
    """Tasks whose text its own log is about to repeat."""
    worked: bool = False
    ended: bool = False


class Run:
    """A writer of the acts of a team, in their order."""

    def __init__(self, builder: Builder, acts: Iterable[Act], paid: Mapping[str, Spent]) -> None:
        self.builder, self.paid = builder, paid
        self._acts = list(acts)
        stamps = [act.t for act in self._acts if act.t is not None]
        self._timed = bool(stamps)
        start = stamps[0] if stamps else None
        self.members = {ROOT: _Member(ROOT, start)}
        self._deciding = {(act.agent, act.response) for act in self._acts if act.starts and act.response}
        self._starting = {act.id for act in self._acts if act.starts}
        self.cost = self.tokens = 0.0

    def write(self) -> bool:
        """Write all acts; return whether there is any turn."""
        for act in self._acts:
            if act.agent not in self.members:
                self.builder.lost("acts of agents whose spawning call is missing")
                continue
            getattr(self, f"_{act.kind}")(self.members[act.agent], act)
        root = self.members[ROOT]
        for member in self.members.values():
            self.builder.lost("tool calls that never ended", len(member.calls))
            self.builder.lost("agents whose end is not logged", len(member.asked))
        if root.ended:
            self._do(root, "stop", root.clock, decision=["O5"])
        return any(member.worked for member in self.members.values())

    def _at(self, member: _Member, t: float | None) -> float | None:
        """Return the time of an act, no earlier than what it follows."""
        if self._timed and t is None:
            self.builder.lost("acts without a time, placed beside their neighbours")
        elif t is not None and member.clock is not None and t < member.clock:
            self.builder.lost("events dated before the one that they follow, moved to its time")
        elif t is not None:
            member.clock = t
        return member.clock

    def _do(self, member: _Member, type: str, t: float | None, **fields: Any) -> str:
        event = self.builder.event(type, member.id, t, **fields)
        for src, link, derived in member.waiting:
            kind = "aggregate" if (link, type) == ("return", "aggregate") else link
            kind = "causal" if kind == "spawn" and type in ("stop", "return") else kind
            kind = "causal" if kind == "tool_dependency" and type in ("stop", "compaction") else kind
            self.builder.link(src, event, kind, derived=derived)
        member.waiting = []
        return event

    def _prompt(self, member: _Member, act: Act) -> None:
        """Write what a person says, or take the task that an agent was given."""
        if member.expects:
            member.expects -= 1
            return
        t = self._at(member, act.t)
        first = member.id == ROOT and not member.worked and not member.waiting
        kind, link = ("message", "message") if first else ("human_intervention", "causal")
        event = self.builder.event(kind, "user", t, to=member.id, text=act.message)
        member.waiting.append((event, link, not first))
        member.ended = False

    def _pause(self, member: _Member, act: Act) -> None:
        event = self.builder.event("human_intervention", "user", self._at(member, act.t), to=member.id)
        member.waiting.append((event, "causal", True))

    def _turn(self, member: _Member, act: Act) -> str:
        """Return the turn of an act; further calls of one response share its turn."""
        before, t = member.clock, self._at(member, act.t)
        if act.response and act.response in member.turns:
            return member.turns[act.response]
        begun = before if before is not None else t
        if act.took is not None and t is not None and begun is not None:
            begun = max(begun, t - act.took)
        decides = bool(act.starts) or (member.id, act.response) in self._deciding
        read = any(link == "return" for _, link, _ in member.waiting)
        type = "orchestrator_decision" if decides else "aggregate" if read else "model_call"
        turn = self._do(
            member,
            type,
            begun,
            t_end=t,
            text=act.message,
            tokens=act.spent,
            cost=act.cost,
            model=act.model,
            decision=["O1", "O2"] if decides else ["O4"] if read else None,
            status=act.status,
        )
        self._count(act.spent, act.cost)
        self.builder.lost(NO_TOKENS, int(act.spent is None))
        if act.response:
            member.turns[act.response] = turn
        member.worked, member.ended = True, False
        return turn

    def _count(self, spent: Mapping[str, float] | None, cost: float | None) -> None:
        self.tokens += sum(count for kind, count in (spent or {}).items() if kind != "reasoning")
        self.cost += cost or 0

    def _said(self, member: _Member, act: Act) -> None:
        turn = self._turn(member, act)
        member.waiting.append((turn, "causal", False))

    def _ending(self, member: _Member, act: Act) -> None:
        """Write the turn in which an agent says that it is done."""
        self._said(member, act)
        member.ended = True

    def _compaction(self, member: _Member, act: Act) -> None:
        t = self._at(member, act.t)
        event = self.builder.event("compaction", member.id, t, text=act.message, tokens=act.spent, cost=act.cost)
        self._count(act.spent, act.cost)
        if member.waiting:
            self.builder.link(member.waiting[-1][0], event, "causal", derived=True)

    def _call(self, member: _Member, act: Act) -> None:
        turn = self._turn(member, act)
        if act.starts:
            for start in act.starts:
                self._start(member, act, start, turn)
            return
        call = self.builder.event("tool_call", member.id, member.clock, tool=act.tool, parent=turn)
        self.builder.link(turn, call, "causal")
        name = act.id or f"unnamed {call}"
        self.builder.lost("tool calls that never ended", int(name in member.calls))
        member.calls[name] = call, act.tool

    def _start(self, member: _Member, act: Act, start: Start, turn: str) -> None:
        """Write a spawn, or a delegation to an agent that is there already."""
        child, new = self.members.get(start.agent), start.agent not in self.members
        if child is None:
            self.members[start.agent] = child = _Member(start.agent, member.clock, parent=member.id)
        elif child is member:
            self.builder.lost("references to an agent that is still working")
            return
        type = "spawn" if new else "delegate"
        role = start.role if new else None
        event = self.builder.event(
            type, member.id, member.clock, to=child.id, role=role, tool=act.tool, parent=turn, text=start.task
        )
        self.builder.link(turn, event, "causal")
        if new:
            child.spawn = event
            self.builder.agent(child.id, role=start.role)
        elif child.clock is not None and member.clock is not None:
            child.clock = max(child.clock, member.clock)
        child.waiting.append((event, "spawn" if new else "message", False))
        if start.asks:
            member.asked.append((child.id, act.id))
            child.expects += start.task is not None

    def _answer(self, member: _Member, act: Act) -> None:
        """Write the result of a call, or the returns of the agents that it asked."""
        t = self._at(member, act.t)
        asked = [id for id, call in member.asked if call is not None and call == act.id]
        for id in asked:
            self.builder.lost("sub-agents whose own log is missing", int(not self.members[id].worked))
            self._returned(member, self.members[id], t, act, whole=len(asked) == 1)
        if asked:
            member.asked = [each for each in member.asked if each[1] != act.id]
            return
        call, tool = member.calls.pop(act.id or "", (None, None))
        if call is None:
            self.builder.lost("results of missing or already answered calls", int(act.id not in self._starting))
            return
        result = self.builder.event(
            "tool_result", member.id, t, tool=tool, parent=call, text=act.message, status=act.status
        )
        self.builder.link(call, result, "tool_dependency")
        member.waiting.append((result, "tool_dependency", False))

    def _return(self, member: _Member, act: Act) -> None:
        """Write the return of a delegate whose events are in the stream of its parent."""
        parent = self.members[member.parent]
        asked = next((each for each in parent.asked if each[0] == member.id), None)
        if asked is None:
            self.builder.lost("results of missing or already answered calls")
            return
        parent.asked.remove(asked)
        parent.clock = self._at(member, act.t)
        self._returned(parent, member, member.clock, act, whole=True)
        self._do(member, "despawn", member.clock)

    def _returned(self, parent: _Member, child: _Member, t: float | None, act: Act, *, whole: bool) -> None:
        """Write a return: of an agent whose own acts are known, with the last of them."""
        known = child.worked
        at = min(child.clock, t) if known and child.clock is not None and t is not None else t
        spent, cost = (None, None) if known else self.paid.get(child.id, (None, None))
        event = self._do(
            child,
            "return",
            at,
            to=parent.id,
            text=act.message if whole else None,
            status=act.status,
            tokens=spent,
            cost=cost,
        )
        self._count(spent, cost)
        parent.waiting.append((event, "return", False))
