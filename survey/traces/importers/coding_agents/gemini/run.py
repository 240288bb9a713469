"""One run, from the conversations of its agents."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.coding_agents.gemini.sessions import (
    Session,
    Team,
    answers_a_call,
    at,
    response,
    words,
)
from survey.traces.importers.json_values import Fields, flag, instance, items, mapping, number, text, tokens
from survey.traces.importers.waiting import asks
from survey.traces.model import Builder, Content, Trace

MAIN = "main"
DELEGATING = "invoke_agent"
TURNS = ("orchestrator_decision", "aggregate", "model_call")
PROGRAM = ("<session_context>", "<hook_context>", "/", "?")
"""How texts begin that the program puts in place of a person's, or that are commands to it."""

FINISHED = re.compile(r"Subagent '?[\w.-]{1,100}'? (?:finished|failed)", re.IGNORECASE)
"""How the result of a sub-agent begins in versions that do not say more about it."""

DEEPEST = 50
"""How far sub-agents of sub-agents are followed; the program allows one level."""

ENDS = {"error": "error", "cancelled": "cancelled"}
"""States and statuses of calls that did not succeed."""

REASONS = {"TIMEOUT": "timeout", "ABORTED": "cancelled", "GOAL": None, None: None}
"""Reasons why a sub-agent ended, and how it returned; any other one is an error."""


@dataclass(eq=False)
class Member:
    """An agent while its conversation is read."""

    id: str
    cause: float
    last: float
    turn: str | None = None
    turns: list[str] = field(default_factory=list)
    calls: bool = False
    """Whether its latest turn asks for calls."""
    prompted: bool = False
    depth: int = 0
    waiting: list[tuple[str, str]] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    """Returns that its next turn reads."""


@dataclass
class Delegation:
    """A call that ran a sub-agent."""

    call: Fields
    child: Member
    session: Session | None
    done: float
    """When the calls of the turn were done."""


