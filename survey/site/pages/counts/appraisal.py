"""The page on study-level appraisal: questions, answers by work, and claims on the works with an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from survey.literature.claims import can_narrow, depends_on_size, narrowed
from survey.literature.claims.tallies import Tally, tally
from survey.literature.pool import Answer, Claim, Pool
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.markup.works import newest_first

PAGE = "measure/appraisal.md"


def appraisal_page(facts: Facts) -> Files:
    """Yield the page; none if the survey asks no questions."""
    pool = facts.pool
    appraisal = pool.appraisal.within(entry.key for entry in pool)
    if not appraisal:
        return
    items = list(appraisal.items.values())
    yield (
        PAGE,
        render(
            "pages/counts/appraisal.md.j2",
            pool=pool,
            page=PAGE,
            appraisal=appraisal,
            items=[
                (item, Counter(appraisal.answer(key, item.id) for key in appraisal.assessed(item.id))) for item in items
            ],
            answers=list(Answer),
            works=newest_first(pool[key] for key in appraisal.works),
            claims=list(_claims(pool)),
            yes={item.id: len(appraisal.matching([(item.id, Answer.YES)])) for item in items},
        ),
    )


def _claims(pool: Pool) -> Iterator[tuple[Claim, Tally, list[Tally]]]:
    """Yield each claim as coded here, on all works and on those that answer each question with yes."""
    groups = [pool.appraisal.matching([(item, Answer.YES)]) for item in pool.appraisal.items]
    for claim in pool.claims:
        if can_narrow(pool, claim) and not depends_on_size(claim):
            yield claim, tally(pool, claim, "pool"), [narrowed(pool, claim, keys) for keys in groups]
