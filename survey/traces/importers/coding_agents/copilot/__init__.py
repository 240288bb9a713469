"""Sessions of GitHub Copilot CLI: the events of a session and its sub-agents, one on each line.

Implemented from the generated types of the program's public SDK (``nodejs/src/generated/session-events.ts`` of
``github/copilot-sdk``) and from public logs.
"""

from __future__ import annotations

from collections.abc import Iterator

from survey.traces.importers.coding_agents.copilot.lines import is_line, session
from survey.traces.importers.coding_agents.copilot.run import Run
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Content, Trace


def _recognises(log: Log) -> bool:
    files = log.files("**/*.jsonl*")[:20] if log.is_folder else [log]
    return bool(files) and all(any(is_line(fields) for fields in file.opening(5)) for file in files)


def _read(log: Log, content: Content) -> Iterator[Trace]:
    files = log.files("**/*.jsonl*") if log.is_folder else [log]
    found = [one for file in files if (one := session(file))]
    if not found:
        raise BadLog(f'{log.path.name}: found no session of Copilot (expected lines with a "type" and a "data")')
    traces = [trace for one in found if (trace := Run(one, content).trace())]
    if not traces:
        raise BadLog(f"{log.path.name}: empty session (expected messages of an agent)")
    yield from traces


IMPORTER = Importer(
    "copilot",
    "Sessions of GitHub Copilot CLI",
    _recognises,
    _read,
    "The events of a session, or a folder of sessions. A call that starts a sub-agent is its spawn. The log has the "
    "output tokens of each turn, all others only for the whole session: they are under metrics. It has no prices.",
)
