"""The subcommand gaps: empty cells, why they are empty, and how surprising that is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.examples import WithExamples
from survey.cli.literature.options import as_of, pass_bib
from survey.cli.literature.printing import (
    WIDEST,
    fitting,
    in_blocks,
    json_header,
    left_out,
    summary_line,
    terminal_room,
    wrapped,
)
from survey.cli.literature.uncertainty import reliability, rounded
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.agreement import Readings
from survey.literature.counting import is_folded, leading
from survey.literature.gaps import (
    PERMUTATIONS,
    SEED,
    Cell,
    Gap,
    GapMap,
    Kind,
    TripleMap,
    every_map,
    gap_map,
    ranked,
    triple,
)
from survey.plurals import plural

SIGNS = {
    Kind.UNSTUDIED: "0", Kind.UNDISCLOSED: "?", Kind.NOT_CODED: "…", Kind.FURTHER: "+", Kind.NOBODY: "∅",
    Kind.PAST: "†", Kind.NOT_APPLICABLE: "–", Kind.IMPOSSIBLE: "×",
}  # fmt: skip
"""The sign in an empty cell of a printed map."""

MEANINGS = {
    Kind.UNSTUDIED: "unstudied", Kind.UNDISCLOSED: "an entry with one value does not disclose the other",
    Kind.NOT_CODED: "an entry with one value is not coded on the other axis",
    Kind.FURTHER: "only as a further value of an entry that counts elsewhere",
    Kind.NOBODY: "no entry has one of the values", Kind.PAST: "history",
    Kind.NOT_APPLICABLE: "not applicable", Kind.IMPOSSIBLE: "impossible by definition",
}  # fmt: skip


@click.command(cls=WithExamples, short_help="List the gaps in the pool, with their likelihood.")
@click.argument("axes", nargs=-1, metavar="[AXIS AXIS [AXIS]]")
@as_of
@click.option(
    "--strict",
    is_flag=True,
    help="Count only entries that pass the strict reading, which taxonomy.toml defines under [gaps].",
)
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="Number of gaps to list.")  # fmt: skip
@formats("table", "json", "csv")
@pass_bib
def gaps(folder: Path, axes: tuple[str, ...], day: date | None, strict: bool, top: int, form: str) -> None:
    """List the empty cells of the pool, why they are empty, and how surprising that is.

    Without axes: the open cells of every pair of main axes, the least likely to be empty by
    chance first. With two axes, their map: the number of entries, or a sign for the kind of gap.
    With three, combinations of values that never occur although each pair in them does.

    \b
    expected  expected number of entries if the axes were independent
    residual  distance from the expected number, in standard deviations
    p         probability of so few entries by chance, for this cell alone
    p map     the same, corrected for all cells of the map

    Of three axes, every pair is taken as it is: expected is the number that a log-linear model
    of all pairs expects (without a term for three values), p the exact probability given the
    numbers of the three values and of their pairs. "p map" is simulated with a fixed seed and
    is therefore never below 1 / (permutations + 1).

    JSON and CSV of a map say how far two readers agree on each axis, and how many entries of a
    cell were read once, read again (by two or more) or adjudicated.

    That a cell is empty is a fact about this pool; how improbable that is, is a weaker one.

    \b
        survey gaps
        survey gaps {rows} {columns}
        survey gaps {columns} {third} {fourth} --format csv
    """
    pool = load(folder).as_of(day)
    try:
        if len(axes) == 2:
            _print_map(pool, gap_map(pool, axes[0], axes[1], strict), form)
        elif len(axes) == 3:
            _print_triple(pool, triple(pool, axes[0], axes[1], axes[2], strict), top, form)
        elif axes:
            raise click.UsageError(f"expected no axes for the list, two for a map, or three (found {len(axes)})")
        else:
            _print_list(pool, ranked(every_map(pool, strict)), top, form)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _print_list(pool: Pool, found: tuple[Gap, ...], top: int, form: str) -> None:
    rows = [_row(gap.cell) for gap in found[:top]]
    if form == "json":
        _json(pool, {"open": len(found), "gaps": rows})
    elif form == "csv":
        _csv(rows)
    else:
        lines = [
            [f"{c.rows}: {c.row}", f"{c.columns}: {c.column}", c.kind.value, _figure(c.expected), _figure(c.residual),
             _chance(c.p), _chance(c.corrected)]
            for c in (gap.cell for gap in found[:top])
        ]  # fmt: skip
        headers = ["", "", "kind", "expected", "residual", "p", "p map"]
        click.echo(f"{wrapped(summary_line(pool), otherwise=WIDEST)}\n\n{_listed(lines, headers, 3)}")
        click.echo(f"\n{len(lines)} of {plural(len(found), 'open cell')}")


def _print_map(pool: Pool, map: GapMap, form: str) -> None:
    if form == "json":
        readers = Readings(pool)
        about = {"rows": map.rows.id, "columns": map.columns.id, "n": map.n, "strict": map.strict}
        reliable = {axis.id: reliability(readers.reliability(axis.id)) for axis in (map.rows, map.columns)}
        lower = readers.lower(map.rows.id, map.columns.id).axis.id
        cells = [_read_row(readers, cell) for cell in map]
        _json(pool, about | {"reliability": reliable, "less_reliable": lower, "cells": cells})
    elif form == "csv":
        readers = Readings(pool)
        _csv([_read_row(readers, cell) for cell in map])
    else:
        down, across = leading(pool, map.rows), leading(pool, map.columns)
        lines = [[a, *(str(map[a, b].count or SIGNS[map[a, b].kind]) for b in across)] for a in down]
        headers = [f"{map.rows.id} \\ {map.columns.id}", *across]
        fit = fitting(lines, headers) if is_folded(map.rows) or is_folded(map.columns) else len(headers)
        click.echo(f"{wrapped(f'{summary_line(pool)}; {map.n} with a value on both axes', otherwise=WIDEST)}\n")
        click.echo(in_blocks([line[:fit] for line in lines], headers[:fit], partial(_table, words=1)))
        if cut := left_out([(map.rows, len(down)), (map.columns, fit - 1)]):
            click.echo(f"\n{cut}")
        said = MEANINGS | {Kind.PAST: f"{MEANINGS[Kind.PAST]}: {pool.taxonomy.gaps.foundations_label}"}
        numbers = [(SIGNS[kind], len(map.of(kind)), said[kind]) for kind in SIGNS if map.of(kind)]
        for sign, number, meaning in numbers:
            click.echo(f"{chr(10) if sign == numbers[0][0] else ''}{sign}  {number:>3}  {meaning}")


def _print_triple(pool: Pool, found: TripleMap, top: int, form: str) -> None:
    axes = [axis.id for axis in found.axes]
    rows: list[dict[str, Any]] = [
        dict(zip(axes, cell.cells, strict=True))
        | {"count": cell.count, "expected": rounded(cell.expected), "residual": rounded(cell.residual),
           "p": rounded(cell.p), "p_map": rounded(cell.corrected), "pairs": list(cell.pairs)}
        for cell in found.joint[:top]
    ]  # fmt: skip
    if form == "json":
        _json(pool, {"axes": axes, "n": found.n, "joint": len(found.joint), "gaps": rows})
    elif form == "csv":
        _csv([row | {"pairs": " ".join(map(str, row["pairs"]))} for row in rows])
    else:
        lines = [
            [*cell.cells, _figure(cell.expected), _figure(cell.residual), _chance(cell.p), _chance(cell.corrected)]
            for cell in found.joint[:top]
        ]
        click.echo(f"{wrapped(f'{summary_line(pool)}; {found.n} with a value on all three axes', otherwise=WIDEST)}\n")
        click.echo(_listed(lines, [*axes, "expected", "residual", "p", "p map"], 3))
        click.echo(
            f"\n{len(lines)} of {len(found.joint)} combinations that never occur although each pair in them does"
        )


def _row(cell: Cell) -> dict[str, Any]:
    """Return a cell as a JSON object."""
    return {
        "rows": cell.rows, "row": cell.row, "columns": cell.columns, "column": cell.column, "kind": cell.kind.value,
        "count": cell.count, "strict": len(cell.strict), "expected": rounded(cell.expected),
        "residual": rounded(cell.residual), "p": rounded(cell.p), "p_map": rounded(cell.corrected), "why": cell.why,
        "entries": list(cell.entries), "further": list(cell.further), "hidden": list(cell.hidden),
        "foundations": list(cell.foundations),
    }  # fmt: skip


def _read_row(readers: Readings, cell: Cell) -> dict[str, Any]:
    """Return a cell with how often its entries were read on both axes."""
    read = readers.counts(cell.entries, cell.rows, cell.columns)
    return _row(cell) | {"read_once": read.once, "read_twice": read.twice, "adjudicated": read.adjudicated}


def _chance(p: float) -> str:
    """Return a probability for the table; 0 and 1 only if it is exactly that."""
    return "<0.001" if 0 < p < 0.0005 else ">0.999" if 0.9995 <= p < 1 else f"{p:.3f}"


def _figure(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def _listed(lines: list[list[str]], headers: list[str], words: int) -> str:
    """Return a table; where the terminal is narrower, the words of each row on a line, and its figures below."""
    table = _table(lines, headers, words)
    if max(map(len, table.splitlines())) <= terminal_room():
        return table
    return "\n".join(
        line
        for row in lines
        for line in (
            ", ".join(f"{head}: {word}" if head else word for head, word in zip(headers, row[:words], strict=False)),
            "    " + ", ".join(f"{head} {figure}" for head, figure in zip(headers[words:], row[words:], strict=True)),
        )
    )


def _table(lines: Iterable[list[str]], headers: list[str], words: int) -> str:
    """Return a table: the first columns hold words, the others numbers."""
    alignment = ["left"] * words + ["right"] * (len(headers) - words)
    return tabulate(list(lines), headers, colalign=alignment, disable_numparse=True)


def _json(pool: Pool, data: dict[str, Any]) -> None:
    simulated = {"permutations": PERMUTATIONS, "seed": SEED}
    click.echo(json.dumps(json_header(pool) | simulated | data, ensure_ascii=False, indent=1, allow_nan=False))


def _csv(rows: list[dict[str, Any]]) -> None:
    cells = ([" ".join(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows)
    click.echo(csv_text(*rows[:1], *cells), nl=False)


COMMANDS = (gaps,)
