"""The records of one session, gathered from all the places where versions of Claude Code put them.

Sub-agents write into the main file (``isSidechain``), into ``agent-<id>.jsonl`` beside it, or into
``<session>/subagents/``; for a while the main file repeated their messages as ``progress``. What
comes out is one list of entries, each with the agent it belongs to.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from survey.traces.importers.claude_code.lines import Lines, opening
from survey.traces.importers.claude_code.summaries import Gist, gist_of
from survey.traces.importers.json_values import flag, instant, mapping, text
from survey.traces.importers.json_values import instance as one_of_the_team
from survey.traces.importers.log import Log
from survey.traces.model import Content

MAIN = "main"
"""The instance that the session itself is."""

TOLD = frozenset({"user", "assistant", "system", "queue-operation", "attachment", "result"})
"""Types of the records that acts are read from."""

KEPT_BY_THE_PROGRAM = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "attribution-snapshot",
        "content-replacement",
        "control_request",
        "control_response",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "rate_limit_event",
        "started",
        "stream_event",
        "summary",
        "tag",
        "task-summary",
        "tool_progress",
        "worktree-state",
    }
)
"""Types of the records in which the program keeps its own affairs: nobody acts in them."""

SAFE_NAME = re.compile(r"[\w-]+\Z", re.ASCII)
LOGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
LATEST = 1e11
"""A stamp beyond the year 5000 is damage, not a time."""


class Entry(NamedTuple):
    """A record, the agent it belongs to, and its place in time and in the log.

    There are many and most are long: of what the record says there is but the gist.
    """

    agent: str
    t: float
    place: int
    gist: Gist
    where: tuple[Lines, int, int]

    @property
    def fields(self) -> Mapping[str, Any]:
        """The record itself, read again, and unwrapped if the main log repeats it."""
        lines, start, size = self.where
        return _unwrapped(lines.again(start, size))


@dataclass
class Session:
    """All that the files of one session say, before anything is made of it."""

    id: str = ""
    version: str | None = None
    time: str = "seconds"
    entries: list[Entry] = field(default_factory=list)
    spawned_by: dict[str, str] = field(default_factory=dict)
    """Instance by the id of the call that spawned it, where a record or sidecar says so."""
    sidecars: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What ``agent-<id>.meta.json`` says, by instance."""
    workflows: dict[str, str] = field(default_factory=dict)
    """The run of a workflow by each instance that took part in it."""
    returned_in_workflow: set[str] = field(default_factory=set)
    compaction_logs: list[float | None] = field(default_factory=list)
    """When each of the internal logs ``agent-acompact-*`` ends; their own records tell the main log once more."""
    lost: Counter[str] = field(default_factory=Counter)


def sessions(log: Log, content: Content) -> Iterator[Session]:
    """The sessions of a file (one) or of a folder (one for each main file, then those whose main file is missing)."""
    if not log.is_folder:
        own = {} if log.data is not None or log.path.name.startswith("agent-") else _children_beside(log.path.parent)
        yield _Reader(content).read(log, own)
        return
    within = log.path / "subagents"
    if within.is_dir() and not _mains(log.path):
        main = next((path for end in LOGS if (path := log.path.with_name(log.path.name + end)).is_file()), None)
        yield _Reader(content).read(Log(main) if main else None, {}, log.path)
        return
    folders = [log.path] if _logs_in(log.path) else sorted(path for path in log.path.iterdir() if path.is_dir())
    for folder in folders:
        yield from _sessions_in(folder, content)


def _sessions_in(folder: Path, content: Content) -> Iterator[Session]:
    beside = _children_beside(folder)
    known = set()
    for path in _mains(folder):
        session = _Reader(content).read(Log(path), beside)
        known |= {session.id, _stem(path)}
        yield session
    for name in sorted({path.name for path in folder.iterdir() if (path / "subagents").is_dir()} - known):
        known.add(name)
        yield _Reader(content).read(None, beside, folder / name)
    for name in sorted(beside.keys() - known):
        yield _Reader(content).read(None, {name: beside[name]})


def _logs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.jsonl*") if path.name.endswith(LOGS) and path.is_file())


def _mains(folder: Path) -> list[Path]:
    return [path for path in _logs_in(folder) if not path.name.startswith("agent-")]


def _stem(path: Path) -> str:
    return path.name.split(".jsonl")[0]


