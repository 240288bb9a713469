"""The lists of events in a log: a file, a record of an evaluation, or folders with a file for each event."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from survey.traces.importers.coding_agents.openhands import conversations, streams
from survey.traces.importers.json_values import Fields, mapping
from survey.traces.importers.log import Log
from survey.traces.model import NOTHING

STATE, CHILDREN = "base_state.json", "subagents"
NUMBER = re.compile(r"(?:event-)?([0-9]{1,12})")


@dataclass
class Source:
    """A run: its events, the state of its conversation, and the conversations of its sub-agents."""

    name: str
    events: list[Fields]
    state: Fields = field(default_factory=dict)
    record: Fields = field(default_factory=dict)
    """What an evaluation says of the run."""
    children: list[Source] = field(default_factory=list)
    unreadable: int = 0

    @property
    def is_stream(self) -> bool:
        """Whether the events are those of the older format."""
        return any(streams.is_event(event) for event in self.events)


def is_event(value: object) -> bool:
    """Return whether a JSON value is an event of either format."""
    return streams.is_event(value) or conversations.is_event(value)


def _events_of(record: Fields) -> list[Fields]:
    """Return the events that a record holds, if any."""
    for key in ("history", "trajectory", "events"):
        found = streams.flat(record.get(key))
        if any(is_event(event) for event in found):
            return found
    return []


def is_record(value: Fields) -> bool:
    """Return whether an object is an event, or the record of an evaluation that holds events."""
    return is_event(value) or bool(_events_of(value))


def sources(log: Log) -> Iterator[Source]:
    """Yield the runs in a log."""
    if log.is_folder:
        yield from in_folder(log)
        return
    name = log.path.stem
    found = list(log.objects())
    events = [event for event in found if is_event(event)]
    if events:
        yield Source(name, [event for event in found if event], unreadable=log.unreadable)
    runs = [record for record in found if not is_event(record) and _events_of(record)]
    for place, record in enumerate(runs, 1):
        yield Source(name if place == 1 else f"{name}:{place}", _events_of(record), record=record)


def is_event_file(log: Log) -> bool:
    """Return whether a file is one of a folder with a file for each event: its name counts them."""
    return NUMBER.match(log.path.name) is not None and is_event(log.document)


def in_folder(log: Log) -> Iterator[Source]:
    """Yield the conversations of a folder, each with those of its sub-agents."""
    events: dict[Path, list[tuple[int, Fields]]] = defaultdict(list)
    states: dict[Path, Fields] = {}
    for file in log.files("**/*.json"):
        place = file.path.parent.parent if file.path.parent.name == "events" else file.path.parent
        if file.path.name == STATE:
            states[file.path.parent] = mapping(file.document)
        elif is_event_file(file):
            number = NUMBER.match(file.path.name)
            events[place].append((int(number[1]) if number else 0, mapping(file.document)))
    found = {
        place: Source(
            place.name, [event for _, event in sorted(own, key=lambda one: one[0])], states.get(place, NOTHING)
        )
        for place, own in sorted(events.items())
    }
    for place, source in found.items():
        parent = found.get(place.parent.parent) if place.parent.name == CHILDREN else None
        if parent:
            parent.children.append(source)
    yield from (
        source for place, source in found.items() if place.parent.name != CHILDREN or place.parent.parent not in found
    )
