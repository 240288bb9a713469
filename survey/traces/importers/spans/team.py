"""Write the trace of a run from its spans: acts become events, dependencies become links."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping

from survey.traces.importers.json_values import number, text
from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.judging import judge
from survey.traces.importers.spans.members import Member, Team
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.tree import Tree
from survey.traces.importers.spans.turns import Turns
from survey.traces.model import Builder, Content, Trace


def trace_of(run: str, spans: list[Span], content: Content, odd: Mapping[str, int]) -> Trace:
    """Return the trace of a run. ``odd`` holds the losses of reading the log."""
    tree = Tree(spans)
    builder = _builder(run, tree, content)
    for what, count in [*odd.items(), *tree.lost.items()]:
        builder.lost(what, count)
    _TraceWriter(tree, builder).write()
    return builder.build()


def _builder(run: str, tree: Tree, content: Content) -> Builder:
    resource = tree.roots[0].resource
    service = text(resource.get("service.name")) or ""
    own = text(resource.get("orchestration.trace_id")) or run
    task = text(resource.get("orchestration.task_id")) or text(resource.get("agentlightning.rollout_id"))
    return Builder(
        own,
        task or own,
        importer="opentelemetry",
        system=None if service.startswith("unknown_service") else service or None,
        version=text(resource.get("service.version")),
        time=tree.time,
        content=content,
    )


EDGES = ("causal", "message", "tool_dependency", "return", "aggregate", "safety_flow")
"""Edge types that a span link may name."""


NOTED = ("delegate", "message", "return", "compaction", "human_intervention", "safety_event", "despawn", "stop")
"""Types of events that our own exporter writes on a span."""

STATUSES = ("error", "cancelled", "timeout", "rejected")


class _TraceWriter:
    def __init__(self, tree: Tree, builder: Builder) -> None:
        self.tree, self.builder = tree, builder
        self.ours = "orchestration.trace_id" in tree.roots[0].resource
        """Whether our own exporter wrote the spans; then the end need not be inferred."""
        self.team = Team(tree)
        self.turns = Turns(self.team)
        self.begun: dict[Span, str] = {}
        """The event of a span, or of its start."""
        self.ended: dict[Span, str] = {}
        """The event of the end of a span, if it is a different one."""

    def write(self) -> None:
        self._introduce()
        for span in self.tree.acts("creation", "model", "plan", "tool", "guardrail"):
            self._write_act(span)
        self._write_handoffs()
        for member in self.team.members.values():
            self._write_coming(member)
        self._write_going()
        stop = None if self.ours else self._write_stop()
        self._restore()
        self._link_spans()
        self._link_acts()
        self._link_members()
        self._link_returns(stop)
        self._link_handoffs()
        judge(self.tree, self.builder, self.team.root.span, {**self.begun, **self.ended})

    # events

    def _introduce(self) -> None:
        models: dict[Member | None, str] = {}
        for span in self.tree.acts("model"):
            if name := conventions.model(span):
                models.setdefault(self.team.actor(span), name)
        for member in [self.team.root, *self.team.members.values()]:
            own = conventions.model(member.span) if member.span else None
            self.builder.agent(member.id, name=member.name, model=models.get(member) or own)

    def _write_act(self, span: Span) -> None:
        member = self.team.actor(span)
        assert member is not None
        start, end, status = self.tree.start(span), self.tree.end(span), conventions.status(span)
        match self.tree.kinds[span]:
            case "tool" if self.tree.called[span]:
                return  # the call is the spawn of the agent inside
            case "tool":
                self._write_call(span, member)
                return
            case "creation":
                key = conventions.agent_id(span) or conventions.agent_name(span)
                if self.team.created[key] is not span:
                    self.builder.lost("agents created again")
                    return
                id = self.team.created_ids[key]
                self.builder.agent(id, name=conventions.agent_name(span), model=conventions.model(span))
                event = self.builder.event("spawn", member.id, start, to=id, status=status)
            case "guardrail":
                if conventions.triggered(span) is False:
                    self.builder.lost("guardrails that did not intervene")
                    return
                event = self.builder.event(
                    "safety_event",
                    member.id,
                    start,
                    t_end=end,
                    status=status or ("rejected" if conventions.triggered(span) else None),
                )
            case _:
                codes = conventions.decisions(span.attributes) or self.turns.decisions[span]
                planned = span in self.tree.planned or self.tree.kinds[span] == "plan"
                type = "aggregate" if codes == {"O4"} else "orchestrator_decision" if codes or planned else "model_call"
                event = self.builder.event(
                    conventions.generation(span) or type,
                    member.id,
                    start,
                    text=conventions.output_text(span),
                    t_end=end,
                    status=status,
                    tokens=conventions.usage(span),
                    cost=conventions.cost(span),
                    decision=sorted(codes) or None,
                )
        self.begun[span] = event
        member.acts.append(event)

    def _write_call(self, span: Span, member: Member) -> None:
        name, end = conventions.tool(span), self.tree.end(span)
        call = self.builder.event(
            "tool_call", member.id, self.tree.start(span), text=conventions.input_text(span), tool=name
        )
        self.begun[span] = call
        member.acts.append(call)
        if end is None:
            self.builder.lost("tool calls that never ended")
            return
        status, words = conventions.status(span), conventions.output_text(span)
        result = self.builder.event("tool_result", member.id, end, text=words, tool=name, parent=call, status=status)
        self.ended[span] = result
        member.acts.append(result)
        self.builder.link(call, result, "tool_dependency")

    def _write_handoffs(self) -> None:
        for handoff in self.team.handoffs:
            span, source, to = handoff.span, handoff.source, handoff.to
            assert source is not None
            if to is None:
                self.builder.lost("agents that took control but have no span")
            id = to.id if to else self.team.free(handoff.name)
            self.builder.agent(id, name=handoff.name)
            latest = to.start if to else source.start
            handoff.event = self.builder.event(
                "message",
                source.id,
                self.tree.start(span) if span else min(latest, latest if source.end is None else source.end),
                to=id,
                transfer=True,
                delivered=to.start if to else None,
                status=conventions.status(span) if span else None,
            )
            source.acts.append(handoff.event)
            if span is not None:
                self.begun[span] = handoff.event

    def _write_coming(self, member: Member) -> None:
        span, caller, via = member.span, member.caller, member.via
        assert span is not None
        if member.entered or caller is None:
            return
        first = via is not None and self.tree.called[via][0] is span
        start = self.tree.start(via) if via is not None and first else member.start
        words = conventions.input_text(span) or (conventions.input_text(via) if via else None)
        member.start_event = self.builder.event(
            "delegate" if member.preexisting else "spawn",
            caller.id,
            start,
            text=words,
            to=member.id,
            tool=conventions.tool(via) if via else None,
        )
        caller.acts.append(member.start_event)
        self.begun[span] = member.start_event
        if via is not None:
            self.begun.setdefault(via, member.start_event)

    def _write_going(self) -> None:
        inside = self.tree.tokens_inside()
        last = self._last_inside()
        for span, member in self.team.members.items():
            known = inside[span]
            tokens = conventions.usage(span) if not known or conventions.beyond(span) else None
            if known and tokens is None:
                more = round(max(0, conventions.all_usage(span) - known))
                self.builder.lost("tokens in the totals of agents beyond those of their model calls", more)
            returns = member.caller is not None and member.end is not None and not member.handed_over
            if (tokens and not returns) or (member is self.team.root and not member.acts and not self.ours):
                call = self.builder.event(
                    "model_call",
                    member.id,
                    member.start,
                    t_end=member.end,
                    tokens=tokens,
                    status=conventions.status(span),
                )
                member.acts.append(call)
                self.begun.setdefault(span, call)
                tokens = None
            if member.end is None:
                self.builder.lost("agents whose end is missing")
            if not returns:
                continue
            assert member.caller is not None
            words, status = conventions.output_text(span), conventions.status(span)
            member.return_event = self.builder.event(
                "return", member.id, member.end, text=words, to=member.caller.id, status=status, tokens=tokens
            )
            self.ended[span] = member.return_event
        gone = [
            span
            for span, member in self.team.members.items()
            if member.return_event and not member.preexisting and not member.entered
        ]
        for span in [] if self.ours else reversed(gone):  # those called before those who called them
            self.builder.event("despawn", self.team.members[span].id, last[span])

    def _last_inside(self) -> dict[Span, float]:
        """Return, for each span, the end of the last act inside it: an agent can outlive its caller."""
        last: dict[Span, float] = {}
        for span in reversed(self.tree.order):
            own = self.team.members[span].end if span in self.team.members else self.tree.end(span)
            times = [own or self.tree.start(span), *(last[child] for child in span.children)]
            last[span] = max(times)
        for span, member in self.team.members.items():  # called by a sibling of the graph
            around = member.caller.span if member.caller else None
            if around is not None and not self.tree.contains(around, span):
                last[around] = max(last[around], last[span])
        return last

    def _write_stop(self) -> str | None:
        """Write the end of the run, if one span encloses it, has ended and was not cancelled."""
        states = [status for span in self.tree.roots if (status := conventions.status(span))]
        if states:
            self.builder.head["outcome"] = {"status": states[0]}
        roots = [span for span in self.tree.roots if self.tree.kinds[span] != "reward"]
        ours = all(conventions.was_preexisting(span) for span in roots)
        last = [span for span in roots if self.tree.end(span) is not None and not conventions.never_returned(span)]
        if not last or self.tree.orphans or "cancelled" in states or (len(roots) > 1 and not ours):
            return None
        holder, seen = self.team.members.get(last[0], self.team.root), set()
        passed = {handoff.source: handoff.to for handoff in self.team.handoffs}
        while holder not in seen and (to := passed.get(holder)) is not None and to.return_event is None:
            seen.add(holder)
            holder = to
        end = max([start if end is None else end for start, end in self.tree.times.values()])
        event = self.builder.event("stop", holder.id, end, decision=["O5"], status=states[0] if states else None)
        holder.acts.append(event)
        return event

    def _restore(self) -> None:
        """Restore the events that our own exporter wrote on spans."""
        members = {member.id: member for member in self.team.members.values()}
        for span in self.tree.order if self.ours else []:
            for name, t, about in span.events:
                type, agent = name.removeprefix("orchestration."), text(about.get("orchestration.agent"))
                if type not in NOTED or t is None or agent is None:
                    continue
                to, status = text(about.get("orchestration.to")), text(about.get("orchestration.status"))
                status = status if status in STATUSES else None
                decision = sorted(conventions.decisions(about)) or None
                t -= self.tree.origin
                long = number(about.get("orchestration.duration_s"))
                event = self.builder.event(
                    type, agent, t, to=to, status=status, decision=decision, t_end=None if long is None else t + long
                )
                if agent in members and type not in ("return", "despawn", "stop"):
                    members[agent].acts.append(event)
        for name, value in self.tree.roots[0].resource.items() if self.ours else []:
            if name.startswith("orchestration.costs.") and (count := number(value)) is not None and count >= 0:
                self.builder.costs[name.removeprefix("orchestration.costs.")] = count

    # links

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
            called = comings[caller]
            place = bisect_right(called, (max((member.end, -1), self.tree.rank(span)), "~"))
            last = caller.return_event if caller.end is not None and caller.end >= member.end else None
            reader = called[place][1] if place < len(called) and not self.turns.of(caller) else last
            if caller is self.team.root and reader is None:
                reader = stop
            if reader is not None:
                type = "causal" if self.builder[reader].type in ("spawn", "delegate") else "return"
                self.builder.link(member.return_event, reader, type, derived=True)

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