class Run:
    """A builder of the trace of a team."""

    def __init__(self, team: Team, content: Content) -> None:
        self._team = team
        messages = [message for session in (team.root, *team.children) for message in session.messages]
        stamps = [at(message) for message in messages]
        timed = [stamp for stamp in stamps if stamp is not None]
        self._timed = bool(timed)
        self._start = min(timed, default=0.0)
        self._place = 0.0
        self._children = {session.id: session for session in team.children if session.id != team.root.id}
        self._unnamed = [session for session in team.children if session.id == team.root.id]
        self._agents = {MAIN}
        self._builder = Builder(
            team.root.id,
            team.root.id,
            importer="gemini",
            system="gemini-cli",
            time="ordinal" if not timed else "seconds" if len(timed) == len(stamps) else "mixed",
            content=content,
            experimental=True,
        )

    def trace(self) -> Trace | None:
        """Return the trace of the run; None if no model said anything."""
        sessions = (self._team.root, *self._team.children)
        if not any(message.get("type") == "gemini" for session in sessions for message in session.messages):
            return None
        root = Member(MAIN, self._start, self._start)
        self._builder.agent(MAIN)
        self._tell(self._team.root, root)
        for session in [*self._children.values(), *self._unnamed]:
            self._tell_alone(session, root)
        for session in sessions:
            for what, count in session.lost.items():
                self._builder.lost(what, count)
        if root.turn and not root.calls:
            self._write(root, "stop", root.last, decision=["O5"])
        return self._builder.build()

    def _write(self, member: Member, type: str, t: float, until: float | None = None, **fields: Any) -> str:
        ends = until if self._timed and until is not None and until > t else None
        id = self._builder.event(type, member.id, t if self._timed else None, t_end=ends, **fields)
        if member.waiting and (type in TURNS or member.waiting[0][1] == "spawn"):
            for src, edge in member.waiting:
                edge = "causal" if edge == "spawn" and type == "return" else edge
                self._builder.link(src, id, edge, derived=edge != "spawn")
            member.waiting = []
        member.last = max(member.last, t if until is None else until)
        return id

    def _moment(self, message: Fields, before: float) -> float:
        """Return when a record was written: not before what it follows; in a run without times, its place."""
        stamp = at(message)
        return before if stamp is None else max(stamp, before)

    # conversations

    def _tell(self, session: Session, member: Member) -> None:
        """Write the events of a conversation."""
        for message in session.messages:
            t = self._moment(message, max(member.last, member.cause))
            if message.get("type") == "compaction":
                self._write(member, "compaction", t)
                member.cause = member.last
            elif message.get("type") == "gemini":
                self._speak(message, member, t)
            elif not answers_a_call(message):
                self._prompt(message, member, t)

    def _tell_alone(self, session: Session, root: Member) -> None:
        """Write the conversation of a sub-agent that no call names."""
        first = next((stamp for message in session.messages if (stamp := at(message)) is not None), root.last)
        t = max(first, self._start)
        before = [turn for turn in root.turns if not self._timed or self._builder[turn].t <= t]
        child = self._spawn(session.id, root, t, before[-1] if before else None, derived=True)
        self._tell(session, child)
        if child.turn and not child.calls:
            self._write(child, "return", child.last, to=root.id)

    def _prompt(self, message: Fields, member: Member, t: float) -> None:
        """Write a message of a person; the first of a sub-agent is the task in its spawn."""
        said = words(message.get("content"))
        first, member.prompted = not member.prompted, True
        if member.id != MAIN:
            spawn = next((src for src, edge in member.waiting if edge == "spawn"), None)
            if first and spawn and self._builder[spawn].content_ref is None:
                self._builder.amend(spawn, **self._builder.content.fields(said))
            elif not first:
                self._builder.lost("messages of the program")
        elif (said or "").lstrip().startswith(PROGRAM):
            member.prompted = not first
            self._builder.lost("messages of the program")
            return
        else:
            type, edge = ("message", "message") if first and not member.turn else ("human_intervention", "causal")
            event = self._builder.event(type, "user", t if self._timed else None, to=MAIN, text=said)
            member.waiting.append((event, edge))
        member.cause = t

    def _speak(self, message: Fields, member: Member, t: float) -> None:
        """Write a turn and its calls. A message without words, thoughts and tokens has calls of the turn before."""
        calls = [call for each in items(message.get("toolCalls")) if (call := mapping(each))]
        used = _usage(mapping(message.get("tokens")))
        said, thoughts = words(message.get("content")), items(message.get("thoughts"))
        if not (said or thoughts or sum((used or {}).values())):
            if not calls:
                self._builder.lost("messages without text")
                return
            if member.turn is None:
                self._take_turn(message, member, t, t, calls)
        else:
            done = self._end(message, member, t, thoughts, calls if not said else [])
            self._take_turn(message, member, min(member.cause, done), done, calls)
        member.calls = bool(calls)
        self._call(member, calls, t)

    def _end(self, message: Fields, member: Member, t: float, thoughts: list[Any], calls: list[Fields]) -> float:
        """Return when a turn ended. One without words may be dated when its calls were done: its thoughts were earlier.

        Nothing says when a turn without words and thoughts ended.
        """
        if not any(at(call) is not None and at(call) <= t for call in calls):  # type: ignore[operator]
            return t
        seen = [stamp for thought in thoughts if (stamp := at(mapping(thought))) is not None]
        return max(member.cause, min(max(seen, default=t), t))

    def _take_turn(self, message: Fields, member: Member, begun: float, done: float, calls: list[Fields]) -> None:
        read, member.returned = member.returned, []
        codes = ["O1", "O2"] if any(map(_delegates, calls)) else None
        type = "orchestrator_decision" if codes else "aggregate" if read else "model_call"
        model = text(message.get("model"))
        self._builder.agent(member.id, model=model)
        member.turn = self._write(
            member,
            type,
            begun,
            done,
            text=words(message.get("content")),
            decision=codes or (["O4"] if read else None),
            tokens=_usage(mapping(message.get("tokens"))),
            model=model,
        )
        member.turns.append(member.turn)
        for event in read:
            self._builder.link(event, member.turn, "aggregate" if type == "aggregate" else "return")

    # calls

    def _call(self, member: Member, calls: list[Fields], t: float) -> None:
        """Write the calls of a turn, then their results.

        The log dates all of them when the last one is done. Beside a sub-agent that says nothing about a tool.
        """
        made: list[tuple[Fields, str]] = []
        delegations: list[Delegation] = []
        begun = member.last
        for call in calls:
            done = self._moment(call, max(begun, t))
            if _delegates(call):
                delegations.append(self._delegate(call, member, begun, done))
                continue
            tool = text(call.get("name"))
            waits = "people" if asks(tool) else None
            event = self._write(member, "tool_call", begun, tool=tool, parent=member.turn, waits_for=waits)
            self._builder.link(member.turn, event, "causal")
            made.append((call, event))
        for delegation in delegations:
            self._work(delegation, member)
        for call, event in made:
            status = text(call.get("status"))
            if status not in ("success", *ENDS):
                continue
            done = begun if delegations else self._moment(call, max(begun, t))
            self._builder.lost("times of results, set to those of their calls", int(bool(delegations) and self._timed))
            result = self._write(
                member, "tool_result", done, parent=event, text=response(call), status=ENDS.get(status)
            )
            self._builder.link(event, result, "tool_dependency")
            member.cause = max(member.cause, done)
        for delegation in delegations:
            member.cause = max(member.cause, delegation.done)

    def _delegate(self, call: Fields, member: Member, t: float, done: float) -> Delegation:
        """Write the spawn of a sub-agent."""
        arguments, shown = mapping(call.get("args")), mapping(call.get("resultDisplay"))
        agent = text(call.get("agentId"))
        deep = member.depth >= DEEPEST
        session = self._children.pop(agent, None) if agent and not deep else None
        if session is None and not agent and not deep:
            session = self._fitting(t, done)
        tool = text(call.get("name"))
        role = text(arguments.get("agent_name")) or text(shown.get("agentName")) or tool
        task = text(arguments.get("prompt")) or text(arguments.get("objective"))
        fallback = agent or text(call.get("id")) or f"{role}-{len(self._agents)}"
        child = self._spawn(fallback, member, t, member.turn, role=role, tool=tool, text=task)
        return Delegation(call, child, session, done)

    def _fitting(self, t: float, done: float) -> Session | None:
        """Return a conversation without a name of its own that lies within a call; there was no other way to tell."""
        for session in self._unnamed:
            stamps = [stamp for message in session.messages if (stamp := at(message)) is not None]
            if stamps and t <= min(stamps) and max(stamps) <= done:
                self._unnamed.remove(session)
                return session
        return None

    def _spawn(
        self, agent: str, parent: Member, t: float, cause: str | None, derived: bool = False, **fields: Any
    ) -> Member:
        id = instance(agent) or agent
        while id in self._agents:
            id += "'"
        self._agents.add(id)
        event = self._write(parent, "spawn", t, to=id, **fields)
        if cause:
            self._builder.link(cause, event, "causal", derived=derived)
        self._builder.agent(id, role=fields.get("role"))
        return Member(id, t, t, depth=parent.depth + 1, waiting=[(event, "spawn")])

    def _work(self, delegation: Delegation, member: Member) -> None:
        """Write what a sub-agent did, and its return: with its last act if the log has its acts."""
        child, call = delegation.child, delegation.call
        if delegation.session:
            self._tell(delegation.session, child)
        else:
            self._builder.lost("sub-agents whose own records are missing")
        if text(call.get("status")) not in ("success", *ENDS):
            return
        ended = child.last if delegation.session and child.turn else max(child.last, delegation.done)
        event = self._write(child, "return", ended, to=member.id, status=_outcome(call), text=response(call))
        member.returned.append(event)
        delegation.done = max(delegation.done, ended)


