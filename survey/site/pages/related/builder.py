"""For a related-work section: a page that compares the writer's .bib with the pool, and boxes to cite from.

The comparison runs in the reader's browser (``assets/related.js``); this gives the page, and
the one file of data that it reads. What is told of a value or a cell without scripts comes
from ``survey.literature.related``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from survey.literature import Axis, Entry, Pool, Shape
from survey.literature.export.bib import to_bib
from survey.literature.pool import cell_label, cells, mentioned
from survey.literature.related import Related, in_reading_order, preferred, related
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render

PAGE = "take-part/related-work.md"
WORKS = "related/works.json"


def related_pages(facts: Facts) -> Files:
    """The page on which a reader's .bib meets the pool, its data, and the BibTeX of every cell that holds entries."""
    pool, axes = facts.pool, facts.pool.taxonomy.main
    through = [(axis, related(pool, [], [axis.id])) for axis in axes]
    whole = related(pool, [], [axis.id for axis in axes])
    yield PAGE, render("pages/related/related.md.j2", pool=pool, page=PAGE, works=WORKS, whole=whole, through=through)
    yield WORKS, json.dumps(_works(pool, axes), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for rows, columns in combinations(axes, 2):
        for found in facts.citations[rows.id, columns.id].values():
            if found.entries:
                yield cell_bib(found), to_bib(found.found)


def cell_bib(found: Related) -> str:
    """Where the BibTeX of a cell is."""
    return f"measure/cells/{found.id}.bib"


# ----------------------------------------------------- what the page reads


def _works(pool: Pool, axes: Sequence[Axis]) -> dict[str, Any]:
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
