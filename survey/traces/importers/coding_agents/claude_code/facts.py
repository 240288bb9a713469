"""The facts of a session, from its entries: turns, calls with results, and external inputs.

A fact joins all records about one act; the trace is written later.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from survey.traces.importers.coding_agents.claude_code.session import MAIN, Entry, Session, instance
from survey.traces.importers.coding_agents.claude_code.summaries import (
    NEVER,
    Given,
    Notice,
    RecordSummary,
    Result,
    UserText,
    When,
    Words,
    texts_of,
)
from survey.traces.importers.json_values import flag, items, mapping, number, text
from survey.traces.model import FEW_TOKENS

MOST_CHARACTERS = 16
"""Characters of a token at most, on average over a turn: English text has four, code fewer, runs of blanks more."""

PLACEHOLDER = "<synthetic>"
"""The model of a record that no model has written: an error, or a remark of the program."""

CAUSES = frozenset({"user", "attachment"})
"""Kinds of records that an agent answers."""

COMPACTIONS = frozenset({"compact_boundary", "microcompact_boundary"})


@dataclass
class Turn:
    """One generation of a model, from all records with its message id."""

    id: str
    agent: str
    at: When
    """When its first record was written: the end of its first block."""
    end: float
    begun: When = NEVER
    """When its cause was there."""
    usage: dict[str, float] = field(default_factory=dict)
    written_records: list[Entry] = field(default_factory=list)
    """The records with text, which is read again when the turn is written."""
    calls: list[Call] = field(default_factory=list)
    failed: bool = False
    written: int = 0
    """Characters that its records hold."""
    model: str | None = None

    @property
    def text(self) -> str:
        """The text of the turn, without the repetitions in records of a growing message."""
        texts: list[str] = []
        for entry in self.written_records:
            for passage in texts_of(entry.fields):
                if passage not in texts[-8:]:
                    texts.append(passage)
        return "\n".join(texts)


@dataclass
class Call:
    """A tool call, and its result if there is one."""

    id: str
    tool: str | None
    given: Given
    agent: str
    at: When
    turn: Turn
    result: Result | None = None


@dataclass(frozen=True)
class ExternalInput:
    """An external input to an agent: a prompt, an interruption, or a message of a teammate."""

    kind: str
    agent: str
    at: When
    words: Words
    sender: str = ""
    coded: bool = False
    """Whether it is JSON, as in the protocol."""


@dataclass
class Facts:
    """All acts of a session."""

    turns: list[Turn] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    external_inputs: list[ExternalInput] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    causes: dict[str, list[When]] = field(default_factory=lambda: defaultdict(list))
    """For each agent, when something was there that it could answer: a prompt, a result, a message, a summary."""
    queued: list[When] = field(default_factory=list)
    """When notices for the main agent were queued."""
    compactions: list[Entry] = field(default_factory=list)
    prevented: list[Entry] = field(default_factory=list)
    """Stops by hooks that prevented the run from continuing."""
    failures: list[tuple[str, When]] = field(default_factory=list)
    """Requests to the model that failed, with the agents that made them."""
    started: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """In a stream: the instance and its type, by the call that started it."""
    finished: Entry | None = None
    """The last ``result`` record of a stream."""
    models: dict[str, str] = field(default_factory=dict)
    """The model of each agent's first turn."""
    tasks: dict[str, str] = field(default_factory=dict)
    """The hash of the first text for each agent."""
    by_record: dict[str, Turn | Call] = field(default_factory=dict)
    """The turn or the answered call of a record, by the record's id."""
    lost: Counter[str] = field(default_factory=Counter)


