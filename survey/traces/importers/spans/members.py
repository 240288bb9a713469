"""The members of a run, their callers, and handoffs of control."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from survey.traces.importers.json_values import text
from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.tree import Tree
from survey.traces.model import OUTSIDE

OWN = ("creation", "model", "plan", "tool", "guardrail", "handoff")
"""Kinds of spans that are acts of the enclosing agent."""


@dataclass(eq=False)
class Member:
    """One invocation of an agent: an agent span, or the program around all agents."""

    id: str
    name: str
    span: Span | None
    start: float
    end: float | None
    caller: Member | None = None
    via: Span | None = None
    """The tool call that invoked it."""
    preexisting: bool = False
    """Whether it was created beforehand and outlives the invocation."""
    handed_over: bool = False
    """Whether it passed control on, so that it does not return."""
    entered: bool = False
    """Whether it received control by a handoff, so that it has no spawn."""
    led_by: Member | None = None
    """The graph node that led to it, if that had ended by then."""
    acts: list[str] = field(default_factory=list)
    """Its events."""
    start_event: str | None = None
    """The event of its caller that started it."""
    return_event: str | None = None
    """Its return."""


@dataclass(eq=False)
class Handoff:
    """A handoff of control between agents. Without a span, it is known only from the receiver."""

    span: Span | None
    source: Member | None
    name: str
    to: Member | None
    event: str | None = None


class Team:
    """All members of a run."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.missing = 0
        """Graph nodes that are named but missing."""
        self._taken = set(OUTSIDE)
        self._numbers: dict[str, int] = defaultdict(lambda: 1)
        self.created = {
            conventions.agent_id(span) or conventions.agent_name(span): span for span in reversed(tree.acts("creation"))
        }
        self.created_ids = {key: self.free(key) for key in self.created}
        self.members = {span: self._member(span) for span in tree.acts("agent")}
        self._widen()
        self.main: Member | None = None
        for span, member in self.members.items():
            member.caller, member.via = self.actor(span), tree.tool(span)
        self.handoffs: list[Handoff] = []
        self._find_handoffs()
        self._follow_graph()
        self.root = self._appointed()

    def actor(self, span: Span) -> Member | None:
        """Return the member that acts in a span: the enclosing agent, else the program."""
        around = self.tree.agent(span)
        return self.members[around] if around else self.main

    def free(self, id: str) -> str:
        """Return the id, with a number if it is taken."""
        free = id
        while free in self._taken:
            self._numbers[id] += 1
            free = f"{id}#{self._numbers[id]}"
        self._taken.add(free)
        return free

    def _member(self, span: Span) -> Member:
        names = [name for name in (conventions.agent_id(span), conventions.agent_name(span)) if name in self.created]
        preexisting = bool(names) and self.tree.rank(self.created[str(names[0])]) < self.tree.rank(span)
        id = (
            self.created_ids[str(names[0])]
            if preexisting
            else self.free(conventions.agent_id(span) or conventions.agent_name(span))
        )
        return Member(
            id, conventions.agent_name(span), span, self.tree.start(span), self.tree.end(span), preexisting=preexisting
        )

    def _widen(self) -> None:
        """Extend every agent to the end of its last own act, whatever its span says."""
        for span in self.tree.order:
            around = self.tree.agent(span)
            if around and self.tree.kinds[span] in OWN and (end := self.members[around].end) is not None:
                self.members[around].end = max(end, self.tree.end(span) or self.tree.start(span))

    def _find_handoffs(self) -> None:
        """Match handoffs with their receivers: the first agent with the right name that starts later."""
        waiting: dict[str, list[Member]] = defaultdict(list)
        for member in reversed(self.members.values()):
            waiting[member.name].append(member)
        for span in self.tree.acts("handoff", "tool"):
            name = conventions.target(span) or conventions.likely_target(span)
            if name is None:
                continue
            source, later = self.actor(span), waiting[name]
            while later and (later[-1].start < self.tree.start(span) or later[-1] is source):
                later.pop()
            if conventions.target(span) or later:  # else a tool with a similar name
                self._hand_over(Handoff(span, source, name, later.pop() if later else None))
        latest: dict[str, Member] = {}
        for span, member in self.members.items():
            source = latest.get(conventions.handoff_source(span) or "")
            if source is not None and not member.entered:
                self._hand_over(Handoff(None, source, member.name, member))
            latest[member.name] = member

    def _hand_over(self, handoff: Handoff) -> None:
        self.handoffs.append(handoff)
        source, to = handoff.source, handoff.to
        if handoff.span is not None:
            self.tree.kinds[handoff.span] = "handoff"
        if source is not None:
            source.handed_over = True
        if to is not None:
            to.entered = True
            if source is not None and to.caller is source:
                to.caller = source.caller

    def _follow_graph(self) -> None:
        """Order graph nodes: the previous node called this one if it was still running, else it led to it."""
        latest: dict[str, list[Member]] = defaultdict(list)
        for span, member in self.members.items():
            before = conventions.previous_node(span)
            if before is not None and not member.entered:
                named = latest[before]
                source = named[bisect_left(named, member.start, key=lambda other: other.start) - 1] if named else None
                if source is None or source.start >= member.start:
                    self.missing += 1
                elif source.end is not None and source.end <= member.start:
                    member.led_by = source
                elif not self.tree.contains(span, source.span or span):
                    member.caller = source
            for name in {member.name, text(span.attributes.get("graph.node.id"))}:
                latest[name or ""].append(member)

    def _appointed(self) -> Member:
        """Return the root: the only agent without a caller; if there are several, the program around them."""
        free = [member for member in self.members.values() if member.caller is None and not member.entered]
        loose = any(self.tree.agent(span) is None for span in self.tree.acts(*OWN))
        if len(free) == 1 and not loose and free[0].led_by is None and not free[0].preexisting:
            return free[0]
        if self.members and not free and not loose:  # all existed from the start, or received a handoff
            return next(iter(self.members.values()))
        name = next((name for span in self.tree.order if (name := conventions.workflow_name(span))), "")
        first = min(self.tree.start(span) for span in self.tree.order)
        self.main = Member(self.free("main"), name, None, first, None)
        for member in self.members.values():
            member.caller = member.caller or self.main
        for handoff in self.handoffs:
            handoff.source = handoff.source or self.main
        return self.main
