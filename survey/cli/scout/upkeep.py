"""The subcommands scout status, evaluate and refresh."""

from __future__ import annotations

from pathlib import Path

import click

from survey.cli.literature.options import pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import echo, output
from survey.cli.scout.find import client_in
from survey.literature import load
from survey.literature.counting.lag import lag, recall_at
from survey.literature.loading import POOL, SEARCHES, latest_today
from survey.literature.pool import BUDGETS, arxiv_id, screening_ids
from survey.literature.scout import (
    OutOfReach,
    changes,
    merged,
    patch,
    write_evaluation,
)
from survey.literature.scout import (
    evaluate as evaluated,
)
from survey.literature.scout.sources import Arxiv, Crossref, read_file
from survey.plurals import plural


@click.command(short_help="How far behind the survey is.")
@pass_bib
def status(folder: Path) -> None:
    """Say how far behind the survey is: the newest work seen, the queue, the recall, the delay."""
    pool = load(folder)
    found = lag(pool)
    echo(f"Newest work seen     {found.newest or 'no run of the scout is recorded'}")
    echo(
        f"Queue                {found.read} of {plural(found.queued, 'candidate')} read"
        if found.queued
        else "Queue                empty"
    )
    if pool.scouting.evaluation:
        for budget in BUDGETS:
            share, low, high = recall_at(pool.scouting.evaluation, budget)
            echo(f"Recall at {budget:>3} a week  {share:.0%} ({low:.0%} to {high:.0%})")
    if found.delay is not None:
        delay, dated = plural(round(found.delay), "day"), plural(found.dated, "entry")
        echo(f"From appearance      a median of {delay} to the pool ({dated} with a day)")


@click.command(short_help="How much of what came in the ranking would have shown.")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE..."
)
@click.option("--listing", default="", metavar="TEXT", help="What the files are, for the page.  [default: their names]")
@click.option("--seed", type=int, default=None, help="Seed of the sample of unread works.")
@click.option("--write", is_flag=True, help="Put the result into bib/searches.toml.")
@pass_bib
def evaluate(folder: Path, files: tuple[Path, ...], listing: str, seed: int | None, write: bool) -> None:
    """Say how much of what came in a reader of so many works a week would have seen.

    FILEs hold all works of some sources over a year or more, with abstracts and days. Each month is
    ranked by what had appeared before it and was kept.
    """
    pool = load(folder)
    works = merged(candidate for path in files for candidate in read_file(path))
    kept = set(screening_ids(pool.entries))
    arguments = {} if seed is None else {"seed": seed}
    name = listing or ", ".join(path.name for path in files)
    try:
        found = evaluated(works, kept, pool.scouting.floor, latest_today(), name, **arguments)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    echo(f"{'month':<9}{'works':>8}{'came':>7}" + "".join(f"{f'at {budget}':>8}" for budget in BUDGETS))
    for month in found.months:
        echo(f"{month.month:<9}{month.seen:>8}{month.came:>7}" + "".join(f"{number:>8}" for number in month.read))
    for budget in BUDGETS:
        share, low, high = recall_at(found, budget)
        echo(f"recall at {budget} a week: {share:.1%} ({low:.1%} to {high:.1%})")
    if found.work_saved is not None:
        echo(f"work saved over sampling at 95 % recall: {found.work_saved:.2f}")
    if write:
        write_evaluation(folder / SEARCHES, found)


@click.command(short_help="Compare every entry with its metadata today.")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[FILE]...")
@output
@pass_bib
def refresh(folder: Path, files: tuple[Path, ...], output: Path | None) -> None:
    """Compare every entry with its metadata of today, and write what changed as a patch to read.

    Title, authors, version, DOI, venue and withdrawal, by arXiv and Crossref, or by FILEs. The patch
    holds what needs no decision; what does is listed. Nothing is changed until you apply it: git apply.
    """
    pool = load(folder)
    if files:
        found = merged(candidate for path in files for candidate in read_file(path))
    else:
        client, found = client_in(folder, pool, latest_today()), []
        ids = [id for entry in pool.entries if (id := arxiv_id(entry.text("eprint")))]
        dois = [doi for entry in pool.entries if (doi := entry.text("doi"))]
        try:
            found = [*Arxiv().facts(client, ids), *Crossref().facts(client, dois)]
        except OutOfReach as error:
            raise click.ClickException(f"not reached: {error}. Files are read without a network") from None
    differences = changes(pool, found)
    for change in differences:
        now = f" -> {change.now}" if change.now else ""
        echo(
            wrapped(f"{change.key}: {change.field}: {change.was or 'nothing'}{now} ({change.why})"), err=output is None
        )
    text = patch(folder / POOL, pool, differences)
    if output:
        output.write_text(text, encoding="utf-8")
    elif text:
        click.echo(text, nl=False)
    works = plural(len({change.key for change in differences}), "entry")
    echo(f"{plural(len(differences), f'fact of {works} differs', f'facts of {works} differ')}", err=True)


COMMANDS = (status, evaluate, refresh)
