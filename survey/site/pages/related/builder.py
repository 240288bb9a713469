"""Tools for a related-work section: a page that compares an author's .bib with the pool, and boxes to cite from.

The comparison runs in the reader's browser (``assets/related.js``); this module builds the page and
the one data file that it reads. The sentences on a value or a cell, which need no script, come
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
from survey.literature.related import Related, by_preference, in_reading_order, related
from survey.literature.taxonomy import examples
from survey.site.facts import Facts, Files
from survey.site.markup.formulas import title_tree
from survey.site.markup.templates import render

PAGE = "take-part/related-work.md"
WORKS = "related/works.json"

ADDING, PROTOCOL = "take-part/adding-an-entry.md", "take-part/protocol.md"
"""Hand-written pages for contributors, which a survey need not have."""


def related_pages(facts: Facts) -> Files:
    """Yield the page that compares a reader's .bib with the pool, its data, and the BibTeX of every filled cell."""
    pool, axes = facts.pool, facts.pool.taxonomy.main
    through = [(axis, related(pool, [], [axis.id])) for axis in axes]
    whole = related(pool, [], [axis.id for axis in axes])
    guides = {name: path for name, path in (("adding", ADDING), ("protocol", PROTOCOL)) if path in facts.written}
    yield (
        PAGE,
        render(
            "pages/related/related.md.j2",
            pool=pool,
            page=PAGE,
            works=WORKS,
            whole=whole,
            through=through,
            guides=guides,
            examples=examples(pool.taxonomy),
        ),
    )
    yield WORKS, json.dumps(_works(pool, axes), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for rows, columns in combinations(axes, 2):
        for found in facts.citations[rows.id, columns.id].values():
            if found.entries:
                yield cell_bib(found), to_bib(found.found)


def cell_bib(found: Related) -> str:
    """Return the path of the BibTeX of a cell."""
    return f"measure/cells/{found.id}.bib"


# ----------------------------------------------------- what the page reads


def _works(pool: Pool, axes: Sequence[Axis]) -> dict[str, Any]:
    """Return every work that the survey knows, with the identifiers by which a reader's list is matched.

    Entries come in the order in which a covering set prefers them, each with its place in the
    reading order. Titles are as displayed: the page normalises them and those of the
    reader's list with the same function.
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
            for entry in by_preference(pool.entries, pool.taxonomy)
        ],
        "records": [_known(record) | {"why": _left_out(record, pool)} for record in pool.records],
        "background": [_known(work) for work in pool.background],
    }


def _known(work: Entry) -> dict[str, Any]:
    return {
        "key": work.key,
        "title": work.title,
        **({"shown": tree} if (tree := title_tree(work)) else {}),
        "by": f"{work.by}, {work.year}",
        "doi": work.text("doi"),
        "eprint": work.text("eprint"),
        "url": work.url,
    }


def _left_out(record: Entry, pool: Pool) -> str:
    """Return the reason for an exclusion: the label of its code, then our explanation."""
    reasons = [
        f"{pool.taxonomy.label(axis.id, record.primary(axis.id))}. {record.why(axis.id)}"
        for axis in pool.taxonomy.on("record")
        if axis.evidence
    ]
    return " ".join(reasons)


def _values(axis: Axis) -> list[str]:
    """Return the cells of an axis that stand for a value, not an absence."""
    return [cell for cell in cells(axis) if cell.partition(": ")[0] in axis.values]
