"""Write the trace of a run from its spans: acts become events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from survey.plurals import plural
from survey.traces.importers.json_values import text
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.records import HEAD, RECORDS, told
from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.judging import judge
from survey.traces.importers.spans.linking import Links
from survey.traces.importers.spans.members import Member, Team
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.tree import Tree
from survey.traces.importers.spans.turns import Turns
from survey.traces.importers.waiting import FOR_AGENTS, asks
from survey.traces.model import NO_TOKENS, Builder, Content, Trace


def traces_of(
    log: Log,
    found: Iterable[Span | None],
    content: Content,
    importer: str,
    expected: str,
    odd: Counter[str],
    *,
    experimental: bool = False,
) -> Iterator[Trace]:
    """Yield a trace for each run in the spans of a log; None stands for an object that is not a span.

    ``odd`` holds other losses of reading. Raises ``BadLog`` if no span is an act.
    """
    runs: dict[str, list[Span]] = {}
    for span in found:
        if span is None:
            odd["objects that are not spans"] += 1
        else:
            runs.setdefault(span.run, []).append(span)
    whole = {run: trace for run, spans in runs.items() if (trace := told((s.attributes for s in spans), content))}
    yield from whole.values()
    runs = {run: spans for run, spans in runs.items() if run not in whole}
    acting = {run: spans for run, spans in runs.items() if any(map(conventions.acted, spans))}
    odd["traces of programs without an agent, a model or a tool"] = len(runs) - len(acting)
    odd["lines that are not JSON objects"] = log.unreadable
    traces = len(whole)
    for run, spans in acting.items():
        tree = Tree(spans)
        builder = _builder(run, tree, content, importer, experimental)
        for what, count in [*([] if traces else odd.items()), *tree.lost.items()]:
            builder.lost(what, count)
        torn = sum(span.attributes.keys().isdisjoint({HEAD, RECORDS}) is False for span in spans)
        builder.lost("spans with records of a trace that has not arrived whole", torn)
        _TraceWriter(tree, builder).write()
        trace = builder.build()
        if trace.events:
            traces += 1
            yield trace
    if not traces:
        held = plural(len(runs), "trace") if runs else "no spans"
        raise BadLog(f"{log.path.name}: found {held}, without acts of an agent ({expected})")


def _builder(run: str, tree: Tree, content: Content, importer: str, experimental: bool) -> Builder:
    resource = tree.roots[0].resource
    service = text(resource.get("service.name")) or ""
    return Builder(
        run,
        text(resource.get("agentlightning.rollout_id")) or run,
        importer=importer,
        experimental=experimental,
        system=None if service.startswith("unknown_service") else service or None,
        version=text(resource.get("service.version")),
        time=tree.time,
        content=content,
    )


class _TraceWriter:
    def __init__(self, tree: Tree, builder: Builder) -> None:
        self.tree, self.builder = tree, builder
        self.team = Team(tree)
        self.turns = Turns(self.team)
        self.begun: dict[Span, str] = {}
        """The event of a span, or of its start."""
        self.ended: dict[Span, str] = {}
        """The event of the end of a span, if it is a different one."""
        self.callers = {member.caller for member in self.team.members.values()}

    def write(self) -> None:
        self._introduce()
        for span in self.tree.acts("creation", "model", "plan", "tool", "guardrail"):
            self._write_act(span)
        self._write_handoffs()
        for member in self.team.members.values():
            self._write_coming(member)
        self._write_going()
        stop = self._write_stop()
        Links(self.tree, self.team, self.turns, self.builder, self.begun, self.ended).write(stop)
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
                codes = self.turns.decisions[span]
                planned = span in self.tree.planned or self.tree.kinds[span] == "plan"
                type = "aggregate" if codes == {"O4"} else "orchestrator_decision" if codes or planned else "model_call"
                event = self.builder.event(
                    type,
                    member.id,
                    start,
                    text=conventions.output_text(span),
                    t_end=end,
                    status=status,
                    tokens=conventions.usage(span),
                    cost=conventions.cost(span),
                    model=conventions.model(span),
                    decision=sorted(codes) or None,
                )
                self.builder.lost("model calls without a duration", end is None)
                self.builder.lost(NO_TOKENS, conventions.usage(span) is None)
        self.begun[span] = event
        member.acts.append(event)

    def _write_call(self, span: Span, member: Member) -> None:
        name, end = conventions.tool(span), self.tree.end(span)
        call = self.builder.event(
            "tool_call", member.id, self.tree.start(span), text=conventions.input_text(span), tool=name,
            waits_for=self._waits_for(name, member),
        )  # fmt: skip
        self.begun[span] = call
        member.acts.append(call)
        if end is None:
            self.builder.lost("tool calls that never ended")
            return
        result = self.builder.event(
            "tool_result", member.id, end, text=conventions.output_text(span), tool=name, parent=call,
            status=conventions.status(span), error=conventions.error(span),
        )  # fmt: skip
        self.ended[span] = result
        member.acts.append(result)
        self.builder.link(call, result, "tool_dependency")

    def _waits_for(self, tool: str, member: Member) -> str | None:
        """Return whom a call waits for by its name: a person, or agents if its own agent called any."""
        if asks(tool):
            return "people"
        if tool in FOR_AGENTS:
            return "agents" if member in self.callers else "tool"
        return None

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
            tokens = None if known else conventions.usage(span)
            if known and tokens is None:
                more = round(max(0, conventions.all_usage(span) - known))
                self.builder.lost("tokens in the totals of agents beyond those of their model calls", more)
            returns = member.caller is not None and member.end is not None and not member.handed_over
            if (tokens and not returns) or (member is self.team.root and not member.acts):
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
        for span in reversed(gone):  # those called before those who called them
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
        """Write the end of the run, if one span encloses it, has ended last and was not cancelled."""
        states = [status for span in self.tree.roots if (status := conventions.status(span))]
        if states:
            self.builder.head["outcome"] = {"status": states[0]}
        roots = [span for span in self.tree.roots if self.tree.kinds[span] != "reward"]
        last = [span for span in roots if self.tree.end(span) is not None]
        if not last or self.tree.orphans or "cancelled" in states or len(roots) > 1:
            return None
        holder, seen = self.team.members.get(last[0], self.team.root), set()
        passed = {handoff.source: handoff.to for handoff in self.team.handoffs}
        while holder not in seen and (to := passed.get(holder)) is not None and to.return_event is None:
            seen.add(holder)
            holder = to
        end = max([start if end is None else end for start, end in self.tree.times.values()])
        if end > max(self.tree.end(last[0]) or end, end if holder.end is None else holder.end):
            return None  # agents in the background went on without it
        event = self.builder.event("stop", holder.id, end, decision=["O5"], status=states[0] if states else None)
        holder.acts.append(event)
        return event
