"""The page on screening: the flow into each edition, criteria, estimated completeness, and the search log."""

from __future__ import annotations

from survey.literature.counting.flow import captures, flows, recalls, steps
from survey.literature.counting.lag import lag, month_recalls, recall_at
from survey.literature.pool import BUDGETS
from survey.literature.pool.screening import Search, SearchLog
from survey.site.facts import Facts
from survey.site.markup.templates import render

LISTED = 40
"""Most candidates that the page names of those that wait; the best come first."""


def screening_page(facts: Facts) -> tuple[str, str]:
    """Return the page on screening."""
    pool, page = facts.pool, "measure/screening.md"
    log = pool.searches.until(pool.day)
    waiting = [row for row in pool.screened if row.waits]
    rulings = [(record, pool.protocol.ruling(record)) for record in pool.records]
    return page, render(
        "pages/counts/screening.md.j2",
        pool=pool,
        page=page,
        charts=[facts.charts[f"by-{axis.id}"] for axis in pool.taxonomy.on("record")],
        draw=facts.pictures.figure,
        flows=flows(pool)[::-1],
        steps=steps,
        recalls=recalls(pool),
        captures=captures(pool),
        by_criterion={
            id: [record for record, ruling in rulings if ruling and ruling.criterion.id == id]
            for id in pool.protocol.criteria
        },
        decided=pool.protocol.decisions,
        log=log,
        queries=(queries := _queries(log)),
        repeats={number for _, searches in queries for _, number, known in searches if known},
        repeated=len(log.searches) > len({search.family for search in log.searches}),
        lag=lag(pool),
        budgets=BUDGETS,
        recall_at=recall_at,
        month_recalls=month_recalls,
        waiting=sorted(waiting, key=lambda row: (row.score is None, -(row.score or 0), row.id)),
        listed=LISTED,
        again=sum(bool(row.decision) for row in waiting),
    )


def _queries(log: SearchLog) -> list[tuple[str, list[tuple[Search, int, bool]]]]:
    """Return the searches of each source, each with the number of its query and whether that stands there already."""
    numbers: dict[str, int] = {}
    by_source: dict[str, list[tuple[Search, int, bool]]] = {}
    for search in sorted(log.searches, key=lambda search: search.source):
        known = search.query in numbers
        number = numbers.setdefault(search.query, len(numbers) + 1)
        by_source.setdefault(search.source, []).append((search, number, known))
    return list(by_source.items())
