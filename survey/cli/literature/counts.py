"""Subcommands that count: stats and crosstab."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.options import as_of, pass_bib
from survey.cli.literature.printing import (
    WIDEST,
    bars,
    count_table,
    fitting,
    in_blocks,
    json_header,
    left_out,
    summary_line,
    wrapped,
)
from survey.cli.literature.uncertainty import COLUMNS, basis, figures, flat, note, span
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Axis, Pool, load
from survey.literature.agreement import Figure, Uncertainty
from survey.literature.counting import (
    CellCount,
    by_frequency,
    cell_counts,
    is_folded,
    leading,
    pair_counts,
    year_counts,
)
from survey.literature.pool import cells
from survey.literature.problems import expected, quoted


@click.command(short_help="Count entries on every axis.")
@as_of
@formats("table", "json", "csv")
@pass_bib
def stats(folder: Path, day: date | None, form: str) -> None:
    """Count the entries on every axis, and the excluded records on theirs.

    Each entry counts once, by its first value, as in the published tables; "mentions" counts every
    entry that has the value at any rank. On axes that are sets, both are the same. Values without
    entries are shown with zero.

    Where two readers coded an axis, one of them blind, each count has a 95 % interval for
    misclassification: what it would be if every entry were read twice and every disagreement
    settled. "read twice" says how many of the entries behind a count were.
    """
    pool = load(folder).as_of(day)
    uncertain = Uncertainty(pool)
    tables = {axis.id: cell_counts(pool, axis.id) for axis in pool.taxonomy}
    read = {id: figures(uncertain, pool.taxonomy[id], table) for id, table in tables.items()}
    years = year_counts(pool)
    if form == "csv":
        rows = (
            (id, *asdict(row).values(), *flat(figure).values())
            for id, table in tables.items()
            for row, figure in zip(table, read[id], strict=True)
        )
        click.echo(csv_text(["axis", *(field.name for field in fields(CellCount)), *COLUMNS], *rows), nl=False)
    elif form == "json":
        whole = json_header(pool) | {
            "timeline": [{"year": year, "count": number} for year, number in years.items()],
            "axes": {
                id: [asdict(row) | flat(figure) for row, figure in zip(table, read[id], strict=True)]
                for id, table in tables.items()
            },
            "intervals": {id: basis(uncertain, id) for id in tables},
        }
        click.echo(json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        click.echo(summary_line(pool))
        for id, table in tables.items():
            axis = pool.taxonomy[id]
            click.echo(f"\n{click.style(axis.label, bold=True)} ({id})")
            click.echo(count_table(table, read[id]))
            if any(span(figure) for figure in read[id]):
                click.echo(f"interval: {note(uncertain, id)}")
        click.echo(f"\n{click.style('First public in', bold=True)}")
        click.echo(bars([*years], {"count": [*years.values()]}))


@click.command("crosstab", short_help="Cross two axes, empty cells included.")
@click.argument("rows")
@click.argument("columns")
@click.option("--intervals", is_flag=True, help="In a table, beside each count its interval for misclassification.")
@as_of
@formats("table", "json", "csv")
@pass_bib
def crosstab_command(folder: Path, rows: str, columns: str, intervals: bool, day: date | None, form: str) -> None:
    """Cross two axes: ROWS against COLUMNS, with every empty cell shown.

    Each entry counts once, by its first values; on axes that are sets, under each of its values.
    JSON has each count with its interval and the readings behind it, as in "survey stats".
    """
    pool = load(folder).as_of(day)
    for axis in (rows, columns):
        if axis not in pool.taxonomy.axes:
            raise click.UsageError(f"there is no axis {quoted(axis)} {expected(axis, pool.taxonomy.axes)}")
    try:
        table = pair_counts(pool, rows, columns)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    across, uncertain = cells(pool.taxonomy[columns]), Uncertainty(pool)
    crossed = pool.taxonomy[rows].on == "entry" and rows != columns

    def figure(row: str, column: str) -> Figure | None:
        return uncertain.crossed({rows: row, columns: column}) if crossed else None

    if form == "csv":
        click.echo(csv_text([rows, *across], *([cell, *row.values()] for cell, row in table.items())), nl=False)
    elif form == "json":
        cross: dict[str, Any] = {
            "rows": rows,
            "columns": columns,
            "counts": table,
            "intervals": basis(uncertain, rows, columns),
        }
        cross["cells"] = [
            {"row": a, "column": b, "count": number, **flat(figure(a, b))}
            for a, row in table.items()
            for b, number in row.items()
        ]
        click.echo(json.dumps(json_header(pool) | cross, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{wrapped(summary_line(pool), otherwise=WIDEST)}\n")
        axes = pool.taxonomy[rows], pool.taxonomy[columns]
        folded = any(map(is_folded, axes))
        first, second = (_shown(pool, axis) if folded else cells(axis) for axis in axes)
        lines = [[a, *(_cell(table[a][b], figure(a, b) if intervals else None) for b in second)] for a in first]
        headers = [f"{rows} \\ {columns}", *second]
        fit = fitting(lines, headers) if folded else len(headers)
        lines = [line[:fit] for line in lines]
        click.echo(
            in_blocks(
                lines, headers[:fit], partial(tabulate, stralign="right", colalign=("left",), disable_numparse=True)
            )
        )
        there = zip(axes, (first, headers[1:fit]), strict=True)
        if cut := left_out([(axis, sum(cell in axis.value_cells for cell in some)) for axis, some in there]):
            click.echo(f"\n{cut}")
        if intervals:
            click.echo(f"\n{note(uncertain, rows, columns)}")


def _shown(pool: Pool, axis: Axis) -> list[str]:
    """Return the cells of an axis that a table shows: of many values the most frequent; what is no value at the end."""
    first = {*leading(pool, axis)}
    return [cell for cell in by_frequency(pool, axis) if cell in first or cell not in axis.value_cells]


def _cell(number: int, figure: Figure | None) -> str:
    return f"{number or '.'} {f'({ends})' if (ends := span(figure)) else ''}".rstrip()


COMMANDS = (stats, crosstab_command)
