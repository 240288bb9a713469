"""Subcommands on traces: check, report, import, export, replay, diff, anonymise."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

import click

from survey.cli.trace import printing as tracepages
from survey.cli.trace.files import file, opened, output, readings_at, tells, trace_of, valid, which, written
from survey.traces import replay, states
from survey.traces.exporters import EXPORTERS
from survey.traces.files import anonymised, dumped
from survey.traces.importers import BadLog, Importer, Log, importers, recognised
from survey.traces.metrics import measure
from survey.traces.metrics.difference import difference
from survey.traces.model import Content
from survey.traces.problems import nearest
from survey.traces.replay import until

LATE = {
    "reward": "survey.cli.trace.rewards",
    "credit": "survey.cli.trace.credit",
    "score": "survey.cli.trace.score",
}
"""Commands whose modules are loaded when they are asked for: credit computes with numpy, the others do not."""


class Toolkit(click.Group):
    """A group of which some commands are loaded late."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names in the order of the alphabet."""
        return sorted([*super().list_commands(ctx), *LATE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; its module is loaded now if that was not done."""
        if cmd_name in LATE:
            command: click.Command = getattr(import_module(LATE[cmd_name]), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=Toolkit, short_help="Check, measure, import and export orchestration traces.")
def trace() -> None:
    """Read, check, measure, import and export what teams of agents did.

    \b
      survey trace import auto ~/logs/session.jsonl -o run.jsonl
      survey trace check run.jsonl
      survey trace report run.jsonl
      survey trace export perfetto run.jsonl -o run.json
      survey trace replay run.jsonl --until e40
      survey trace reward run.jsonl --family R7
      survey trace credit run.jsonl --unit message --method shapley
      survey trace score 'runs/*.jsonl' -o scores.jsonl

    FILE is a trace in JSON, or many in JSON Lines, plain or packed with gzip or Zstandard;
    - is standard input. The schema and what is checked stand on the site under Traces.
    """


@trace.command(short_help="Report everything that is wrong with traces.")
@click.argument(
    "paths",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option(
    "--limit",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="How many errors, and how many warnings, to print of each trace.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print them.",
)
@tells
def check(paths: tuple[Path, ...], strict: bool, limit: int, form: str) -> None:
    """Report every structural error, and everything that cannot have happened as it is told.

    An error of structure names its place in the document as a JSON Pointer. Where the structure
    is sound the trace is replayed, and each error names the events that contradict each other.
    """
    traces = errors = warnings = bad = 0
    for reading in (reading for path in paths for reading in readings_at(path, limit)):
        found = reading.problems
        if reading.trace is not None:
            found.extend(replay(reading.trace, limit=limit).problems)
        traces += 1
        errors, warnings = errors + found.errors, warnings + found.warnings
        bad += bool(found.errors or (strict and found.warnings))
        tracepages.problems(reading.place, found, form)
    if form == "text":
        click.echo(tracepages.verdict(traces, errors, warnings, bad))
    if bad:
        raise SystemExit(1)


@trace.command(short_help="A page of figures: time, critical path, agents, costs.")
@file
@which
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="How to print it; html is one file to be shared.",
)
@output
@tells
def report(path: Path, wanted: str | None, form: str, output: Path | None) -> None:
    """Measure a trace and print the figures on a page.

    What cannot be measured in the trace is not guessed: the page says what is missing.
    """
    found = trace_of(path, wanted)
    if form == "html":
        written(EXPORTERS["html"](found), output)
    elif form == "json":
        written(tracepages.as_json(found, measure(found)), output)
    else:
        replayed = replay(found)
        written(tracepages.page(replayed, measure(replayed)), output)


@trace.command("import", short_help="Read a real system's log as traces.")
@click.argument("form", metavar="FORMAT")
@click.argument(
    "paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@output
@click.option("--keep-content", is_flag=True, help="Keep free text. Without this it is hashed and its length noted.")
@click.option(
    "--salt",
    metavar="TEXT",
    help="Salt of the hashes, so that several imports can be compared.  [default: a new one each time]",
)
@tells
def import_command(
    form: str, paths: tuple[Path, ...], output: Path | None, keep_content: bool, salt: str | None
) -> None:
    """Read logs as traces, one on each line. FILE may be a folder where the system writes one.

    FORMAT is auto, which looks at the content, or one of those listed by
    ``survey trace formats``. What the log did not say, and what a trace cannot hold, is counted
    in the trace (source.lost) and told on standard error; nothing is made up for it.
    """
    importer = None if form == "auto" else _known(form)
    with opened(output) as stream:
        for path in paths:
            log = Log(path, sys.stdin.buffer.read() if str(path) == "-" else None)
            chosen = importer or recognised(log)
            if chosen is None:
                raise BadLog(
                    f"{path}: found no log of a known kind "
                    f"(expected one of {', '.join(importers())}; name one in place of auto)"
                )
            for made in chosen.read(log, Content(keep_content, salt)):
                stream.write(dumped(made) + b"\n")
                click.echo(tracepages.imported(path, chosen, made), err=True)


@trace.command("formats", short_help="What can be imported and exported.")
@tells
def formats_command() -> None:
    """List the formats that import reads and export writes."""
    click.echo(tracepages.formats(importers(), EXPORTERS))


@trace.command("export", short_help="Write a trace in another program's format.")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(EXPORTERS)))
@file
@which
@output
@tells
def export_command(form: str, path: Path, wanted: str | None, output: Path | None) -> None:
    """Write a trace in the format of another program: perfetto, otlp, atif, ocel, mermaid, html."""
    written(EXPORTERS[form](trace_of(path, wanted)), output)


@trace.command("replay", short_help="The state of the team after each event.")
@file
@which
@click.option("--until", "last", metavar="EVENT", help="Stop after this event.")
@click.option("--cut", is_flag=True, help="Print the trace up to there instead of the states.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the states.",
)
@output
@tells
def replay_command(path: Path, wanted: str | None, last: str | None, cut: bool, form: str, output: Path | None) -> None:
    """Walk through a trace in causal order and print the state after each event.

    The state is who is alive, who has work to return, which calls have no result and which
    messages have not arrived, and what has been spent.
    """
    found = trace_of(path, wanted)
    ids = [event.id for event in found.events]
    if last is not None and last not in ids:
        raise click.BadParameter(f'no event has the id "{last}"{nearest(last, ids)}', param_hint="--until")
    with opened(output) as stream:
        if cut:
            stream.write(dumped(until(found, last) if last is not None else found) + b"\n")
            return
        for event, state in states(found):
            line = json.dumps(state.to_json()) if form == "json" else tracepages.state(event, state)
            stream.write(f"{line}\n".encode())
            if event.id == last:
                break


@trace.command(short_help="Where two runs part, and what it comes to.")
@click.argument(
    "paths", metavar="A B", nargs=2, type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it."
)
@tells
def diff(paths: tuple[Path, Path], form: str) -> None:
    """Compare two traces act by act, in causal order, and measure by measure.

    Exit status 1 if they differ.
    """
    found = difference(*(trace_of(path, None) for path in paths))
    click.echo(tracepages.difference(paths, found, form))
    if found:
        raise SystemExit(1)


@trace.command(short_help="Take names and content out of traces.")
@file
@output
@click.option(
    "--salt",
    metavar="TEXT",
    help="Salt of the hashes, so that several traces stay comparable.  [default: a new one each time]",
)
@tells
def anonymise(path: Path, output: Path | None, salt: str | None) -> None:
    """Give everyone and everything new names, and leave the events, times and figures as they are.

    Content, the source and fields that the schema does not know are taken out.
    """
    with opened(output) as stream:
        for reading in readings_at(path):
            stream.write(dumped(anonymised(valid(reading), salt)) + b"\n")


def _known(name: str) -> Importer:
    known = importers()
    if name not in known:
        raise click.BadParameter(
            f'"{name}" is no format{nearest(name, known)}; expected auto, {", ".join(known)}', param_hint="FORMAT"
        )
    return known[name]


COMMANDS = (trace,)
