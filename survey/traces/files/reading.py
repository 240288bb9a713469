"""Streaming reader for trace files: only the trace being read is in memory.

A file holds one JSON document or many (JSON Lines, or simply concatenated), plain or compressed
with gzip or Zstandard. The two long lists of a trace are decoded in pieces, so that a document of
a million events needs little more memory than the events themselves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from msgspec.structs import force_setattr as set_field

from survey import garbage_collection
from survey.plurals import plural
from survey.traces.checks import Pairs, pointer, sanitised, validation
from survey.traces.files import decoding
from survey.traces.files.compression import opened
from survey.traces.files.decoding import EdgeShape
from survey.traces.files.numbering import Numbering
from survey.traces.files.window import Broken, Window
from survey.traces.model import Edges, Event, Trace
from survey.traces.problems import LIMIT, InvalidTrace, Problems, quoted

LONG = ("events", "edges")


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading one document: its problems, and its trace unless it has structural errors."""

    place: str
    """The file, and the line where the document begins."""
    trace: Trace | None
    problems: Problems
    fields: tuple[str, ...] = ()
    """The top-level fields of the document, as far as it was read."""

    @property
    def is_trace(self) -> bool:
        """Whether the document is a trace, sound or not: logs may have events, but no edges beside them."""
        return self.trace is not None or set(LONG) <= set(self.fields)

    def valid(self) -> Trace:
        """Return the trace; raises ``InvalidTrace`` with all problems if there are errors."""
        if self.trace is None or self.problems.errors:
            raise InvalidTrace(self.problems)
        return self.trace


def read(path: Path | str) -> Trace:
    """Read the only trace of a file. Raises ``InvalidTrace`` on structural errors, or unless there is exactly one."""
    found = list(readings_of(path))
    if len(found) != 1:
        problems = Problems()
        problems.add("count", f"{path}: found {plural(len(found), 'trace')}, expected one")
        raise InvalidTrace(problems)
    return found[0].valid()


def readings_of(path: Path | str, *, limit: int = LIMIT) -> Iterator[Reading]:
    """Read the documents of a file one by one."""
    with Path(path).open("rb") as stream:
        yield from readings(stream, str(path), limit=limit)


def readings(stream: IO[bytes], name: str, *, limit: int = LIMIT) -> Iterator[Reading]:
    """Read the documents of an open stream one by one; errors are reported under ``name``."""
    window = Window(opened(stream))
    found = False
    while window.more():
        found = True
        yield _Document(window, name, limit).reading()
    if window.damage or not found:
        problems = Problems(limit)
        problems.add("json", window.damage or "found nothing, expected a trace")
        yield Reading(name, None, problems)


class _Document:
    """One document while it is being read."""

    def __init__(self, window: Window, name: str, limit: int) -> None:
        self.window, self.problems = window, Problems(limit)
        window.begin()
        self.line = window.line(window.at)
        self.place = f"{name}:{self.line}"
        self.head: dict[str, Any] = {}
        self._fields: list[str] = []
        self.events: list[Event] = []
        self.sources, self.targets, self.types = list[int](), list[int](), list[str]()
        self._numbering = Numbering()
        self._texts: dict[str, str] = {}
        self._added: list[tuple[Any, ...]] = []

    def reading(self) -> Reading:
        """Read to the end of the document, or to the first syntax error."""
        try:
            with garbage_collection.paused():  # reading a document creates no garbage
                self._members()
                garbage_collection.settle(len(self.events))
        except RecursionError:
            return self._broken(self.window.at, "is nested too deeply")
        except Broken as broken:
            return self._broken(broken.at, broken.why)
        validation.check_head(self.head, self.problems)
        validation.check_added(self._added, "schema_version" in self.head, self.problems)
        head = {key: value for key, value in self.head.items() if key not in LONG}
        edges = Edges(self._numbering.ids(), self.sources, self.targets, self.types)
        trace = None if self.problems.errors else Trace(self.events, edges, head)
        return Reading(self.place, trace, self.problems, tuple(self._fields))

    def _broken(self, at: int, why: str) -> Reading:
        line = self.window.line(at)
        where = "" if line == self.line else f" (line {line})"
        self.window.damage = ""
        self.window.recover()
        self.problems.add("json", f"invalid JSON{where}: {why}{self._passed_over(line)}")
        return Reading(self.place, None, self.problems, tuple(self._fields))

    def _passed_over(self, line: int) -> str:
        """Report what was skipped between a broken line and the next line that begins a trace."""
        going_on = self.window.more()
        found = self.window.line(self.window.at)
        if found <= line + 1:
            return ""
        return f"; resumed at line {found}" if going_on else "; nothing after it was read"

    def _members(self) -> None:
        window = self.window
        window.take("{")
        if window.peek() == "}":
            window.take("}")
            return
        while True:
            if window.peek() != '"':
                window.take('"')
            key = sanitised(window.value(), (), self.problems)
            window.take(":")
            self._fields.append(key)
            if key in self.head:
                message = f"the field {quoted(key)} appears twice; the later value is used"
                self.problems.add("duplicate-key", message, pointer=pointer((key,)))
            if key in LONG and window.peek() == "[":
                window.take("[")
                self._list(key)
            else:
                self.head[key] = sanitised(window.value(), (key,), self.problems)
            if window.take(",}") == "}":
                return

    def _list(self, key: str) -> None:
        if key == "events":
            self.events = []
        else:
            self.sources, self.targets, self.types = [], [], []
        decode: Callable[[str], list[Any] | None] = decoding.events if key == "events" else decoding.edges
        take = self._take_events if key == "events" else self._take_edges
        count = 0
        for text, items in self.window.pieces(decode):
            if items is None:
                pairs = json.loads(text, object_pairs_hook=Pairs)
                items = [sanitised(item, (key, count + place), self.problems) for place, item in enumerate(pairs)]
            take(items, count)
            count += len(items)
        self.head[key] = [None] * bool(count)  # the schema also checks whether the list is empty

    def _take_events(self, items: list[Any], first: int) -> None:
        if items and not isinstance(items[0], Event):
            errors = self.problems.errors
            validation.check_events(items, first, self.problems, self._added)
            if self.problems.errors > errors:
                return
            items = [Event.of(item) for item in items]
        self._share(items)
        self.events += items
        self._numbering.add([event.id for event in items])

    def _share(self, events: list[Event]) -> None:
        """Store equal names once, even if a million events repeat them.

        One pass, and spelt out: a pass for each field would fetch every event from memory five times.
        """
        once = self._texts.setdefault
        for event in events:
            set_field(event, "agent", once(event.agent, event.agent))
            if (name := event.role) is not None:
                set_field(event, "role", once(name, name))
            if (name := event.from_) is not None:
                set_field(event, "from_", once(name, name))
            if (name := event.to) is not None:
                set_field(event, "to", once(name, name))
            if (name := event.tool) is not None:
                set_field(event, "tool", once(name, name))

    def _take_edges(self, items: list[Any], first: int) -> None:
        if items and not isinstance(items[0], EdgeShape):
            errors = self.problems.errors
            validation.check_edges(items, first, self.problems)
            if self.problems.errors > errors:
                return
            items = [EdgeShape(item["src"], item["dst"], sys.intern(item["type"])) for item in items]
        targets, sources = self._numbering.ends([edge.dst for edge in items], [edge.src for edge in items])
        self.targets += targets
        self.sources += sources
        self.types += [edge.type for edge in items]
