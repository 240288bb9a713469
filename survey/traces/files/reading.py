"""Traces from files, a piece at a time: no more of a file is in memory than the trace being read.

A file holds one JSON document or many (JSON Lines, or simply one after the other), packed with gzip
or Zstandard or not at all. The two long lists of a trace are taken in pieces, so that a document of
a million events needs little more memory than the events themselves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

from msgspec.structs import force_setattr

from survey import garbage_collection
from survey.traces.checks import Pairs, pointer, sound, validation
from survey.traces.files import decoding
from survey.traces.files.decoding import EdgeShape
from survey.traces.files.numbering import Numbering
from survey.traces.files.packing import opened
from survey.traces.files.window import Broken, Window
from survey.traces.model import Edges, Event, Trace
from survey.traces.problems import LIMIT, InvalidTrace, Problems, quoted

LONG = ("events", "edges")
NAMES = {field: attrgetter(field) for field in ("agent", "role", "from_", "to", "tool")}
"""Fields in which events say one of a few names."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one document: its trace, unless it has structural errors, and its problems."""

    place: str
    """The file, and the line in it where the document begins."""
    trace: Trace | None
    problems: Problems

    def valid(self) -> Trace:
        """The trace; raises ``InvalidTrace`` with all problems if there are errors."""
        if self.trace is None or self.problems.errors:
            raise InvalidTrace(self.problems)
        return self.trace


def read(path: Path | str) -> Trace:
    """The one trace of a file. Raises ``InvalidTrace`` if it has structural errors, or if there are more."""
    found = list(readings_of(path))
    if len(found) != 1:
        problems = Problems()
        problems.add("count", f"{path}: found {len(found)} traces, expected one")
        raise InvalidTrace(problems)
    return found[0].valid()


def readings_of(path: Path | str, *, limit: int = LIMIT) -> Iterator[Reading]:
    """The documents of a file, one after the other."""
    with Path(path).open("rb") as stream:
        yield from readings(stream, str(path), limit=limit)


def readings(stream: IO[bytes], name: str, *, limit: int = LIMIT) -> Iterator[Reading]:
    """The documents of an open stream; errors are reported under the name."""
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
    """One document while it is read."""

    def __init__(self, window: Window, name: str, limit: int) -> None:
        self.window, self.problems = window, Problems(limit)
        window.begin()
        self.line = window.line(window.at)
        self.place = f"{name}:{self.line}"
        self.head: dict[str, Any] = {}
        self.events: list[Event] = []
        self.sources, self.targets, self.types = list[int](), list[int](), list[str]()
        self._numbering = Numbering()
        self._texts: dict[str, str] = {}
        self._added: list[tuple[Any, ...]] = []

    def reading(self) -> Reading:
        """Read to the end of the document, or to where it breaks."""
        try:
            with garbage_collection.paused():  # there is no garbage in a document
                self._members()
        except RecursionError:
            return self._broken(self.window.at, "is nested too deeply")
        except Broken as broken:
            return self._broken(broken.at, broken.why)
        validation.check_head(self.head, self.problems)
        validation.check_added(self._added, "schema_version" in self.head, self.problems)
        head = {key: value for key, value in self.head.items() if key not in LONG}
        edges = Edges(self._numbering.ids(), self.sources, self.targets, self.types)
        trace = None if self.problems.errors else Trace(self.events, edges, head)
        return Reading(self.place, trace, self.problems)

    def _broken(self, at: int, why: str) -> Reading:
        line = self.window.line(at)
        where = "" if line == self.line else f" (line {line})"
        self.window.damage = ""
        self.window.recover()
        self.problems.add("json", f"this is no JSON{where}: {why}{self._passed_over(line)}")
        return Reading(self.place, None, self.problems)

    def _passed_over(self, line: int) -> str:
        """What was left out behind a broken line, before the next one that begins a trace."""
        going_on = self.window.more()
        found = self.window.line(self.window.at)
        if found <= line + 1:
            return ""
        return f"; read on from line {found}" if going_on else "; nothing after it was read"

    def _members(self) -> None:
        window = self.window
        window.take("{")
        if window.peek() == "}":
            window.take("}")
            return
        while True:
            if window.peek() != '"':
                window.take('"')
            key = sound(window.value(), (), self.problems)
            window.take(":")
            if key in self.head:
                said = f"the field {quoted(key)} is there twice; the later one counts"
                self.problems.add("duplicate-key", said, pointer=pointer((key,)))
            if key in LONG and window.peek() == "[":
                window.take("[")
                self._list(key)
            else:
                self.head[key] = sound(window.value(), (key,), self.problems)
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
                items = [sound(item, (key, count + place), self.problems) for place, item in enumerate(pairs)]
            take(items, count)
            count += len(items)
        self.head[key] = [None] * bool(count)  # the schema asks of the list itself whether it is empty

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
        """Keep a name that comes a million times once."""
        once = self._texts.setdefault
        for field, said in NAMES.items():
            for event, name in zip(events, map(said, events), strict=True):
                if name is not None and (known := once(name, name)) is not name:
                    force_setattr(event, field, known)

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
