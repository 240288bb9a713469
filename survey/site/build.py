"""All computed pages and files of the site: a pool in, ``{path: content}`` out.

Paths are relative to ``docs/``; pages are Markdown, other files text or bytes. Nothing
here depends on a site generator.
"""

from __future__ import annotations

import json
from pathlib import Path

from survey import garbage_collection
from survey.site.cache import code_fingerprint, fingerprint
from survey.site.charts.drawing import RUNTIME
from survey.site.facts import Facts, Files
from survey.site.markup.feeds import feed
from survey.site.pages.agreement.builder import agreement_pages
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.claims.changes import change_pages
from survey.site.pages.claims.ledger import claim_pages
from survey.site.pages.claims.robustness import robustness_pages
from survey.site.pages.counts.builder import count_pages
from survey.site.pages.data_files.builder import data_files
from survey.site.pages.dependencies.builder import dependency_pages
from survey.site.pages.entries.builder import entry_pages
from survey.site.pages.explorer.builder import excluded_pages, explorer_pages
from survey.site.pages.gaps.builder import gap_pages
from survey.site.pages.new_entry.builder import new_entry_pages
from survey.site.pages.related.builder import related_pages
from survey.site.pages.scale.builder import scale_pages
from survey.site.pages.traces.builder import trace_pages
from survey.site.theme.assets import assets

FAMILIES = (
    entry_pages,
    axis_pages,
    explorer_pages,
    excluded_pages,
    count_pages,
    claim_pages,
    robustness_pages,
    change_pages,
    agreement_pages,
    scale_pages,
    gap_pages,
    related_pages,
    new_entry_pages,
    trace_pages,
    dependency_pages,
    data_files,
)
"""The table of contents: each family is a function from the facts to files."""


def build(facts: Facts) -> dict[str, str | bytes]:
    """Return all computed files of the site."""
    facts.pictures.begin(facts.charts.values())
    out: dict[str, str | bytes] = {}
    for part in (*(family(facts) for family in FAMILIES), _charts(facts), assets(facts.cache)):
        for path, content in part:
            if path in out:
                raise ValueError(f"two builders make {path}")
            out[path] = content
    return out | facts.exports | {"feed.atom": feed(facts.pool, facts.site_url)}


def cached_build(facts: Facts, data: Path) -> dict[str, str | bytes]:
    """Return the same files, from an earlier build if nothing that they depend on has changed.

    ``data`` is the folder of the pool.
    """
    files = sorted(path for path in data.rglob("*") if path.is_file())
    own = fingerprint(files, facts.site_url, facts.issues, json.dumps(list(facts.notebooks)))
    with garbage_collection.paused():
        return facts.cache.get((code_fingerprint(), own), lambda: build(facts))


def _charts(facts: Facts) -> Files:
    """Yield the specifications of the charts, and the runtime that makes them interactive."""
    for chart in facts.charts.values():
        yield chart.file
    yield RUNTIME, facts.pictures.runtime()
