"""Subcommands on traces: check, import, export, replay, diff, anonymise."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from survey.cli.lazy_group import LazyGroup
from survey.cli.output import echo, formats, output
from survey.cli.trace import printing
from survey.cli.trace.files import (
    existing,
    file,
    files,
    open_output,
    read_documents,
    reports_errors,
    require_trace,
    salt,
    select_trace,
    table_of_prices,
    which,
    write_output,
)
from survey.cli.trace.limits import Limit, exceeded, limits
from survey.escaping import visible
from survey.traces import Reading, replay, states
from survey.traces.exporters import EXPORTERS
from survey.traces.files import KEEPABLE, anonymised, to_json_line
from survey.traces.importers import BadLog, Importer, Log, importers, logs_in
from survey.traces.metrics import Run
from survey.traces.metrics.difference import difference
from survey.traces.metrics.prices import Prices
from survey.traces.model import Content
from survey.traces.problems import nearest, quoted
from survey.traces.replay import until

MODULES = {
    "survey.cli.trace.report": ("report",),
    "survey.cli.trace.rewards": ("reward",),
    "survey.cli.trace.credit": ("credit",),
    "survey.cli.trace.score": ("score",),
    "survey.cli.trace.stopping": ("stopping",),
}
"""The commands of other modules."""


class TraceGroup(LazyGroup):
    """A group that lists its commands alphabetically."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted(super().list_commands(ctx))


@click.group(cls=TraceGroup, modules=MODULES, short_help="Check, measure, import and export orchestration traces.")
def trace() -> None:
    """Check, measure, import and export orchestration traces: records of what teams of agents did.

    \b
      survey trace import auto ~/logs/session.jsonl -o run.jsonl
      survey trace check run.jsonl
      survey trace report run.jsonl
      survey trace report runs/ -o runs.html
      survey trace export perfetto run.jsonl -o run.json
      survey trace replay run.jsonl --until e40
      survey trace reward run.jsonl --family R7
      survey trace credit run.jsonl --unit message --method shapley
      survey trace stopping run.jsonl --rule patience:2
      survey trace score 'runs/*.jsonl' -o scores.jsonl

    FILE is a trace in JSON, or many in JSON Lines, plain or packed with gzip or Zstandard;
    - is standard input. A log of a real system, or a folder of logs, is imported on the way. The site
    documents the schema and the checks under Traces.
    """


@trace.command(short_help="Report errors and warnings in traces.")
@files
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option(
    "--limit",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Most errors, and most warnings, to print for each trace.",
)
@limits
@table_of_prices
@formats("text", "json")
@reports_errors
def check(
    paths: tuple[Path, ...], strict: bool, limit: int, most: tuple[Limit, ...], prices: Prices | None, form: str
) -> None:
    """Report every structural error and every contradiction between events.

    A structural error names its place in the document as a JSON Pointer. A trace with a sound structure
    is replayed, and each error names the events that contradict each other.

    With --max, a run that took, cost or failed more than allowed is an error, too, as in continuous integration:

    \b
      survey trace check runs/ --max cost_usd=2 --max critical_path_s=600 --max looping_calls=0

    A measure by agent, tool or model counts as its sum. One that a trace does not allow is an error: nobody could
    say that it keeps to the limit. Exit status: 0 no errors; 1 errors; 2 wrong usage.
    """
    traces = errors = warnings = bad = 0
    places: dict[tuple[Path, str], str] = {}
    for path, reading in ((one, reading) for one in paths for reading in read_documents(one, limit)):
        found = reading.problems
        if reading.trace is not None:
            _check_id(reading, places.setdefault((path, reading.trace.id), reading.place))
            replayed = replay(reading.trace, limit=limit)
            found.extend(replayed.problems)
            if most:
                found.extend(exceeded(Run(replayed, prices), most))
        traces += 1
        errors, warnings = errors + found.errors, warnings + found.warnings
        bad += bool(found.errors or (strict and found.warnings))
        printing.problems(reading.place, found, form)
    if form == "text":
        echo(printing.summary(traces, errors, warnings, bad))
    if bad:
        raise SystemExit(1)


