"""From the spans of one run to its trace: each act an event, each dependency a link."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping

from survey.traces.importers.json_values import number, text
from survey.traces.importers.opentelemetry import conventions as said
from survey.traces.importers.opentelemetry.members import Member, Team
from survey.traces.importers.opentelemetry.spans import Span
from survey.traces.importers.opentelemetry.tree import Tree
from survey.traces.importers.opentelemetry.turns import Turns
from survey.traces.model import Builder, Content, Trace


def trace_of(run: str, spans: list[Span], content: Content, odd: Mapping[str, int]) -> Trace:
    """The trace of a run. ``odd`` is what reading the log has lost already."""
    tree = Tree(spans)
    builder = _builder(run, tree, content)
    for what, count in [*odd.items(), *tree.lost.items()]:
        builder.lost(what, count)
    _Telling(tree, builder).tell()
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
"""Types that a span link may say it has."""


NOTED = ("delegate", "message", "return", "compaction", "human_intervention", "safety_event", "despawn", "stop")
"""Types of events that our own exporter notes on a span."""

STATUSES = ("error", "cancelled", "timeout", "rejected")


class _Telling:
    def __init__(self, tree: Tree, builder: Builder) -> None:
        self.tree, self.builder = tree, builder
        self.ours = "orchestration.trace_id" in tree.roots[0].resource
        """Whether our own exporter wrote the spans; then nothing needs to be concluded about the end."""
        self.team = Team(tree)
        self.turns = Turns(self.team)
        self.begun: dict[Span, str] = {}
        """The event that stands for a span, or for its beginning."""
        self.ended: dict[Span, str] = {}
        """The event that stands for its end, where that is another one."""

    def tell(self) -> None:
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
        self._judge()

    # events

    def _introduce(self) -> None:
        models: dict[Member | None, str] = {}
        for span in self.tree.acts("model"):
            if name := said.model(span):
                models.setdefault(self.team.actor(span), name)
        for member in [self.team.root, *self.team.members.values()]:
            own = said.model(member.span) if member.span else None
            self.builder.agent(member.id, name=member.name, model=models.get(member) or own)

    def _write_act(self, span: Span) -> None:
        member = self.team.actor(span)
        assert member is not None
        start, end, status = self.tree.start(span), self.tree.end(span), said.status(span)
        match self.tree.kinds[span]:
            case "tool" if self.tree.called[span]:
                return  # the call is the spawn of the agent inside
            case "tool":
                self._write_call(span, member)
                return
            case "creation":
                key = said.agent_id(span) or said.agent_name(span)
                if self.team.created[key] is not span:
                    self.builder.lost("agents created again")
                    return
                id = self.team.created_ids[key]
                self.builder.agent(id, name=said.agent_name(span), model=said.model(span))
                event = self.builder.event("spawn", member.id, start, to=id, status=status)
            case "guardrail":
                if said.triggered(span) is False:
                    self.builder.lost("guardrails that let everything pass")
                    return
                event = self.builder.event(
                    "safety_event",
                    member.id,
                    start,
                    t_end=end,
                    status=status or ("rejected" if said.triggered(span) else None),
                )
            case _:
                codes = said.decisions(span.attributes) or self.turns.decisions[span]
                planned = span in self.tree.planned or self.tree.kinds[span] == "plan"
                type = "aggregate" if codes == {"O4"} else "orchestrator_decision" if codes or planned else "model_call"
                event = self.builder.event(
                    said.generation(span) or type,
                    member.id,
                    start,
                    text=said.answered(span),
                    t_end=end,
                    status=status,
                    tokens=said.usage(span),
                    cost=said.cost(span),
                    decision=sorted(codes) or None,
                )
        self.begun[span] = event
        member.acts.append(event)

    def _write_call(self, span: Span, member: Member) -> None:
        name, end = said.tool(span), self.tree.end(span)
        call = self.builder.event("tool_call", member.id, self.tree.start(span), text=said.asked(span), tool=name)
        self.begun[span] = call
        member.acts.append(call)
        if end is None:
            self.builder.lost("tool calls that never ended")
            return
        status, words = said.status(span), said.answered(span)
        result = self.builder.event("tool_result", member.id, end, text=words, tool=name, parent=call, status=status)
        self.ended[span] = result
        member.acts.append(result)
        self.builder.link(call, result, "tool_dependency")

    def _write_handoffs(self) -> None:
        for handoff in self.team.handoffs:
            span, source, to = handoff.span, handoff.source, handoff.to
            assert source is not None
            if to is None:
                self.builder.lost("agents that took over and have no span")
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
                status=said.status(span) if span else None,
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
        words = said.asked(span) or (said.asked(via) if via else None)
        member.come = self.builder.event(
            "delegate" if member.standing else "spawn",
            caller.id,
            start,
            text=words,
            to=member.id,
            tool=said.tool(via) if via else None,
        )
        caller.acts.append(member.come)
        self.begun[span] = member.come
        if via is not None:
            self.begun.setdefault(via, member.come)

    def _write_going(self) -> None:
        inside = self.tree.tokens_inside()
        last = self._last_inside()
        for span, member in self.team.members.items():
            known = inside[span]
            tokens = said.usage(span) if not known or said.beyond(span) else None
            if known and tokens is None:
                more = round(max(0, said.all_usage(span) - known))
                self.builder.lost("tokens in the totals of agents beyond those of their model calls", more)
            returns = member.caller is not None and member.end is not None and not member.handed_over
            if (tokens and not returns) or (member is self.team.root and not member.acts and not self.ours):
                call = self.builder.event(
                    "model_call", member.id, member.start, t_end=member.end, tokens=tokens, status=said.status(span)
                )
                member.acts.append(call)
                self.begun.setdefault(span, call)
                tokens = None
            if member.end is None:
                self.builder.lost("agents whose end is missing")
            if not returns:
                continue
            assert member.caller is not None
            words, status = said.answered(span), said.status(span)
            member.back = self.builder.event(
                "return", member.id, member.end, text=words, to=member.caller.id, status=status, tokens=tokens
            )
            self.ended[span] = member.back
        gone = [
            span
            for span, member in self.team.members.items()
            if member.back and not member.standing and not member.entered
        ]
        for span in [] if self.ours else reversed(gone):  # those called before those who called them
            self.builder.event("despawn", self.team.members[span].id, last[span])

    def _last_inside(self) -> dict[Span, float]:
        """For each span, when the last act inside it was over: an agent can outlive the one that called it."""
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
        """The end of the run, if one span is around all of it, has an end and was not cancelled."""
        states = [status for span in self.tree.roots if (status := said.status(span))]
        if states:
            self.builder.head["outcome"] = {"status": states[0]}
        roots = [span for span in self.tree.roots if self.tree.kinds[span] != "reward"]
        ours = all(said.was_there(span) for span in roots)
        last = [span for span in roots if self.tree.end(span) is not None and not said.never_returned(span)]
        if not last or self.tree.orphans or "cancelled" in states or (len(roots) > 1 and not ours):
            return None
        holder, seen = self.team.members.get(last[0], self.team.root), set()
        passed = {handoff.source: handoff.to for handoff in self.team.handoffs}
        while holder not in seen and (to := passed.get(holder)) is not None and to.back is None:
            seen.add(holder)
            holder = to
        end = max([start if end is None else end for start, end in self.tree.times.values()])
        event = self.builder.event("stop", holder.id, end, decision=["O5"], status=states[0] if states else None)
        holder.acts.append(event)
        return event

    def _restore(self) -> None:
        """What our own exporter noted on spans because the conventions have no span for it."""
        members = {member.id: member for member in self.team.members.values()}
        for span in self.tree.order if self.ours else []:
            for name, t, about in span.events:
                type, agent = name.removeprefix("orchestration."), text(about.get("orchestration.agent"))
                if type not in NOTED or t is None or agent is None:
                    continue
                to, status = text(about.get("orchestration.to")), text(about.get("orchestration.status"))
                status = status if status in STATUSES else None
                decision = sorted(said.decisions(about)) or None
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
        """An act inside a tool that no turn inside it asked for comes from the call itself."""
        around = self.tree.tool(span)
        if around in self.begun and not self.tree.called.get(around):
            self.builder.link(self.begun[around], event, "causal")

    def _link_members(self) -> None:
        for member in self.team.members.values():
            if member.come is None:
                continue
            turn, derived = self.turns.calling(member)
            if turn in self.begun:
                self.builder.link(self.begun[turn], member.come, "causal", derived=derived)
            if member.led_by is not None:
                self.builder.link(member.led_by.back, member.come, "causal")
            if member.acts:
                self.builder.link(member.come, self._first(member), "causal" if member.standing else "spawn")
            elif member.back is not None:
                self.builder.link(member.come, member.back, "causal")
        for _ in range(self.tree.orphans + self.team.missing):
            self.builder.link(None, None, "causal")

    def _first(self, member: Member) -> str | None:
        return min(member.acts, key=lambda event: self.builder[event].t) if member.acts else member.back

    def _link_returns(self, stop: str | None) -> None:
        """Tie each return to the event of the caller that reads it."""
        comings: dict[Member, list[tuple[tuple[float, int], str]]] = defaultdict(list)
        for span, member in self.team.members.items():
            if member.come is not None and member.caller is not None:
                comings[member.caller].append((self.tree.rank(span), member.come))
        for called in comings.values():
            called.sort()
        for span, member in self.team.members.items():
            caller = member.caller
            if member.back is None or caller is None or member.end is None:
                continue
            turn = self.turns.after(caller, member.end, span)
            if turn is not None:
                type = "aggregate" if self.builder[self.begun[turn]].type == "aggregate" else "return"
                self.builder.link(member.back, self.begun[turn], type, derived=True)
                continue
            called = comings[caller]
            place = bisect_right(called, (max((member.end, -1), self.tree.rank(span)), "~"))
            last = caller.back if caller.end is not None and caller.end >= member.end else None
            reader = called[place][1] if place < len(called) and not self.turns.of(caller) else last
            if caller is self.team.root and reader is None:
                reader = stop
            if reader is not None:
                type = "causal" if self.builder[reader].type in ("spawn", "delegate") else "return"
                self.builder.link(member.back, reader, type, derived=True)

    def _link_handoffs(self) -> None:
        for handoff in self.team.handoffs:
            to, source = handoff.to, handoff.source
            if to is None or to.span is None or source is None:
                self.builder.link(handoff.event, None, "message")
                continue
            named = source.name in (said.comes_after(to.span), said.handed_over_by(to.span))
            inside = handoff.span is not None and self.tree.contains(handoff.span, to.span)
            self.builder.link(handoff.event, self._first(to), "message", derived=not (named or inside))

    def _link_spans(self) -> None:
        """Span links: from the end of the span linked to, if it was over, else from its beginning."""
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
                    self.builder.lost("span links between spans that are no acts")
                elif self.tree.rank(other) >= self.tree.rank(span):
                    self.builder.lost("span links to later spans")
                else:
                    self.builder.link(src, self.begun[span], type if type in EDGES else "causal")

    # rewards

    def _judge(self) -> None:
        given: dict[str, float] = {}
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        answers = {text(span.attributes.get("gen_ai.response.id")): span for span in self.tree.acts("model")}
        for span in sorted(self.tree.order, key=lambda span: span.order):
            about = answers.get(said.rewarded_response(span) or "-") or span
            event = self._judged(about)
            for name, score in said.rewards(span).items():
                self._give(name, score, scores[event] if event else given)
            for judgement in said.judgements(span):
                if judgement.scope == "session":
                    self.builder.lost("judgements on a whole session")
                    continue
                event = self._judged(span) if judgement.scope == "span" else None
                if judgement.score is not None:
                    self._give(judgement.name, judgement.score, scores[event] if event else given)
                if judgement.label and event:
                    self.builder.label(event, judgement.label, by=judgement.by, name=judgement.name)
        for event, named in scores.items():
            if named:
                self.builder.amend(event, reward=named)
        self.builder.head["rewards"] = given

    def _give(self, name: str, score: float, to: dict[str, float]) -> None:
        if name in to and to[name] != score:
            self.builder.lost("rewards that a later one of the same name replaced")
        to[name] = score

    def _judged(self, span: Span) -> str | None:
        """The event that a judgement on a span is about; None if it is about the run."""
        near: Span | None = span
        while near is not None and near not in self.ended and near not in self.begun:
            if self.team.root.span is near:
                return None
            near = near.above
        if near is None or near is self.team.root.span:
            return None
        return self.ended.get(near) or self.begun[near]
