"""Who&When: failed runs of two systems, each with the step that decided the failure.

The hand-crafted set holds runs of Magentic-One, where an orchestrator plans, delegates work and receives
results. The algorithm-generated set holds group chats of AG2, where every message reaches all participants and
a terminal runs the code in messages. Neither has times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from survey.traces.importers.json_values import Fields, items, mapping, number, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import OUTSIDE, Builder, Content, Trace

NAME = "who-and-when"
TERMINAL = "Computer_terminal"
ORCHESTRATOR = re.compile(
    r"(?P<name>Orchestrator)\s*+(?:\((?:->\s*+(?P<to>[^()]+)|(?P<aside>[^()]*))\)\s*)?", re.DOTALL
)
"""The roles of Magentic-One's orchestrator: "(thought)", "(-> WebSurfer)", "(termination condition)"."""


def recognises(log: Log) -> bool:
    """Return whether the first record has a history and a mistake."""
    with suppress(OSError, BadLog):
        return any(_is_run(record) for record in log.opening(1))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each run; a published file holds one, others hold a list or one on each line."""
    last: Builder | None = None
    strangers = 0
    for place, record in enumerate(log.objects(), 1):
        name = log.path.stem if place == 1 else f"{log.path.stem}:{place}"
        builder = _built(record, name, content) if _is_run(record) else None
        if builder is None:
            strangers += 1
            continue
        if last:
            yield last.build()
        last = builder
    if not last:
        raise BadLog(f"{log.path.name}: found no run (expected an object with history, mistake_agent and mistake_step)")
    last.lost("lines that are not JSON objects", log.unreadable)
    last.lost("records that are not runs", strangers)
    yield last.build()


def _is_run(record: Fields) -> bool:
    message = any(isinstance(turn, Mapping) for turn in items(record.get("history")))
    return message and ("mistake_step" in record or "mistake_agent" in record)


def _built(record: Fields, name: str, content: Content) -> Builder | None:
    """Return the run; None if it has no messages."""
    history = [mapping(turn) for turn in items(record["history"])]
    hand_crafted = not any(text(turn.get("name")) for turn in history)
    builder = Builder(
        f"{'hand-crafted' if hand_crafted else 'algorithm-generated'}/{name}",
        text(record.get("question_ID")) or name,
        importer=NAME,
        system="magentic-one" if hand_crafted else "ag2",
        time="ordinal",
        content=content,
    )
    if hand_crafted:
        builder.head["topology"] = "centralized"
    run = (Orchestrated if hand_crafted else GroupChat)(builder, record, history)
    for place, turn in enumerate(history):
        run.turn(place, turn)
    if not run.written:
        return None
    builder.lost("turns without a speaker", len(history) - len(run.written))
    _label(builder, record, run.written, run.speakers)
    correct = record.get("is_correct", record.get("is_corrected"))
    if isinstance(correct, bool):
        builder.head["outcome"] = {"success": correct}
        builder.head["rewards"] = {"correct": float(correct)}
    return builder


class Run:
    """A builder of runs: events so far, by their position in the history."""

    def __init__(self, builder: Builder, record: Fields, history: list[Fields]) -> None:
        self.builder, self.record, self.history = builder, record, history
        self.written: dict[int, str] = {}
        self.speakers: dict[int, str] = {}
        self.to_come: dict[str, list[tuple[str, str, bool]]] = {}

    def turn(self, place: int, turn: Fields) -> None:
        """Write one turn of the history."""
        raise NotImplementedError

    def add(self, place: int, type: str, agent: str, **fields: Any) -> str:
        """Write the event of a turn, with the pending links to its agent."""
        id = self.builder.event(type, agent, **fields)
        if agent not in OUTSIDE:
            self.builder.agent(agent, name=agent)
        for src, link, derived in self.to_come.pop(agent, ()):
            self.builder.link(src, id, link, derived=derived)
        self.written[place], self.speakers[place] = id, agent
        return id

    def await_next(self, agent: str, src: str, link: str, derived: bool = False) -> None:
        """Link an event to the next event of an agent."""
        self.to_come.setdefault(agent, []).append((src, link, derived))


class Orchestrated(Run):
    """A run of Magentic-One."""

    ROOT = "Orchestrator"

    def turn(self, place: int, turn: Fields) -> None:
        """Write a turn; its role names the speaker and the receiver."""
        role, message = text(turn.get("role")), text(turn.get("content"))
        if role is None:
            return
        orchestrates = ORCHESTRATOR.fullmatch(role)
        if orchestrates and (to := (orchestrates["to"] or "").strip()):
            self._delegate(place, _unreserved(to), message)
        elif orchestrates and "termination" in (orchestrates["aside"] or "") and place == len(self.history) - 1:
            self.add(place, "stop", self.ROOT, decision=["O5"], text=message)
        elif orchestrates:
            self.add(place, "orchestrator_decision", self.ROOT, text=message)
        elif role in ("human", "user"):
            self._person_message(place, message)
        else:
            id = self.add(place, "return", _unreserved(role), to=self.ROOT, text=message)
            self.await_next(self.ROOT, id, "return", derived=True)

    def _delegate(self, place: int, to: str, message: str | None) -> None:
        thought = self.written.get(place - 1)
        if thought and self.builder[thought].type == "orchestrator_decision":
            self.builder.amend(thought, decision=["O2"])
        else:
            thought = None
        self.builder.agent(to, name=to)
        id = self.add(place, "delegate", self.ROOT, to=to, parent=thought, text=message)
        if thought:
            self.builder.link(thought, id, "causal", derived=True)
        self.await_next(to, id, "message")

    def _person_message(self, place: int, message: str | None) -> None:
        """Write a message of the person; the first one is the task."""
        task = not self.written
        id = self.add(place, "message" if task else "human_intervention", "user", to=self.ROOT, text=message)
        self.await_next(self.ROOT, id, "message" if task else "causal", derived=not task)


class GroupChat(Run):
    """A run of AG2: a message reaches the next speaker and all other participants."""

    def __init__(self, builder: Builder, record: Fields, history: list[Fields]) -> None:
        super().__init__(builder, record, history)
        self.speaker: str | None = None
        names = mapping(record.get("system_prompt"))
        for name in filter(None, names):
            builder.agent(_unreserved(name), name=name)
        builder.lost("agents without a name", int("" in names))

    def turn(self, place: int, turn: Fields) -> None:
        """Write a turn: the terminal answers the previous speaker; any other speaker takes a turn."""
        name, message = text(turn.get("name")), text(turn.get("content"))
        if name == TERMINAL:
            if self.speaker:
                self._run_code(place, self.speaker, message)
        elif name:
            self._speak(place, _unreserved(name), message)

    def _run_code(self, place: int, caller: str, message: str | None) -> None:
        """Write a result with an inferred call: the log has only the result."""
        turn = self.written.get(place - 1)
        call = self.builder.event("tool_call", caller, tool=TERMINAL, parent=turn)
        if turn:
            self.builder.link(turn, call, "causal", derived=True)
        id = self.add(place, "tool_result", caller, tool=TERMINAL, parent=call, text=message)
        self.builder.link(call, id, "tool_dependency", derived=True)
        self.speakers[place] = TERMINAL

    def _speak(self, place: int, name: str, message: str | None) -> None:
        if self.speaker is None:
            task = self.builder.event("message", "user", to=name, text=text(self.record.get("question")))
            self.await_next(name, task, "message", derived=True)
        elif self.speaker != name:
            heard = self.builder.event("message", self.speaker, to=name)
            self.await_next(name, heard, "message", derived=True)
        ends = place == len(self.history) - 1 and (message or "").rstrip().endswith("TERMINATE")
        type, decision = ("orchestrator_decision", ["O5"]) if ends else ("model_call", None)
        id = self.add(place, type, name, decision=decision, text=message)
        if ends:
            stop = self.builder.event("stop", name, decision=["O5"], parent=id)
            self.builder.link(id, stop, "causal")
        self.speaker = name


def _unreserved(name: str) -> str:
    """Return a name that differs from those reserved for participants outside the team."""
    return f"{name}-agent" if name in OUTSIDE else name


def _label(builder: Builder, record: Fields, written: Mapping[int, str], speakers: Mapping[int, str]) -> None:
    """Label the event of the step that the annotator names."""
    place, blamed = _place(record.get("mistake_step")), text(record.get("mistake_agent"))
    if place is None or place not in written:
        builder.lost("decisive errors whose step is not in the history")
        return
    if blamed and blamed != speakers[place]:
        builder.lost("decisive errors whose agent is not the speaker of the step")
    reason = builder.content.fields(text(record.get("mistake_reason")))
    why = reason.get("content") or reason.get("content_ref")
    builder.label(written[place], "decisive_error", by="annotator", why=why, agent=blamed)


def _place(value: object) -> int | None:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
    plain = number(value)
    return int(plain) if plain is not None and plain == int(plain) else None


IMPORTER = Importer(
    NAME,
    "Who&When failure logs",
    recognises,
    read,
    "Both sets, with the decisive error as a label on its event. No times, no tokens. In group chats, messages are "
    "linked to the next speaker, and the link is marked as inferred.",
)
