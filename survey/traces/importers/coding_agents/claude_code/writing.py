"""Write the trace of a session from its facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from survey.traces.importers.coding_agents.claude_code.children import (
    Child,
    Return,
    children_of,
    not_failed,
    receiver_of,
    task_of,
)
from survey.traces.importers.coding_agents.claude_code.facts import Call, ExternalInput, Facts, Turn, facts_of
from survey.traces.importers.coding_agents.claude_code.plan import Plan, assign_tokens
from survey.traces.importers.coding_agents.claude_code.session import MAIN, Entry, Session
from survey.traces.importers.coding_agents.claude_code.summaries import ASKING, SPAWNING, WRITING, Result, When
from survey.traces.importers.json_values import flag, number, text
from survey.traces.importers.waiting import asks
from survey.traces.model import Builder, Content, Trace

EVERYBODY = "*"


def trace_of(session: Session, content: Content, importer: str) -> Trace | None:
    """Return the trace of a session; None if it contains no act."""
    facts = facts_of(session)
    if not (facts.turns or facts.external_inputs or facts.compactions):
        return None
    id = session.id or "session"
    builder = Builder(
        id, id, importer=importer, system=importer, version=session.version, time=session.time, content=content
    )
    _TraceWriter(builder, session, facts).write()
    for turn in facts.turns:
        turn.calls.clear()  # breaks the reference cycle with the call, which only the collector would free
    return builder.build()


class _TraceWriter:
    """Writes events in the order of time, then the links between them."""

    def __init__(self, builder: Builder, session: Session, facts: Facts) -> None:
        self.builder, self.session, self.facts = builder, session, facts
        self.children = children_of(session, facts)
        self.plan = Plan(facts, self.children)
        self.spawning = {child.call.id: child for child in self.children.values() if child.call}
        self.team = {child.name: child for child in self.children.values() if child.teammate and child.name}
        self.turn_events: dict[str, str] = {}
        self.call_events: dict[str, str] = {}
        self.spawns_in_workflows: dict[str, str] = {}
        self.returns: dict[int, str] = {}
        self.first: dict[str, str] = {}
        """The first event of each agent."""
        self.last: dict[str, float] = {}
        """The time of the last event of each agent, as actor or receiver."""
        self.people: dict[tuple[str, str], str] = {}
        """Acts of people, by the turn (refusal) or the call (answer) concerned."""
        self.told = {agent for agent, _ in facts.started.values()}
        """Sub-agents that a stream names otherwise than by their instance."""
        self.links: list[Callable[[], None]] = []
        """Links to add once all events exist."""
        self.first_prompt = min(
            (external.at for external in facts.external_inputs if external.kind == "prompt"), default=None
        )
        self.main_cut_short = any(
            external.agent == MAIN and external.kind == "interruption" for external in facts.external_inputs
        ) or any(call.agent == MAIN and call.result and call.result.by_person for call in facts.calls.values())

    def write(self) -> None:
        """Write all events and links."""
        unseen = assign_tokens(self.plan)
        for _, _, write in sorted(self._acts(), key=lambda act: act[:2]):
            write()
        self._compactions_elsewhere()
        for child in self.children.values():
            self._lifecycle(child)
        self._stop()
        links, self.links = self.links, []  # each refers to this writer: only the collector would free them
        for draw in links:
            draw()
        self._describe()
        self.builder.lost("turns of sub-agents known only by their tokens", unseen)

    def _write(self, type: str, agent: str, t: float, **fields: Any) -> str:
        event = self.builder.event(type, agent, t, **fields)
        self.first.setdefault(agent, event)
        for one in (agent, fields.get("to") or agent):
            self.last[one] = max(t, self.last.get(one, t))
        return event

    def _acts(self) -> list[tuple[When, int, Callable[[], None]]]:
        """Return every act with its time, and a rank for acts of one record."""
        acts: list[tuple[When, int, Callable[[], None]]] = []
        for turn in self.facts.turns:
            acts.append((turn.at, 1, partial(self._turn, turn)))
            for call in turn.calls:
                acts.append((call.at, 2, partial(self._call, call)))
                if call.result:
                    acts.append((call.result.at, 3, partial(self._result, call, call.result)))
        acts += [(external.at, 0, partial(self._external_input, external)) for external in self.facts.external_inputs]
        acts += [((entry.t, entry.place), 0, partial(self._compaction, entry)) for entry in self.facts.compactions]
        acts += [((entry.t, entry.place), 0, partial(self._prevention, entry)) for entry in self.facts.prevented]
        for child in self.children.values():
            if child.workflow:
                begun = child.spawned or child.first
                acts.append((begun, 0, partial(self._spawn_in_workflow, child, child.workflow, begun)))
            acts += [(back.at, 4, partial(self._return, child, back)) for back in child.returns]
        return acts

    def _at(self, agent: str, t: float) -> float:
        """Return a time that is not before the spawn of the agent, even if the log says so."""
        child = self.children.get(agent)
        return max(t, child.spawned[0]) if child and child.spawned else t

    def _then(self, event: str, agent: str, after: When, type: str) -> None:
        """Link an event to the agent's next turn; there is none if its log is missing or ends."""
        turn = self.plan.next_turn(agent, after)
        if turn:
            self.links.append(lambda: self.builder.link(event, self.turn_events[turn.id], type, derived=True))

    def _turn(self, turn: Turn) -> None:
        decisions, aggregates = self.plan.decisions(turn), turn.id in self.plan.aggregates
        start = self._at(turn.agent, turn.begun[0] if self.session.time == "seconds" else turn.at[0])
        self.turn_events[turn.id] = self._write(
            "orchestrator_decision" if decisions else "aggregate" if aggregates else "model_call",
            turn.agent,
            start,
            t_end=turn.end if turn.end > start and self.session.time == "seconds" else None,
            t_first=turn.at[0] if turn.at[0] > start and self.session.time == "seconds" else None,
            decision=decisions or (["O4"] if aggregates else None),
            tokens=turn.usage or None,
            model=turn.model,
            status="error" if turn.failed else None,
            text=turn.text,
        )

    def _call(self, call: Call) -> None:
        t, of = self._at(call.agent, call.at[0]), {**call.given.message, "parent": self.turn_events.get(call.turn.id)}
        resumed = self.plan.tasks.get(call.id)
        if spawned := self.spawning.get(call.id):
            waits = "agents" if call.result is None and not flag(call.given.names.get("run_in_background")) else None
            named = {"to": spawned.id, "role": spawned.role, "agent_name": spawned.name, "waits_for": waits}
            event = self._write("spawn", call.agent, t, **named, **of)
        elif resumed:
            new_task = any(back.at < call.at for back in resumed.returns)
            event = self._write("delegate" if new_task else "message", call.agent, t, to=resumed.id, **of)
            self._then(event, resumed.id, call.at, "causal" if new_task else "message")
            answer = next((back for back in resumed.returns if back.at > call.at), None)
            if answer and resumed.id not in self.plan.turns:
                self.links.append(lambda: self.builder.link(event, self.returns[id(answer)], "causal"))
        elif call.tool in WRITING and not_failed(call):
            self._message(call, t, of)
            return
        else:
            event = self._write(
                "tool_call",
                call.agent,
                t,
                tool=call.tool,
                parent=of["parent"],
                waits_for=self._waits_for(call),
                **call.given.whole,
            )
        self.call_events[call.id] = event
        self._of_turn(call, event)

    def _waits_for(self, call: Call) -> str | None:
        """Return whom a call waits for, if it does nothing else: a person, or a sub-agent in the background.

        A command that sleeps while a sub-agent of the same agent is at work waits for it.
        """
        if asks(call.tool):
            return "people"
        if call.tool in SPAWNING:  # it failed at once, or a person interrupted an agent of which nothing else is known
            alone = call.result is not None and call.result.interrupted
            self.builder.lost("interrupted sub-agents of which the log has nothing but the call", alone)
            return "agents" if alone else None
        if call.tool in ASKING:
            known = task_of(call) in self.children or task_of(call) in self.told
            return "agents" if known else "tool"
        if call.given.sleeps and any(
            child.parent == call.agent and child.spawned and child.spawned < call.at < self._ends(child)
            for child in self.children.values()
        ):
            return "agents"
        return None

    def _ends(self, child: Child) -> When:
        """Return when a sub-agent returned or was stopped; never, if the log does not say so."""
        ends = [back.at for back in child.returns] + ([child.cut[0]] if child.cut else [])
        return max(ends, default=(float("inf"), 0))

    def _of_turn(self, call: Call, event: str) -> None:
        if not self.builder[event].parent:  # after a clock jump a call may precede its turn
            self.links.append(lambda: self.builder.amend(event, parent=self.turn_events[call.turn.id]))
        self.links.append(lambda: self.builder.link(self.turn_events[call.turn.id], event, "causal"))

    def _message(self, call: Call, t: float, of: dict[str, str | None]) -> None:
        """Write a message to one or all teammates; any other kind of message belongs to the protocol."""
        to, kind = receiver_of(call), text(call.given.names.get("type"))
        names = list(self.team) if kind == "broadcast" or to == EVERYBODY else [to] if to else []
        plain = kind in (None, "message", "broadcast") and not call.given.coded
        if not names:
            self.builder.lost("messages whose receiver is not in the log")
        for name in names:
            receiver = self._instance(name, call.at)
            event = self._write("message", call.agent, t, to=receiver, protocol=None if plain else True, **of)
            self._of_turn(call, event)
            self._then(event, receiver, call.at, "message")

    def _instance(self, name: str, at: When) -> str:
        """Return the instance of a teammate; the name itself if its spawn is in another log or still to come."""
        known = self.team.get(name) or self.children.get(name)
        if known and (not known.spawned or known.spawned <= at):
            return known.id
        if known is None:
            self.builder.agent(name, name=name)
        return known.name or name if known else name

    def _result(self, call: Call, result: Result) -> None:
        person = self._person(call, result)
        if call.id in self.spawning or call.id in self.plan.tasks or (call.tool in WRITING and not_failed(call)):
            return
        t = self._at(call.agent, result.at[0])
        status = None if result.status == "ok" else result.status
        rule = self._write("safety_event", call.agent, t, status=status, tool=call.tool) if result.denied else None
        known = self.call_events.get(call.id)
        event = self._write("tool_result", call.agent, t, tool=call.tool, status=status, parent=known, **result.output)

        def draw() -> None:
            asked = self.call_events[call.id]
            if asked != known:
                self.builder.amend(event, parent=asked)
            self.builder.link(asked, event, "tool_dependency")
            for between, type in ((person, "causal"), (rule, "safety_flow")):
                if between:
                    self.builder.link(asked, between, "causal")
                    self.builder.link(between, event, type)

        self.links.append(draw)

    def _person(self, call: Call, result: Result) -> str | None:
        """Write the act of a person behind a result: an answer, an approval, a refusal, an interruption."""
        answered = asks(call.tool) and result.status == "ok"
        if not (result.by_person or answered):
            return None
        if result.status == "cancelled" and call.agent != MAIN and self.main_cut_short:
            return None  # the main log records the same act
        key = (call.id, "answer") if answered else (call.turn.id, result.status)
        if key not in self.people:
            t, status = self._at(call.agent, result.at[0]), None if answered else result.status
            self.people[key] = self._write(
                "human_intervention", "user", t, to=call.agent, status=status, **result.output
            )
            self._then(self.people[key], call.agent, result.at, "causal")
        return self.people[key]

    def _external_input(self, external: ExternalInput) -> None:
        t, to = self._at(external.agent, external.at[0]), external.agent
        if external.kind == "message":
            writer = self.team.get(external.sender) or self.children.get(external.sender)
            at = max(external.at, writer.spawned) if writer and writer.spawned else external.at
            sender = self._instance(external.sender, at)
            event = self._write("message", sender, at[0], to=to, protocol=external.coded or None, **external.words)
            self._then(event, to, at, "message")
        elif external.at == self.first_prompt:
            event = self._write("message", "user", t, to=to, **external.words)
            self._then(event, to, external.at, "message")
        elif external.agent == MAIN or not self.main_cut_short:
            status = "cancelled" if external.kind == "interruption" else None
            event = self._write("human_intervention", "user", t, to=to, status=status, **external.words)
            self._then(event, to, external.at, "causal")

    def _compaction(self, entry: Entry) -> None:
        event = self._write("compaction", entry.agent, self._at(entry.agent, entry.t))
        before = self.facts.by_record.get(text(entry.fields.get("logicalParentUuid")) or "")
        if before and before.at < (entry.t, entry.place):
            known = self.turn_events if isinstance(before, Turn) else self.call_events
            self.links.append(lambda: self.builder.link(known.get(before.id), event, "temporal"))

    def _compactions_elsewhere(self) -> None:
        """Write compactions that only internal logs record."""
        if self.facts.compactions or self.session.time != "seconds":
            return
        for t in self.session.compaction_logs:
            if t is None:
                self.builder.lost("compactions without a time")
            else:
                self._write("compaction", MAIN, t)

    def _prevention(self, entry: Entry) -> None:
        """Write the stop by a hook that prevented the run from continuing."""
        event = self._write("safety_event", entry.agent, self._at(entry.agent, entry.t), status="rejected")
        self._then(event, entry.agent, (entry.t, entry.place), "safety_flow")

    def _return(self, child: Child, back: Return) -> None:
        event = self._write(
            "return",
            child.id,
            self._at(child.id, back.at[0]),
            to=child.parent,
            status=None if back.status == "ok" else back.status,
            tokens=back.tokens,
            tool_calls=None if child.id in self.plan.turns else back.tool_calls,
            **back.output,
        )
        self.returns[id(back)] = event
        reader, together = self.plan.readers.get(id(back)), self.plan.together.get(id(back))
        if together:
            self.links.append(
                lambda: self.builder.link(event, self.turn_events[together.id], "aggregate", derived=True)
            )
        if reader is None:
            self.links.append(lambda: self.builder.link(event, None, "return"))
        elif reader is not together:
            self.links.append(lambda: self.builder.link(event, self.turn_events[reader.id], "return", derived=True))

    def _lifecycle(self, child: Child) -> None:
        """Link the spawn of a sub-agent to its first act, and write its end."""
        own = child.id in self.plan.turns
        spawn = self.call_events.get(child.call.id) if child.call else self.spawns_in_workflows.get(child.id)
        self.builder.lost("sub-agents whose spawning call is missing", spawn is None)
        self.builder.lost("sub-agents whose own log is missing", not own)
        first = self.first.get(child.id)
        if first:
            type = "causal" if self.builder[first].type == "return" else "spawn"
            self.links.append(lambda: self.builder.link(spawn, first, type, derived=not child.exact))
        if not child.is_over:
            self.builder.lost("sub-agents whose end is not in the log", not child.teammate)
            return
        end, status = child.cut or (child.returns[-1].at, child.returns[-1].status)
        t = max(self._at(child.id, end[0]), self.last.get(child.id, 0.0))
        event = self._write("despawn", child.id, t, status=None if status == "ok" else status)
        if child.cut is None:
            last = self.returns[id(child.returns[-1])]
            self.links.append(lambda: self.builder.link(last, event, "causal"))
        elif first is None:
            self.links.append(lambda: self.builder.link(spawn, event, "causal"))
        if child.call and (person := self.people.get((child.call.turn.id, status))):
            self.links.append(lambda: self.builder.link(person, event, "causal"))

    def _spawn_in_workflow(self, child: Child, workflow: Call, at: When) -> None:
        """Write a spawn by the script of a workflow; the log has no closer time than the agent's first record."""
        event = self._write("spawn", workflow.agent, at[0], to=child.id, role=child.role, agent_name=child.name)
        self.spawns_in_workflows[child.id] = event
        self.links.append(lambda: self.builder.link(self.call_events[workflow.id], event, "causal", derived=True))

    def _stop(self) -> None:
        """Write the end of the run, if the main agent finished and nothing happened afterwards."""
        turns = self.plan.turns.get(MAIN)
        if not turns or any(call.result is None for call in turns[-1].calls):
            return
        last, end = turns[-1], max([turns[-1].end, *(call.result.at[0] for call in turns[-1].calls if call.result)])
        finished = self.facts.finished
        failed_since = any(agent == MAIN and at > last.at for agent, at in self.facts.failures)
        if finished is None and (last.calls or last.failed or failed_since):
            return
        t = max(end, finished.t) if finished else end
        if any(later > t for later in self.last.values()):
            return
        fields = finished.fields if finished else {}
        failed = flag(fields.get("is_error")) or (text(fields.get("subtype")) or "").startswith("error")
        event = self._write("stop", MAIN, t, decision=["O5"], status="error" if failed else None)
        self.links.append(lambda: self.builder.link(self.turn_events[last.id], event, "causal"))
        if (cost := number(fields.get("total_cost_usd"))) is not None and cost >= 0:
            self.builder.costs["usd"] = cost

    def _describe(self) -> None:
        if MAIN in self.first or any(entry.agent == MAIN for entry in self.session.entries):
            self.builder.agent(MAIN, model=self.facts.models.get(MAIN))
        for child in self.children.values():
            self.builder.agent(child.id, name=child.name, role=child.role, model=child.model)
        for what, count in (self.session.lost + self.facts.lost).items():
            self.builder.lost(what, count)
