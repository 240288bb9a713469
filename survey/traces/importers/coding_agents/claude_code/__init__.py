"""Claude Code sessions: one main log, and the logs of its sub-agents wherever a version stores them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from survey import garbage_collection
from survey.traces.importers.coding_agents.claude_code.lines import opening
from survey.traces.importers.coding_agents.claude_code.session import parts, sessions
from survey.traces.importers.coding_agents.claude_code.writing import trace_of
from survey.traces.importers.json_values import mapping, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Content, Trace

NAME = "claude-code"

CONVERSATION_RECORDS = frozenset({"user", "assistant", "progress", "system", "attachment"})
"""Types of the records that name their session in both forms of the log."""


def recognises(log: Log) -> bool:
    """Return whether a file, or one of the first files of a folder, holds records of Claude Code."""
    try:
        return any(_is_record(fields) for part in _sampled_files(log) for fields in opening(part))
    except (OSError, BadLog):
        return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield one trace for each session in the file or folder.

    Raises ``BadLog`` if no session contains an act.
    """
    found: Counter[str] = Counter()
    for trace in _traces(log, content):
        found[trace.id] += 1
        # a resumed session may have two files with one id
        yield trace if found[trace.id] == 1 else trace.with_head(trace_id=f"{trace.id}-{found[trace.id]}")
    if not found:
        raise BadLog(
            f"{log.path.name}: found no record of a Claude Code session (expected JSON lines of user and assistant)"
        )


def _traces(log: Log, content: Content) -> Iterator[Trace]:
    try:
        waiting = sessions(log, content)
        while True:
            with (
                garbage_collection.paused()
            ):  # no garbage arises before a session is written; collection took a fifth of the time
                session = next(waiting, None)
                if session is None:
                    return
                trace = trace_of(session, content, importer=NAME)
                del session  # else the collector would scan it as soon as it resumes
            if trace is not None:
                yield trace
    except (OSError, BadLog) as error:
        raise BadLog(f"{log.path.name}: cannot be read ({error}) (expected a file or folder of JSON lines)") from None


def _sampled_files(log: Log) -> list[Log]:
    if not log.is_folder:
        return [log]
    for pattern in ("*.jsonl*", "subagents/agent-*.jsonl*", "*/*.jsonl*", "*/subagents/agent-*.jsonl*"):
        if files := log.files(pattern):
            return files[:5]
    return []


def _is_record(fields: Mapping[str, Any]) -> bool:
    kind = text(fields.get("type"))
    if kind == "system" and fields.get("subtype") == "init":
        return text(fields.get("session_id")) is not None
    if kind == "queue-operation":
        return text(fields.get("sessionId")) is not None and "operation" in fields
    if kind == "summary":
        return "leafUuid" in fields
    if kind not in CONVERSATION_RECORDS:
        return False
    in_file = text(fields.get("sessionId")) is not None and "uuid" in fields and "parentUuid" in fields
    in_stream = "parent_tool_use_id" in fields and bool(mapping(fields.get("message")))
    return in_file or in_stream


IMPORTER = Importer(
    NAME,
    "Claude Code sessions, with their sub-agents",
    recognises,
    read,
    "A session file, a folder of sessions or a project: sub-agents inline, in files next to the session or in "
    "`subagents/`, as progress records, in the background; compactions; approvals, rejections and interrupts; "
    "`stream-json` (no times). If a sub-agent's own log is missing, only its last generation's tokens are known. "
    "The turn that reads a result is inferred, and marked as such.",
    parts=parts,
)
