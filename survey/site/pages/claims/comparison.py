"""The ledger as a table for the Open Research Knowledge Graph (ORKG): a row per claim, a column per property.

Its import of CSV takes a contribution per row, and properties as columns, of which those named ``paper:`` and
``contribution:`` have a meaning of their own. Rows with the same title become contributions of one paper: a comparison
of them shows claims side by side. The cells of a column that begins with ``resource:`` become resources, so that claims
with the same status share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from survey.escaping import csv_text
from survey.literature import Pool
from survey.literature.claims import Judgement, question, readings_of
from survey.literature.pool import Entry


def comparison(pool: Pool, judged: Iterable[Judgement], site_url: str) -> str:
    """Return the newest judgements as CSV. ``site_url`` is the address of the papers that are the survey's own."""
    background = {work.key: work for work in pool.background}
    readings, rows = readings_of(pool), []
    for judgement in judged:
        claim = judgement.claim
        rows.append([
            *_paper(background.get(claim.source), pool, site_url), pool.taxonomy.title,
            claim.id, claim.sentence, judgement.status, judgement.verdict, judgement.day,
            pool.as_of(judgement.day).fingerprint, question(claim, pool.taxonomy),
            *(cell for reading in readings for cell in _cells(judgement, reading)),
            claim.limit, claim.changes,
        ])  # fmt: skip
    return csv_text(_header(readings), *rows)


def _header(readings: Mapping[str, str]) -> list[str]:
    counts = (f"{name}, {said}" for said in readings.values() for name in ("number", "of", "test"))
    return [
        "paper:title", "paper:authors", "paper:publication_month", "paper:publication_year", "paper:doi", "paper:url",
        "contribution:research_problem", "claim id", "claim", "resource:status", "verdict", "edition",
        "data", "counted", *counts, "limit", "what would change it",
    ]  # fmt: skip


def _paper(source: Entry | None, pool: Pool, site_url: str) -> list[object]:
    """Return the work that makes a claim: one of the background, or this survey."""
    if source is None:
        day, creator = pool.day, pool.taxonomy.settings.creator
        return [f"{pool.taxonomy.title}: claims of the survey", creator, day.month, day.year, "", site_url]
    authors = "; ".join(map(str, source.authors))
    return [source.title, authors, source.month or "", source.year, source.text("doi"), source.url]


def _cells(judgement: Judgement, reading: str) -> list[object]:
    """Return number, population and outcome of a reading; empty where it does not count the claim."""
    found = next((t for t in judgement.tallies if t.reading == reading), None)
    if found is None:
        return ["", "", ""]
    return [found.number, "" if judgement.claim.largest else found.of, "passes" if found.holds else "fails"]
