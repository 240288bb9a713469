"""``survey trace score``: measures, rewards and credit of every trace of a corpus, computed by many workers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from survey.cli.output import echo, formats, output
from survey.cli.trace.corpus import corpus, number_of_workers, restarts, scoring, target_of
from survey.cli.trace.files import open_output, reports_errors, salt, table_of_prices
from survey.traces.files import write_compressed
from survey.traces.metrics.prices import Prices
from survey.traces.rewards import family
from survey.traces.scoring import FORMATS, Request


@click.command(short_help="Score a corpus of traces, on all cores or a cluster.")
@click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True)
@click.option("--engine", type=click.Choice(["processes", "dask"]), default="processes", show_default=True,
              help="Processes on this machine, or dask.")  # fmt: skip
@number_of_workers
@click.option("--scheduler", metavar="ADDRESS",
              help="Scheduler of a dask cluster, as in tcp://host:8786.  [default: a local cluster]")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Longest wait for a scheduler, or for a worker when none is left.  [default: 60]")  # fmt: skip
@click.option("--measure", "measures", multiple=True, metavar="NAME",
              help="Only this measure; repeatable.  [default: all]")  # fmt: skip
@click.option("--family", "families", multiple=True, metavar="FAMILY",
              help="Only this reward family, by code or name; repeatable.  [default: R1 to R8]")  # fmt: skip
@click.option("--no-rewards", is_flag=True, help="Omit rewards.")
@click.option("--credit", default="", metavar="METHOD",
              help="Add credit, by a method of survey trace credit that needs one run only.")  # fmt: skip
@click.option("--unit", default="agent", show_default=True, metavar="KIND", help="Unit that receives credit.")
@click.option("--samples", type=click.IntRange(min=2), metavar="N", help="Estimate credit from N sampled orders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sampling.")
@table_of_prices
@salt
@formats(*FORMATS, about="JSON Lines hold the complete rows; CSV is for a spreadsheet, Parquet for data frames.")
@output
@restarts
@reports_errors
def score(
    patterns: tuple[str, ...], engine: str, workers: int | None, scheduler: str | None, measures: tuple[str, ...],
    families: tuple[str, ...], no_rewards: bool, credit: str, unit: str, samples: int | None, seed: int,
    prices: Prices | None, salt: str | None, form: str, output: Path | None, restart: bool, timeout: float | None,
) -> None:  # fmt: skip
    """Score every trace of a corpus: one row for each, in the order of the files and of their traces.

    \b
      survey trace score runs/ -o scores.jsonl
      survey trace score 'runs/*.jsonl.zst' --measure wall_s --family R1 --format csv -o scores.csv
      survey trace score 'runs/*.jsonl' --credit shapley --unit agent -o scores.jsonl
      survey trace score 's3://bucket/runs/*.jsonl' --engine dask --scheduler tcp://head:8786 -o scores.jsonl

    PATTERN is a folder, with all files in and below it, or matches files: * and ? in a name, ** for any folders.
    It may be an address (s3://, gs://, https://, ...) if fsspec and its package for that kind of address are
    installed; the extra "cluster" installs fsspec.

    A log in a known format is imported on the way, without its text. What several files tell of one run is one
    log: a session with the files of its sub-agents, or a folder that survey trace import reads as a whole.

    A row holds the place, the measures and rewards or the reasons why there are none, and the numbers of errors
    and warnings, some of them spelled out. A file or document that cannot be read is a row, too.

    With -o, finished results are stored in FILE.part until the run is complete. To resume a run that was
    stopped in any way, repeat the command. When a worker dies, another repeats its task. The run ends when a
    cluster has had no worker for --timeout seconds.

    Exit status: 0 success; 1 some rows have errors, or a file could not be read or written; 2 wrong usage;
    3 unfinished, for lack of workers; 130 stopped by Ctrl-C.
    """
    if scheduler and (engine != "dask" or workers):
        raise click.UsageError("--scheduler needs --engine dask, and no --workers: its cluster has its own workers")
    if timeout and engine != "dask":
        raise click.UsageError("--timeout needs --engine dask")
    table = prices.text if prices else ""
    request = _request(measures, families, no_rewards, credit, unit, samples, seed, table, salt)
    target = target_of(output)
    found = corpus(patterns, target)
    with scoring(
        found, request, target, engine=engine, scheduler=scheduler, workers=workers, timeout=timeout, restart=restart
    ) as run:
        if target is None:
            _stream(FORMATS[form](run.rows(), request), output)
        else:
            rows = run.finished()
            with write_compressed(target) as stream:
                stream.writelines(FORMATS[form](rows, request))
    echo(run.summary(), err=True)
    if run.bad:
        raise SystemExit(1)


def _request(
    measures: tuple[str, ...], families: tuple[str, ...], no_rewards: bool, credit: str, unit: str,
    samples: int | None, seed: int, prices: str, salt: str | None,
) -> Request:  # fmt: skip
    if families and no_rewards:
        raise click.UsageError("give either --family or --no-rewards, not both")
    plain = Request()
    try:
        chosen = tuple(dict.fromkeys(_code(word) for word in families)) or plain.families
        return Request(
            tuple(dict.fromkeys(measures)) or plain.measures, () if no_rewards else chosen, credit, unit, samples, seed,
            prices, salt,
        )  # fmt: skip
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _code(word: str) -> str:
    found = family(word)
    return found.name if found.name == "parl" else found.code


def _stream(lines: Iterable[bytes], path: Path | None) -> None:
    """Write to standard output, or to a pipe or device, and flush after each part."""
    with open_output(None) if path is None else path.open("wb") as stream:
        for some in lines:
            stream.write(some)
            stream.flush()


COMMANDS = (score,)
