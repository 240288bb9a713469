"""Exporters: traces in the formats that other programs open.

Each is a function from a trace to a document: an object that is written as JSON, or a text.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from survey.traces.model import Trace


class Exporter(NamedTuple):
    """A format that traces can be written in."""

    name: str
    title: str
    function: str
    """Its function in the module of this package that has the same name."""

    def __call__(self, trace: Trace) -> dict[str, Any] | str:
        """The document. The module is loaded when it is first needed."""
        made: Callable[[Trace], dict[str, Any] | str] = getattr(import_module(f"{__name__}.{self.function}"), self.name)
        return made(trace)


EXPORTERS = {
    name: Exporter(name, title, module)
    for name, title, module in (
        ("perfetto", "Chrome trace events, for the Perfetto viewer", "perfetto"),
        ("otlp", "OpenTelemetry spans (OTLP JSON) with GenAI names", "otlp"),
        ("atif", "Agent Trajectory Interchange Format", "atif"),
        ("ocel", "Object-centric event log (OCEL 2.0), for process mining", "ocel"),
        ("mermaid", "Sequence diagram for Mermaid", "mermaid"),
        ("html", "Report in one HTML file, to be shared", "report"),
    )
}
