"""Harbor's Agent Trajectory Interchange Format, ATIF 1.x.

A trajectory is the run of one agent. Those of its sub-agents are embedded in it, in separate files of the same
folder, or (as Harbor converts Claude Code) interleaved with its own steps. A step has one time, so a tool result
gets the time of its call. A file of our own exporter has the trace itself in ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator

from survey.traces.importers.json_values import mapping
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.importers.records import restored
from survey.traces.importers.rollouts.atif.documents import TrajectoryIndex, documents, is_trajectory
from survey.traces.importers.rollouts.atif.run import Run
from survey.traces.model import Content, Trace

TRACE = "orchestration_trace"
"""The key in ``extra`` under which our exporter writes the trace itself."""


def _recognises(log: Log) -> bool:
    if log.is_folder:
        return any(is_trajectory(file.document) for file in log.files("**/*.json")[:100])
    return any(is_trajectory(fields) for fields in log.opening(3))


def _read(log: Log, content: Content) -> Iterator[Trace]:
    found = documents(log)
    if not found:
        raise BadLog(
            f'{log.path.name}: found no trajectory (expected an object with "schema_version": "ATIF-v1..." and steps)'
        )
    folder = None if log.data is not None else log.path if log.is_folder else log.path.parent
    index = TrajectoryIndex(found, folder, log.budget)
    referenced = {id(each.fields) for document in found for each in index.referenced(document) if each is not document}
    roots = [document for document in found if id(document.fields) not in referenced] or found[:1]
    strangers = sum(not is_trajectory(fields) for fields in log.objects())
    traces: list[Trace] = []
    for root in roots:
        if whole := restored(mapping(root.fields.get("extra")).get(TRACE), content):
            traces.append(whole)
            continue
        run = Run(root, index, content)
        if not traces:
            run.builder.lost("lines that are not JSON objects", log.unreadable)
            run.builder.lost("records that are not trajectories", strangers)
        traces += [trace] if (trace := run.trace()) else []
    if not traces:
        raise BadLog(f"{log.path.name}: empty trajectories (expected steps of an agent)")
    yield from traces


IMPORTER = Importer(
    "atif",
    "Agent Trajectory Interchange Format (Harbor)",
    _recognises,
    _read,
    "Versions up to 1.7, with embedded, referenced and continued trajectories; copied steps count once. A step has one "
    "time, so a result has the time of its call, and tools appear to take no time.",
)
