"""Pages that a survey has only if it has something to show on them: nothing leads to those that it has not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from survey.literature import Pool
from survey.literature.counting import quantity_axis

PAIR: Final = 2
"""The main axes of which there must be as many before any two can be crossed."""

OPTIONAL: Final[Mapping[str, Callable[[Pool], bool]]] = {
    "claims/index.md": lambda pool: bool(len(pool.claims)),
    "explore/excluded.md": lambda pool: bool(pool.records),
    "gaps/index.md": lambda pool: len(pool.taxonomy.main) >= PAIR,
    "measure/agreement.md": lambda pool: bool(pool.codings or pool.adjudications or pool.trials or pool.audits),
    "measure/appraisal.md": lambda pool: bool(pool.appraisal.within(entry.key for entry in pool)),
    "measure/changes.md": lambda pool: bool(pool.editions),
    "measure/crosstabs.md": lambda pool: len(pool.taxonomy.main) >= PAIR,
    "measure/robustness.md": lambda pool: bool(len(pool.claims) and pool.claims.variants),
    "measure/scale.md": lambda pool: quantity_axis(pool.taxonomy) is not None and bool(pool.evidence),
    "measure/screening.md": lambda pool: bool(
        pool.records or pool.protocol or len(pool.searches) or pool.screened or pool.editions
    ),
}
"""When each of these pages is there. The families of pages ask it, and the pages that lead to one of them."""


def has(pool: Pool, page: str) -> bool:
    """Return whether the survey of a pool has a computed page; of pages that every survey has it says so, too."""
    return page not in OPTIONAL or OPTIONAL[page](pool)
