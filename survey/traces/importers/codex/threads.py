"""Threads: which file is whose, who spawned whom, and what in a file is only a copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.json_values import instant, mapping, text
from survey.traces.importers.log import Log

LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
UNKNOWN = "unknown"
LAST_DATE = 253402300800.0
"""The year 10000: what lies beyond is no time."""

BURST = 1.0
"""Seconds within which a copied history is written down."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a rollout: what it is (of an event and of an item the inner type), and what it holds."""

    kind: str
    fields: Mapping[str, Any]
    t: float | None


@dataclass(eq=False)
class Thread:
    """One agent's rollout."""

    id: str
    meta: Mapping[str, Any]
    lines: list[Line]
    copied: list[Line] = field(default_factory=list)
    """Lines at the head that are the history of the thread it comes from."""
    unreadable: int = 0
    strange: int = 0
    """Objects that are no line of a rollout."""

    @property
    def spawned(self) -> Mapping[str, Any]:
        """What it says of its spawning."""
        return mapping(mapping(mapping(self.meta.get("source")).get("subagent")).get("thread_spawn"))

    @property
    def parent(self) -> str | None:
        """The thread that spawned it; a fork that a person made has none."""
        return text(self.spawned.get("parent_thread_id")) or text(self.meta.get("parent_thread_id"))

    def said(self, key: str) -> str | None:
        """Its nickname, role or path."""
        return text(self.meta.get(key)) or text(self.spawned.get(key))


@dataclass
class Team:
    """A root thread and all that come from it."""

    root: str
    threads: dict[str, Thread]
    """By id, parents first. A thread without a file of its own has no lines."""
    children: dict[str, list[str]]


def is_line(fields: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a rollout."""
    return fields.get("type") in LINES and isinstance(fields.get("payload"), Mapping)


def threads(log: Log) -> list[Thread]:
    """The threads of a file or of all rollouts in a folder; a thread that is there twice counts once."""
    found: dict[str, Thread] = {}
    for file in log.files("**/*.jsonl*") if log.is_folder else [log]:
        records = [record.fields for record in file.records()]
        lines = [_line(fields) for fields in records if is_line(fields)]
        if not lines:
            continue
        meta = next((line.fields for line in lines if line.kind == "session_meta"), {})
        id = text(meta.get("id")) or file.path.stem
        thread = Thread(id, meta, lines, unreadable=file.unreadable, strange=len(records) - len(lines))
        _part_from_copy(thread)
        if id not in found or len(found[id].lines) < len(thread.lines):
            found[id] = thread
    return list(found.values())


def _line(fields: Mapping[str, Any]) -> Line:
    kind, payload, stamp = fields["type"], fields["payload"], instant(fields.get("timestamp"))
    if kind in ("response_item", "event_msg"):
        source = "item:" if kind == "response_item" else ""
        kind = source + (text(payload.get("type")) or UNKNOWN)
    return Line(kind, payload, stamp if stamp is not None and stamp < LAST_DATE else None)


def _part_from_copy(thread: Thread) -> None:
    """Take the history of another thread off the head of a spawned or forked one.

    Ids of threads and turns begin with their time: the thread's own work begins with the first turn
    that is no older than the thread. Where ids say nothing, a second ``session_meta`` or lines older
    than the first say that there is a copy, and it ends where time begins to pass.
    """
    if not (thread.parent or text(thread.meta.get("forked_from_id"))):
        return
    lines = thread.lines
    born = _birth(thread.id)
    turns = [(place, _birth(line.fields.get("turn_id"))) for place, line in enumerate(lines) if line.kind in _OPENINGS]
    if born is not None and any(time is not None for _, time in turns):
        start = next((place for place, time in turns if time is not None and time >= born), len(lines))
        start = start if start < len(lines) or _has_copy(thread) else 0
    elif _has_copy(thread):
        head = lines[0].t
        late = (place for place, line in enumerate(lines) if head is not None and (line.t or head) > head + BURST)
        start = next(late, len(lines))
    else:
        return
    own_meta = next(line for line in lines if line.kind == "session_meta")
    thread.copied = [line for line in lines[:start] if line is not own_meta]
    thread.lines = lines[start:]


_OPENINGS = ("task_started", "turn_started", "turn_context")


def _has_copy(thread: Thread) -> bool:
    foreign = [line for line in thread.lines if line.kind == "session_meta" and line.fields.get("id") != thread.id]
    head = thread.lines[0].t
    times = [line.t for line in thread.lines if line.t is not None]
    return bool(foreign) or (head is not None and min(times) < head - BURST)


def _birth(id: object) -> float | None:
    """The milliseconds since 1970 that a UUID of version 7 begins with."""
    digits = id.replace("-", "") if isinstance(id, str) else ""
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        return float(int(digits[:12], 16))
    except ValueError:
        return None


def teams(found: list[Thread]) -> list[Team]:
    """The threads by the root that they come from. A parent without a file is a thread without lines."""
    known = {thread.id: thread for thread in found}
    parents = {thread.id: thread.parent for thread in found}
    for thread in found:
        for line in thread.lines:
            child = text(line.fields.get("new_thread_id"))
            if line.kind == "collab_agent_spawn_end" and child in parents and not parents[child] and child != thread.id:
                parents[child] = thread.id
    children: dict[str, list[str]] = {}
    for id, parent in parents.items():
        if parent and parent != id:
            children.setdefault(parent, []).append(id)
    roots = [id for id, parent in parents.items() if not parent or parent == id]
    roots += [id for id in children if id not in known]
    made: list[Team] = []
    seen: set[str] = set()
    for root in [*roots, *known]:  # threads that name each other as parents have no root: any will do
        if root in seen:
            continue
        order = [root]
        seen.add(root)
        for id in order:
            fresh = [child for child in children.get(id, []) if child not in seen]
            seen.update(fresh)
            order += fresh
        members = {id: known.get(id) or Thread(id, {}, []) for id in order}
        made.append(Team(root, members, {id: [c for c in children.get(id, []) if c in members] for id in order}))
    return made
