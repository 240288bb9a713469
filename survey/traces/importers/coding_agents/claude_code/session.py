"""The records of one session, collected from all places where versions of Claude Code store them.

Sub-agents write into the main file (``isSidechain``), into ``agent-<id>.jsonl`` in the same folder, or into
``<session>/subagents/``; some versions repeat their messages in the main file as ``progress``. The result is one
list of entries, each with its agent.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from survey.traces.importers.coding_agents.claude_code.lines import Lines, opening
from survey.traces.importers.coding_agents.claude_code.summaries import RecordSummary, summarise
from survey.traces.importers.json_values import flag, instant, mapping, text
from survey.traces.importers.json_values import instance as one_of_the_team
from survey.traces.importers.log import Log
from survey.traces.model import Content

MAIN = "main"
"""The instance id of the session's main agent."""

EVENT_RECORDS = frozenset({"user", "assistant", "system", "queue-operation", "attachment", "result"})
"""Types of the records that contain acts."""

PROGRAM_RECORDS = frozenset(
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
"""Types of the records for the program's own state: they contain no acts."""

SAFE_NAME = re.compile(r"[\w-]+\Z", re.ASCII)
LOGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
LATEST = 1e11
"""A timestamp beyond the year 5000 is damaged."""


class Entry(NamedTuple):
    """A record with its agent, its time and its position in the log.

    Records are many and long, so an entry stores only a summary.
    """

    agent: str
    t: float
    place: int
    summary: RecordSummary
    where: tuple[Lines, int, int]

    @property
    def fields(self) -> Mapping[str, Any]:
        """The record itself, read again; unwrapped if the main log repeats it."""
        lines, start, size = self.where
        return _unwrapped(lines.again(start, size))


@dataclass
class Session:
    """The contents of the files of one session."""

    id: str = ""
    version: str | None = None
    time: str = "seconds"
    entries: list[Entry] = field(default_factory=list)
    spawned_by: dict[str, str] = field(default_factory=dict)
    """Instance by the id of the call that spawned it, if a record or sidecar names both."""
    sidecars: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The contents of ``agent-<id>.meta.json``, by instance."""
    workflows: dict[str, str] = field(default_factory=dict)
    """The workflow run of each participating instance."""
    logged: set[str] = field(default_factory=set)
    """Instances with a log of their own; that of others, in progress records, lacks their last turn."""
    returned_in_workflow: set[str] = field(default_factory=set)
    compaction_logs: list[float | None] = field(default_factory=list)
    """The end of each internal log ``agent-acompact-*``; its records repeat the main log."""
    lost: Counter[str] = field(default_factory=Counter)


def sessions(log: Log, content: Content) -> Iterator[Session]:
    """Yield the sessions of a file (one) or of a folder (one for each main file, then those without a main file)."""
    if not log.is_folder:
        own = {} if log.data is not None or log.path.name.startswith("agent-") else _sibling_logs(log, log.path.parent)
        yield _Reader(content, log).read(log, own)
        return
    within = log.path / "subagents"
    if within.is_dir() and not _mains(log.path):
        main = next((path for end in LOGS if (path := log.path.with_name(log.path.name + end)).is_file()), None)
        around = Log(log.path.parent, budget=log.budget)
        yield _Reader(content, around).read(around.file(main) if main else None, {}, log.path)
        return
    folders = [log.path] if _logs_in(log.path) else sorted(path for path in log.path.iterdir() if path.is_dir())
    for folder in folders:
        yield from _sessions_in(log, folder, content)


def parts(log: Log) -> dict[Path, list[Path]]:
    """Return the other files of each session in a folder, of those that have any.

    A session without its main file is the folder of its sub-agents.
    """
    folder = log.path
    siblings = _sibling_logs(log, folder)
    within = {path.name for path in folder.iterdir() if (path / "subagents").is_dir()}
    found: dict[Path, list[Path]] = {}
    known: set[str] = set()
    for main in _mains(folder) if siblings or within else ():
        ids = [id for fields in opening(log.file(main)) if (id := text(fields.get("sessionId")))]
        names = {_stem(main), *ids[:1]}
        known |= names
        own = [path for name in sorted(names) for path in siblings.get(name, [])]
        own += [path for name in sorted(names & within) for path in sorted((folder / name / "subagents").rglob("*"))]
        if own := [path for path in own if path.is_file()]:
            found[main] = own
    return found | {folder / name: [] for name in sorted(within - known)}


def _sessions_in(log: Log, folder: Path, content: Content) -> Iterator[Session]:
    siblings = _sibling_logs(log, folder)
    known = set()
    for path in _mains(folder):
        session = _Reader(content, log).read(log.file(path), siblings)
        known |= {session.id, _stem(path)}
        yield session
    for name in sorted({path.name for path in folder.iterdir() if (path / "subagents").is_dir()} - known):
        known.add(name)
        yield _Reader(content, log).read(None, siblings, folder / name)
    for name in sorted(siblings.keys() - known):
        yield _Reader(content, log).read(None, {name: siblings[name]})


def _logs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.jsonl*") if path.name.endswith(LOGS) and path.is_file())


def _mains(folder: Path) -> list[Path]:
    return [path for path in _logs_in(folder) if not path.name.startswith("agent-")]


def _stem(path: Path) -> str:
    return path.name.split(".jsonl")[0]


def _sibling_logs(log: Log, folder: Path) -> dict[str, list[Path]]:
    """Return the sub-agent files in the folder of the main files, by session; one scan serves all sessions."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("agent-*.jsonl*")):
        first = opening(log.file(path), 1) if path.is_file() else []
        if first and (session := text(first[0].get("sessionId"))):
            found[session].append(path)
    return found


def instance(value: object) -> str | None:
    """Return the id of a sub-agent; an id equal to that of the main agent gets a suffix."""
    id = one_of_the_team(value)
    return f"{id}-agent" if id == MAIN else id


class _Reader:
    """Reads the files of one session."""

    def __init__(self, content: Content, log: Log) -> None:
        self.session = Session()
        self._content, self._log = content, log
        self._seen: set[str] = set()
        self._chains: dict[str, str] = {}
        self._found: list[tuple[str, float | None, float | None, RecordSummary, tuple[Lines, int, int]]] = []

    def read(self, main: Log | None, siblings: Mapping[str, list[Path]], folder: Path | None = None) -> Session:
        session = self.session
        if main is not None:
            agent = _agent(main.path) if main.path.name.startswith("agent-") else None
            self._file(main, agent)
            session.id = session.id or _stem(main.path)
        elif siblings or folder:
            session.id = folder.name if folder else next(iter(siblings))
        folders = [folder] if folder else self._folders(main)
        children = [*siblings.get(session.id, []), *(path for place in folders for path in self._children(place))]
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
            ended = (line.fields for line in Lines(self._log.file(journal)) if line.fields.get("type") == "result")
            self.session.returned_in_workflow |= {agent for end in ended if (agent := instance(end.get("agentId")))}
        in_runs = [path for path in sorted(runs.glob("*/agent-*.jsonl*")) if path.is_file()]
        self.session.workflows |= {_agent(path): path.parent.name for path in in_runs}
        return [*(path for path in _logs_in(folder / "subagents") if path.name.startswith("agent-")), *in_runs]

    def _child(self, path: Path) -> None:
        agent = _agent(path)
        if agent.startswith("acompact-"):
            times = [time_of(line.fields) for line in Lines(self._log.file(path))]
            self.session.compaction_logs.append(max((t for t in times if t is not None), default=None))
            return
        meta = path.with_name(f"{_stem(path)}.meta.json")
        sidecar = mapping(self._log.file(meta).document) if meta.is_file() else {}
        if sidecar:
            self.session.sidecars[agent] = sidecar
            if call := text(sidecar.get("toolUseId")):
                self.session.spawned_by.setdefault(call, agent)
        self._file(self._log.file(path), agent)

    def _file(self, log: Log, agent: str | None) -> None:
        last: float | None = None
        lines = Lines(log)
        for line in lines:
            fields = line.fields
            self.session.id = self.session.id or text(fields.get("sessionId")) or text(fields.get("session_id")) or ""
            self.session.version = text(fields.get("version")) or self.session.version
            owner = sys.intern(self._owner(fields, agent, line.number))
            if not _repeats(fields):
                self.session.logged.add(owner)
            fields = _unwrapped(fields)
            kind = text(fields.get("type"))
            if kind not in EVENT_RECORDS:
                if kind not in PROGRAM_RECORDS:
                    self.session.lost["records of unknown kinds"] += 1
                continue
            id = text(fields.get("uuid"))
            # a repeated turn is joined by its message id; the later record may have more complete tokens
            if kind != "assistant" and id is not None:
                if id in self._seen:
                    continue
                self._seen.add(id)
            t = time_of(fields)
            self._found.append((owner, t, last, summarise(fields, self._content), (lines, line.start, line.size)))
            last = t if t is not None else last
        self.session.lost["lines that are not JSON objects"] += lines.unreadable

    def _owner(self, fields: Mapping[str, Any], agent: str | None, line: int) -> str:
        """Return the instance of a record."""
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
        """Return the instance of a record in old versions, which link records by parent and name no instance."""
        id = text(fields.get("uuid")) or f"line-{line}"
        chain = self._chains.get(text(fields.get("parentUuid")) or "") or f"sidechain-{id}"
        self._chains[id] = chain
        return chain

    def _place(self) -> None:
        """Assign a time to every entry: its own, a neighbour's, or its position in a log without times."""
        timed = [found[1] for found in self._found if found[1] is not None]
        if len(timed) < len(self._found):
            self.session.time = "mixed" if timed else "ordinal"
        if self.session.time == "mixed":
            self.session.lost["records without a time, placed beside their neighbours"] += len(self._found) - len(timed)
        start = min(timed, default=0.0)
        for place, (agent, t, previous, summary, where) in enumerate(self._found):
            if t is None:
                t = float(place) if not timed else start if previous is None else previous
            self.session.entries.append(Entry(agent, t, place, summary, where))
        self.session.entries.sort(key=lambda entry: (entry.t, entry.place))


def _agent(path: Path) -> str:
    """Return the sub-agent of a log file."""
    name = _stem(path).removeprefix("agent-")
    return instance(name) or name


def _repeats(fields: Mapping[str, Any]) -> bool:
    """Return whether a record of the main log repeats a record of a sub-agent."""
    return fields.get("type") == "progress" and mapping(fields.get("data")).get("type") == "agent_progress"


def _unwrapped(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record that a progress record repeats; any other record unchanged."""
    if not _repeats(fields):
        return fields
    inner = mapping(fields["data"].get("message"))
    return inner if inner.get("timestamp") else {**inner, "timestamp": fields.get("timestamp")}


def time_of(fields: Mapping[str, Any]) -> float | None:
    """Return the time of a record; None if it is missing or invalid."""
    t = instant(fields.get("timestamp"))
    return t if t is not None and 0 <= t < LATEST else None
