"""Rollouts of OpenAI Codex: one file of JSON Lines for each thread, one thread for each agent.

Implemented from the protocol of the program and from third-party descriptions; never tested on the log of a
real team.
"""

from __future__ import annotations

from collections.abc import Iterator

from survey.traces.importers.coding_agents.codex.run import Run
from survey.traces.importers.coding_agents.codex.threads import is_line, teams, threads
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Content, Trace


def _recognises(log: Log) -> bool:
    files = log.files("**/*.jsonl*")[:20] if log.is_folder else [log]
    return any(is_line(fields) for file in files for fields in file.opening(5))


def _read(log: Log, content: Content) -> Iterator[Trace]:
    found = threads(log)
    if not found:
        raise BadLog(f'{log.path.name}: found no Codex rollout (expected lines with a "type" and a "payload")')
    traces = [trace for team in teams(found) if (trace := Run(team, content).trace())]
    if not traces:
        raise BadLog(f"{log.path.name}: empty rollouts (expected turns of an agent)")
    yield from traces


IMPORTER = Importer(
    "codex",
    "Rollouts of OpenAI Codex",
    _recognises,
    _read,
    "A rollout, or a folder of them: threads are joined by their spawns, and a child's copy of its parent's history "
    "counts once. Implemented from descriptions of the format.",
    experimental=True,
)
