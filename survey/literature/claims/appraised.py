"""Claims counted on appraised works alone: those whose studies were made in a certain way."""

from __future__ import annotations

from collections.abc import Collection

from survey.literature.claims.tallies import Tally, tally
from survey.literature.pool import Claim, Pool


def can_narrow(pool: Pool, claim: Claim) -> bool:
    """Return whether a claim can be counted on some of the works: it counts entries, and of all editions."""
    return bool(claim.axes) and not claim.snapshot and all(pool.taxonomy[axis].on == "entry" for axis in claim.axes)


def depends_on_size(claim: Claim) -> bool:
    """Return whether the test of a claim is a fixed number, which fewer works may miss for no other reason."""
    return not (claim.is_share or claim.leads or claim.more_than is not None)


def narrowed(pool: Pool, claim: Claim, keys: Collection[str]) -> Tally:
    """Return a claim as coded here, counted on these works alone."""
    return tally(pool.only(entry for entry in pool if entry.key in keys), claim, "pool")
