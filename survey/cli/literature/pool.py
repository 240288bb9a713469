"""Subcommands on the pool: check, stats, crosstab, list, show, export, new."""

from __future__ import annotations

import json
import os
import re
import textwrap
from datetime import date
from pathlib import Path

import click
import pandas as pd
from tabulate import tabulate

from survey.atomic import write_whole
from survey.cli.literature.options import as_of, chosen, fail, finds_bib, formats, primary, where
from survey.cli.literature.printing import count_table, entry_page, headline, sentence
from survey.literature import Pool, counts, crosstab, load, read_pool, read_taxonomy, timeline
from survey.literature.bibtex import arxiv_date
from survey.literature.checking import already_there, check_files
from survey.literature.export import FORMATS
from survey.literature.loading import TAXONOMY
from survey.literature.pool import skeleton
from survey.literature.problems import expected, quoted, visible


@click.command(short_help="Report every problem in bib/.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@finds_bib
def check(folder: Path, files: tuple[Path, ...]) -> None:
    """Report every problem in the pool, the excluded records, the taxonomy and the codings.

    Each line says file, line, entry, field, what was found, what was expected and the
    nearest thing that would have been right. All problems are reported in one go.

    With FILE, check only those: .bib files against the taxonomy (and against the pool, for
    works that are already in it), .toml files as a taxonomy, .csv files as a coding.
    """
    pool, problems = read_pool(folder)
    if pool is None:
        fail(problems)
    if files:
        found = check_files(files, pool)
        if found:
            fail(found)
        click.echo(f"{len(files)} file{'s' if len(files) != 1 else ''}: no problems")
        return
    if problems:
        fail(problems)
    parts = [f"{len(pool)} entries", f"{len(pool.records)} excluded records",
             f"{len(pool.taxonomy.axes)} axes", f"{len(pool.codings)} codings"]  # fmt: skip
    short = [entry.key for entry in (*pool.entries, *pool.records) if entry.text("authors-incomplete")]
    note = f"; {len(short)} author list{'s' if len(short) != 1 else ''} known to be incomplete ({', '.join(short)})"
    click.echo(f"{', '.join(parts)}: no problems{note if short else ''}")


@click.command(short_help="Count entries on every axis.")
@as_of
@formats("table", "json", "csv")
@finds_bib
def stats(folder: Path, day: date | None, form: str) -> None:
    """Count the entries on every axis, and the excluded records on theirs.

    Each entry counts once, by its first value (the published way); "mentions" counts every
    entry that carries the value anywhere. On axes that are sets, both are the same. Values
    that nobody has are shown with zero.
    """
    pool = load(folder).as_of(day)
    tables = {axis.id: counts(pool, axis.id) for axis in pool.taxonomy}
    if form == "csv":
        long = pd.concat([table.assign(axis=id) for id, table in tables.items()])
        click.echo(long[["axis", "cell", "label", "count", "mentions", "share"]].to_csv(index=False), nl=False)
    elif form == "json":
        whole = headline(pool) | {
            "timeline": timeline(pool).to_dict("records"),
            "axes": {id: table.to_dict("records") for id, table in tables.items()},
        }
        click.echo(json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        click.echo(sentence(pool))
        for id, table in tables.items():
            axis = pool.taxonomy[id]
            click.echo(f"\n{click.style(axis.label, bold=True)} ({id})")
            click.echo(count_table(table))
        click.echo(f"\n{click.style('First public in', bold=True)}")
        click.echo(count_table(timeline(pool).rename(columns={"year": "cell"})))


@click.command("crosstab", short_help="Cross two axes, empty cells included.")
@click.argument("rows")
@click.argument("columns")
@as_of
@formats("table", "json", "csv")
@finds_bib
def crosstab_command(folder: Path, rows: str, columns: str, day: date | None, form: str) -> None:
    """Cross two axes: ROWS against COLUMNS, with every empty cell shown.

    Each entry counts once, by its first values; on axes that are sets, under each of its values.
    """
    pool = load(folder).as_of(day)
    for axis in (rows, columns):
        if axis not in pool.taxonomy.axes:
            raise click.UsageError(f"there is no axis {quoted(axis)} {expected(axis, pool.taxonomy.axes)}")
    try:
        table = crosstab(pool, rows, columns)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if form == "csv":
        click.echo(table.to_csv(), nl=False)
    elif form == "json":
        cross = {"rows": rows, "columns": columns, "counts": table.to_dict("index")}
        click.echo(json.dumps(headline(pool) | cross, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{sentence(pool)}\n")
        lines = [
            [cell, *("." if n == 0 else str(n) for n in row)]
            for cell, row in zip(table.index, table.to_numpy().tolist(), strict=True)
        ]
        headers = [f"{rows} \\ {columns}", *table.columns]
        click.echo(tabulate(lines, headers, stralign="right", colalign=("left",), disable_numparse=True))


@click.command("list", short_help="List the entries that match.")
@where
@primary
@as_of
@formats("table", "csv", "json")
@finds_bib
def list_command(folder: Path, filters: list[tuple[str, str]], primary: bool, day: date | None, form: str) -> None:
    """List the entries that match, one a line: key, year, first author, title."""
    pool = chosen(folder, day, filters, primary)
    if form != "table":
        click.echo(FORMATS[form](pool).decode(), nl=False)
        return
    rows = [(e.key, e.year, e.by, textwrap.shorten(e.title, 72, placeholder="…")) for e in pool]
    if rows:
        click.echo(tabulate(rows, headers=["key", "year", "authors", "title"]))
    found = f"{len(pool)} of {sentence(load(folder).as_of(day))}"
    click.echo(f"{chr(10) if rows else ''}{found}")
    if not rows and len(filters) > 1:
        _say_which_filter_empties(load(folder).as_of(day), filters, primary)


def _say_which_filter_empties(pool: Pool, filters: list[tuple[str, str]], primary: bool) -> None:
    for dropped in filters:
        rest = [pair for pair in filters if pair is not dropped]
        number = len(pool.where(rest, primary))
        if number:
            click.echo(f"without --where {dropped[0]}={dropped[1]}: {number}")


@click.command(short_help="Show one entry with its evidence.")
@click.argument("key")
@finds_bib
def show(folder: Path, key: str) -> None:
    """Show one entry: how to cite it, what it contributes, every tag with its evidence."""
    pool = load(folder)
    found = next((e for e in (*pool.entries, *pool.records) if e.key == key), None)
    if found is None:
        keys = [entry.key for entry in (*pool.entries, *pool.records)]
        raise click.UsageError(f"there is no entry {quoted(key)} {expected(key, keys)}")
    click.echo("\n".join(entry_page(found, pool)))


@click.command(short_help="Write entries for other programs.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), required=True, help="What to write.")
@where
@primary
@click.option("--key", "keys", multiple=True, metavar="KEY", help="Only this entry; may be given several times.")
@as_of
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to a file, whole or not at all.  [default: standard output]")  # fmt: skip
@finds_bib
def export(
    folder: Path,
    form: str,
    filters: list[tuple[str, str]],
    primary: bool,
    keys: tuple[str, ...],
    day: date | None,
    output: Path | None,
) -> None:
    """Write entries for other programs.

    \b
    bib         BibTeX for citing: only the fields that styles read
    bib-tagged  BibTeX with tags and evidence; reading it gives the same entries
    csl-json    for citeproc, Pandoc, Zotero
    ris         for reference managers without BibTeX
    csv         one line an entry, lists joined by semicolons
    json        everything, with the evidence for each tag
    parquet     the table of csv with its types
    """
    pool = chosen(folder, day, filters, primary)
    for key in keys:
        if key not in pool:
            raise click.BadParameter(f"there is no entry {quoted(key)} among them", param_hint="--key")
    if keys:
        pool = pool.keep(keys)
    data = FORMATS[form](pool)
    if output is None or str(output) == "-":
        click.echo(data, nl=False)
        return
    place = Path(os.path.realpath(output))
    if Path(os.path.realpath(folder)) in (place.parent, place.parent.parent) and place.exists():
        message = f"{output} is data of the survey; an export in its place would lose what it does not carry"
        raise click.BadParameter(message, param_hint="--output")
    write_whole(output, data)
    click.echo(f"{len(pool)} entries written to {output}", err=True)


@click.command(short_help="Print an empty entry to fill in.")
@click.argument("name", metavar="ARXIV-ID|KEY")
@finds_bib
def new(folder: Path, name: str) -> None:
    """Print an empty entry with every axis and its values, ready to fill.

    From an arXiv id, year, month and address are filled in. Nothing is looked up on the network.
    If the data has the id, or the key, already, standard error says where; the entry is printed
    all the same, since a record that was left out may be taken in after all.

    \b
        survey new 2603.06859 >> bib/pool.bib
        survey check
    """
    taxonomy = read_taxonomy(folder / TAXONOMY)
    if not arxiv_date(name) and not re.fullmatch(r"[A-Za-z][A-Za-z0-9._+-]*", name):
        raise click.UsageError(f'{quoted(name)} is neither an arXiv id ("2603.06859") nor a key ("word2026")')
    for path, block in already_there(folder, name):
        known = f"{block.key or 'an entry without a key'} ({path}:{block.line})"
        click.echo(visible(f"{name} is already there: {known}"), err=True)
    click.echo(skeleton(name, taxonomy, date.today().isoformat()), nl=False)


COMMANDS = (check, stats, crosstab_command, list_command, show, export, new)
