"""The subcommand that scores a corpus: measures, rewards and credit of every trace, by many workers."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import click

from survey.cli.trace.files import tells
from survey.traces.files import packed_whole
from survey.traces.rewards import family
from survey.traces.scoring import (
    FORMS,
    Asked,
    Deaths,
    Engine,
    Journal,
    NoCorpus,
    OtherJournal,
    Source,
    pieces,
    processes,
    sources,
)
from survey.traces.scoring import (
    score as rows_of,
)
from survey.traces.scoring.pieces import CUT
from survey.traces.scoring.processes import NoWorkers

PARTS = 8
"""Into how many tasks a small corpus is split for each worker, so that all end at about the same time."""
MOST = 1_000
"""More processes than this on one machine are a slip of the keyboard."""
NOT_DONE = 3
"""Exit status of a run that could not be finished, and can be gone on with."""


@click.command(short_help="Score a corpus of traces, on all cores or a cluster.")
@click.argument("patterns", metavar="PATTERN...", nargs=-1, required=True)
@click.option("--engine", type=click.Choice(["processes", "dask"]), default="processes", show_default=True,
              help="Processes of this machine, or dask.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, MOST), metavar="N",
              help="How many processes; 1 works in this one.  [default: one for each core]")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS",
              help="Of a dask cluster, as in tcp://host:8786.  [default: one on this machine]")  # fmt: skip
@click.option("--patience", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="How long to wait for a scheduler, or for a worker once all are gone.  [default: 60]")  # fmt: skip
@click.option("--measure", "measures", multiple=True, metavar="NAME",
              help="Only this measure; may be given several times.  [default: all]")  # fmt: skip
@click.option("--family", "families", multiple=True, metavar="FAMILY",
              help="Only this family of rewards, by code or name; several times.  [default: R1 to R8]")  # fmt: skip
@click.option("--no-rewards", is_flag=True, help="Leave rewards out.")
@click.option("--credit", default="", metavar="METHOD",
              help="Credit by a method of survey trace credit that looks at one run at a time.")  # fmt: skip
@click.option("--unit", default="agent", show_default=True, metavar="KIND", help="What credit hangs on.")
@click.option("--samples", type=click.IntRange(min=2), metavar="N", help="Estimate credit from so many orders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the orders drawn.")
@click.option("--format", "form", type=click.Choice(list(FORMS)), default="jsonl", show_default=True,
              help="JSON Lines hold everything; CSV is for a spreadsheet.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where to write; .gz and .zst pack.  [default: standard output]")  # fmt: skip
@click.option("--anew", is_flag=True, help="Throw away what an earlier run left in FILE.part.")
@tells
def score(
    patterns: tuple[str, ...], engine: str, workers: int | None, scheduler: str | None, measures: tuple[str, ...],
    families: tuple[str, ...], no_rewards: bool, credit: str, unit: str, samples: int | None, seed: int, form: str,
    output: Path | None, anew: bool, patience: float | None,
) -> None:  # fmt: skip
    """Score every trace of a corpus: a row for each, in the order of the files and of the traces in them.

    \b
      survey trace score 'runs/**/*.jsonl' -o scores.jsonl
      survey trace score 'runs/*.jsonl.zst' --measure wall_s --family R1 --format csv -o scores.csv
      survey trace score 'runs/*.jsonl' --credit shapley --unit agent -o scores.jsonl
      survey trace score 's3://bucket/runs/*.jsonl' --engine dask --scheduler tcp://head:8786 -o scores.jsonl

    PATTERN names files: * and ? in a name, ** for any folders. It may be an address (s3://, gs://, https://,
    ...) if fsspec and what it needs for that kind of address are installed, as with the extra "cluster".

    A row has the place, the measures and rewards or why there are none, and how many errors and warnings
    there are, some of them in words. A file or document that cannot be read is a row, too.

    With -o, what is done is kept in FILE.part until all is; a run that was stopped, however it was, is
    taken up by giving the same command again. A worker that dies costs nothing but the time to do its work again.
    Once a cluster has been without any worker for as long as --patience says, the run ends.

    Exit status: 0 done, 1 done and some rows have errors (or a file could not be read or written), 2 used wrongly,
    3 not done for want of workers, 130 stopped by Ctrl-C.
    """
    if scheduler and (engine != "dask" or workers):
        raise click.UsageError("--scheduler goes with --engine dask, and without --workers: its cluster has its own")
    if patience and engine != "dask":
        raise click.UsageError("--patience goes with --engine dask")
    asked = _asked(measures, families, no_rewards, credit, unit, samples, seed)
    regular = output is not None and _is_regular(output)
    target = Path(os.path.realpath(output)) if output is not None and regular else None
    found = _corpus(patterns, target)
    deaths, hands = Deaths(), workers or os.cpu_count() or 1
    try:
        journal = Journal(target and _beside(target, ".part"), asked, anew=anew)
    except OtherJournal as error:
        raise click.UsageError(str(error)) from None
    whole = sum(source.size for source in found)
    run = partial(
        rows_of, pieces(found), asked, _engine(engine, scheduler, workers, patience, hands, deaths), journal,
        batch=max(1, min(CUT, whole // (hands * PARTS))),
    )  # fmt: skip
    order: list[str] = []
    done = False
    try:
        with _bar(whole, len(found)) as tell, closing(run(tell=tell)) as turns:
            if target is None:
                _streamed(FORMS[form](_rows(turns, journal, order), asked), output)
            else:
                order.extend(key for keys in turns for key in keys)
        if target is not None:
            with packed_whole(target) as stream:
                stream.writelines(FORMS[form](journal.rows(order), asked))
        done = True
    except NoWorkers as error:
        click.echo(f"Error: {error}{_how_to_go_on(journal)}", err=True)
        raise SystemExit(NOT_DONE) from None
    except KeyboardInterrupt:
        click.echo(f"Stopped{_how_to_go_on(journal)}", err=True)
        raise SystemExit(130) from None
    finally:
        journal.close(done=done)
    bad = sum(journal[key].bad for key in order)
    click.echo(_verdict(sum(journal[key].rows for key in order), len(found), bad, journal.resumed, deaths), err=True)
    if bad:
        raise SystemExit(1)


def _rows(turns: Iterable[list[str]], journal: Journal, order: list[str]) -> Iterator[bytes]:
    for keys in turns:
        order.extend(keys)
        yield from journal.rows(keys)


def _asked(
    measures: tuple[str, ...], families: tuple[str, ...], no_rewards: bool, credit: str, unit: str,
    samples: int | None, seed: int,
) -> Asked:  # fmt: skip
    if families and no_rewards:
        raise click.UsageError("give --family or --no-rewards, and not both")
    plain = Asked()
    try:
        chosen = tuple(dict.fromkeys(_code(word) for word in families)) or plain.families
        return Asked(
            tuple(dict.fromkeys(measures)) or plain.measures, () if no_rewards else chosen, credit, unit, samples, seed
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _code(word: str) -> str:
    found = family(word)
    return found.name if found.name == "parl" else found.code


def _is_regular(path: Path) -> bool:
    """Whether a file is there, or can be made; a pipe or a device is written to as it is."""
    return not path.exists() or stat.S_ISREG(path.stat().st_mode)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _corpus(patterns: tuple[str, ...], target: Path | None) -> list[Source]:
    """All files, without what this command itself has left there."""
    try:
        found = sources(patterns)
    except NoCorpus as error:
        raise click.BadParameter(str(error), param_hint="PATTERN") from None
    if target is None:
        return found
    own = {str(_beside(target, ".part"))}
    real = {source.address: os.path.realpath(source.address) for source in found if source.local}
    if str(target) in real.values():
        raise click.UsageError(f"-o {target.name} is one of the files to be scored; name another, or another folder")
    return [source for source in found if real.get(source.address) not in own]


def _engine(
    name: str, scheduler: str | None, workers: int | None, patience: float | None, hands: int, deaths: Deaths
) -> Engine:
    if name == "processes":
        return partial(processes, workers=hands, deaths=deaths)
    from survey.traces.scoring.cluster import PATIENCE, dask

    return partial(dask, deaths=deaths, scheduler=scheduler, workers=workers, patience=patience or PATIENCE)


@contextmanager
def _bar(whole: int, files: int) -> Iterator[Callable[[int], None]]:
    """Tells how far it is, on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    label = f"Scoring {files:,} file{'' if files == 1 else 's'}"
    with click.progressbar(length=whole, label=label, file=sys.stderr) as bar:
        yield bar.update


