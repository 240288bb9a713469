"""Shares of all works, and of those to which the axis applies: both are said, whichever is tested."""

from __future__ import annotations

from fractions import Fraction

import pytest

from survey.literature import Pool
from survey.literature.claims import where_it_applies
from survey.literature.pool import Claim


def by_hand(pool: Pool, claim: Claim) -> tuple[int, int]:
    """Works to which each counted axis applies, and those of them with a counted value; for filters of single words."""
    works = [entry for entry in pool if all(entry.primary(axis) not in ("", "na") for axis in claim.count)]
    counted = [
        entry
        for entry in works
        if all(
            (entry.words(axis)[:1] if claim.primary else entry.words(axis))
            and value in (entry.words(axis)[:1] if claim.primary else entry.words(axis))
            for axis, value in claim.count.items()
        )
    ]
    return len(counted), len(works)


def test_a_share_of_all_works_is_also_told_where_it_applies(pool: Pool) -> None:
    told = 0
    for claim in pool.claims:
        if claim.of or not all(
            isinstance(value, str) and value in pool.taxonomy[axis].values for axis, value in claim.count.items()
        ):
            continue
        if pool.taxonomy[next(iter(claim.count), "reward")].on == "record":
            continue
        found = where_it_applies(pool, claim)
        if found is None:
            assert not claim.is_share or claim.applicable or by_hand(pool, claim)[1] == len(pool), claim.id
            continue
        number, of = by_hand(pool, claim)
        assert (found.number, found.of) == (number, of), claim.id
        assert claim.share_at_most is not None
        assert found.holds is (Fraction(number, of) <= Fraction(str(claim.share_at_most)))
        told += 1
    assert told >= 3


@pytest.mark.parametrize(
    "id", ["reward-not-applicable", "counterfactual-credit-rare", "agent-credit-leads", "excluded"]
)
def test_nothing_is_told_of_a_claim_that_has_no_other_denominator(pool: Pool, id: str) -> None:
    """It counts what does not apply, is a share of the right works already, or is no share."""
    assert where_it_applies(pool, pool.claims[id]) is None
