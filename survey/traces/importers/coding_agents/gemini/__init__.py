"""Sessions of Gemini CLI: one file for each conversation, of the main agent or of a sub-agent.

Implemented from the public source of the program (``packages/core/src/services/chatRecordingService.ts`` and
``packages/core/src/agents/`` of ``google-gemini/gemini-cli``) and from public logs of single agents.
"""

from __future__ import annotations

from collections.abc import Iterator

from survey.traces.importers.coding_agents.gemini.run import Run
from survey.traces.importers.coding_agents.gemini.sessions import is_head, sessions, teams
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Content, Trace


def _recognises(log: Log) -> bool:
    files = log.files("**/*.json*")[:20] if log.is_folder else [log]
    return bool(files) and all(any(map(is_head, file.opening(1))) for file in files)


def _read(log: Log, content: Content) -> Iterator[Trace]:
    found = sessions(log)
    if not found:
        raise BadLog(f'{log.path.name}: found no session of Gemini CLI (expected a "sessionId" and a "projectHash")')
    traces = [trace for team in teams(found) if (trace := Run(team, content).trace())]
    if not traces:
        raise BadLog(f"{log.path.name}: empty sessions (expected messages of a model)")
    yield from traces


IMPORTER = Importer(
    "gemini",
    "Sessions of Gemini CLI",
    _recognises,
    _read,
    "A session, or the folder of the chats with the sessions of sub-agents, as JSON or JSON Lines. The log says when a "
    "turn ended and when all its calls were done. Read on real logs of one agent only.",
    experimental=True,
)
