"""OpenHands: the events of a run, in the older format of one stream and in the current one of conversations.

A log is a list of events, a record of an evaluation that holds one, or the folder in which the program keeps a file
for each event. Sub-agents of the older format share the stream; those of the current one have folders of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from survey.traces.importers.coding_agents.openhands.logs import Source, is_event_file, is_record, sources
from survey.traces.importers.coding_agents.openhands.team import trace_of
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Content, Trace


def _recognises(log: Log) -> bool:
    with suppress(OSError, BadLog):
        if log.is_folder:
            return any(is_event_file(file) for file in log.files("**/*.json")[:100])
        return any(is_record(record) for record in log.opening(10))
    return False


def _read(log: Log, content: Content) -> Iterator[Trace]:
    found: list[Source] = list(sources(log))
    traces = [trace for source in found if (trace := trace_of(source, content))]
    if not traces:
        raise BadLog(
            f"{log.path.name}: found no run of OpenHands (expected events with a source and an action or kind)"
        )
    yield from traces


IMPORTER = Importer(
    "openhands",
    "Trajectories and conversations of OpenHands",
    _recognises,
    _read,
    "The older streams, with delegates; records of evaluations; and the event files of the current version, with "
    "sub-agents where their folders were kept. Tokens are those of a response, or what the totals grew by. Shown on "
    "real logs of one agent; delegation by the program's source.",
    experimental=True,
)
