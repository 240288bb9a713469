"""Robustness: every conclusion under variants of the pool, and the entries on which it depends.

The variants are data (``[variant.ID]`` in ``claims.toml``). A claim survives a variant if it passes its test there; it
survives leave-one-out if the removal of no single entry changes the result. This measures how much depends on choices
that could have been different. Variants with a common error share it here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import product
from types import MappingProxyType

import msgspec

from survey.literature.claims.tallies import Tally, has_other_denominator, measurable, passes, population, tally
from survey.literature.claims.verdicts import Judge
from survey.literature.pool import Claim, Entry, Pool, Variant, pairs
from survey.literature.taxonomy import Absence, Shape

FULL = Variant(id="all", label="as coded", says="The pool as coded, with which the variants are compared.")


class Standing(StrEnum):
    """The result of a claim across the variants."""

    ROBUST = "passes in every variant that could overturn it"
    FRAGILE = "fails in some variant"
    UNTESTED = "no variant could overturn it"
    FAILS = "fails as coded"
    OF_THE_POOL = "about the pool itself"
    UNMEASURABLE = "not measurable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a claim in one variant.

    ``holds`` is None where the variant does not apply to the claim. ``turns`` are the entries of which the removal of
    any one changes the result. ``breaks`` is the number of readmitted records that would have to contradict the claim
    to change the result; None if all of them would not suffice.
    """

    variant: Variant
    holds: bool | None = None
    number: int = 0
    of: int = 0
    against: int = 0
    turns: tuple[str, ...] = ()
    breaks: int | None = None
    idle: bool = False
    """Whether the claim passes there whatever the data say: such a variant tests nothing."""


