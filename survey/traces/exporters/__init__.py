"""Exporters: convert traces to the formats of other programs.

Each is a function from a trace to a document: an object to be written as JSON, or a text.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from survey.traces.exporters.parts import PARTS
from survey.traces.model import Trace


class Exporter(NamedTuple):
    """An export format."""

    name: str
    title: str
    module: str
    """The module of this package that has the function ``name``."""
    lacks: tuple[str, ...] = ()
    """The parts of a trace for which the format has no place."""

    def left_out(self, trace: Trace) -> list[str]:
        """Return the parts of this trace that the document will not hold."""
        return [part for part in self.lacks if PARTS[part](trace)]

    def __call__(self, trace: Trace) -> dict[str, Any] | str:
        """Return the document. The module is imported at the first use."""
        module = import_module(f"{__name__}.{self.module}")
        export: Callable[[Trace], dict[str, Any] | str] = getattr(module, self.name)
        return export(trace)


MERMAID = ("failures", "texts")
"""The parts of a trace that a sequence diagram shows, besides who did what in which order."""

EXPORTERS = {
    each.name: each
    for each in (
        Exporter(
            "perfetto",
            "Chrome trace events, for the Perfetto viewer",
            "perfetto",
            lacks=("labels", "outcome", "texts", "models"),
        ),
        Exporter("otlp", "OpenTelemetry spans (OTLP JSON) with GenAI names", "otlp"),
        Exporter("atif", "Agent Trajectory Interchange Format", "atif"),
        Exporter(
            "ocel",
            "Object-centric event log (OCEL 2.0), for process mining",
            "ocel",
            lacks=("labels", "outcome", "marks of waiting"),
        ),
        Exporter(
            "mermaid",
            "Sequence diagram for Mermaid",
            "mermaid",
            lacks=tuple(part for part in PARTS if part not in MERMAID),
        ),
        Exporter("html", "Report in one self-contained HTML file", "report"),
    )
}
