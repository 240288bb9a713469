"""``survey trace report``: the measures of a run, or what many runs are like."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from survey.cli.output import Heading, echo, output
from survey.cli.trace import printing
from survey.cli.trace.corpus import corpus, number_of_workers, restarts, scoring, target_of
from survey.cli.trace.files import (
    files,
    open_output,
    read_documents,
    reports_errors,
    require_trace,
    select_trace,
    table_of_prices,
    which,
    write_output,
)
from survey.plurals import plural
from survey.traces import Problems, Trace, replay
from survey.traces.metrics import Run, measure
from survey.traces.metrics.prices import Prices
from survey.traces.problems import quoted
from survey.traces.scoring import FORMATS, CorpusNotFound, Request, sources
from survey.traces.scoring.rows import empty_row

ENDINGS = {".html": "html", ".json": "json", ".parquet": "parquet", ".csv": "csv"}
"""The format that the name of an output asks for."""

ROWS = ("csv", "parquet")
"""The formats with a row for each run."""


@click.command(short_help="Report measures: time, critical path, agents, costs.")
@files
@which
@click.option("--format", "form", type=click.Choice(["text", "json", "html", *ROWS]),
              help="Output format; html is a page, csv and parquet have a row for each run.  "
                   "[default: by the name of FILE of -o, else text]")  # fmt: skip
@table_of_prices
@output
@number_of_workers
@click.option("--no-pages", is_flag=True, help="Of many runs, write no page for each beside the page of all.")
@restarts
@reports_errors
def report(
    paths: tuple[Path, ...], wanted: str | None, form: str | None, prices: Prices | None, output: Path | None,
    workers: int | None, no_pages: bool, restart: bool,
) -> None:  # fmt: skip
    """Measure a run, or the runs of several files or of a folder, and print a report.

    \b
      survey trace report session.jsonl
      survey trace report runs/ -o runs.html

    Nothing is guessed: where a trace does not allow a measure, the report says what is missing. Costs at list prices
    rest on a dated table of public prices; FILE of --prices replaces it, in TOML:

    \b
      [models]
      "my-model" = { input = 3, cache_read = 0.3, output = 15 }   # dollars for a million tokens

    Of many runs the report says how long they took and what they cost, which lie far from the others, which show a
    pattern of failure, and what differs between those that solved their task and those that did not. As a page, it
    has a table of all runs, each linked with its own report in the folder FILE-pages. Logs are imported on the way
    and all cores are used; with -o, the same command resumes a run that was stopped. FILE may also be the output of
    survey trace score, which computes on a cluster, too.
    """
    form = form or (ENDINGS.get(output.suffix.lower(), "text") if output else "text")
    one = None if form in ROWS else _only(paths, wanted)
    if one:
        _of_one(one, form, prices, output)
    else:
        _of_many(paths, form, prices, output, workers, pages=form == "html" and not no_pages, restart=restart)


def _only(paths: Sequence[Path], wanted: str | None) -> Trace | None:
    """Return the trace to report if it is one; None if there are several runs."""
    if len(paths) > 1:
        if wanted is not None:
            raise click.UsageError(f"--trace names a trace of one file; found {len(paths)} files")
        return None
    [path] = paths
    if wanted is not None or str(path) == "-":
        return select_trace(path, wanted)
    if path.is_dir():
        with suppress(CorpusNotFound):  # reading the folder says what is missing
            own = sources([str(path)])
            if len(own) > 1:
                return None
            path = Path(own[0].address)
    if _is_scored(path):
        return None
    first = list(islice(read_documents(path), 2))
    return require_trace(first[0]) if len(first) == 1 else None


def _is_scored(path: Path) -> bool:
    """Return whether a file holds rows of scores."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(200).startswith(b'{"place": ')


def _rows_in(path: Path) -> Iterator[bytes]:
    """Yield the rows of an output of survey trace score."""
    fields = empty_row("", Problems()).keys()
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not (isinstance(row, dict) and fields <= row.keys()):
                shown = quoted(line.decode("utf-8", "replace").strip())
                raise click.ClickException(
                    f"{path}: line {number}: found {shown}, expected a row of survey trace score"
                )
            yield line


def _of_one(found: Trace, form: str, prices: Prices | None, output: Path | None) -> None:
    if form == "html":
        from survey.traces.exporters.report import html

        write_output(html(found, prices), output)
    elif form == "json":
        write_output(printing.as_json(found, measure(found, prices=prices)), output)
    else:
        run = Run(replay(found), prices)
        write_output(printing.page(run, measure(run)), output)


def _of_many(
    paths: Sequence[Path], form: str, prices: Prices | None, output: Path | None, workers: int | None, *,
    pages: bool, restart: bool,
) -> None:  # fmt: skip
    request = Request(families=(), prices=prices.text if prices else "")
    title = paths[0].resolve().name if len(paths) == 1 else plural(len(paths), "place")
    if all(map(_is_scored, paths)):
        _write((row for path in paths for row in _rows_in(path)), form, request, title, output)
        return
    target = target_of(output)
    found = corpus(tuple(map(str, paths)), target)
    folder = target.with_name(f"{target.stem}-pages") if target and pages else None
    if folder:
        folder.mkdir(exist_ok=True)
        request = replace(request, pages=str(folder))
    with scoring(found, request, target, workers=workers, restart=restart) as run:
        _write(run.finished(), form, request, title, output, folder.name if folder else "")
    echo(run.summary() + (f"; a page for each run in {folder}" if folder else ""), err=True)


def _write(
    rows: Iterable[bytes], form: str, request: Request, title: str, output: Path | None, pages: str = ""
) -> None:
    """Write the report of many runs, from their rows of scores."""
    if form in ROWS:
        with open_output(output) as stream:
            stream.writelines(FORMATS[form](rows, request))
        return
    from survey.traces.exporters.report import runs

    found = runs.summary(runs.table(rows))
    if form == "html":
        write_output(runs.html(found, title, pages), output)
    elif form == "json":
        write_output(found.to_json(), output)
    else:
        lines: list[str] = []
        for heading, own in runs.text(found):
            lines += ["", Heading(heading), *own] if heading else own
        write_output(lines, output)


COMMANDS = (report,)
