"""Importers: convert the logs of real systems to traces.

``importers()`` returns all installed importers; ``recognised`` selects one by the content of a log, and ``logs_in``
one for each file of a folder of logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from survey.traces.importers.log import BadLog, Importer, Log, Record

ORDER = (
    "claude-code", "claude-code-team", "mlflow", "opentelemetry", "openai-agents", "langfuse", "langsmith", "weave",
    "atif", "inspect", "who-and-when", "marble", "codex", "copilot", "gemini", "swe-agent", "mini-swe-agent",
    "openhands", "rllm", "verl",
)  # fmt: skip
GROUP = "survey.importers"

__all__ = ["BadLog", "Importer", "Log", "Record", "importers", "logs_in", "recognised"]


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


def logs_in(log: Log, importer: Importer | None = None) -> Iterator[tuple[Log, Importer | None]]:
    """Yield a log with its importer: the given one, the first that recognises it, or None.

    For a folder that no importer reads as a whole, yield every file in it. Raises ``BadLog`` as ``recognised`` does.
    """
    chosen = importer or recognised(log)
    if not log.is_folder or (chosen and chosen.recognises(log)):
        yield log, chosen
        return
    found = False
    for file in log.files("*"):
        chosen = recognised(file) if importer is None else importer if importer.recognises(file) else None
        found = found or chosen is not None
        yield file, chosen
    if not found and importer is not None:
        yield log, importer  # its error says what it expects
