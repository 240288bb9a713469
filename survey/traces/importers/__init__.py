"""Importers: convert the logs of real systems to traces.

``importers()`` returns all installed importers; ``recognised`` selects one by the content of a log.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from survey.traces.importers.log import BadLog, Importer, Log, Record

ORDER = ("claude-code", "claude-code-team", "opentelemetry", "atif", "inspect", "who-and-when", "marble", "codex")
GROUP = "survey.importers"

__all__ = ["BadLog", "Importer", "Log", "Record", "importers", "recognised"]


@cache
def importers() -> dict[str, Importer]:
    """Return all installed importers by name; ours first, in the order of detection."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    ours = [name for name in ORDER if name in found]
    return {name: found[name].load() for name in [*ours, *sorted(found.keys() - set(ours))]}


def recognised(log: Log) -> Importer | None:
    """Return the first importer that recognises the log, or None.

    Raises ``BadLog`` if the file cannot be read at all.
    """
    if log.is_packed:
        _ = log.text  # raises here if it cannot be unpacked
    return next((importer for importer in importers().values() if importer.recognises(log)), None)
