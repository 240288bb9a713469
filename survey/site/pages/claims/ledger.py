"""The ledger: a page for every claim, with its result by reading, the entries behind it and a citable sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from survey.literature import Pool
from survey.literature.claims import (
    MEANINGS,
    NAMED,
    SIGNS,
    Judgement,
    citation,
    distribution,
    edition_bib,
    interval_in_words,
    question,
    readings_of,
    snapshots,
    where_it_applies,
)
from survey.literature.double_coding import every_pair, flip, smallest_change
from survey.literature.export.bib import to_bib
from survey.literature.pool import Answer, Claim, Entry, Table
from survey.site.facts import Facts, Files
from survey.site.html.addresses import address
from survey.site.markup.templates import render
from survey.site.markup.works import newest_first
from survey.site.pages.claims.statements import Statements


def claim_pages(facts: Facts) -> Files:
    """Yield the ledger, and for every claim its page and the BibTeX of the entries behind it."""
    pool, judged = facts.pool, facts.ledger
    if not judged:
        return
    page = "claims/index.md"
    statuses = {status: [j[-1] for j in judged.values() if j[-1].status is status] for status in SIGNS}
    yield (
        page,
        render(
            "pages/claims/claims.md.j2",
            pool=pool,
            page=page,
            judged=judged,
            certain={id: facts.certain.of(found[-1].claim) for id, found in judged.items()},
            statuses=statuses,
            readings=readings_of(pool),
            source={j[-1].claim.id: _source(pool, j[-1].claim) for j in judged.values()},
            signs=SIGNS,
            meanings=MEANINGS,
            tables=[*_tables(pool)],
            days=snapshots(pool),
        ),
    )
    pairs = every_pair(pool)
    for judgements in judged.values():
        last = judgements[-1]
        page = f"claims/{last.claim.id}.md"
        rows = [(work, _counts(last, work.key)) for work in _works(pool, last)]
        yield page.replace(".md", ".bib"), to_bib(pool.keep(work.key for work, _ in rows if work.key in pool))
        yield (
            page,
            render(
                "pages/claims/claim.md.j2",
                pool=pool,
                page=page,
                claim=last.claim,
                last=last,
                judgements=judgements,
                question=question(last.claim, pool.taxonomy),
                readings=last.names,
                made_by=_made_by(pool, last.claim),
                certainty=facts.certain.of(last.claim),
                interval=interval_in_words(facts.certain.of(last.claim)),
                natural=where_it_applies(pool.as_of(last.day), last.claim),
                studies=_studies(pool, last),
                change=smallest_change(flip(pool, last.claim, pairs)),
                signs=SIGNS,
                meanings=MEANINGS,
                named=NAMED,
                rows=rows,
                cited=citation(
                    last, pool.as_of(last.day).fingerprint, f"{facts.site_url}{address(page)}" if facts.site_url else ""
                ),
                edition=edition_bib(pool, last.day, facts.site_url),
                structured=Statements(pool, facts.site_url).json_ld(last, works=False),
            ),
        )


def _source(pool: Pool, claim: Claim) -> str:
    """Return who makes a claim, in a word: "published" if the survey on which this one builds, or "ours"."""
    if claim.source and claim.source == pool.taxonomy.settings.origin:
        return "published"
    return claim.source if any(work.key == claim.source for work in pool.background) else "ours"


def _made_by(pool: Pool, claim: Claim) -> str:
    """Return who makes a claim: a work of the background, or this survey."""
    made = next((work for work in pool.background if work.key == claim.source), None)
    if made is None:
        return "this survey"
    if made.key != pool.taxonomy.settings.origin:
        return f"{made.by}, {made.year}"
    eprint = made.text("eprint")
    return f"the published survey ({f'arXiv:{eprint}' if eprint else f'{made.by}, {made.year}'})"


def _tables(pool: Pool) -> Iterator[tuple[Table, list[tuple[str, list[int]]]]]:
    """Yield each distribution with a row per word in use: the published count, if any, and that of every snapshot."""
    days = snapshots(pool)
    for table in pool.claims.tables:
        found = [distribution(pool.as_of(day), table) for day in days]
        rows = [
            (word, [*([table.counts.get(word, 0)] if table.counts else []), *(column[word] for column in found)])
            for word in pool.taxonomy[table.axis].words
        ]
        yield table, [(word, numbers) for word, numbers in rows if any(numbers)]


def claims_of(judged: Mapping[str, tuple[Judgement, ...]]) -> dict[str, list[Judgement]]:
    """Return, by the key of each work, the newest judgement of every claim that counts it in any reading."""
    found: dict[str, list[Judgement]] = {}
    for judgements in judged.values():
        for key in judgements[-1].entries:
            found.setdefault(key, []).append(judgements[-1])
    return found


def _studies(pool: Pool, judgement: Judgement) -> dict[str, Any] | None:
    """Return how many of the works that count were appraised, and how many of them answer each question with yes."""
    appraisal, counted = pool.appraisal, judgement.broad.counted
    works = [key for key in counted if key in appraisal.works]
    if not works:
        return None
    found = [(item, appraisal.assessed(item.id, works)) for item in appraisal.items.values()]
    answers = [
        (item, sum(appraisal.answer(key, item.id) is Answer.YES for key in keys), len(keys))
        for item, keys in found
        if keys
    ]
    return {"works": len(works), "answers": answers}


def _works(pool: Pool, judgement: Judgement) -> list[Entry]:
    known = {work.key: work for work in (*pool.entries, *pool.records)}
    return newest_first(known[key] for key in judgement.entries)


def _counts(judgement: Judgement, key: str) -> list[str]:
    """Return for each reading of a judgement how it counts the work: "counted", "compared", or empty for not."""
    return ["counted" if key in t.counted else "compared" if key in t.against else "" for t in judgement.tallies]
