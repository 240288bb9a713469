"""Threads: their files, their parents, and the copied history at the start of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.json_values import instant, mapping, text
from survey.traces.importers.log import Log

LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
UNKNOWN = "unknown"
LAST_DATE = 253402300800.0
"""The year 10000: later timestamps are invalid."""

BURST = 1.0
"""Seconds within which a copied history is written."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a rollout: its type (for an event or item the inner type) and its contents."""

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
    """Lines at the start that repeat the history of another thread."""
    unreadable: int = 0
    unknown_records: int = 0
    """Number of objects that are not lines of a rollout."""

    @property
    def spawned(self) -> Mapping[str, Any]:
        """The description of its spawn."""
        return mapping(mapping(mapping(self.meta.get("source")).get("subagent")).get("thread_spawn"))

    @property
    def parent(self) -> str | None:
        """The thread that spawned it; None for a fork by a person."""
        return text(self.spawned.get("parent_thread_id")) or text(self.meta.get("parent_thread_id"))

    def label(self, key: str) -> str | None:
        """Return its nickname, role or path."""
        return text(self.meta.get(key)) or text(self.spawned.get(key))


@dataclass
class Team:
    """A root thread and its descendants."""

    root: str
    threads: dict[str, Thread]
    """Threads by id, parents first. A thread without its own file has no lines."""
    children: dict[str, list[str]]


def is_line(fields: Mapping[str, Any]) -> bool:
    """Return whether an object is a line of a rollout."""
    return fields.get("type") in LINES and isinstance(fields.get("payload"), Mapping)


def threads(log: Log) -> list[Thread]:
    """Return the threads of a file or of all rollouts in a folder, without duplicates."""
    found: dict[str, Thread] = {}
    for file in log.files("**/*.jsonl*") if log.is_folder else [log]:
        records = [record.fields for record in file.records()]
        lines = [_line(fields) for fields in records if is_line(fields)]
        if not lines:
            continue
        meta = next((line.fields for line in lines if line.kind == "session_meta"), {})
        id = text(meta.get("id")) or file.path.stem
        thread = Thread(id, meta, lines, unreadable=file.unreadable, unknown_records=len(records) - len(lines))
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
    """Separate the copied history of another thread from a spawned or forked one.

    Ids of threads and turns start with their time: the thread's own work starts with the first turn that is no
    older than the thread. Without such ids, a second ``session_meta`` or lines older than the first indicate a
    copy, which ends where time begins to advance.
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
    """Return the milliseconds since 1970 at the start of a UUID of version 7; None for any other id."""
    digits = id.replace("-", "") if isinstance(id, str) else ""
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        return float(int(digits[:12], 16))
    except ValueError:
        return None


def teams(found: list[Thread]) -> list[Team]:
    """Group threads by their root. A parent without a file becomes a thread without lines."""
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
    result: list[Team] = []
    seen: set[str] = set()
    for root in [*roots, *known]:  # threads in a cycle of parents have no root: take any
        if root in seen:
            continue
        order = [root]
        seen.add(root)
        for id in order:
            fresh = [child for child in children.get(id, []) if child not in seen]
            seen.update(fresh)
            order += fresh
        members = {id: known.get(id) or Thread(id, {}, []) for id in order}
        result.append(Team(root, members, {id: [c for c in children.get(id, []) if c in members] for id in order}))
    return result
