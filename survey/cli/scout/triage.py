"""The subcommand scout triage: read what waits, and decide with one key."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from survey.atomic import write_atomically
from survey.cli.literature.options import fail, pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import echo
from survey.cli.scout.find import cache_folder
from survey.literature import Pool, load
from survey.literature.loading import POOL, SCREENED, latest_today, read_pool
from survey.literature.pool import Screened, Screening
from survey.literature.scout import Candidate, filled_entry, read_candidates, resembling, write_screened
from survey.literature.scout.sources import read_file

KEEP, EXCLUDE, SKIP, STOP = "k", "e", "s", "q"


@click.command(short_help="Decide on what waits in the queue, one key each.")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[FILE]...")
@click.option(
    "-n", "--number", type=click.IntRange(min=1), help="How many.  [default: until the queue is read or you stop]"
)
@pass_bib
def triage(folder: Path, files: tuple[Path, ...], number: int | None) -> None:
    """Decide on what waits in bib/screened.csv, the best first: one key keeps, excludes or skips.

    \b
      k   keep: asks for a criterion of inclusion and one sentence on what the work contributes, and writes
          an entry to bib/pool.bib, with the facts of the metadata and its tags unknown
      e   exclude: asks for a criterion of exclusion
      s   skip: it waits for somebody else
      q   stop; every decision before is written

    Abstracts come from the answers in .cache/scout/, or from FILEs such as those of survey scout find.
    """
    pool, today = load(folder), latest_today()
    texts = {one.id: one for one in _known(folder, files)}
    waiting = sorted(
        (row for row in pool.screened if row.waits), key=lambda row: (bool(row.decision), -(row.score or 0))
    )
    if not waiting:
        echo("Nothing waits: survey scout find --write fills the queue.")
        return
    for place, row in enumerate(waiting[:number], 1):
        candidate = texts.get(row.id)
        _show(pool, row, candidate, f"{place} of {len(waiting)}")
        key = _key("k keep, e exclude, s skip, q stop: ", (KEEP, EXCLUDE, SKIP, STOP))
        if key == STOP:
            return
        if key == KEEP and candidate is None:
            echo("Its metadata are not here: survey scout find again, or name the FILE that has it. Skipped.")
            key = SKIP
        if key == KEEP and candidate is not None:
            pool = _kept(folder, pool, row, candidate, today)
        else:
            criterion = _criterion(pool, excludes=True) if key == EXCLUDE else ""
            _decide(folder, pool, row, Screening.EXCLUDED if key == EXCLUDE else Screening.SKIPPED, criterion, today)
            pool = load(folder)


def _known(folder: Path, files: tuple[Path, ...]) -> list[Candidate]:
    store = cache_folder(folder) / "listing.jsonl"
    return [
        *(read_candidates(store) if store.is_file() else ()),
        *(candidate for path in files for candidate in read_file(path)),
    ]


def _show(pool: Pool, row: Screened, candidate: Candidate | None, place: str) -> None:
    echo("")
    click.secho(wrapped(row.title), bold=True)
    seen = f"first seen {row.first_seen}" if row.first_seen else "no day"
    echo(wrapped(f"{place}   {row.id}   {seen}   by route {row.route}"))
    if candidate:
        echo(wrapped(", ".join(candidate.authors)))
        echo(wrapped(candidate.abstract or "The sources gave no abstract."))
        if like := resembling(pool, candidate):
            echo(wrapped(f"Resembles {', '.join(like)}."))


def _key(question: str, allowed: tuple[str, ...]) -> str:
    """Return one of the keys that are allowed. On a terminal one key is enough; otherwise a line is read."""
    stream = sys.stdin
    while True:
        click.echo(question, nl=False)
        found: str = click.getchar() if stream.isatty() else stream.readline()
        key = found.strip().lower()[:1] if found else STOP
        click.echo(key)
        if key in allowed or not found:
            return key if key in allowed else STOP


def _criterion(pool: Pool, excludes: bool) -> str:
    """Return the id of a criterion; asked for by its number."""
    criteria = pool.protocol.of(excludes=excludes)
    if not criteria:
        raise click.ClickException("bib/protocol.toml names no criterion to decide by")
    for number, criterion in enumerate(criteria, 1):
        echo(wrapped(f"{number}  {criterion.definition}", "    "))
    numbers = tuple(map(str, range(1, len(criteria) + 1)))
    while (key := _key("by criterion: ", (*numbers, STOP))) == STOP:
        raise click.Abort
    return criteria[int(key) - 1].id


def _kept(folder: Path, pool: Pool, row: Screened, candidate: Candidate, today: date) -> Pool:
    """Write the entry of a candidate behind the others, with the decision; take both back if the pool is worse then."""
    criterion = pool.protocol.criteria[_criterion(pool, excludes=False)]
    summary = click.prompt("In one sentence, what does it contribute?").strip()
    before = {path: path.read_bytes() for path in (folder / POOL, folder / SCREENED)}
    entry = filled_entry(candidate, pool, today, summary, criterion.definition.rstrip("."), dict(pool.scouting.keep))
    write_atomically(folder / POOL, before[folder / POOL].rstrip() + b"\n\n" + entry.encode())
    _decide(folder, pool, row, Screening.KEPT, "", today)
    now, problems = read_pool(folder)
    if now is None or problems:
        for path, data in before.items():
            write_atomically(path, data)
        echo("This cannot be an entry as it is; nothing was written, and the candidate waits:", err=True)
        fail(problems)
    return now


def _decide(folder: Path, pool: Pool, row: Screened, decision: Screening, criterion: str, today: date) -> None:
    """Write the decision on a candidate."""
    now = replace(row, screened=today, decision=decision, criterion=criterion)
    write_screened(folder / SCREENED, [now if one.id == row.id else one for one in pool.screened])


COMMANDS = (triage,)
