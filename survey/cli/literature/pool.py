"""Subcommands on the pool: check, list, show, export."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import NoReturn

import click
from tabulate import tabulate

from survey.atomic import write_atomically
from survey.cli.literature.options import as_of, fail, pass_bib, primary, select_entries, where
from survey.cli.literature.printing import entry_page, summary_line
from survey.cli.output import formats
from survey.literature import Pool, load, read_pool
from survey.literature.bibtex import read_bibtex
from survey.literature.export import FORMATS
from survey.literature.loading import BACKGROUND, EXCLUDED, POOL
from survey.literature.loading.checking import check_files, lost_capitals
from survey.literature.problems import FEW, Problem, expected, kinds, quoted
from survey.plurals import plural


@click.command(short_help="Report every problem in bib/.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--summary", is_flag=True, help="One line per kind of problem: how many, and an example.")
@pass_bib
def check(folder: Path, files: tuple[Path, ...], summary: bool) -> None:
    """Report every problem in the pool, the excluded records, the taxonomy and the codings.

    Each line names file, line, entry, field, what was found, what was expected and the nearest
    valid value. All problems are reported at once.

    Without problems, titles are noted in which no braces protect a capital: most styles would print
    it in lower case. A note leaves the exit status at 0.

    With FILES, check only those: .bib files against the taxonomy (and against the pool, for
    duplicates), .toml files as a taxonomy, .csv files as a coding.
    """
    report = _fail_in_short if summary else fail
    pool, problems = read_pool(folder)
    if pool is None:
        report(problems)
    if files:
        found = check_files(files, pool)
        if found:
            report(found)
        click.echo(f"{plural(len(files), 'file')}: no problems")
        _note_titles(path for path in files if path.suffix == ".bib")
        return
    if problems:
        report(problems)
    parts = [
        plural(len(pool), "entry"),
        plural(len(pool.records), "excluded record"),
        plural(len(pool.taxonomy.axes), "axis", "axes"),
        plural(len(pool.codings), "coding"),
    ]
    short = [entry.key for entry in (*pool.entries, *pool.records) if entry.text("authors-incomplete")]
    note = f"; {plural(len(short), 'author list')} known to be incomplete ({', '.join(short)})"
    click.echo(f"{', '.join(parts)}: no problems{note if short else ''}")
    _note_titles(folder / name for name in (POOL, EXCLUDED, BACKGROUND))


def _note_titles(paths: Iterable[Path]) -> None:
    notes = [note for path in paths for note in lost_capitals(read_bibtex(path).blocks, str(path))]
    for note in notes[:FEW]:
        click.echo(f"note: {note}", err=True)
    if len(notes) > FEW:
        click.echo(f"note: {plural(len(notes) - FEW, 'more title')} with capitals that no braces protect", err=True)


def _fail_in_short(problems: Sequence[Problem]) -> NoReturn:
    """Print how many problems there are of each kind, with the first of each, and exit with status 1."""
    rows = [(kind.number, str(kind.first)) for kind in kinds(problems)]
    click.echo(tabulate(rows, headers=["times", "the first"], tablefmt="plain"), err=True)
    click.echo(f"{plural(len(problems), 'problem')} of {plural(len(rows), 'kind')}", err=True)
    raise SystemExit(1)


@click.command("list", short_help="List the matching entries.")
@where
@primary
@as_of
@formats("table", "csv", "json")
@pass_bib
def list_command(folder: Path, filters: list[tuple[str, str]], primary: bool, day: date | None, form: str) -> None:
    """List the matching entries, one per line: key, year, authors, title."""
    pool = select_entries(folder, day, filters, primary)
    if form != "table":
        click.echo(FORMATS[form](pool).decode(), nl=False)
        return
    rows = [(e.key, e.year, e.by, textwrap.shorten(e.title, 72, placeholder="…")) for e in pool]
    if rows:
        click.echo(tabulate(rows, headers=["key", "year", "authors", "title"]))
    found = f"{len(pool)} of {summary_line(load(folder).as_of(day))}"
    click.echo(f"{chr(10) if rows else ''}{found}")
    if not rows and len(filters) > 1:
        _count_without_each_filter(load(folder).as_of(day), filters, primary)


def _count_without_each_filter(pool: Pool, filters: list[tuple[str, str]], primary: bool) -> None:
    for dropped in filters:
        rest = [pair for pair in filters if pair is not dropped]
        number = len(pool.where(rest, primary))
        if number:
            click.echo(f"without --where {dropped[0]}={dropped[1]}: {number}")


@click.command(short_help="Show one entry with its evidence.")
@click.argument("key")
@pass_bib
def show(folder: Path, key: str) -> None:
    """Show one entry: citation, summary, and every tag with its evidence."""
    pool = load(folder)
    found = next((e for e in (*pool.entries, *pool.records) if e.key == key), None)
    if found is None:
        keys = [entry.key for entry in (*pool.entries, *pool.records)]
        raise click.UsageError(f"there is no entry {quoted(key)} {expected(key, keys)}")
    click.echo("\n".join(entry_page(found, pool)))


@click.command(short_help="Export entries for other programs.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), required=True, help="Output format.")
@where
@primary
@click.option("--key", "keys", multiple=True, metavar="KEY", help="Only this entry; repeatable.")
@as_of
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to a file, atomically.  [default: standard output]")  # fmt: skip
@pass_bib
def export(
    folder: Path,
    form: str,
    filters: list[tuple[str, str]],
    primary: bool,
    keys: tuple[str, ...],
    day: date | None,
    output: Path | None,
) -> None:
    """Export entries for other programs.

    \b
    bib         BibTeX for citing: only the fields that styles read
    bib-tagged  BibTeX with tags and evidence; reading it gives the same entries
    csl-json    for citeproc, Pandoc, Zotero
    ris         for reference managers without BibTeX
    csv         one line per entry, lists joined by semicolons
    json        everything, with the evidence for each tag
    parquet     the same table as csv, with column types
    """
    pool = select_entries(folder, day, filters, primary)
    for key in keys:
        if key not in pool:
            raise click.BadParameter(f"no matching entry {quoted(key)}", param_hint="--key")
    if keys:
        pool = pool.keep(keys)
    data = FORMATS[form](pool)
    if output is None or str(output) == "-":
        click.echo(data, nl=False)
        return
    place = Path(os.path.realpath(output))
    if Path(os.path.realpath(folder)) in (place.parent, place.parent.parent) and place.exists():
        message = f"{output} is data of the survey; an export would overwrite data that it does not contain"
        raise click.BadParameter(message, param_hint="--output")
    write_atomically(output, data)
    click.echo(f"{plural(len(pool), 'entry')} written to {output}", err=True)


COMMANDS = (check, list_command, show, export)