def _children_beside(folder: Path) -> dict[str, list[Path]]:
    """Files of sub-agents beside the main file, by their session; looked at once, however many sessions there are."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("agent-*.jsonl*")):
        first = opening(Log(path), 1) if path.is_file() else []
        if first and (session := text(first[0].get("sessionId"))):
            found[session].append(path)
    return found


def instance(value: object) -> str | None:
    """The id of a sub-agent; one that is called like the session is told apart from it."""
    id = one_of_the_team(value)
    return f"{id}-agent" if id == MAIN else id


class _Reader:
    """Reads the files of one session, one after the other."""

    def __init__(self, content: Content) -> None:
        self.session = Session()
        self._content = content
        self._seen: set[str] = set()
        self._chains: dict[str, str] = {}
        self._found: list[tuple[str, float | None, float | None, Gist, tuple[Lines, int, int]]] = []

    def read(self, main: Log | None, beside: Mapping[str, list[Path]], folder: Path | None = None) -> Session:
        session = self.session
        if main is not None:
            agent = _agent(main.path) if main.path.name.startswith("agent-") else None
            self._file(main, agent)
            session.id = session.id or _stem(main.path)
        elif beside or folder:
            session.id = folder.name if folder else next(iter(beside))
        folders = [folder] if folder else self._folders(main)
        children = [*beside.get(session.id, []), *(path for place in folders for path in self._children(place))]
        for path in children:
            self._child(path)
        self._place()
        return session

    def _folders(self, main: Log | None) -> list[Path]:
        if main is None or main.data is not None:
            return []
        names = {_stem(main.path), *([self.session.id] if SAFE_NAME.match(self.session.id) else [])}
        return [folder for name in sorted(names) if (folder := main.path.parent / name).is_dir()]

    def _children(self, folder: Path) -> list[Path]:
        runs = folder / "subagents" / "workflows"
        for journal in sorted(runs.glob("*/journal.jsonl")):
            ended = (line.fields for line in Lines(Log(journal)) if line.fields.get("type") == "result")
            self.session.returned_in_workflow |= {agent for end in ended if (agent := instance(end.get("agentId")))}
        in_runs = [path for path in sorted(runs.glob("*/agent-*.jsonl*")) if path.is_file()]
        self.session.workflows |= {_agent(path): path.parent.name for path in in_runs}
        return [*(path for path in _logs_in(folder / "subagents") if path.name.startswith("agent-")), *in_runs]

    def _child(self, path: Path) -> None:
        agent = _agent(path)
        if agent.startswith("acompact-"):
            times = [time_of(line.fields) for line in Lines(Log(path))]
            self.session.compaction_logs.append(max((t for t in times if t is not None), default=None))
            return
        beside = path.with_name(f"{_stem(path)}.meta.json")
        sidecar = mapping(Log(beside).document) if beside.is_file() else {}
        if sidecar:
            self.session.sidecars[agent] = sidecar
            if call := text(sidecar.get("toolUseId")):
                self.session.spawned_by.setdefault(call, agent)
        self._file(Log(path), agent)

    def _file(self, log: Log, agent: str | None) -> None:
        last: float | None = None
        lines = Lines(log)
        for line in lines:
            fields = line.fields
            self.session.id = self.session.id or text(fields.get("sessionId")) or text(fields.get("session_id")) or ""
            self.session.version = text(fields.get("version")) or self.session.version
            owner, fields = sys.intern(self._owner(fields, agent, line.number)), _unwrapped(fields)
            kind = text(fields.get("type"))
            if kind not in TOLD:
                if kind not in KEPT_BY_THE_PROGRAM:
                    self.session.lost["records of unknown kinds"] += 1
                continue
            id = text(fields.get("uuid"))
            # a turn may be told twice and is joined by its own id; the later telling may know its tokens better
            if kind != "assistant" and id is not None:
                if id in self._seen:
                    continue
                self._seen.add(id)
            t = time_of(fields)
            self._found.append((owner, t, last, gist_of(fields, self._content), (lines, line.start, line.size)))
            last = t if t is not None else last
        self.session.lost["lines that are not JSON objects"] += lines.unreadable

    def _owner(self, fields: Mapping[str, Any], agent: str | None, line: int) -> str:
        """The instance a record belongs to."""
        if _repeats(fields):
            call = text(fields.get("parentToolUseID"))
            owner = instance(fields["data"].get("agentId")) or instance(call) or "unnamed"
            if call:
                self.session.spawned_by.setdefault(call, owner)
            return owner
        if call := instance(fields.get("parent_tool_use_id")):
            return call
        if agent is not None:
            return instance(fields.get("agentId")) or agent
        if not flag(fields.get("isSidechain")):
            return MAIN
        return instance(fields.get("agentId")) or self._chain(fields, line)

    def _chain(self, fields: Mapping[str, Any], line: int) -> str:
        """Old versions name no instance; the records of one hang together by their parents."""
        id = text(fields.get("uuid")) or f"line-{line}"
        chain = self._chains.get(text(fields.get("parentUuid")) or "") or f"sidechain-{id}"
        self._chains[id] = chain
        return chain

    def _place(self) -> None:
        """Give every entry a time: its own, that of its neighbour, or its place where the log has no times at all."""
        timed = [found[1] for found in self._found if found[1] is not None]
        if len(timed) < len(self._found):
            self.session.time = "mixed" if timed else "ordinal"
        if self.session.time == "mixed":
            self.session.lost["records without a time, put beside their neighbours"] += len(self._found) - len(timed)
        start = min(timed, default=0.0)
        for place, (agent, t, beside, gist, where) in enumerate(self._found):
            if t is None:
                t = float(place) if not timed else start if beside is None else beside
            self.session.entries.append(Entry(agent, t, place, gist, where))
        self.session.entries.sort(key=lambda entry: (entry.t, entry.place))


def _agent(path: Path) -> str:
    """The sub-agent whose own log a file is."""
    name = _stem(path).removeprefix("agent-")
    return instance(name) or name


def _repeats(fields: Mapping[str, Any]) -> bool:
    """Whether a record of the main log repeats one of a sub-agent's."""
    return fields.get("type") == "progress" and mapping(fields.get("data")).get("type") == "agent_progress"


def _unwrapped(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record that is repeated, if it is one, else the record as it is."""
    if not _repeats(fields):
        return fields
    inner = mapping(fields["data"].get("message"))
    return inner if inner.get("timestamp") else {**inner, "timestamp": fields.get("timestamp")}


def time_of(fields: Mapping[str, Any]) -> float | None:
    """The time of a record, if it has one that can be true."""
    t = instant(fields.get("timestamp"))
    return t if t is not None and 0 <= t < LATEST else None
