"""The table of all entries: static pages of rows, and the same rows as data for filters.

A browser takes seconds to parse and lay out ten thousand rows, so a page holds a hundred
and links to the next. ``rows.json`` has them all: where scripts run, the first
page filters, counts and sorts the whole pool from it, and creates a row when it is shown.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from survey.literature import Axis, Entry, Pool
from survey.literature.export.bib import to_bib
from survey.literature.export.ris import to_ris
from survey.literature.export.tables import to_csv
from survey.literature.pool import NOT_CODED, cell_label, cells, mentioned
from survey.site.facts import Facts, Files
from survey.site.markup.formulas import Node, title_tree
from survey.site.markup.optional import has
from survey.site.markup.templates import render

PER_PAGE = 100
"""Rows on a page, and rows the script shows at once: as many as anybody looks through, in a page of 150 kB."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; ``cells`` are the entry's cells on each axis of entries, in the order of the axes."""

    key: str
    title: str
    by: str
    year: int
    cells: tuple[tuple[str, ...], ...]
    shown: list[Node]
    """The title with its formulas as elements, if it has any."""

    @property
    def data(self) -> list[object]:
        """What a script needs to draw the row."""
        return [self.key, self.title, self.by, self.year, self.cells, *([self.shown] if self.shown else [])]


def explorer_pages(facts: Facts, per_page: int = PER_PAGE) -> Files:
    """Yield the pages of the table, the rows as data, and each entry's part of an export."""
    pool = facts.pool
    axes = pool.taxonomy.on("entry")
    rows = [_row(entry, axes) for entry in pool]
    facets = [_facet(pool, axis) for axis in axes]
    labels = {facet["axis"]: dict(facet["words"]) for facet in facets}
    starts = range(0, max(len(rows), 1), per_page)
    for number, start in enumerate(starts, 1):
        yield page_of(number), render(
            "pages/explorer/explore.md.j2", pool=pool, page=page_of(number), number=number, last=len(starts),
            page_of=page_of,            start=start, rows=rows[start : start + per_page], facets=facets, labels=labels,
        )  # fmt: skip
    yield "explore/rows.json", _compact([row.data for row in rows])
    yield "explore/exports.json", _compact(_exports(pool))
    yield "explore/summaries.json", _compact({entry.key: entry.text("summary") for entry in pool})


def excluded_pages(facts: Facts) -> Files:
    """Yield the list of excluded records, with the reason for each; nothing if there are none."""
    pool, page = facts.pool, "explore/excluded.md"
    if not has(pool, page):
        return
    axes = pool.taxonomy.on("record")
    yield page, render("pages/explorer/excluded.md.j2", pool=pool, page=page, axes=axes)


def page_of(number: int) -> str:
    """Return the path of a page of the table; the first keeps the published address of the table."""
    return "explore/index.md" if number == 1 else f"explore/page-{number}.md"


def _row(entry: Entry, axes: tuple[Axis, ...]) -> Row:
    return Row(
        entry.key, entry.title, entry.by, entry.year, tuple(mentioned(entry, axis) for axis in axes), title_tree(entry)
    )


def _facet(pool: Pool, axis: Axis) -> dict[str, Any]:
    """Return an axis as a filter: its cells in order with their labels, and those that stand for an absence."""
    return {
        "axis": axis.id,
        "label": axis.label,
        "main": axis.main,
        "words": list(_words(pool, axis)),
        "also": {value.id: " ".join(value.also) for value in axis.values.values() if value.also},
        "hollow": [*axis.absences, NOT_CODED],
    }


def _words(pool: Pool, axis: Axis) -> Iterator[tuple[str, str]]:
    """Yield the cells of an axis with their labels; where it says how, each value first with any answer."""
    how = " or ".join(qualifier.label for qualifier in axis.qualifiers.values())
    given = set()
    for cell in cells(axis):
        value, qualified, _ = cell.partition(": ")
        if qualified and value not in given:
            given.add(value)
            yield value, f"{axis.values[value].label}, {how}"
        yield cell, cell_label(pool.taxonomy, axis, cell)


def _exports(pool: Pool) -> dict[str, Any]:
    header, *lines = _csv_lines(to_csv(pool))
    return {
        "header": header,
        "entries": {
            entry.key: {"bib": to_bib(alone), "ris": to_ris(alone), "csv": line}
            for entry, line in zip(pool, lines, strict=True)
            for alone in [pool.keep([entry.key])]
        },
    }


def _csv_lines(text: str) -> Iterator[str]:
    """Yield the lines of a table with their line ends; a line break inside a value does not end a line."""
    for fields in csv.reader(io.StringIO(text, newline="")):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(fields)
        yield line.getvalue()


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
