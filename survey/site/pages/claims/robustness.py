"""The page on robustness: which claims pass under other ways of counting, and which depend on a single entry."""

from __future__ import annotations

from survey.literature.claims import (
    Conclusion,
    Judge,
    Outcome,
    Standing,
    by_standing,
    conclusions,
    rankings,
    turning_entries,
    variant_pool,
)
from survey.literature.pool import Variant, cell_label
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render

PAGE = "measure/robustness.md"

PASSING = (Standing.ROBUST, Standing.FRAGILE, Standing.UNTESTED)
"""The standings of claims that pass as coded."""


def robustness_pages(facts: Facts) -> Files:
    """Yield the page; none where there are no claims or no variants."""
    pool = facts.pool
    variants = pool.claims.variants
    if not len(pool.claims) or not variants:
        return
    found = conclusions(pool)
    groups = by_standing(found)
    judge = pool.once(Judge)
    yield (
        PAGE,
        render(
            "pages/claims/robustness.md.j2",
            pool=pool,
            page=PAGE,
            groups=groups,
            standing=Standing,
            passing=sum(len(groups[standing]) for standing in PASSING),
            variants=[(v, *_asked(groups, v)) for v in variants],
            sizes={v.id: _size(judge, v) for v in variants},
            tests=[v for v in variants if not v.at_worst],
            worst=[(v, _turned(found, v)) for v in variants if v.at_worst],
            hangs=_together(turning_entries(found)),
            rankings=rankings(pool),
            place={v.id: place for place, v in enumerate(variants)},
            cell_label=cell_label,
        ),
    )


def _size(judge: Judge, variant: Variant) -> int | None:
    """Return how many entries a variant counts; None if it does not change the pool."""
    other = variant_pool(judge, variant, judge.pool.day)
    return None if other is None else len(other)


def _asked(groups: dict[Standing, tuple[Conclusion, ...]], variant: Variant) -> tuple[int, int]:
    """Return how many of the claims that pass as coded a variant can test, and how many of these fail."""
    passing = [conclusion for standing in PASSING for conclusion in groups[standing]]
    found = [o for c in passing for o in c.outcomes if o.variant == variant and not o.idle]
    holds = [o.holds for o in found if o.holds is not None]
    return len(holds), holds.count(False)


def _together(hangs: dict[str, tuple[Conclusion, ...]]) -> list[tuple[list[str], tuple[Conclusion, ...]]]:
    """Return the entries on which a claim depends, those together on which the same claims do, in their order."""
    keys: dict[tuple[str, ...], list[str]] = {}
    for key, claims in hangs.items():
        keys.setdefault(tuple(c.claim.id for c in claims), []).append(key)
    return [(some, hangs[some[0]]) for some in keys.values()]


def _turned(found: tuple[Conclusion, ...], variant: Variant) -> list[tuple[Conclusion, Outcome]]:
    """Return the claims that contradicting records would overturn, those first that need the fewest records."""
    rows = [(c, o) for c in found for o in c.outcomes if o.variant == variant and o.breaks is not None]
    return sorted(((c, o) for c, o in rows if c.broad.holds), key=lambda row: row[1].breaks or 0)
