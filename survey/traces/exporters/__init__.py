"""Exporters: convert traces to the formats of other programs.

Each is a function from a trace to a document: an object to be written as JSON, or a text.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from survey.traces.model import Trace


class Exporter(NamedTuple):
    """An export format."""

    name: str
    title: str
    module: str
    """The module of this package that has the function ``name``."""

    def __call__(self, trace: Trace) -> dict[str, Any] | str:
        """Return the document. The module is imported at the first use."""
        module = import_module(f"{__name__}.{self.module}")
        export: Callable[[Trace], dict[str, Any] | str] = getattr(module, self.name)
        return export(trace)


EXPORTERS = {
    name: Exporter(name, title, module)
    for name, title, module in (
        ("perfetto", "Chrome trace events, for the Perfetto viewer", "perfetto"),
        ("otlp", "OpenTelemetry spans (OTLP JSON) with GenAI names", "otlp"),
        ("atif", "Agent Trajectory Interchange Format", "atif"),
        ("ocel", "Object-centric event log (OCEL 2.0), for process mining", "ocel"),
        ("mermaid", "Sequence diagram for Mermaid", "mermaid"),
        ("html", "Report in one self-contained HTML file", "report"),
    )
}
