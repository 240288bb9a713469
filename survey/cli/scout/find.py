"""The subcommand scout find: ask, merge, rank, and queue the best."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path

import click

from survey.cli.literature.options import Day, pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import echo
from survey.literature import Pool, load
from survey.literature.loading import SCREENED, SEARCHES, latest_today
from survey.literature.pool import Run, arxiv_id
from survey.literature.problems import expected, quoted
from survey.literature.scout import (
    Candidate,
    Client,
    OutOfReach,
    Queued,
    append_run,
    merged,
    ranked,
    read_candidates,
    waiting_row,
    write_candidates,
    write_screened,
)
from survey.literature.scout.asking import TRIES
from survey.literature.scout.looking_up import Knows
from survey.literature.scout.ranking import above_floor
from survey.literature.scout.sources import (
    AclAnthology,
    Arxiv,
    Asked,
    Crossref,
    Dblp,
    Feeds,
    OpenAlex,
    OpenReview,
    Pages,
    SemanticScholar,
    Source,
    read_file,
)
from survey.plurals import plural

KEYS = {"openalex": "OPENALEX_KEY", "semantic-scholar": "SEMANTIC_SCHOLAR_KEY", "openreview": "OPENREVIEW_TOKEN"}
"""The environment variables with a key. No source needs one but OpenReview, which answers nobody else."""

WEEK = timedelta(days=7)
AGENT = "orchestration-survey scout (a living survey; asks once a week)"


def services() -> dict[str, Source]:
    """Return every source by its name."""
    arxiv, *others = _listing_and_knowing()
    return {source.name: source for source in (arxiv, Feeds(), *others)}


def sources_of_facts() -> dict[str, Knows]:
    """Return every source that knows single works, by its name."""
    return {source.name: source for source in (*_listing_and_knowing(), Pages())}


def _listing_and_knowing() -> tuple[
    Arxiv | OpenAlex | SemanticScholar | Crossref | Dblp | AclAnthology | OpenReview, ...
]:
    """Return the sources that list new works and know single ones."""
    key = {name: os.environ.get(variable, "") for name, variable in KEYS.items()}
    return (
        Arxiv(),
        OpenAlex(key=key["openalex"]),
        SemanticScholar(key=key["semantic-scholar"]),
        Crossref(),
        Dblp(),
        AclAnthology(),
        OpenReview(token=key["openreview"]),
    )


def client_in(folder: Path, pool: Pool | None, today: date, agent: str = AGENT, tries: int = TRIES) -> Client:
    """Return a client that keeps raw answers under .cache/ beside the data."""
    contact = pool.scouting.ask.contact if pool else ""
    return Client(cache_folder(folder) / "raw", today, f"{agent}{f'; {contact}' if contact else ''}", tries=tries)


def cache_folder(folder: Path) -> Path:
    """Return where the scout keeps what it saw."""
    return folder.resolve().parent / ".cache" / "scout"


@click.command(short_help="Ask the sources, rank what is new, queue the best.")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="[FILE]...")
@click.option("--source", "names", multiple=True, metavar="NAME", help="Ask only this source; repeatable.  [default: "
              "arxiv, feeds, openalex, semantic-scholar; also: crossref, dblp, acl, openreview]")  # fmt: skip
@click.option("--since", type=Day(), metavar="DATE", help="Works from this day on.  [default: that of the newest seen]")
@click.option(
    "-n", "--number", type=click.IntRange(min=1), default=50, show_default=True, help="How many to show, or to queue."
)
@click.option(
    "--route", default="scout", show_default=True, help="The route in bib/searches.toml that the works count for."
)
@click.option("--write", is_flag=True, help="Put them into bib/screened.csv, and the run into bib/searches.toml.")
@pass_bib
def find(
    folder: Path, files: tuple[Path, ...], names: tuple[str, ...], since: date | None, number: int, route: str,
    write: bool,
) -> None:  # fmt: skip
    """Ask the sources what is new, rank it by what was kept so far, and show or queue the best.

    FILEs are read in place of asking: listings in JSON lines (.jsonl), feeds (.xml, .rss, .atom),
    bibliographies (.bib). What is in the pool, excluded, or in the queue already is left out, and so
    is what has none of the words of the floor in bib/searches.toml.

    \b
    Keys, where you have them: OPENALEX_KEY, SEMANTIC_SCHOLAR_KEY, OPENREVIEW_TOKEN in the environment.
    """
    pool, today = load(folder), latest_today()
    if write and route not in pool.searches.routes:
        routes = expected(route, pool.searches.routes)
        raise click.BadParameter(
            f"there is no route {quoted(route)} in bib/searches.toml {routes}", param_hint="--route"
        )
    first = since or pool.scouting.newest or today - WEEK
    if files:
        listing = merged(candidate for path in files for candidate in read_file(path))
    else:
        listing = _asked(folder, pool, names, first, today)
    listing = [one for one in listing if since is None or (one.first_seen or today) >= since]
    try:
        queue = ranked(pool, listing)
    except ValueError as error:
        raise click.ClickException(f"nothing to learn from: {error}") from None
    best = queue[:number]
    echo("\n".join(_lines(best)) if best else "Nothing new passes the floor.")
    floor = len(above_floor(listing, pool.scouting.floor))
    echo(f"\n{plural(len(listing), 'work')} seen, {floor} above the floor, {len(queue)} new, {len(best)} shown")
    if write and best:
        rows = [*pool.screened, *(waiting_row(one, route) for one in best)]
        write_screened(folder / SCREENED, rows)
        newest = max((one.first_seen for one in listing if one.first_seen), default=first)
        append_run(folder / SEARCHES, Run(today, route, min(newest, today), len(listing), floor, len(best)))
        echo(f"Queued in {folder / SCREENED}: survey scout triage")


def _asked(folder: Path, pool: Pool, names: Iterable[str], since: date, today: date) -> list[Candidate]:
    """Return what the sources show, with what they showed before; tell in one line which could not be reached."""
    known = services()
    chosen = list(names) or ["arxiv", "feeds", "openalex", "semantic-scholar"]
    for name in chosen:
        if name not in known:
            raise click.BadParameter(
                f"there is no source {quoted(name)} {expected(name, known)}", param_hint="--source"
            )
    client = client_in(folder, pool, today)
    failed: dict[str, str] = {}
    found: list[Candidate] = []
    for name in chosen:
        try:
            found.extend(known[name].find(client, asked_for(pool, since, today)))  # also what came before it fails
        except OutOfReach as error:
            failed[name] = error.why
    if failed:
        echo(f"Not reached: {failures(failed)}. Files are read without a network: survey scout find FILE", err=True)
    store = cache_folder(folder) / "listing.jsonl"
    before = [*read_candidates(store)] if store.is_file() else []
    if failed and not found and not before:
        raise click.ClickException("no source could be reached, and none was before")
    listing = merged([*before, *found])
    if found:
        store.parent.mkdir(parents=True, exist_ok=True)
        write_candidates(store, listing)
    return listing


def asked_for(pool: Pool, since: date, today: date) -> Asked:
    """Return what the sources are asked for, by searches.toml and the entries that it names."""
    ask = pool.scouting.ask
    core = pool.where(ask.cites) if ask.cites else ()
    cited = (arxiv_id(entry.text("eprint")) or entry.text("doi") for entry in core)
    return Asked(since, today, ask.classes, ask.queries, tuple(filter(None, cited)), ask.venues, ask.feeds)


def failures(failed: Mapping[str, str]) -> str:
    """Return the sources by the reason, so that one reason is told once."""
    reasons = {why.partition(" (")[2].rstrip(")") or why for why in failed.values()}
    if len(reasons) == 1:
        return f"{', '.join(failed)} ({reasons.pop()})"
    return "; ".join(f"{name} {why}" for name, why in failed.items())


def _lines(queue: Iterable[Queued]) -> Iterable[str]:
    for place, one in enumerate(queue, 1):
        candidate = one.candidate
        yield wrapped(f"{place:>3}  {one.score:+.2f}  {candidate.title}")
        by = ", ".join(candidate.authors[:3]) + (" and others" if len(candidate.authors) > 3 else "")
        yield wrapped(f"{candidate.id}  {candidate.first_seen or 'no day'}  {by}", "            ")


COMMANDS = (find,)
