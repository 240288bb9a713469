"""The report of a run: one HTML file to read, print and share.

``explorer`` lets the reader follow the events, and ``runs`` makes the report of many runs. The file loads nothing
from any host and works without JavaScript. The template engine is imported only when a report is rendered.
"""

from __future__ import annotations

from survey.traces.exporters.report.contents import contents
from survey.traces.exporters.report.rendering import program, template
from survey.traces.metrics.prices import Prices
from survey.traces.model import Trace

__all__ = ["html", "script"]

STYLES, SCRIPTS = (
    ("report.css", "explorer/explorer.css"),
    (
        "report.js",
        "explorer/run.js",
        "explorer/lanes.js",
        "explorer/explorer.js",
    ),
)


def html(trace: Trace, prices: Prices | None = None) -> str:
    """Return the report of a run, with the public prices of models or those given.

    The same trace yields the same bytes. A measure that the trace does not allow is shown with the reason in place of
    a figure.
    """
    return template(STYLES, SCRIPTS, "template.html.j2").render(**contents(trace, prices))


def script() -> str:
    """Return the script of every report, for a page that shows one and lets no other script run."""
    return program(SCRIPTS)
