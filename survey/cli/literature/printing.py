"""Formatting of results for the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.uncertainty import span
from survey.literature import Axis, Entry, Pool
from survey.literature.agreement import Figure
from survey.literature.counting import CellCount
from survey.plurals import plural

NARROWEST, WIDEST = 60, 100
"""The columns of a terminal for which text is wrapped and tables of axes with many values are cut."""

UNLIMITED = 10_000

Table = Callable[[list[list[str]], list[str]], str]
"""What makes a text of the lines and the heads of a table."""


def json_header(pool: Pool) -> dict[str, Any]:
    """Return the first fields of every JSON output: the day and the numbers of entries and records."""
    return {"as_of": pool.day.isoformat(), "entries": len(pool), "excluded": len(pool.records)}


def summary_line(pool: Pool) -> str:
    """Return the same as text."""
    waiting = len(pool.eligible)
    eligible = f" ({waiting} of them eligible, not yet included)" if waiting else ""
    records = plural(len(pool.records), "excluded record")
    return f"{plural(len(pool), 'entry')}, {records}{eligible}, as of {pool.day.isoformat()}"


def count_table(found: Sequence[CellCount], figures: Sequence[Figure | None] = ()) -> str:
    """Return a table of counts with bars; with mentions only where they differ from the counts.

    Where there are figures with intervals, these are a column, and so is how many of the entries were read twice.
    """
    columns: dict[str, Sequence[int | str]] = {"count": [row.count for row in found]}
    if any(row.mentions != row.count for row in found):
        columns["mentions"] = [row.mentions for row in found]
    if any(figure and figure.low is not None for figure in figures):
        columns["interval"] = [span(figure) for figure in figures]
        columns["read twice"] = [figure.readings.twice if figure else "" for figure in figures]
    return bars([row.cell for row in found], columns)


def bars(values: Sequence[object], columns: Mapping[str, Sequence[int | str]]) -> str:
    """Return a table with a line per value: a column per name, and bars for the first column."""
    first = [int(number) for number in next(iter(columns.values()))]
    widest = max([1, *first])
    drawn = ["▇" * round(24 * number / widest) for number in first]
    alignment = ["left", *["right"] * len(columns), "left"]
    return tabulate(
        list(zip(values, *columns.values(), drawn, strict=True)), headers=["value", *columns, ""], colalign=alignment
    )


def fitting(lines: Sequence[Sequence[str]], headers: Sequence[str], width: int = 0) -> int:
    """Return how many columns of a table fit into a line, the first one and at least one more included.

    Without a width a line is as wide as the terminal, or as the widest that is used; that also where the output is no
    terminal.
    """
    width = width or terminal_width(WIDEST)
    widths = [max(len(head) + 2, *map(len, rest)) + 2 for head, *rest in zip(headers, *lines, strict=True)]
    totals = list(accumulate(widths))
    return max(2, sum(total - 2 <= width for total in totals))


def in_blocks(lines: Sequence[Sequence[str]], headers: Sequence[str], table: Table) -> str:
    """Return a table; one that is wider than the terminal in blocks of columns, each with the first one."""
    blocks, begin = [], 1
    while begin < len(headers):
        rest = [[first, *others[begin - 1 :]] for first, *others in lines]
        heads = [headers[0], *headers[begin:]]
        fit = fitting(rest, heads, terminal_room())
        blocks.append(table([line[:fit] for line in rest], heads[:fit]))
        begin += fit - 1
    return "\n\n".join(blocks)


def left_out(axes: Sequence[tuple[Axis, int]]) -> str:
    """Return a line on the values of folded axes that a table leaves out; empty if it shows all.

    Each axis comes with the number of its values in the table.
    """
    cut = [(axis.id, shown, len(axis.value_cells)) for axis, shown in axes if shown < len(axis.value_cells)]
    parts = [f"{shown} of {every} values of {id}" for id, shown, every in cut]
    return wrapped(f"{' and '.join(parts)}, the most frequent first; --format csv has all") if parts else ""


def terminal_width(otherwise: int = 80) -> int:
    """Return the columns to use of the terminal, or of what is no terminal."""
    return min(max(shutil.get_terminal_size((otherwise, 24)).columns, NARROWEST), WIDEST)


def terminal_room() -> int:
    """Return the columns of the terminal, or more than any table has where the output is none."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size((UNLIMITED, 24)).columns
    return UNLIMITED


def wrapped(text: str, indent: str = "", otherwise: int = 80) -> str:
    """Return the text wrapped to the width of the terminal, or of what is no terminal."""
    return textwrap.fill(text, terminal_width(otherwise), initial_indent=indent, subsequent_indent=indent)


def entry_page(entry: Entry, pool: Pool) -> list[str]:
    """Return everything about an entry, line by line."""
    lines = [click.style(wrapped(entry.title), bold=True), wrapped("; ".join(map(str, entry.authors)))]
    if entry.text("authors-incomplete"):
        lines.append(wrapped(f"(incomplete: {entry.text('authors-incomplete')})"))
    lines += [
        f"{', '.join(filter(None, (entry.venue, str(entry.year))))}   {entry.url}".rstrip(),
        f"{entry.path}:{entry.block.line}",
        "",
    ]
    if entry.text("summary"):
        lines += [wrapped(entry.text("summary")), ""]
    for axis_id, tags in entry.tags.items():
        axis = pool.taxonomy[axis_id]
        lines.append(f"{click.style(axis.label, bold=True)}: {'; '.join(map(str, tags))}")
        if entry.why(axis_id):
            lines.append(wrapped(entry.why(axis_id), "    "))
    for coding in pool.codings.values():
        differing = [
            f"{axis}: {'; '.join(map(str, judgement.tags))}"
            for axis, judgement in coding.of(entry.key).items()
            if judgement.tags[0].word != entry.primary(axis)
        ]
        if differing:
            lines += ["", wrapped(f"The coding {coding.id} has {' | '.join(differing)}")]
    return lines