@dataclass(frozen=True)
class Conclusion:
    """The results of a claim in every variant. ``broad`` is the result as the pool is coded."""

    claim: Claim
    day: date
    broad: Outcome
    outcomes: tuple[Outcome, ...]
    about_the_pool: bool = False

    @property
    def tests(self) -> tuple[Outcome, ...]:
        """The outcomes of the variants that apply and could fail, except the worst case, which is a bound."""
        return tuple(o for o in self.outcomes if o.holds is not None and not o.idle and not o.variant.at_worst)

    @property
    def survived(self) -> int:
        """The number of tests that the claim passes."""
        return sum(bool(o.holds) for o in self.tests)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The tests that it fails."""
        return tuple(o for o in self.tests if not o.holds)

    @property
    def turns(self) -> tuple[str, ...]:
        """The entries of which the removal of any one changes the result."""
        return tuple(key for o in self.outcomes for key in o.turns)

    @property
    def standing(self) -> Standing:
        """The result across the variants."""
        if self.about_the_pool:
            return Standing.OF_THE_POOL
        if self.broad.holds is None:
            return Standing.UNMEASURABLE
        if not self.broad.holds:
            return Standing.FAILS
        if not self.tests:
            return Standing.UNTESTED
        return Standing.FRAGILE if self.failed else Standing.ROBUST


def conclusions(pool: Pool, claims: Iterable[Claim] | None = None, day: date | None = None) -> tuple[Conclusion, ...]:
    """Return the results of claims (default: all) in every variant, as of a day (default: that of the pool)."""
    judge = pool.once(Judge)
    return tuple(_conclusion(judge, claim, day) for claim in (pool.claims if claims is None else claims))


def by_standing(found: Iterable[Conclusion]) -> dict[Standing, tuple[Conclusion, ...]]:
    """Return the claims of each standing, those that fail most often first, ties in the order of the file."""
    ordered = sorted(found, key=lambda conclusion: -len(conclusion.failed))
    return {standing: tuple(c for c in ordered if c.standing is standing) for standing in Standing}


def turning_entries(found: Iterable[Conclusion]) -> dict[str, tuple[Conclusion, ...]]:
    """Return each entry whose removal changes the result of a claim, with these claims; most claims first."""
    by: dict[str, list[Conclusion]] = {}
    for conclusion in found:
        for key in conclusion.turns:
            by.setdefault(key, []).append(conclusion)
    return {key: tuple(by[key]) for key in sorted(by, key=lambda key: (-len(by[key]), key))}


def in_a_venue(entry: Entry, types: Iterable[str]) -> bool:
    """Return whether an entry has one of these BibTeX types and a journal or proceedings other than arXiv."""
    venue = entry.text("journal") or entry.text("booktitle")
    return entry.block.type in types and bool(venue) and "arxiv" not in venue.lower() and venue != "CoRR"


def variant_pool(judge: Judge, variant: Variant, day: date) -> Pool | None:
    """Return the pool of a variant on a day; None if the variant does not change the pool."""
    now = judge.pool.as_of(day)
    readings = judge.readings
    if variant.keep:
        return now.where(pairs(variant.keep))
    if variant.types:
        return now.keep(entry.key for entry in now if in_a_venue(entry, variant.types))
    if variant.readmit:
        back = [record for record in now.records if record.key in variant.readmit]
        untagged = (Entry(record.block, MappingProxyType({}), record.path) for record in back)
        records = tuple(record for record in now.records if record not in back)
        return replace(now, entries=(*now.entries, *untagged), records=records, parent=now, root=None)
    if readings.published and variant.reading == "published" and readings.day and day >= readings.day:
        return judge.published.as_of(day)
    if readings.second and variant.reading == "second":
        return judge.second.as_of(day)
    return None


# ----------------------------------------------------------------------- claims


def _conclusion(judge: Judge, claim: Claim, day: date | None) -> Conclusion:
    judged = judge.judged(claim, day)
    now = judge.pool.as_of(judged.day)
    read = {found.reading: found for found in judged.tallies}
    broad = _outcome(FULL, judged.broad, measurable(now, claim))
    # variants change the size of the pool: claims about its size are tested in other readings only
    about_the_pool = not any(judge.pool.taxonomy[axis].on == "entry" for axis in claim.count)

    def outcome(variant: Variant) -> Outcome:
        if broad.holds is None:
            return Outcome(variant)
        if variant.reading:
            by = None if variant.reading == "strict" else judge.substituted(claim, judged.day, variant.reading)
            by = by or read.get(variant.reading)
            idle = variant.reading == "strict" and broad.holds is True and _is_upper(claim) and not claim.largest
            return replace(_outcome(variant, by), idle=idle) if by else Outcome(variant)
        if about_the_pool:
            return Outcome(variant)
        if variant.denominator:
            applicable = variant.denominator == "applicable"
            if claim.applicable == applicable or not has_other_denominator(claim):
                return Outcome(variant)
            other_claim = msgspec.structs.replace(claim, applicable=applicable)
            return _outcome(variant, tally(now, other_claim, variant.id))
        if variant.leave_one_out:
            turns = tuple(_turning(now, claim))
            idle = broad.holds is True and _is_upper(claim) and not (claim.is_share or claim.largest)
            return replace(broad, variant=variant, holds=broad.holds and not turns, turns=turns, idle=idle)
        other = variant_pool(judge, variant, judged.day)
        assert other is not None
        if variant.at_worst:
            return _at_worst(variant, claim, tally(now, claim, "pool"), len(other) - len(now))
        found = _outcome(variant, tally(other, claim, variant.id), measurable(other, claim))
        return replace(found, idle=broad.holds is True and _is_idle(claim, variant))

    outcomes = tuple(outcome(variant) for variant in judge.pool.claims.variants)
    return Conclusion(claim, judged.day, broad, outcomes, about_the_pool)


def _is_idle(claim: Claim, variant: Variant) -> bool:
    """Return whether a claim that passes must pass in a variant, whatever the tags say.

    Fewer works cannot exceed an upper bound. Works without tags change no count, and only the population of a share of
    all: they can only lower it.
    """
    if variant.readmit:
        grows = claim.is_share and not claim.of and not claim.applicable
        return not grows or _is_upper(claim)
    return _is_upper(claim) and not claim.is_share and not claim.largest  # nobody may be left to disclose a number


def _is_upper(claim: Claim) -> bool:
    """Return whether a claim sets an upper bound, so that it passes with any narrower selection."""
    return claim.test in ("at-most", "share-at-most", "share-below") or (claim.test == "is" and claim.operand == 0)


def _outcome(variant: Variant, found: Tally, asked: bool = True) -> Outcome:
    return Outcome(variant, found.holds if asked else None, found.number, found.of, len(found.against))


def _turning(pool: Pool, claim: Claim) -> Iterator[str]:
    """Yield the entries of which the removal of any one changes the result of a claim.

    Entries with the same tags on all axes of the claim are interchangeable, so only one of each group is removed.
    """
    found = tally(pool, claim, "pool")
    if _has_margin(pool, claim, found):
        return
    axes = [*claim.axes, *(a.id for a in pool.taxonomy if a.shape is Shape.QUANTITY and claim.largest in a.values)]
    holds = found.holds
    turned: dict[tuple[object, ...], bool] = {}
    for place, entry in enumerate(pool.entries):
        kind = tuple(entry.tags.get(axis) for axis in axes)
        if kind not in turned:
            rest = pool.only(pool.entries[:place] + pool.entries[place + 1 :])
            turned[kind] = (measurable(rest, claim) and tally(rest, claim, "pool").holds) != holds
        if turned[kind]:
            yield entry.key


def _has_margin(pool: Pool, claim: Claim, found: Tally) -> bool:
    """Return whether the numbers are so far from the bound that an entry less, in any of them, changes nothing."""
    if claim.leads or claim.largest:
        return False  # an entry less may put another group, or a far smaller number, in its place
    works = population(pool, claim)
    coded = all(len([work for work in works if work.primary(axis) not in ("", *Absence)]) > 1 for axis in claim.count)
    numbers = product(*({number, max(number - 1, 0)} for number in (found.number, found.of, len(found.against))))
    return coded and all(passes(claim, *some) == found.holds for some in numbers)


def _at_worst(variant: Variant, claim: Claim, found: Tally, readmitted: int) -> Outcome:
    """Return the result if all readmitted records contradict the claim, and how many suffice to change it."""
    if claim.largest:
        return Outcome(variant)  # a record may disclose any number

    def against(some: int) -> tuple[int, int, int]:
        # a record that contradicts a claim belongs to its population; all readmitted records belong to the pool
        of = found.of + (some if claim.of or claim.applicable else readmitted)
        number, other = found.number, len(found.against)
        match claim.test:
            case "is" | "at-most" | "share-at-most":
                return number + some, of, other
            case "more-than" | "leads":
                return number, of, other + some
            case _:
                return number, of, other

    turned = (some for some in range(readmitted + 1) if passes(claim, *against(some)) != found.holds)
    number, of, other = against(readmitted)
    return Outcome(variant, passes(claim, number, of, other), number, of, other, breaks=next(turned, None))
