"""``survey trace score``: measures, rewards and credit of every trace of a corpus, computed by many workers."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import click

from survey.cli.output import echo, formats, output
from survey.cli.trace.files import open_output, reports_errors, salt, table_of_prices
from survey.extras import needed
from survey.plurals import plural
from survey.traces.files import write_compressed
from survey.traces.metrics.prices import Prices
from survey.traces.rewards import family
from survey.traces.scoring import (
    FORMATS,
    CorpusNotFound,
    Engine,
    FailureCounts,
    Journal,
    JournalConflict,
    Request,
    Source,
    pieces,
    processes,
    sources,
)
from survey.traces.scoring import (
    score as rows_of,
)
from survey.traces.scoring.pieces import PIECE_SIZE
from survey.traces.scoring.processes import NoWorkers

TASKS_PER_WORKER = 8
"""Tasks for each worker in a small corpus, so that all workers finish at about the same time."""
MAX_PROCESSES = 1_000
"""More processes on one machine are a typing error."""
UNFINISHED = 3
"""Exit status of a run that could not finish and can be resumed."""


@click.command(short_help="Score a corpus of traces, on all cores or a cluster.")
@click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True)
@click.option("--engine", type=click.Choice(["processes", "dask"]), default="processes", show_default=True,
              help="Processes on this machine, or dask.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, MAX_PROCESSES), metavar="N",
              help="Number of processes; 1 starts none.  [default: one for each core]")  # fmt: skip
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
@formats(*FORMATS, about="JSON Lines hold the complete rows; CSV is for a spreadsheet.")
@output
@click.option("--restart", is_flag=True, help="Discard the results of an earlier run in FILE.part.")
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
    regular = output is not None and _is_regular(output)
    target = Path(os.path.realpath(output)) if output is not None and regular else None
    found = _corpus(patterns, target)
    failures, parallel = FailureCounts(), workers or os.cpu_count() or 1
    work = _engine(engine, scheduler, workers, timeout, parallel, failures)
    try:
        journal = Journal(target and _with_ending(target, ".part"), request, restart=restart)
    except JournalConflict as error:
        raise click.UsageError(str(error)) from None
    total = sum(source.size for source in found)
    run = partial(
        rows_of, pieces(found), journal.request, work, journal,
        batch=max(1, min(PIECE_SIZE, total // (parallel * TASKS_PER_WORKER))),
    )  # fmt: skip
    order: list[str] = []
    done = False
    try:
        with _bar(total, len(found)) as progress, closing(run(progress=progress)) as turns:
            if target is None:
                _stream(FORMATS[form](_rows(turns, journal, order), request), output)
            else:
                order.extend(key for keys in turns for key in keys)
        if target is not None:
            with write_compressed(target) as stream:
                stream.writelines(FORMATS[form](journal.rows(order), request))
        done = True
    except NoWorkers as error:
        echo(f"Error: {error}{_how_to_resume(journal)}", err=True)
        raise SystemExit(UNFINISHED) from None
    except KeyboardInterrupt:
        echo(f"Stopped{_how_to_resume(journal)}", err=True)
        raise SystemExit(130) from None
    finally:
        journal.close(done=done)
    bad = sum(journal[key].bad for key in order)
    echo(_summary(sum(journal[key].rows for key in order), found, bad, journal.resumed, failures), err=True)
    if bad:
        raise SystemExit(1)


def _rows(turns: Iterable[list[str]], journal: Journal, order: list[str]) -> Iterator[bytes]:
    for keys in turns:
        order.extend(keys)
        yield from journal.rows(keys)


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


def _is_regular(path: Path) -> bool:
    """Return whether a path is a regular file or does not exist; a pipe or device is written to directly."""
    return not path.exists() or stat.S_ISREG(path.stat().st_mode)


def _with_ending(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _corpus(patterns: tuple[str, ...], target: Path | None) -> list[Source]:
    """Return all files, except the journal of this command."""
    try:
        found = sources(patterns)
    except CorpusNotFound as error:
        raise click.BadParameter(str(error), param_hint="PATTERN") from None
    if target is None:
        return found
    own = {str(_with_ending(target, ".part"))}
    real = {source.address: os.path.realpath(source.address) for source in found if source.local}
    if str(target) in real.values():
        raise click.UsageError(f"-o {target.name} is one of the files to score; name another file or folder")
    for source in found:
        if source.folder and target.is_relative_to(real[source.address]):
            raise click.UsageError(f"-o {target.name} is in {source.name}, which is one log; name another folder")
    return [source for source in found if real.get(source.address) not in own]


def _engine(
    name: str, scheduler: str | None, workers: int | None, timeout: float | None, parallel: int, failures: FailureCounts
) -> Engine:
    if name == "processes":
        return partial(processes, workers=parallel, failures=failures)
    needed("distributed")
    from survey.traces.scoring.cluster import TIMEOUT, dask

    return partial(dask, failures=failures, scheduler=scheduler, workers=workers, timeout=timeout or TIMEOUT)


@contextmanager
def _bar(total: int, files: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    label = f"Scoring {plural(files, 'file')}"
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        yield bar.update


def _stream(lines: Iterable[bytes], path: Path | None) -> None:
    """Write to standard output, or to a pipe or device, and flush after each part."""
    with open_output(None) if path is None else path.open("wb") as stream:
        for some in lines:
            stream.write(some)
            stream.flush()


def _how_to_resume(journal: Journal) -> str:
    if journal.path is None:
        return "; with -o FILE a run can be resumed where it stopped"
    if not len(journal):
        return "; nothing was finished yet; repeat the command to start again"
    return f"; finished results are in {journal.path.name}; repeat the command to resume"


def _summary(documents: int, found: list[Source], bad: int, resumed: int, failures: FailureCounts) -> str:
    folders = sum(source.folder for source in found)
    files = len(found) - folders
    places = [plural(files, "file")] * bool(files or not folders) + [plural(folders, "folder")] * bool(folders)
    parts = [f"{plural(documents, 'document')} in {' and '.join(places)}, {bad:,} with errors"]
    if resumed:
        parts.append(f"{plural(resumed, 'piece')} reused from an earlier run")
    if failures.workers:
        parts.append(f"{plural(failures.workers, 'worker')} died")
    if failures.retried:
        parts.append(f"{plural(failures.retried, 'piece')} assigned again")
    if failures.given_up:
        parts.append(f"{plural(failures.given_up, 'piece')} given up")
    return "; ".join(parts)


COMMANDS = (score,)
