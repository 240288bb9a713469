"""Three real sessions of agents: what their reports show, in drawings and figures that the toolkit computes.

The logs are public and under the MIT licence (``open_log/examples``); every text in them is replaced by its length.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.traces import Trace
from survey.traces.exporters import EXPORTERS
from survey.traces.exporters.report.contents import contents
from survey.traces.exporters.report.formatting import duration, number, share
from survey.traces.importers import Log, importers
from survey.traces.metrics import measure
from survey.traces.model import Content

LOGS = Path(__file__).parent / "open_log" / "examples"
SESSIONS = {"reviewers": "Six reviewers at once", "interrupted": "An interruption", "questions": "Questions to people"}
"""The logs, by the names of their files, and what they show."""

PAGE = "traces/real-sessions.md"
FORMAT = "claude-code"


def real_session_pages(_: Facts) -> Files:
    """Yield the page, and the log and the whole report of each session."""
    shown = {}
    for name in SESSIONS:
        path = LOGS / f"{name}.jsonl"
        (trace,) = importers()[FORMAT].read(Log(path), Content(salt="example"))
        yield f"traces/real-sessions/{name}.html", str(EXPORTERS["html"](trace))
        yield f"traces/real-sessions/{name}.jsonl", path.read_text("utf-8")
        shown[name] = {**contents(trace), "found": figures(trace)}
    licence = (LOGS / "LICENSE.txt").read_text("utf-8")
    yield "traces/real-sessions/LICENSE.txt", licence
    yield PAGE, render(
        "pages/traces/real-sessions.md.j2", page=PAGE, sessions=shown, duration=duration, number=number,
        share=share, owner=licence.splitlines()[2],
    )  # fmt: skip


def figures(trace: Trace) -> Mapping[str, Any]:
    """Return the values of all measures of a trace."""
    return {name: one.value for name, one in measure(trace).items()}
