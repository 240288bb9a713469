"""The page on screening: the flow into each edition, criteria, estimated completeness, and the search log."""

from __future__ import annotations

from survey.literature.counting.flow import captures, flows, recalls, steps
from survey.literature.counting.lag import lag, month_recalls, recall_at
from survey.literature.pool import BUDGETS
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
        repeated=len(log.searches) > len({search.family for search in log.searches}),
        lag=lag(pool),
        budgets=BUDGETS,
        recall_at=recall_at,
        month_recalls=month_recalls,
        waiting=sorted(waiting, key=lambda row: (row.score is None, -(row.score or 0), row.id)),
        listed=LISTED,
        again=sum(bool(row.decision) for row in waiting),
    )
