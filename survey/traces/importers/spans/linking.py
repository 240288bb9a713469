"""Write the links of a run: the dependencies between the events of its spans."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import product

from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.members import Member, Team
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.tree import Tree
from survey.traces.importers.spans.turns import Turns
from survey.traces.model import Builder

EDGES = ("causal", "message", "tool_dependency", "return", "aggregate", "safety_flow")
"""Edge types that a span link may name."""


MOST = 10_000
"""Links between two steps of a graph; beyond these, only the last node to end is linked to the next step."""


class Links:
    """The links between written events, by the spans of which these are."""

    def __init__(
        self,
        tree: Tree,
        team: Team,
        turns: Turns,
        builder: Builder,
        begun: dict[Span, str],
        ended: dict[Span, str],
    ) -> None:
        self.tree, self.team, self.turns, self.builder = tree, team, turns, builder
        self.begun, self.ended = begun, ended
        self.joined: set[Span] = set()
        """Nodes of graphs that led to nodes of a later step."""

    def write(self, stop: str | None) -> None:
        """Link all events. ``stop`` is the end of the run."""
        self._link_spans()
        self._link_acts()
        self._link_members()
        self._link_steps()
        self._link_returns(stop)
        self._link_handoffs()

    def _link_acts(self) -> None:
        for span, event in list(self.begun.items()):
            kind = self.tree.kinds[span]
            if kind in ("tool", "creation", "handoff") and not self.tree.called[span]:
                self._link_cause(span, event)
            elif kind in ("model", "plan", "guardrail"):
                self._link_call_around(span, event)

    def _link_cause(self, span: Span, event: str) -> None:
        turn, derived = self.turns.before(span)
        if turn in self.begun:
            self.builder.link(self.begun[turn], event, "causal", derived=derived)
        else:
            self._link_call_around(span, event)

    def _link_call_around(self, span: Span, event: str) -> None:
        """Link an act inside a tool to the call, if no turn inside requested it."""
        around = self.tree.tool(span)
        if around in self.begun and not self.tree.called.get(around):
            self.builder.link(self.begun[around], event, "causal")

    def _link_members(self) -> None:
        for member in self.team.members.values():
            if member.start_event is None:
                continue
            turn, derived = self.turns.calling(member)
            if turn in self.begun:
                self.builder.link(self.begun[turn], member.start_event, "causal", derived=derived)
            if member.led_by is not None:
                self.builder.link(member.led_by.return_event, member.start_event, "causal")
            if member.acts:
                self.builder.link(member.start_event, self._first(member), "causal" if member.preexisting else "spawn")
            elif member.return_event is not None:
                self.builder.link(member.start_event, member.return_event, "causal")
        for _ in range(self.tree.orphans + self.team.missing):
            self.builder.link(None, None, "causal")

    def _first(self, member: Member) -> str | None:
        return min(member.acts, key=lambda event: self.builder[event].t) if member.acts else member.return_event

    def _link_returns(self, stop: str | None) -> None:
        """Link each return to the event of the caller that reads it."""
        comings: dict[Member, list[tuple[tuple[float, int], str]]] = defaultdict(list)
        for span, member in self.team.members.items():
            if member.start_event is not None and member.caller is not None:
                comings[member.caller].append((self.tree.rank(span), member.start_event))
        for called in comings.values():
            called.sort()
        for span, member in self.team.members.items():
            caller = member.caller
            if member.return_event is None or caller is None or member.end is None:
                continue
            turn = self.turns.after(caller, member.end, span)
            if turn is not None:
                type = "aggregate" if self.builder[self.begun[turn]].type == "aggregate" else "return"
                self.builder.link(member.return_event, self.begun[turn], type, derived=True)
                continue
            if span in self.joined:
                continue
            called = comings[caller]
            place = bisect_right(called, (max((member.end, -1), self.tree.rank(span)), "~"))
            last = caller.return_event if caller.end is not None and caller.end >= member.end else None
            reader = called[place][1] if place < len(called) and not self.turns.of(caller) else last
            if caller is self.team.root and reader is None:
                reader = stop
            if reader is not None:
                type = "causal" if self.builder[reader].type in ("spawn", "delegate") else "return"
                self.builder.link(member.return_event, reader, type, derived=True)

    def _link_steps(self) -> None:
        """Link the nodes of each step of a graph to all of the next step that acts."""
        written: dict[Span, list[tuple[str, str]]] = defaultdict(list)
        """The first and the last event of each node, and of each act in one that is not an agent."""
        for span, event in self.begun.items():
            node = self.tree.graphs.around.get(span)
            if span is node and span in self.team.members:
                written[node] = [(event, self.team.members[span].return_event or "")]
            elif node is not None and node not in self.team.members:
                written[node].append((event, self.ended.get(span, event)))
        for steps in self.tree.graphs.in_steps():
            before: list[Span] = []
            for nodes in steps:
                acting = [node for node in nodes if written[node]]
                if len(before) * len(acting) > MOST:
                    before = [max(before, key=lambda node: self.tree.end(node) or 0.0)]
                for one, other in product(before, acting):
                    end = self.tree.end(one)
                    if end is None or end > self.tree.start(other) or self.tree.rank(one) > self.tree.rank(other):
                        continue
                    _, last = max(written[one], key=lambda pair: self.builder[pair[1]].t if pair[1] else -1)
                    first, _ = min(written[other], key=lambda pair: self.builder[pair[0]].t)
                    if last:
                        self.builder.link(last, first, "causal")
                        self.joined.add(one)
                before = acting or before

    def _link_handoffs(self) -> None:
        for handoff in self.team.handoffs:
            to, source = handoff.to, handoff.source
            if to is None or to.span is None or source is None:
                self.builder.link(handoff.event, None, "message")
                continue
            named = source.name in (conventions.previous_node(to.span), conventions.handoff_source(to.span))
            inside = handoff.span is not None and self.tree.contains(handoff.span, to.span)
            self.builder.link(handoff.event, self._first(to), "message", derived=not (named or inside))

    def _link_spans(self) -> None:
        """Write span links: from the end of the linked span if it had ended, else from its start."""
        for span in self.tree.order:
            for _ in range(span.elsewhere):
                self.builder.link(None, self.begun.get(span), "causal")
            for id, type in span.links:
                other = self.tree.by_id.get(id)
                if other is None:
                    self.builder.link(None, self.begun.get(span), "causal")
                    continue
                end = self.tree.end(other)
                over = end is not None and end <= self.tree.start(span) and not self.tree.contains(other, span)
                src = self.ended.get(other) if over and other in self.ended else self.begun.get(other)
                if src is None or span not in self.begun:
                    self.builder.lost("span links between spans that are not acts")
                elif self.tree.rank(other) >= self.tree.rank(span):
                    self.builder.lost("span links to later spans")
                else:
                    self.builder.link(src, self.begun[span], type if type in EDGES else "causal")
