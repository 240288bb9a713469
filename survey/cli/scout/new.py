"""The subcommand new: an entry to fill in, with the facts that metadata give."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from survey.cli.literature.options import pass_bib
from survey.cli.output import echo
from survey.cli.scout.find import client_in, failures, sources_of_facts
from survey.escaping import visible
from survey.extras import missing
from survey.literature import read_pool, read_taxonomy
from survey.literature.bibtex import KEY, key_problem, parse_bibtex, read_bibtex, readable
from survey.literature.loading import BACKGROUND, EXCLUDED, POOL, TAXONOMY, latest_today
from survey.literature.loading.checking import existing_entries
from survey.literature.pool import blank_entry
from survey.literature.problems import quoted
from survey.literature.scout import (
    Candidate,
    LookedUp,
    Reference,
    bibliographic_fields,
    look_up,
    new_key,
    reference,
)

AGENT = "orchestration-survey (asks for one work, which a person is adding)"
TRIES = 2
"""How often a source is asked while a person waits: another one may know the work, too."""


@click.command(short_help="Print an entry to fill in, with the facts of its metadata.")
@click.argument("name", metavar="ARXIV-ID|DOI|ADDRESS|KEY")
@click.option("--key", default="", metavar="KEY", help="The key.  [default: from author, year and title]")
@click.option("--offline", is_flag=True, envvar="SURVEY_OFFLINE", help="Ask nobody. SURVEY_OFFLINE=1 does the same.")
@pass_bib
def new(folder: Path, name: str, key: str, offline: bool) -> None:
    """Print an entry with every axis and its values, and with what metadata say of the work.

    For an arXiv id, a DOI or a web address, public sources are asked for title, authors, dates and
    venue: arXiv, Crossref, OpenAlex, Semantic Scholar, DBLP, OpenReview, the ACL Anthology, or the
    page itself. What they do not say stays empty, as everything does without a network. For any other
    name, which is the key, nobody is asked. No entry is printed for a work that the pool has.

    \b
        survey new 1706.03762 >> bib/pool.bib
        survey check
    """
    given = reference(name)
    if given is None and not (name[:1].isalpha() and KEY.fullmatch(name)):
        names = 'an arXiv id ("2603.06859"), a DOI, a web address nor a key ("word2026")'
        raise click.UsageError(f"{quoted(name)} is neither {names}")
    if key and (problem := key_problem(key)):
        raise click.BadParameter(problem, param_hint="--key")
    taxonomy = read_taxonomy(folder / TAXONOMY)
    if given is None:
        _refuse_known(folder, name, (name, key))
        click.echo(blank_entry(key or name, taxonomy, date.today().isoformat()), nl=False)
        return
    _refuse_known(folder, name, (given.arxiv, given.doi, given.url, key))
    work, said = (None, "--offline") if offline else _asked(folder, given)
    if work is None:
        echo(f"The entry is blank: {name} was not looked up ({said})", err=True)
        work = Candidate(title="", arxiv=given.arxiv, doi=given.doi, links=(given.url,) if given.url else ())
        facts = {field: text for field, text in bibliographic_fields(work).items() if field != "version"}
    else:
        _refuse_known(folder, name, (work.arxiv, work.doi), readable(work.title))
        echo(f"Filled in from {said}: compare it with the work itself{_to_decide(work)}", err=True)
        facts = bibliographic_fields(work)
        facts["sources"] = facts.get("url", "")
        key = key or new_key(work, _keys(folder), int(facts.get("year", date.today().year)))
    text = blank_entry(key, taxonomy, date.today().isoformat(), facts, work.kind or "misc")
    if work.title and parse_bibtex(text).problems:
        raise click.ClickException(f"what {said} says of {name} cannot be written as BibTeX (use --offline)")
    click.echo(text, nl=False)


def _refuse_known(folder: Path, name: str, names: Sequence[str], title: str = "") -> None:
    """Say where a work exists already.

    Raises:
        ClickException: if that is in the pool; an excluded record may be included later, and is only named.

    """
    for path, block in existing_entries(folder, names, title):
        known = f"{block.key or 'an entry without a key'} ({path}:{block.line})"
        if path == folder / POOL:
            raise click.ClickException(visible(f"{name} is in the pool: {known}"))
        click.echo(visible(f"{name} already exists: {known}"), err=True)


def _asked(folder: Path, given: Reference) -> tuple[Candidate | None, str]:
    """Return what sources say of a work, and who they are; or no work, and why there is none."""
    pool, _ = read_pool(folder)
    client = client_in(folder, pool, latest_today(), AGENT, TRIES)
    try:
        found = look_up(given, client, sources_of_facts())
    except ModuleNotFoundError as error:
        if not (said := missing(error)):
            raise
        return None, said
    except OSError as error:  # answers are kept in a folder that may not be there to write
        return None, f"{error.filename or 'answers'} cannot be kept: {(error.strerror or str(error)).lower()}"
    return found.work, _said(found)


def _said(found: LookedUp) -> str:
    if found.work:
        return " and ".join(found.work.sources)
    unknown = f"not known to {', '.join(found.asked)}" if found.asked else ""
    failed = f"not reached: {failures(found.failed)}" if found.failed else ""
    return "; ".join(filter(None, (unknown, failed)))


def _to_decide(work: Candidate) -> str:
    """Return what a source says that no field can take without a person."""
    withdrawn = "; it was withdrawn, they say" if work.withdrawn else ""
    if not work.venue or work.kind:
        return withdrawn
    return f"{withdrawn}; it appeared as {quoted(work.venue)}, for which journal or booktitle is missing"


def _keys(folder: Path) -> set[str]:
    """Return every key in a folder, which may be in the middle of an edit."""
    return {block.key for name in (POOL, EXCLUDED, BACKGROUND) for block in read_bibtex(folder / name).blocks}


COMMANDS = (new,)
