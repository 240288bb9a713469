"""One run, from the lines of its session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from survey.traces.importers.coding_agents.copilot.lines import MAIN, SILENT, Line, Session
from survey.traces.importers.coding_agents.copilot.members import Member
from survey.traces.importers.coding_agents.copilot.team import Team
from survey.traces.importers.coding_agents.copilot.usage import compaction_tokens, totals, turn_tokens
from survey.traces.importers.json_values import Fields, flag, items, mapping, number, text
from survey.traces.importers.waiting import asks
from survey.traces.model import Content, Trace

READING, WRITING = "read_agent", "write_agent"
PEOPLE = ("user_initiated", "remote_command", "user_abort", "user initiated")
"""Reasons of an interruption that name a person."""

STATUSES = {"rejected": "rejected", "denied": "rejected", "timeout": "timeout"}
"""Codes of a failed call that say more than that it failed."""

LOSSES = {
    "session.error": "errors without an event",
    "model.call_failure": "errors without an event",
    "session.handoff": "handoffs between sessions",
    "session.snapshot_rewind": "turns that were rolled back, kept in the trace",
}
"""Kinds of line that a trace has no place for."""


class Run(Team):
    """A builder of the trace of a session, line by line."""

    def __init__(self, session: Session, content: Content) -> None:
        super().__init__(session, content)
        self._asked: dict[str, str] = {}
        """The turn that asks for a call."""
        self._spawned: dict[str, Member] = {}
        """The sub-agent whose spawn stands for a call."""
        self._results: set[str] = set()
        self._by_person: dict[str, str] = {}
        """Calls that a person made."""
        self._replies: dict[str, str] = {}
        """What a person said about a call."""
        self._uncounted = 0
        """Turns of which only the output is known."""
        self._shutdowns: list[Fields] = []
        self._takers: Mapping[str, Callable[[Line, Member], None]] = {
            "session.start": self._enter,
            "session.resume": self._enter,
            "session.model_change": self._enter,
            "session.shutdown": lambda line, _: self._shutdowns.append(line.data),
            "session.compaction_start": self._start_compaction,
            "session.compaction_complete": self._compact,
            "session.truncation": self._compact,
            "system.notification": self._notify,
            "user.message": self._prompt,
            "assistant.turn_start": self._start_turn,
            "assistant.message": self._take_turn,
            "assistant.usage": self._spend,
            "tool.user_requested": self._request,
            "tool.execution_start": self._call,
            "tool.execution_complete": self._answer,
            "permission.completed": self._decide,
            "subagent.selected": self._select,
            "subagent.started": self._start,
            "subagent.completed": self._finish,
            "subagent.failed": self._finish,
            "abort": self._interrupt,
        }

    def trace(self) -> Trace | None:
        """Return the trace of the session; None if no agent said anything."""
        for line in self.session.lines:
            if taker := self._takers.get(line.kind):
                taker(line, self.member(line.agent, line.at))
            elif line.kind in LOSSES:
                self.builder.lost(LOSSES[line.kind])
            elif line.kind not in SILENT:
                self.builder.lost("records of unknown kinds")
        self.builder.lost("lines that are not JSON objects", self.session.unreadable)
        self.builder.lost("records of unknown kinds", self.session.strangers)
        self.builder.lost("turns without input tokens", self._uncounted)
        if self.root.turn is None and not self.members:
            return None
        for member in self.members.values():
            if member.acted and member.answered:
                self.hand_back(member, member.last)
            self.builder.lost("sub-agents whose own records are missing", int(member.turn is None))
        if self.root.answered:
            end = max([self.root.last, *(member.last for member in self.members.values())])
            self.write(self.root, "stop", end, decision=["O5"])
        figures = totals(self._shutdowns)
        if figures:
            self.builder.head["metrics"] = figures
        self.builder.agent(MAIN, model=self.root.model)
        return self.builder.build()

    # what the program and people say

    def _enter(self, line: Line, _: Member) -> None:
        self.root.model = text(line.data.get("newModel")) or text(line.data.get("selectedModel")) or self.root.model

    def _select(self, line: Line, member: Member) -> None:
        self.builder.agent(member.id, role=text(line.data.get("agentName")))

    def _prompt(self, line: Line, member: Member) -> None:
        """Write a message to an agent: of a person to the main agent, else of another agent."""
        member.cause = line.at
        source, words = text(line.data.get("source")) or "user", text(line.data.get("content"))
        if member is not self.root:
            self._instruct(line, member, source, words)
        elif source != "user" or flag(line.data.get("isAutopilotContinuation")):
            self.builder.lost("messages of the program")
        else:
            self._intervene(line.at, words)

    def _instruct(self, line: Line, member: Member, source: str, words: str | None) -> None:
        """Take the prompt of a sub-agent, which repeats its spawn or a message to it, or else is a message."""
        sent = next((src for _, src, edge in member.waiting if edge in ("spawn", "message")), None)
        if sent is not None:
            if self.builder[sent].content_ref is None:
                self.builder.amend(sent, **self.builder.content.fields(words))
            return
        sender = self.named(source.removeprefix("agent-")) or member.parent or self.root
        if sender is not member:
            event = self.write(sender, "message", line.at, to=member.id, text=words)
            member.waiting.append((line.at, event, "message"))

    def _intervene(self, at: float, words: str | None = None) -> str:
        """Write an act of a person: first the task, then interventions."""
        first = self.root.turn is None and not self.root.waiting
        type, edge = ("message", "message") if first else ("human_intervention", "causal")
        t = at if self.timed else None
        event = self.builder.event(type, "user", t, to=MAIN, text=words)
        self.root.waiting.append((at, event, edge))
        return event

    def _interrupt(self, line: Line, member: Member) -> None:
        """Write the interruption of the main agent by a person."""
        if (text(line.data.get("reason")) or "user_initiated") not in PEOPLE:
            self.builder.lost("errors without an event")
        elif self.root.turn:
            event = self._intervene(line.at)
            self.builder.link(self.root.turn, event, "causal", derived=True)
        member.open.clear()

    def _request(self, line: Line, _: Member) -> None:
        """Write the wish of a person to run a tool."""
        if id := text(line.data.get("toolCallId")):
            self._by_person[id] = self._intervene(line.at)

    def _decide(self, line: Line, _: Member) -> None:
        """Write a refusal by a person; who granted a permission, a person or a rule, is not said."""
        id = text(line.data.get("toolCallId"))
        if mapping(line.data.get("result")).get("kind") != "denied-interactively-by-user" or id not in self.made:
            self.builder.lost("permissions without an event")
        elif id and id not in self._replies:
            self._reply(id, line.at, status="rejected")

    def _reply(self, id: str, at: float, **fields: Any) -> None:
        """Write what a person says about a call, of which its result is the effect."""
        maker, call, _ = self.made[id]
        event = self.builder.event("human_intervention", "user", at if self.timed else None, to=maker.id, **fields)
        self.builder.link(call, event, "causal")
        self._replies[id] = event

    def _notify(self, line: Line, member: Member) -> None:
        """Take the notice that a sub-agent is done."""
        member.cause = line.at
        kind = mapping(line.data.get("kind"))
        child = self.named(kind.get("agentId"))
        if child and kind.get("type") in ("agent_completed", "agent_idle"):
            self.read(member, child, line.at)

    def _start_compaction(self, line: Line, member: Member) -> None:
        member.compacting = line.at

    def _compact(self, line: Line, member: Member) -> None:
        begun, member.compacting = member.compacting, None
        self.write(
            member,
            "compaction",
            line.at if begun is None else begun,
            line.at,
            text=text(line.data.get("summaryContent")),
            tokens=compaction_tokens(mapping(line.data.get("compactionTokensUsed"))),
            status="error" if line.data.get("success") is False else None,
        )

    # turns

    def _start_turn(self, line: Line, member: Member) -> None:
        member.stated = line.at
        member.model = text(line.data.get("model")) or member.model

    def _take_turn(self, line: Line, member: Member) -> None:
        """Write a call of a model, or add a part to it: parts of one call share its id."""
        data = line.data
        key = text(data.get("apiCallId")) or text(data.get("messageId"))
        calls = [id for request in items(data.get("toolRequests")) if (id := text(mapping(request).get("toolCallId")))]
        if member.turn and key and key == member.key:
            self._extend(line, member)
        else:
            self._begin(line, member, calls)
        member.calls = bool(items(data.get("toolRequests"))) or (member.calls and key == member.key)
        member.key = key
        for id in calls:
            self._asked.setdefault(id, member.turn or "")

    def _begin(self, line: Line, member: Member, calls: list[str]) -> None:
        data, begun = line.data, member.begin(line.at)
        read = [event for at, event in member.reads if at <= begun]
        member.reads = [(at, event) for at, event in member.reads if at > begun]
        names = {text(mapping(request).get("name")) for request in items(data.get("toolRequests"))}
        codes = ["O1", "O2"] if any(id in self.session.children for id in calls) else []
        codes += ["O3"] if WRITING in names else []
        type = "orchestrator_decision" if codes else "aggregate" if read else "model_call"
        named = (text(data.get("model")), *map(self.session.model_of, calls))
        model = next(filter(None, named), member.model)
        if member.model is None and model:
            member.model = model
            self.builder.agent(member.id, model=model)
        member.words = [words] if (words := text(data.get("content"))) else []
        used = turn_tokens({"outputTokens": data.get("outputTokens")})
        member.turn = self.write(
            member,
            type,
            begun,
            line.at,
            text=text(data.get("content")),
            decision=codes or (["O4"] if read else None),
            tokens=used,
            model=model,
        )
        member.counted = False
        self._uncounted += 1
        for event in read:
            self.builder.link(event, member.turn, "aggregate" if type == "aggregate" else "return")

    def _extend(self, line: Line, member: Member) -> None:
        """Add a part to the latest turn; each part repeats the tokens of the whole."""
        assert member.turn
        turn = self.builder[member.turn]
        if (words := text(line.data.get("content"))) and words not in member.words:
            member.words.append(words)
        fields: dict[str, Any] = self.builder.content.fields("\n".join(member.words))
        used = turn_tokens({"outputTokens": line.data.get("outputTokens")}) or {}
        if used.get("output", 0) > turn.by_kind.get("output", 0):
            fields["tokens"] = {**turn.by_kind, **used}
        if self.timed and line.at > turn.end:
            fields["t_end"] = line.at
        self.builder.amend(member.turn, **fields)
        member.last = max(member.last, line.at)

    def _spend(self, line: Line, member: Member) -> None:
        """Take the tokens of a turn, which only the output of the program has, not the log on disk."""
        if member.turn is None or member.counted:
            self.builder.lost("token counts without a turn")
            return
        member.counted = True
        self._uncounted -= 1
        self.builder.amend(member.turn, tokens=turn_tokens(line.data))

    # calls

    def _call(self, line: Line, member: Member) -> None:
        id, tool = text(line.data.get("toolCallId")), text(line.data.get("toolName"))
        if id is None or id in self.made:
            self.builder.lost("calls without an id of their own")
            return
        arguments = mapping(line.data.get("arguments"))
        asking = self._by_person.get(id) or self._asked.get(id)
        cause, derived = asking or member.turn, not asking
        children = self.session.children.get(id, [])
        receiver = self.named(arguments.get("agent_id")) if tool == WRITING else None
        event = None
        if len(children) == 1 and children[0] not in self.members and id != line.agent:
            event = self.spawn(children[0], member, line.at, cause, arguments, tool, derived)
            self._spawned[id] = self.members[children[0]]
        elif receiver and receiver is not member and not self._failed(id):
            event = self.write(member, "message", line.at, to=receiver.id, text=text(arguments.get("message")))
            receiver.waiting.append((line.at, event, "message"))
            self._results.add(id)
        else:
            waits = "agents" if tool == READING else "people" if asks(tool) else None
            parent = cause if cause and cause != self._by_person.get(id) else None
            event = self.write(member, "tool_call", line.at, tool=tool, parent=parent, waits_for=waits)
            member.open.add(id)
        if cause and id not in self._spawned:
            self.builder.link(cause, event, "causal", derived=derived)
        self.made[id] = member, event, arguments

    def _failed(self, id: str) -> bool:
        return id in self.session.results and self.session.results[id].data.get("success") is False

    def _answer(self, line: Line, _: Member) -> None:
        """Write the result of a call, or the return of the sub-agent that the call started."""
        id = text(line.data.get("toolCallId")) or ""
        if id not in self.made:
            self.builder.lost("results of missing or already answered calls")
            return
        maker, call, arguments = self.made[id]
        maker.cause = max(maker.cause, line.at)
        maker.open.discard(id)
        told = mapping(mapping(line.data.get("toolTelemetry")).get("properties"))
        if id in self._spawned and id not in self._results:
            self._results.add(id)
            self._hand_over(line, maker, self._spawned[id], arguments, told)
        elif id not in self._results and call:
            self._results.add(id)
            words = text(mapping(line.data.get("result")).get("content"))
            if self.builder[call].waits_for == "people" and id not in self._replies and not self._failed(id):
                self._reply(id, line.at)
            result = self.write(maker, "tool_result", line.at, parent=call, text=words, status=_status(line.data))
            self.builder.link(call, result, "tool_dependency")
            if id in self._replies:
                self.builder.link(self._replies[id], result, "causal")
            child = self.named(told.get("agent_id"), arguments.get("agent_id"))
            if self.builder[call].tool == READING and child and told.get("status") != "running":
                self.read(maker, child, line.at, result)
        elif self.builder[call or ""].type != "message":
            self.builder.lost("results of missing or already answered calls")

    # sub-agents

    def _start(self, line: Line, member: Member) -> None:
        member.cause = max(member.cause, line.at)

    def _hand_over(self, line: Line, maker: Member, child: Member, arguments: Fields, told: Fields) -> None:
        """Take the result of the call that started a sub-agent: its answer, or the notice that it has started."""
        agent = next(agent for agent, member in self.members.items() if member is child)
        if name := text(told.get("agent_id")):
            self.names[name] = agent
        if self.session.outlives(agent, arguments, line):
            return
        words = text(mapping(line.data.get("result")).get("content"))
        if child.acted or not child.returned:
            self.hand_back(child, line.at, status=_status(line.data), text=words)
        else:
            self.builder.amend(child.returned[-1][1], **self.builder.content.fields(words))
        maker.reads.append((line.at, child.returned[-1][1]))

    def _finish(self, line: Line, member: Member) -> None:
        """Write the return of a sub-agent where the log says that it is done."""
        failed, cancelled = line.kind == "subagent.failed", flag(line.data.get("cancelled"))
        status = "error" if failed else "cancelled" if cancelled else None
        if member.returned and not member.acted:
            self.builder.amend(member.returned[-1][1], status=status)
            return
        spent = number(line.data.get("totalTokens")) if member.turn is None else None
        self.builder.agent(member.id, model=text(line.data.get("model")))
        self.hand_back(
            member,
            line.at,
            status=status,
            text=text(line.data.get("error")),
            tokens=spent if spent and spent > 0 else None,
        )


def _status(data: Fields) -> str | None:
    """Return how a call went."""
    if data.get("success") is not False:
        return None
    return STATUSES.get(text(mapping(data.get("error")).get("code")) or "", "error")