def _delegates(call: Fields) -> bool:
    """Return whether a call ran a sub-agent."""
    if text(call.get("agentId")) or call.get("name") == DELEGATING:
        return True
    return flag(mapping(call.get("resultDisplay")).get("isSubagentProgress")) or bool(
        FINISHED.match(response(call) or "")
    )


def _outcome(call: Fields) -> str | None:
    """Return how a sub-agent returned: the call itself succeeds whatever became of the agent."""
    shown = mapping(call.get("resultDisplay"))
    for word in (text(call.get("status")), text(shown.get("state"))):
        if word in ENDS:
            return ENDS[word or ""]
    reason = text(shown.get("terminateReason"))
    return REASONS.get(reason, "error")


def _usage(used: Fields) -> dict[str, float] | None:
    """Return the tokens of a call by kind; the prompt includes cached tokens, the output excludes thoughts."""
    prompt, cached, thoughts = number(used.get("input")), number(used.get("cached")), number(used.get("thoughts"))
    fresh = None if prompt is None else prompt - cached if cached and 0 < cached <= prompt else prompt
    extra, output = number(used.get("tool")), number(used.get("output"))
    return tokens(
        input=fresh + extra if fresh is not None and extra and extra > 0 else fresh,
        output=output + thoughts if output is not None and thoughts and thoughts > 0 else output,
        cache_read=cached,
        reasoning=thoughts,
    )
