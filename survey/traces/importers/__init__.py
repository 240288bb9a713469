"""Importers: real systems' logs in, traces out.

``importers()`` gives all that are installed, ``recognised`` the one that a log's content asks for.
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
    """All installed importers by name; ours first, in the order in which detection asks them."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    ours = [name for name in ORDER if name in found]
    return {name: found[name].load() for name in [*ours, *sorted(found.keys() - set(ours))]}


def recognised(log: Log) -> Importer | None:
    """The first importer that takes the log for one of its own.

    Raises ``BadLog`` where the file cannot be read at all.
    """
    if log.is_packed:
        _ = log.text  # says so here and now if it cannot be unpacked
    return next((importer for importer in importers().values() if importer.recognises(log)), None)
