"""What happened in a session, from its entries: turns, calls with their results, and what came from outside.

Nothing is a trace yet; facts only join what several records say about one thing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from survey.traces.importers.claude_code.session import MAIN, Entry, Session, instance
from survey.traces.importers.claude_code.summaries import Gist, Given, Notice, Result, Said, When, Words, spoken
from survey.traces.importers.json_values import flag, items, mapping, number, text

COMPACTIONS = frozenset({"compact_boundary", "microcompact_boundary"})


@dataclass
class Turn:
    """One generation of a model, from all the records that carry its message id."""

    id: str
    agent: str
    at: When
    end: float
    usage: dict[str, float] = field(default_factory=dict)
    told: list[Entry] = field(default_factory=list)
    """The records with words in them; the words are read again when the turn is told."""
    calls: list[Call] = field(default_factory=list)
    failed: bool = False

    @property
    def text(self) -> str:
        """What the model said, each thing once though records of a growing message repeat it."""
        texts: list[str] = []
        for entry in self.told:
            for said in spoken(entry.fields):
                if said not in texts[-8:]:
                    texts.append(said)
        return "\n".join(texts)


@dataclass
class Call:
    """A tool call, and its result once there is one."""

    id: str
    tool: str | None
    given: Given
    agent: str
    at: When
    turn: Turn
    result: Result | None = None


@dataclass(frozen=True)
class Remark:
    """Something that reached an agent from outside: a prompt, an interruption, a teammate's message."""

    kind: str
    agent: str
    at: When
    said: Words
    sender: str = ""
    coded: bool = False
    """Whether it is JSON, as the messages of the protocol are."""


@dataclass
class Facts:
    """Everything that happened in a session."""

    turns: list[Turn] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    compactions: list[Entry] = field(default_factory=list)
    prevented: list[Entry] = field(default_factory=list)
    """Stops of hooks that kept the run from going on."""
    started: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Of a stream: the instance and its type by the call that started it."""
    finished: Entry | None = None
    """The last ``result`` record of a stream."""
    models: dict[str, str] = field(default_factory=dict)
    """The model behind each agent's first turn."""
    tasks: dict[str, str] = field(default_factory=dict)
    """The hash of the first thing that an agent was told."""
    by_record: dict[str, Turn | Call] = field(default_factory=dict)
    """The turn or the answered call that a record belongs to, by the record's id."""
    lost: Counter[str] = field(default_factory=Counter)


def facts_of(session: Session) -> Facts:
    """The facts that a session's entries add up to."""
    reader = _Reader()
    for entry in session.entries:
        reader.take(entry)
    reader.join()
    return reader.facts