def _streamed(lines: Iterable[bytes], path: Path | None) -> None:
    """Write to standard output, or to a pipe or device, line by line as their turn comes."""
    with nullcontext(sys.stdout.buffer) if path is None else path.open("wb") as stream:
        for some in lines:
            stream.write(some)
            stream.flush()


def _how_to_go_on(journal: Journal) -> str:
    if journal.path is None:
        return "; with -o FILE a run can be taken up where it stopped"
    if not len(journal):
        return "; nothing was done yet, and the same command begins again"
    return f"; what is done is kept in {journal.path.name}, and the same command goes on from there"


def _verdict(documents: int, files: int, bad: int, resumed: int, deaths: Deaths) -> str:
    def count(number: int, word: str) -> str:
        return f"{number:,} {word}{'' if number == 1 else 's'}"

    parts = [f"{count(documents, 'document')} in {count(files, 'file')}, {bad:,} with errors"]
    if resumed:
        parts.append(f"{count(resumed, 'piece')} taken over from an earlier run")
    if deaths.workers:
        parts.append(f"{count(deaths.workers, 'worker')} died")
    if deaths.again:
        parts.append(f"{count(deaths.again, 'piece')} handed out again")
    if deaths.given_up:
        parts.append(f"{count(deaths.given_up, 'piece')} given up")
    return "; ".join(parts)