@trace.command("import", short_help="Convert logs of real systems to traces.")
@click.argument("form", metavar="FORMAT")
@files
@output
@click.option("--keep-content", is_flag=True, help="Keep free text.  [default: store its hash and length]")
@salt
@reports_errors
def import_command(
    form: str, paths: tuple[Path, ...], output: Path | None, keep_content: bool, salt: str | None
) -> None:
    """Convert logs to traces, one on each line. FILE may be a folder: one that the system writes, or one of logs.

    FORMAT is auto, which recognises a log by its content, or a format listed by
    ``survey trace formats``. What the log does not say, and what a trace cannot hold, is counted
    in the trace (source.lost) and reported on standard error; nothing is invented in its place.
    """
    importer = None if form == "auto" else _importer_named(form)
    with open_output(output) as stream:
        for path in paths:
            log = Log(path, sys.stdin.buffer.read() if str(path) == "-" else None)
            unknown: list[str] = []
            known = False
            for one, chosen in logs_in(log, importer):
                if chosen is None:
                    unknown.append(one.path.name)
                    continue
                known = True
                for made in chosen.read(one, Content(keep_content, salt)):
                    stream.write(to_json_line(made) + b"\n")
                    echo(printing.imported(one.path, chosen, made), err=True)
            if not known:
                raise BadLog(
                    f"{path}: found no log in a known format "
                    f"(expected one of {', '.join(importers())}; name one in place of auto)"
                )
            if unknown:
                echo(printing.left_out(path, unknown), err=True)


@trace.command("formats", short_help="List the import and export formats.")
@reports_errors
def formats_command() -> None:
    """List the formats that import reads and export writes."""
    echo(printing.formats(importers(), EXPORTERS))


@trace.command("export", short_help="Convert a trace to another program's format.")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(EXPORTERS)))
@file
@which
@output
@reports_errors
def export_command(form: str, path: Path, wanted: str | None, output: Path | None) -> None:
    """Write a trace in the format of another program: perfetto, otlp, atif, ocel, mermaid, html.

    What the format has no place for is named on standard error. "survey trace import" reads otlp and atif back, without
    a loss.
    """
    found, exporter = select_trace(path, wanted), EXPORTERS[form]
    write_output(exporter(found), output)
    if missing := exporter.left_out(found):
        echo(f"{form} has no place for: {', '.join(missing)}", err=True)


@trace.command("replay", short_help="Print the state of the team after each event.")
@file
@which
@click.option("--until", "last", metavar="EVENT", help="Stop after this event.")
@click.option("--cut", is_flag=True, help="Print the trace up to that event instead of the states.")
@formats("text", "json", about="Output format of the states.")
@output
@reports_errors
def replay_command(path: Path, wanted: str | None, last: str | None, cut: bool, form: str, output: Path | None) -> None:
    """Replay a trace in causal order and print the state after each event.

    The state: agents alive, tasks to return, calls without a result, messages in flight, and costs so far.
    """
    found = select_trace(path, wanted)
    ids = [event.id for event in found.events]
    if last is not None and last not in ids:
        raise click.BadParameter(f'no event has the id "{last}"{nearest(last, ids)}', param_hint="--until")
    with open_output(output) as stream:
        if cut:
            stream.write(to_json_line(until(found, last) if last is not None else found) + b"\n")
            return
        for event, state in states(found):
            line = json.dumps(state.to_json()) if form == "json" else visible(printing.state(event, state))
            stream.write(f"{line}\n".encode())
            if event.id == last:
                break


@trace.command(short_help="Compare two runs: where they diverge, and how their measures differ.")
@click.argument("paths", metavar="A B", nargs=2, type=existing)
@formats("text", "json")
@reports_errors
def diff(paths: tuple[Path, Path], form: str) -> None:
    """Compare two traces event by event, in causal order, and measure by measure.

    Exit status 1 if they differ.
    """
    found = difference(*(select_trace(path, None) for path in paths))
    echo(printing.difference(paths, found, form))
    if found:
        raise SystemExit(1)


@trace.command(short_help="Remove names and content from traces.")
@file
@output
@salt
@click.option("--keep", type=click.Choice(KEEPABLE), multiple=True,
              help="Keep these as they are: the times of the clock, or the names of models, tools or roles; "
                   "repeatable.")  # fmt: skip
@reports_errors
def anonymise(path: Path, output: Path | None, salt: str | None, keep: tuple[str, ...]) -> None:
    """Replace all names, and keep the events, durations and figures unchanged.

    Content, the source and fields that the schema does not know are removed. Times begin at zero, and all hashes
    have one length. Durations, tokens and the order of events stay: whoever has the log can recognise its run.
    """
    with open_output(output) as stream:
        for reading in read_documents(path):
            stream.write(to_json_line(anonymised(require_trace(reading), salt, keep)) + b"\n")


def _check_id(reading: Reading, first: str) -> None:
    """Report a trace whose id an earlier trace of the file has: ``--trace`` could not tell them apart."""
    if reading.trace is not None and first != reading.place:
        message = f"the id {quoted(reading.trace.id)} is already used by {first}"
        reading.problems.add("duplicate-id", message, pointer="/trace_id")


def _importer_named(name: str) -> Importer:
    known = importers()
    if name not in known:
        raise click.BadParameter(
            f'"{name}" is not a format{nearest(name, known)}; expected auto, {", ".join(known)}', param_hint="FORMAT"
        )
    return known[name]


COMMANDS = (trace,)