class _Reader:
    def __init__(self) -> None:
        self.facts = Facts()
        self._turns: dict[str, Turn] = {}
        self._results: list[tuple[str, str | None, Result]] = []
        self._queue: deque[list[Notice]] = deque()
        self._refused: set[str] = set()
        """Agents whose last record was a call that a person refused or cut short."""
        self._lossy: set[str | None] = set()
        """Records whose losses are counted: a turn may be told twice."""

    def take(self, entry: Entry) -> None:
        gist = entry.gist
        if gist.lost:
            self._lose(gist)
        if gist.kind == "assistant":
            self._assistant(entry, gist)
        elif gist.kind == "system":
            self._system(entry, gist.fields)
        elif gist.kind == "queue-operation":
            self._queued((entry.t, entry.place), gist)
        elif gist.kind == "result":
            self.facts.finished = entry
        for id, result in gist.results:
            result.at = entry.t, entry.place
            self._results.append((id, gist.id, result))
            if result.by_a_person:
                self._refused.add(entry.agent)
        if gist.said and gist.kind != "queue-operation":
            self._said(entry.agent, (entry.t, entry.place), gist.said)

    def _lose(self, gist: Gist) -> None:
        if gist.id is None or gist.id not in self._lossy:
            self.facts.lost.update(gist.lost)
            self._lossy.add(gist.id)

    def _assistant(self, entry: Entry, gist: Gist) -> None:
        self._refused.discard(entry.agent)
        named, model, usage = gist.message
        id = named or f"record {entry.place}"
        turn = self._turns.get(id)
        if turn is None:
            turn = self._turns[id] = Turn(id, entry.agent, (entry.t, entry.place), entry.t)
            self.facts.turns.append(turn)
        turn.end = max(turn.end, entry.t)
        if gist.id:
            self.facts.by_record[gist.id] = turn
        turn.failed |= gist.failed
        if model and model != "<synthetic>":
            self.facts.models.setdefault(turn.agent, model)
        # The records of a message repeat its usage while it grows: the largest count of a kind is the last one.
        for kind, count in usage.items():
            turn.usage[kind] = max(count, turn.usage.get(kind, 0))
        if gist.speaks:
            turn.told.append(entry)
        for call, tool, given in gist.calls:
            if call is None:
                self.facts.lost["tool calls without an id"] += 1
            elif call not in self.facts.calls:
                self.facts.calls[call] = Call(call, tool, given, turn.agent, (entry.t, entry.place), turn)
                turn.calls.append(self.facts.calls[call])

    def _said(self, agent: str, at: When, said: Said) -> None:
        """Sort out who speaks in a user's message: a person, the program, a teammate, or an interruption."""
        if said.notices or said.notifies:
            self.facts.notices += [replace(notice, at=at) for notice in said.notices]
        elif said.messages:
            self.facts.remarks += [
                Remark("message", agent, at, words, sender, coded) for sender, words, coded in said.messages
            ]
        elif said.interrupts:
            # The result of the call that was cut short has the same words: it was one act of one person.
            if agent not in self._refused:
                self.facts.remarks.append(Remark("interruption", agent, at, said.words))
        elif said.injected:
            return
        elif agent == MAIN:
            self.facts.remarks.append(Remark("prompt", agent, at, said.words))
        elif said.words:
            self.facts.tasks.setdefault(agent, said.words["content_ref"])

    def _system(self, entry: Entry, fields: Mapping[str, Any]) -> None:
        subtype = text(fields.get("subtype"))
        call = text(fields.get("tool_use_id"))
        if subtype in COMPACTIONS:
            self.facts.compactions.append(entry)
        elif subtype == "stop_hook_summary" and flag(fields.get("preventedContinuation")):
            self.facts.prevented.append(entry)
        elif subtype == "task_started" and call and (agent := instance(fields.get("task_id"))):
            self.facts.started[call] = (agent, text(fields.get("task_type")))
        elif subtype == "task_notification" and (agent := instance(fields.get("task_id"))):
            spent = number(mapping(fields.get("usage")).get("total_tokens"))
            status = text(fields.get("status")) or "completed"
            self.facts.notices.append(Notice((entry.t, entry.place), agent, status, call, spent, seen=True))

    def _queued(self, at: When, gist: Gist) -> None:
        """What waits for the model's attention; what leaves the queue names nothing, so the oldest goes first."""
        operation = gist.fields.get("operation")
        if operation == "enqueue":
            notices = [replace(notice, at=at) for notice in (gist.said.notices if gist.said else [])]
            self.facts.notices += notices
            self._queue.append(notices)
            return
        taken = len(self._queue) if operation == "popAll" else 1 if operation in ("remove", "dequeue") else 0
        for _ in range(min(taken, len(self._queue))):
            self.facts.notices += [replace(notice, at=at, seen=True) for notice in self._queue.popleft()]

    def join(self) -> None:
        """Give every call its result: after the pass, because a clock that jumps back puts results before calls."""
        for id, record, result in self._results:
            call = self.facts.calls.get(id)
            if call is None:
                self.facts.lost["tool results whose call is missing"] += 1
            elif call.result is not None:
                self.facts.lost["repeated tool results"] += 1
            else:
                call.result = result
                if record:
                    self.facts.by_record[record] = call
        finished = self.facts.finished.fields if self.facts.finished else {}
        for denial in map(mapping, items(finished.get("permission_denials"))):
            call = self.facts.calls.get(text(denial.get("tool_use_id")) or "")
            if call and call.result and call.result.status == "error":
                call.result.status, call.result.denied = "rejected", True
        self.facts.turns.sort(key=lambda turn: turn.at)
