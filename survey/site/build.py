"""All computed pages and files of the site: a pool in, ``{path: content}`` out.

Paths are relative to ``docs/``; pages are Markdown, other files text or bytes. Nothing
here depends on a site generator.

Each family of pages is computed again only if something that it reads has changed (``survey.site.drafts``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from survey import garbage_collection
from survey.site.charts.drawing import RUNTIME
from survey.site.drafts import EVIDENCE, NO_PROSE, PROSE, SUMMARY, TABLES, Reads, fill
from survey.site.facts import Facts, Files
from survey.site.notebooks.rendering import with_figures
from survey.site.pages.agreement.builder import agreement_pages
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.claims.changes import change_pages
from survey.site.pages.claims.ledger import claim_pages
from survey.site.pages.claims.machine_files import claim_files
from survey.site.pages.claims.robustness import robustness_pages
from survey.site.pages.counts.builder import count_pages
from survey.site.pages.data_files.builder import data_files
from survey.site.pages.dependencies.builder import dependency_pages
from survey.site.pages.entries.builder import entry_pages
from survey.site.pages.explorer.builder import excluded_pages, explorer_pages
from survey.site.pages.feeds.builder import feeds
from survey.site.pages.gaps.builder import gap_pages
from survey.site.pages.new_entry.builder import new_entry_pages
from survey.site.pages.related.builder import related_pages
from survey.site.pages.scale.builder import scale_pages
from survey.site.pages.traces.builder import trace_pages
from survey.site.prose.prose import render_prose
from survey.site.theme.assets import assets

Family = Callable[[Facts], Iterator[tuple[str, str]] | Iterator[tuple[str, str | bytes]]]


def _begin(facts: Facts) -> Files:
    """Yield the specifications of the charts, and begin to draw them in the background."""
    facts.pictures.begin(facts.charts.values())
    for chart in facts.charts.values():
        yield chart.file


def _exports(facts: Facts) -> Iterator[tuple[str, str | bytes]]:
    """Yield the whole pool in each format."""
    yield from facts.exports.items()


def _end(facts: Facts) -> Iterator[tuple[str, str | bytes]]:
    """Yield the scripts and styles, and the runtime that makes charts interactive."""
    yield from assets(facts.cache)
    yield RUNTIME, facts.pictures.runtime()


FAMILIES: Mapping[Family, Reads | None] = {
    _begin: NO_PROSE,
    entry_pages: PROSE,
    axis_pages: NO_PROSE,
    explorer_pages: {SUMMARY},
    excluded_pages: NO_PROSE,
    count_pages: NO_PROSE,
    claim_pages: NO_PROSE,
    claim_files: PROSE,
    robustness_pages: NO_PROSE,
    change_pages: NO_PROSE,
    agreement_pages: {EVIDENCE},
    scale_pages: {TABLES},
    gap_pages: NO_PROSE,
    related_pages: NO_PROSE,
    new_entry_pages: NO_PROSE,
    trace_pages: None,
    dependency_pages: None,
    feeds: {SUMMARY},
    data_files: PROSE,
    _exports: PROSE,
    _end: None,
}
"""The table of contents: each family is a function from facts to files, with what it reads besides tags and citations.

None stands for a family that reads nothing of the pool.
"""


def _made(family: Family, facts: Facts) -> dict[str, str | bytes]:
    return dict(family(facts))


def build(facts: Facts) -> dict[str, str | bytes]:
    """Return all computed files of the site."""
    made = drafted_files(facts).items()
    return {path: fill(content, facts.source) if isinstance(content, str) else content for path, content in made}


def drafted_files(facts: Facts) -> dict[str, str | bytes]:
    """Return the same files with placeholders for the fingerprints of the data (``survey.site.drafts.fill``)."""
    out: dict[str, str | bytes] = {}
    with garbage_collection.paused():
        for family, reads in FAMILIES.items():
            part = facts.reading(frozenset(reads or NO_PROSE))
            for path, content in part.cached(family.__name__, partial(_made, family, part), reads is not None).items():
                if path in out:
                    raise ValueError(f"two families make {path}")
                out[path] = content
    return out


def filled_page(facts: Facts, text: str, page: str, shown: str) -> str:
    """Return a hand-written page with its figures; ``shown`` is the name of its file in messages.

    Raises:
        InvalidSurvey: if it refers to an entry, axis, value or function that does not exist.

    """
    part = facts.reading(NO_PROSE)
    return part.cached(f"{shown}\n{text}", lambda: render_prose(text, part.pool, page, shown, part.pictures))


def filled_notebook(facts: Facts, notebook: Mapping[str, Any], page: str) -> str:
    """Return a notebook with the figures of its text, as JSON.

    Raises:
        InvalidSurvey: as above.

    """
    part, text = facts.reading(NO_PROSE), json.dumps(notebook)

    def filled() -> str:
        return json.dumps(with_figures(json.loads(text), part.pool, page, part.pictures))

    return part.cached(f"{page}\n{text}", filled)
