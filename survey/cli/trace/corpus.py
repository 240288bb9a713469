"""What the commands on many runs share: a corpus is scored by many workers, and resumed where it was stopped."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click

from survey.cli.output import echo
from survey.extras import needed
from survey.plurals import plural
from survey.traces.scoring import (
    CorpusNotFound,
    Engine,
    FailureCounts,
    Journal,
    JournalConflict,
    Request,
    Source,
    pieces,
    processes,
    score,
    sources,
)
from survey.traces.scoring.pieces import PIECE_SIZE
from survey.traces.scoring.processes import NoWorkers

TASKS_PER_WORKER = 8
"""Tasks for each worker in a small corpus, so that all workers finish at about the same time."""
MAX_PROCESSES = 1_000
"""More processes on one machine are a typing error."""
UNFINISHED = 3
"""Exit status of a run that could not finish and can be resumed."""

number_of_workers = click.option("--workers", type=click.IntRange(1, MAX_PROCESSES), metavar="N",
                                 help="Number of processes; 1 starts none.  [default: one for each core]")  # fmt: skip
restarts = click.option("--restart", is_flag=True, help="Discard the results of an earlier run in FILE.part.")


@dataclass
class Scoring:
    """A corpus that is being scored."""

    found: Sequence[Source]
    journal: Journal
    failures: FailureCounts
    turns: Iterator[list[str]]
    """The keys of finished pieces, in the order of the corpus."""
    order: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[bytes]:
        """Yield the rows in the order of the corpus, as soon as they are there."""
        for keys in self.turns:
            self.order.extend(keys)
            yield from self.journal.rows(keys)

    def finished(self) -> Iterator[bytes]:
        """Score all, then yield the rows in the order of the corpus."""
        self.order.extend(key for keys in self.turns for key in keys)
        return self.journal.rows(self.order)

    @property
    def bad(self) -> int:
        """How many rows have errors."""
        return sum(self.journal[key].bad for key in self.order)

    def summary(self) -> str:
        """Return the last line of a command."""
        documents = sum(self.journal[key].rows for key in self.order)
        folders = sum(source.folder for source in self.found)
        files = len(self.found) - folders
        places = [plural(files, "file")] * bool(files or not folders) + [plural(folders, "folder")] * bool(folders)
        parts = [f"{plural(documents, 'document')} in {' and '.join(places)}, {self.bad:,} with errors"]
        if self.journal.resumed:
            parts.append(f"{plural(self.journal.resumed, 'piece')} reused from an earlier run")
        if self.failures.workers:
            parts.append(f"{plural(self.failures.workers, 'worker')} died")
        if self.failures.retried:
            parts.append(f"{plural(self.failures.retried, 'piece')} assigned again")
        if self.failures.given_up:
            parts.append(f"{plural(self.failures.given_up, 'piece')} given up")
        return "; ".join(parts)


@contextmanager
def scoring(
    found: Sequence[Source], request: Request, target: Path | None, *, engine: str = "processes",
    scheduler: str | None = None, workers: int | None = None, timeout: float | None = None, restart: bool = False,
) -> Iterator[Scoring]:  # fmt: skip
    """Score a corpus within the block. Finished results are stored beside the target until the block ends.

    A run that is stopped, or left without workers, says how to resume it and ends the command.
    """
    failures, parallel = FailureCounts(), workers or os.cpu_count() or 1
    work = _engine(engine, scheduler, workers, timeout, parallel, failures)
    try:
        journal = Journal(target and with_ending(target, ".part"), request, restart=restart)
    except JournalConflict as error:
        raise click.UsageError(str(error)) from None
    total = sum(source.size for source in found)
    batch = max(1, min(PIECE_SIZE, total // (parallel * TASKS_PER_WORKER)))
    done = False
    try:
        with _bar(total, len(found)) as progress:
            run = score(pieces(found), journal.request, work, journal, batch=batch, progress=progress)
            with closing(run) as turns:
                yield Scoring(found, journal, failures, turns)
        done = True
    except NoWorkers as error:
        echo(f"Error: {error}{_how_to_resume(journal)}", err=True)
        raise SystemExit(UNFINISHED) from None
    except KeyboardInterrupt:
        echo(f"Stopped{_how_to_resume(journal)}", err=True)
        raise SystemExit(130) from None
    finally:
        journal.close(done=done)


def target_of(output: Path | None) -> Path | None:
    """Return the file to replace; None for standard output, a pipe or a device, which are written to directly."""
    regular = output is not None and (not output.exists() or stat.S_ISREG(output.stat().st_mode))
    return Path(os.path.realpath(output)) if output is not None and regular else None


def with_ending(path: Path, ending: str) -> Path:
    """Return a path with something added to its name."""
    return path.with_name(path.name + ending)


def corpus(patterns: tuple[str, ...], target: Path | None) -> list[Source]:
    """Return all files, except the journal of this command."""
    try:
        found = sources(patterns)
    except CorpusNotFound as error:
        raise click.BadParameter(str(error), param_hint="PATTERN") from None
    if target is None:
        return found
    own = {str(with_ending(target, ".part"))}
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


def _how_to_resume(journal: Journal) -> str:
    if journal.path is None:
        return "; with -o FILE a run can be resumed where it stopped"
    if not len(journal):
        return "; nothing was finished yet; repeat the command to start again"
    return f"; finished results are in {journal.path.name}; repeat the command to resume"
