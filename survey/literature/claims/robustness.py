"""Robustness: every conclusion under variants of the pool, and the entries on which it hangs.

The variants are data (``[variant.ID]`` in ``claims.toml``). A claim survives a variant if its
test is still passed there, and it survives leaving one out if no single entry turns it. What
is measured is how much hangs on choices that could have been made otherwise; variants that
share a mistake share it here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from types import MappingProxyType

from survey.literature.claims.tallies import Tally, measurable, passes, tally
from survey.literature.claims.verdicts import Judge
from survey.literature.pool import Claim, Entry, Pool, Variant, pairs
from survey.literature.taxonomy import Shape

FULL = Variant(id="all", label="as coded", says="The pool as it is coded: what the variants are held against.")


class Standing(StrEnum):
    """What the variants make of a claim."""

    ROBUST = "passes in every variant"
    FRAGILE = "fails in some variant"
    FAILS = "fails as coded"
    OF_THE_POOL = "about the pool itself"
    UNMEASURABLE = "not measurable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A claim in one variant.

    ``holds`` is None where the variant has nothing to say of the claim. ``turns`` are the entries
    each of which alone turns the result when it is left out. ``breaks`` is how many of the
    readmitted records would have to speak against the claim to turn it; None if all of them would not.
    """

    variant: Variant
    holds: bool | None = None
    number: int = 0
    of: int = 0
    against: int = 0
    turns: tuple[str, ...] = ()
    breaks: int | None = None


@dataclass(frozen=True)
class Conclusion:
    """A claim in every variant. ``broad`` is the claim as the pool is coded."""

    claim: Claim
    day: date
    broad: Outcome
    outcomes: tuple[Outcome, ...]
    about_the_pool: bool = False

    @property
    def tests(self) -> tuple[Outcome, ...]:
        """The variants that count: those that ask the claim, the worst case apart, which is a limit and no reading."""
        return tuple(o for o in self.outcomes if o.holds is not None and not o.variant.at_worst)

    @property
    def survived(self) -> int:
        """In how many of the tests the claim passes."""
        return sum(bool(o.holds) for o in self.tests)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The tests in which it does not."""
        return tuple(o for o in self.tests if not o.holds)

    @property
    def turns(self) -> tuple[str, ...]:
        """The entries each of which alone turns the result when it is left out."""
        return tuple(key for o in self.outcomes for key in o.turns)

    @property
    def standing(self) -> Standing:
        """What the variants make of the claim."""
        if self.about_the_pool:
            return Standing.OF_THE_POOL
        if self.broad.holds is None:
            return Standing.UNMEASURABLE
        if not self.broad.holds:
            return Standing.FAILS
        return Standing.FRAGILE if self.failed else Standing.ROBUST


def conclusions(pool: Pool, claims: Iterable[Claim] | None = None, day: date | None = None) -> tuple[Conclusion, ...]:
    """Claims, by default all, in every variant as of a day, by default that of the pool."""
    judge = Judge(pool)
    return tuple(_conclusion(judge, claim, day) for claim in (pool.claims if claims is None else claims))


def by_standing(found: Iterable[Conclusion]) -> dict[Standing, tuple[Conclusion, ...]]:
    """The claims of each standing; those that fail most often come first, equals in the order of the file."""
    ordered = sorted(found, key=lambda conclusion: -len(conclusion.failed))
    return {standing: tuple(c for c in ordered if c.standing is standing) for standing in Standing}


def hangs_on(found: Iterable[Conclusion]) -> dict[str, tuple[Conclusion, ...]]:
    """For each entry that alone turns a claim, the claims it turns; those that turn most come first."""
    by: dict[str, list[Conclusion]] = {}
    for conclusion in found:
        for key in conclusion.turns:
            by.setdefault(key, []).append(conclusion)
    return {key: tuple(by[key]) for key in sorted(by, key=lambda key: (-len(by[key]), key))}


def in_a_venue(entry: Entry, types: Iterable[str]) -> bool:
    """Whether an entry is of one of these BibTeX types and names a journal or proceedings, which arXiv is not."""
    venue = entry.text("journal") or entry.text("booktitle")
    return entry.block.type in types and bool(venue) and "arxiv" not in venue.lower() and venue != "CoRR"


def varied(judge: Judge, variant: Variant, day: date) -> Pool | None:
    """The pool of a variant on a day; None if the variant is no other pool but another way of asking."""
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
        return replace(now, entries=(*now.entries, *untagged), records=records, whole=now, root=None)
    if readings and variant.reading == "published" and day >= readings.day:
        return judge.published.as_of(day)
    if readings and variant.reading == "second":
        return judge.second.as_of(day)
    return None


# ----------------------------------------------------------------------- claims


def _conclusion(judge: Judge, claim: Claim, day: date | None) -> Conclusion:
    judged = judge.judged(claim, day)
    now = judge.pool.as_of(judged.day)
    read = {found.reading: found for found in judged.tallies}
    broad = _outcome(FULL, judged.broad, measurable(now, claim))
    # whatever changes the pool changes what is said of its size: such claims are asked of readings alone
    about_the_pool = not any(judge.pool.taxonomy[axis].on == "entry" for axis in claim.count)

    def outcome(variant: Variant) -> Outcome:
        if broad.holds is None:
            return Outcome(variant)
        if variant.reading:
            found = read.get(variant.reading)
            return _outcome(variant, found) if found else Outcome(variant)
        if about_the_pool:
            return Outcome(variant)
        if variant.leave_one_out:
            turns = tuple(_turning(now, claim))
            return replace(broad, variant=variant, holds=broad.holds and not turns, turns=turns)
        other = varied(judge, variant, judged.day)
        assert other is not None
        if variant.at_worst:
            return _at_worst(variant, claim, tally(now, claim, "pool"), len(other) - len(now))
        return _outcome(variant, tally(other, claim, variant.id), measurable(other, claim))

    outcomes = tuple(outcome(variant) for variant in judge.pool.claims.variants)
    return Conclusion(claim, judged.day, broad, outcomes, about_the_pool)


def _outcome(variant: Variant, found: Tally, asked: bool = True) -> Outcome:
    return Outcome(variant, found.holds if asked else None, found.number, found.of, len(found.against))


def _turning(pool: Pool, claim: Claim) -> Iterator[str]:
    """The entries each of which alone turns the result of a claim when it is left out.

    Entries with the same tags on all axes that the claim looks at are interchangeable, so that
    one of each kind is taken out.
    """
    looked = [*claim.axes, *(a.id for a in pool.taxonomy if a.shape is Shape.QUANTITY and claim.largest in a.values)]
    holds = tally(pool, claim, "pool").holds
    turned: dict[tuple[object, ...], bool] = {}
    for place, entry in enumerate(pool.entries):
        kind = tuple(entry.tags.get(axis) for axis in looked)
        if kind not in turned:
            rest = pool.only(pool.entries[:place] + pool.entries[place + 1 :])
            turned[kind] = (measurable(rest, claim) and tally(rest, claim, "pool").holds) != holds
        if turned[kind]:
            yield entry.key


def _at_worst(variant: Variant, claim: Claim, found: Tally, readmitted: int) -> Outcome:
    """The claim if all readmitted records spoke against it, and how many of them it takes."""
    if claim.largest:
        return Outcome(variant)  # a record may disclose any number

    def against(some: int) -> tuple[int, int, int]:
        # a record that speaks against a claim belongs to its population; all belong to the whole pool
        of = found.of + (some if claim.of else readmitted)
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
