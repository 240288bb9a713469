"""The page of a pair of main axes: the chart, and a line for each cell that holds entries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from survey.literature import Axis
from survey.literature.agreement import Figure
from survey.literature.counting import by_frequency, is_folded, leading
from survey.literature.pool import Entry, cell_label, counted
from survey.literature.related import first_to_know
from survey.site.facts import Facts
from survey.site.markup.links import anchor
from survey.site.markup.templates import render
from survey.site.pages.related.builder import cell_bib

SHOWN = 4
"""Entries that the line of a cell lists: a page of 150 cells stays light, and the table of entries has the rest."""


SHOWN_OF_MANY = 3
"""The same on the page of a pair with many values."""


@dataclass(frozen=True)
class Cell:
    """A cell of a cross-tabulation in the line of its row: the value of the column, and what is in the cell."""

    id: str
    label: str
    anchor: str
    entries: list[Entry]
    figure: Figure
    bib: str
    first: bool
    """Whether a table of many values shows it at once."""


@dataclass(frozen=True)
class Row:
    """A row of a cross-tabulation: its value, and its cells."""

    id: str
    label: str
    filled: list[Cell]
    empty: list[Cell]
    first: bool
    """Whether a table of many values shows it at once."""


def crosstab_page(facts: Facts, rows: str, columns: str) -> tuple[str, str]:
    """Return the page of a pair of axes."""
    pool, page, readers = facts.pool, f"measure/{rows}-by-{columns}.md", facts.readers
    table, cites = table_of(facts, rows, columns), facts.citations[rows, columns]
    places = {rows: "{row}", columns: "{column}"}
    first = next((cell.anchor for row in table for cell in row.filled if cell.bib), next(iter(cites)))
    return page, render(
        "pages/counts/crosstab.md.j2",
        pool=pool,
        page=page,
        chart=facts.charts[f"{rows}-by-{columns}"],
        draw=facts.pictures.figure,
        sources=facts.uncertain.sources((rows, columns)),
        rows=pool.taxonomy[rows],
        columns=pool.taxonomy[columns],
        table=[row for row in table if row.first],
        rest=[row for row in table if not row.first],
        folded=(folded := is_folded(pool.taxonomy[rows]) or is_folded(pool.taxonomy[columns])),
        empty=sum(len(row.empty) for row in table),
        shown=SHOWN_OF_MANY if folded else SHOWN,
        example=cites[first].sentence,
        pattern=cites[first].pattern(places),
        reliable=[readers.reliability(axis) for axis in (rows, columns)],
        lower=readers.lower(rows, columns),
        all_read=readers.counts((entry.key for entry in pool), rows, columns),
    )


def table_of(facts: Facts, rows: str, columns: str) -> list[Row]:
    """Return the table by rows. A cell that stands for no value on an axis is left out if it is empty."""
    pool, cites = facts.pool, facts.citations[rows, columns]
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in pool:
        for place in product(counted(entry, down), counted(entry, across)):
            found.setdefault(place, []).append(entry)

    hidden = {
        axis.id: {*axis.value_cells} - {*leading(pool, axis)} for axis in (down, across)
    }  # behind the most frequent values

    def cell(a: str, b: str) -> Cell:
        filters, place = [(rows, a), (columns, b)], anchor(a, b)
        entries = first_to_know(found.get((a, b), []), filters, facts.passages, pool.taxonomy)
        bib = cell_bib(cites[place]) if entries and place in cites else ""
        figure = facts.uncertain.crossed({rows: a, columns: b})
        return Cell(b, cell_label(pool.taxonomy, across, b), place, entries, figure, bib, b not in hidden[columns])

    out = []
    for a in by_frequency(pool, down):
        line = [cell(a, b) for b in by_frequency(pool, across)]
        empty = [one for one in line if not one.entries and _is_value(down, a) and _is_value(across, one.id)]
        filled = [one for one in line if one.entries]
        out.append(Row(a, cell_label(pool.taxonomy, down, a), filled, empty, a not in hidden[rows]))
    return [row for row in out if row.filled or row.empty]


def _is_value(axis: Axis, cell: str) -> bool:
    return cell.partition(": ")[0] in axis.values
