"""``survey trace report``: the measures of a run, or what many runs are like."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
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
from survey.traces import Trace, replay
from survey.traces.metrics import Run, measure
from survey.traces.metrics.prices import Prices
from survey.traces.scoring import FORMATS, CorpusNotFound, Request, Source, sources
from survey.traces.scoring.reading import BadRow, holds_rows, rows_in

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
@click.option("--no-pages", is_flag=True, help="Do not write a page for each run.")
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

    For many runs, the report gives distributions of times, costs and failures, outliers, failure patterns, and
    differences between solved and unsolved runs. As HTML it also has a table of all runs, each linked to its own
    report in a folder beside the output (runs-pages/ for runs.html). Logs are imported on the way, on all cores.
    With -o, repeat the command to resume a run that was stopped. FILE may also be the output of survey trace score,
    which can run on a cluster.
    """
    form = form or (ENDINGS.get(_plain(output).suffix.lower(), "text") if output else "text")
    if output and any(os.path.realpath(path) == os.path.realpath(output) for path in paths):
        raise click.UsageError(f"-o {output.name} is one of the files to report on; name another file")
    if wanted is not None and (form in ROWS or len(paths) > 1):
        found = f"--format {form}" if form in ROWS else f"{len(paths)} files"
        raise click.UsageError(f"--trace names a trace of one file, to report on it alone; found {found}")
    if len(paths) == 1 and paths[0].is_dir() and len(own := _found_in(paths[0])) == 1:
        paths = (Path(own[0].address),)
    one = None if form in ROWS else _only(paths, wanted)
    if one:
        _of_one(one, form, prices, output)
    else:
        _of_many(paths, form, prices, output, workers, pages=form == "html" and not no_pages, restart=restart)


def _only(paths: Sequence[Path], wanted: str | None) -> Trace | None:
    """Return the trace to report if it is one; None if there are several runs."""
    if len(paths) > 1:
        return None
    [path] = paths
    if wanted is not None or str(path) == "-":
        return select_trace(path, wanted)
    if holds_rows(path) or (path.is_dir() and len(_found_in(path)) > 1):
        return None
    first = list(islice(read_documents(path), 2))
    return require_trace(first[0]) if len(first) == 1 else None


def _found_in(folder: Path) -> Sequence[Source]:
    with suppress(CorpusNotFound):  # reading the folder says what is missing
        return sources([str(folder)])
    return ()


def _plain(path: Path) -> Path:
    """Return the name of an output without the ending that says how it is packed."""
    return path.with_suffix("") if path.suffix in (".gz", ".zst") else path


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
    if any(scored := [holds_rows(path) for path in paths]):
        if not all(scored):
            other = paths[scored.index(False)]
            raise click.UsageError(f"found rows of survey trace score, and {other}, which are none: report on one kind")
        if prices:
            raise click.UsageError("--prices needs the runs: their scores hold costs and no tokens by model")
        try:
            _write((row for path in paths for row in rows_in(path)), form, request, title, output)
        except BadRow as error:
            raise click.ClickException(str(error)) from None
        return
    target = target_of(output)
    found = corpus(tuple(map(str, paths)), target)
    folder = target.with_name(f"{_plain(target).stem}-pages") if target and pages else None
    if folder:
        folder.mkdir(exist_ok=True)
        request = replace(request, pages=str(folder))
    with scoring(found, request, target, workers=workers, restart=restart) as run:
        rows = run.finished()
        _write(rows if folder is None else map(partial(_with_pages, folder), rows), form, request, title, output,
               folder.name if folder else "")  # fmt: skip
    echo(run.summary() + (f"; a page for each run in {folder}" if folder else ""), err=True)


def _with_pages(folder: Path, lines: bytes) -> bytes:
    """Return rows without the pages that are no longer there, as after a run that was stopped and its pages deleted."""
    rows = list(map(json.loads, lines.splitlines()))
    for row in rows:
        if row.get("page") and not (folder / row["page"]).exists():
            echo(f"{folder / row['page']}: missing, although it was written (--restart writes it again)", err=True)
            del row["page"]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


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
