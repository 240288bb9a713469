"""For a related-work section: a page that compares the writer's .bib with the pool, and boxes to cite from.

The comparison runs in the reader's browser (``assets/related.js``); this gives the page, and
the one file of data that it reads. What is told of a value or a cell without scripts comes
from ``survey.literature.related``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from survey.literature import Axis, Entry, Pool, Shape, cells
from survey.literature.export.bib import to_bib
from survey.literature.related import Filter, Related, in_reading_order, preferred, related
from survey.literature.statistics import NOT_CODED, cell_label, mentioned
from survey.site.charts import anchor
from survey.site.markup import render

PAGE = "take-part/related-work.md"
WORKS = "related/works.json"

Cited = Mapping[tuple[str, str], Mapping[str, Related]]
"""What there is to cite of each cell, by the axes in rows and columns and the anchor."""


def related_pages(pool: Pool, cited: Cited) -> Iterator[tuple[str, str]]:
    """The page on which a reader's .bib meets the pool, its data, and the BibTeX of every cell that holds entries."""
    axes = _main(pool)
    through = [(axis, related(pool, [], [axis.id])) for axis in axes]
    whole = related(pool, [], [axis.id for axis in axes])
    yield PAGE, render("related.md.j2", pool=pool, page=PAGE, works=WORKS, whole=whole, through=through)
    yield WORKS, json.dumps(_works(pool, axes), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for rows, columns in combinations(axes, 2):
        for found in cited[rows.id, columns.id].values():
            if found.entries:
                yield cell_bib(found), to_bib(found.found)


def every_cell(pool: Pool) -> Cited:
    """What there is to cite of the cells of every pair of main axes, and of the pair the other way round."""
    out: dict[tuple[str, str], dict[str, Related]] = {}
    for rows, columns in combinations([axis.id for axis in _main(pool)], 2):
        out[rows, columns] = found = of_cells(pool, rows, columns)
        asked = [(cell, dict(cell.filters)) for cell in found.values()]
        out[columns, rows] = {anchor(values[columns], values[rows]): cell for cell, values in asked}
    return out


def of_cells(pool: Pool, rows: str, columns: str) -> dict[str, Related]:
    """What there is to cite of each cell of a pair of axes, by its anchor on the page of the pair.

    Counted as the table counts; a cell of entries that are not coded is left out. Whichever
    axis is in the rows, the same cell is cited by the same sentence.
    """
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    order = list(pool.taxonomy.axes)
    out = {}
    for a in cells(down):
        for b in cells(across):
            filters: list[Filter] = sorted([(rows, a), (columns, b)], key=lambda pair: order.index(pair[0]))
            if NOT_CODED not in (a, b):
                out[anchor(a, b)] = related(pool, filters, primary=True)
    return out


def cell_bib(found: Related) -> str:
    """Where the BibTeX of a cell is."""
    return f"measure/cells/{found.id}.bib"


def _main(pool: Pool) -> list[Axis]:
    return [axis for axis in pool.taxonomy.on("entry") if axis.main]


# ----------------------------------------------------- what the page reads


def _works(pool: Pool, axes: list[Axis]) -> dict[str, Any]:
    """Every work that the survey knows, with what a foreign list can be compared by.

    Entries come in the order in which a reading path prefers them, each with its place in the
    order of reading. Titles are as they are shown: the page reduces them and those of the
    reader's list alike, by one function.
    """
    place = {entry.key: n for n, entry in enumerate(in_reading_order(pool, pool.taxonomy))}
    return {
        "stamp": pool.stamp,
        "axes": [
            {
                "id": axis.id,
                "label": axis.label,
                "ranked": axis.shape is Shape.RANKED,
                "cells": [(cell, cell_label(pool.taxonomy, axis, cell)) for cell in _values(axis)],
            }
            for axis in axes
        ],
        "entries": [
            _known(entry)
            | {
                "cells": [[cell for cell in mentioned(entry, axis) if cell in _values(axis)] for axis in axes],
                "place": place[entry.key],
                "bib": to_bib(pool.keep([entry.key]), stamped=False),
            }
            for entry in preferred(pool.entries, pool.taxonomy)
        ],
        "records": [_known(record) | {"why": _left_out(record, pool)} for record in pool.records],
        "background": [_known(work) for work in pool.background],
    }


def _known(work: Entry) -> dict[str, Any]:
    return {
        "key": work.key,
        "title": work.title,
        "by": f"{work.by}, {work.year}",
        "doi": work.text("doi"),
        "eprint": work.text("eprint"),
        "url": work.url,
    }


def _left_out(record: Entry, pool: Pool) -> str:
    """The reason of an exclusion: its code in words, then ours."""
    reasons = [
        f"{pool.taxonomy.label(axis.id, record.primary(axis.id))}. {record.why(axis.id)}"
        for axis in pool.taxonomy.on("record")
        if axis.evidence
    ]
    return " ".join(reasons)


def _values(axis: Axis) -> list[str]:
    """The cells of an axis that stand for a value."""
    return [cell for cell in cells(axis) if cell.partition(": ")[0] in axis.values]