def facts_of(session: Session) -> Facts:
    """Return the facts of a session."""
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
        self._latest: dict[str, Turn] = {}
        self._queue: deque[list[Notice]] = deque()
        self._refused: set[str] = set()
        """Agents whose last record was a call that a person refused or interrupted."""
        self._counted_texts: set[str | None] = set()
        self._counted_losses: set[str | None] = set()
        """Records whose losses are already counted: a turn may be repeated."""

    def take(self, entry: Entry) -> None:
        summary = entry.summary
        if summary.lost:
            self._count_losses(summary)
        if summary.kind in CAUSES:
            self.facts.causes[entry.agent].append((entry.t, entry.place))
        if summary.kind == "assistant":
            self._assistant(entry, summary)
        elif summary.kind == "system":
            self._system(entry, summary.fields)
        elif summary.kind == "queue-operation":
            self._queued((entry.t, entry.place), summary)
        elif summary.kind == "result":
            self.facts.finished = entry
        for id, result in summary.results:
            result.at = entry.t, entry.place
            self._results.append((id, summary.id, result))
            if result.by_person:
                self._refused.add(entry.agent)
        if summary.user_text and summary.kind != "queue-operation":
            self._user_text(entry.agent, (entry.t, entry.place), summary.user_text)

    def _count_losses(self, summary: RecordSummary) -> None:
        if summary.id is None or summary.id not in self._counted_losses:
            self.facts.lost.update(summary.lost)
            self._counted_losses.add(summary.id)

    def _assistant(self, entry: Entry, summary: RecordSummary) -> None:
        self._refused.discard(entry.agent)
        named, model, usage = summary.message
        if model == PLACEHOLDER and not any(usage.values()) and not summary.calls:
            if summary.failed:
                self.facts.lost["requests to the model that failed, without a turn"] += 1
                self.facts.failures.append((entry.agent, (entry.t, entry.place)))
            else:
                self.facts.lost["placeholders of the program"] += 1
            if summary.id and entry.agent in self._latest:  # what follows the placeholder follows the turn before it
                self.facts.by_record[summary.id] = self._latest[entry.agent]
            return
        id = named or f"record {entry.place}"
        turn = self._turns.get(id)
        if turn is None:
            turn = self._turns[id] = Turn(id, entry.agent, (entry.t, entry.place), entry.t)
            self.facts.turns.append(turn)
        self._latest[entry.agent] = turn
        turn.end = max(turn.end, entry.t)
        if summary.id:
            self.facts.by_record[summary.id] = turn
        turn.failed |= summary.failed
        turn.written += summary.written if summary.id not in self._counted_texts else 0
        self._counted_texts.add(summary.id)
        if model and model != PLACEHOLDER:
            self.facts.models.setdefault(turn.agent, model)
            turn.model = turn.model or model
        # The records of a message repeat its usage while it grows: the largest count of a kind is the last one.
        for kind, count in usage.items():
            turn.usage[kind] = max(count, turn.usage.get(kind, 0))
        if summary.speaks:
            turn.written_records.append(entry)
        for call, tool, given in summary.calls:
            if call is None:
                self.facts.lost["tool calls without an id"] += 1
            elif call not in self.facts.calls:
                self.facts.calls[call] = Call(call, tool, given, turn.agent, (entry.t, entry.place), turn)
                turn.calls.append(self.facts.calls[call])

    def _user_text(self, agent: str, at: When, user_text: UserText) -> None:
        """Classify a user message: from a person, the program or a teammate, or an interruption."""
        if user_text.notices or user_text.notifies:
            self.facts.notices += [replace(notice, at=at) for notice in user_text.notices]
        elif user_text.messages:
            self.facts.external_inputs += [
                ExternalInput("message", agent, at, words, sender, coded) for sender, words, coded in user_text.messages
            ]
        elif user_text.interrupts:
            # The result of the interrupted call has the same text: both record one act of the person.
            if agent not in self._refused:
                self.facts.external_inputs.append(ExternalInput("interruption", agent, at, user_text.words))
        elif user_text.injected:
            return
        elif agent == MAIN:
            self.facts.external_inputs.append(ExternalInput("prompt", agent, at, user_text.words))
        elif user_text.words:
            self.facts.tasks.setdefault(agent, user_text.words["content_ref"])

    def _system(self, entry: Entry, fields: Mapping[str, Any]) -> None:
        subtype = text(fields.get("subtype"))
        call = text(fields.get("tool_use_id"))
        if subtype in COMPACTIONS:
            self.facts.compactions.append(entry)
        elif subtype == "stop_hook_summary" and flag(fields.get("preventedContinuation")):
            self.facts.prevented.append(entry)
            self.facts.causes[entry.agent].append((entry.t, entry.place))
        elif subtype == "task_started" and call and (agent := instance(fields.get("task_id"))):
            self.facts.started[call] = (agent, text(fields.get("task_type")))
        elif subtype == "task_notification" and (agent := instance(fields.get("task_id"))):
            spent = number(mapping(fields.get("usage")).get("total_tokens"))
            status = text(fields.get("status")) or "completed"
            self.facts.notices.append(Notice((entry.t, entry.place), agent, status, call, spent, seen=True))

    def _queued(self, at: When, summary: RecordSummary) -> None:
        """Track queued notices; a removal does not name its notice, so the oldest is taken."""
        operation = summary.fields.get("operation")
        if operation == "enqueue":
            self.facts.queued.append(at)
            notices = [replace(notice, at=at) for notice in (summary.user_text.notices if summary.user_text else [])]
            self.facts.notices += notices
            self._queue.append(notices)
            return
        self.facts.causes[MAIN].append(at)  # what leaves the queue is put before the model
        taken = len(self._queue) if operation == "popAll" else 1 if operation in ("remove", "dequeue") else 0
        for _ in range(min(taken, len(self._queue))):
            self.facts.notices += [replace(notice, at=at, seen=True) for notice in self._queue.popleft()]

    def join(self) -> None:
        """Assign results to calls; done last, because a clock that jumps back puts results before their calls."""
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
        self.facts.lost[FEW_TOKENS] += sum(
            turn.written > MOST_CHARACTERS * turn.usage.get("output", 0) for turn in self.facts.turns if turn.usage
        )
        self.facts.turns.sort(key=lambda turn: turn.at)
