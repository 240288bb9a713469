"""What the page Open a log asks of the toolkit, in the browser's own Python: read logs, report a run, convert it.

It goes through the same functions as the commands, so that what a reader saves from the page is what
``survey trace report`` and ``survey trace export`` write.
"""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import click

from survey.cli.trace import printing
from survey.cli.trace.files import read_documents, write_output
from survey.traces import Reading, Trace, replay
from survey.traces.exporters import EXPORTERS
from survey.traces.files import to_json_line

SAVED = Path("/tmp/saved")
TRACE = "trace"
"""The name of a trace itself among the formats to save it in."""


class Session:
    """The traces of the logs that a reader has opened."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []

    def open(self, paths: list[str]) -> str:
        """Read files and folders; return as JSON what each document holds."""
        self.traces = []
        rows: list[dict[str, Any]] = []
        # that a log is imported on the way is told with advice for the command line
        with redirect_stderr(io.StringIO()), click.Context(click.Command("open")):
            for path in paths:
                try:
                    rows += [self._row(reading) for reading in read_documents(Path(path))]
                except OSError as error:
                    rows.append({"place": path, "trouble": f"{path}: {error.strerror or error}"})
        return json.dumps(rows)

    def _row(self, reading: Reading) -> dict[str, Any]:
        trace, found = reading.trace, reading.problems
        if trace is None:
            told = io.StringIO()
            with redirect_stdout(told):
                printing.problems(reading.place, found, "text")
            return {"place": reading.place, "trouble": told.getvalue()}
        found.extend(replay(trace).problems)
        self.traces.append(trace)
        return {
            "place": reading.place, "trace": len(self.traces) - 1, "id": trace.id,
            "importer": trace.source.get("importer"), "agents": len(trace.agents), "events": len(trace),
            "errors": found.errors, "warnings": found.warnings,
        }  # fmt: skip

    def save(self, number: int, form: str) -> bytes:
        """Return the file of a trace in a format: the trace itself, or what an exporter makes of it."""
        trace = self.traces[number]
        if form == TRACE:
            return to_json_line(trace) + b"\n"
        write_output(EXPORTERS[form](trace), SAVED)
        return SAVED.read_bytes()
