"""Verdicts: every countable statement of the survey, judged on every snapshot by every reading.

A claim has a broad reading (as the pool is coded), a strict one (with a narrower selection), the published one (by the
published coding or, where that lacks the axis, by the published number) and that of a second reader. A reading speaks
only of the works that it read. Where codings of the same works disagree the claim is contested: the disagreement is
shown, not resolved. A claim that fails now may have been true of what had appeared then, or only of what was known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from survey.literature.claims.tallies import Tally, distribution, measurable, passes, population, speaking, tally
from survey.literature.pool import Claim, Coding, Pool, Readings, Table
from survey.literature.problems import FEW, Problem

READINGS = {
    "pool": "as coded here",
    "published": "published coding",
    "second": "second reading",
    "strict": "strict reading",
}
"""Every reading that a claim can have, with its usual name: the pool's own, two of other codings, a narrower one."""

OTHERS = ("published", "second")
"""The readings that are codings of another reader."""


def readings_of(pool: Pool) -> dict[str, str]:
    """Return the readings that the claims of a pool have, each with its name."""
    given = pool.claims.readings or Readings()
    strict = any(claim.strict for claim in pool.claims)
    has = {"pool": True, "published": bool(given.day), "second": bool(given.second), "strict": strict}
    return {reading: given.names.get(reading, said) for reading, said in READINGS.items() if has[reading]}


class Status(StrEnum):
    """The status of a claim on a snapshot."""

    HOLDS = "holds"
    ONCE = "holds, read once"
    BROADLY = "holds only broadly"
    CONTESTED = "contested"
    OVERTURNED = "no longer holds"
    MISSED = "did not hold even then"
    FAILS = "does not hold"
    UNMEASURABLE = "not measurable"


SIGNS = {
    Status.OVERTURNED: "✗",
    Status.MISSED: "✗",
    Status.FAILS: "✗",
    Status.CONTESTED: "≠",
    Status.BROADLY: "≈",
    Status.ONCE: "✓",
    Status.HOLDS: "✓",
    Status.UNMEASURABLE: "?",
}
"""A sign for each status, so that they can be distinguished without colour; doubtful ones come first."""

MEANINGS = {
    Status.HOLDS: "as coded here, and by another reading of works that it read",
    Status.ONCE: "as coded here; no other reading has read enough to say",
    Status.BROADLY: "as coded here, but not in the strict reading",
    Status.CONTESTED: "read differently: codings of the same works disagree",
    Status.OVERTURNED: "changed since: it held on what had appeared; newer works contradict it",
    Status.MISSED: "missed then: it held on what was known; works that had appeared already contradict it",
    Status.FAILS: "it fails, and held in no edition",
    Status.UNMEASURABLE: "nothing is coded, or disclosed, that it needs",
}


NAMED = 3
"""Maximum number of entries that a sentence names as the cause of a new status; the claim's page lists all."""


@dataclass(frozen=True)
class Judgement:
    """A claim on one day: its status, and the tallies of every reading behind it.

    A claim that failed after it had held: ``held`` is the last edition in which it did, ``because`` the works that
    speak against it and were not known then, ``since`` when the work that overturned it appeared. ``appeared`` counts
    what had appeared by the day, whether or not it was known.
    """

    claim: Claim
    day: date
    status: Status
    tallies: tuple[Tally, ...] = ()
    held: date | None = None
    since: str = ""
    because: tuple[str, ...] = ()
    appeared: Tally | None = None
    reread: bool = False
    """Whether it fails on the works of that edition as they are tagged today."""
    names: Mapping[str, str] = field(default_factory=lambda: READINGS)
    """How readings are called."""

    @property
    def brief(self) -> tuple[str, str, Status]:
        """The claim, its sentence and its status, for lists."""
        return self.claim.id, self.claim.sentence, self.status

    @property
    def broad(self) -> Tally:
        """The tally as the pool is coded."""
        return self.tallies[0]

    @property
    def entries(self) -> tuple[str, ...]:
        """The keys behind the numbers of this judgement, in any reading."""
        return tuple(dict.fromkeys(key for t in self.tallies for key in (*t.counted, *t.against)))

    @property
    def differing(self) -> tuple[str, ...]:
        """The readings that disagree with the pool's tags on the works that they read."""
        return tuple(t.reading for t in self.tallies if not t.agrees)

    @property
    def verdict(self) -> str:
        """The status as text, with date and cause if there are any."""
        if self.reread:
            return f"{self.status}: the works of {self.held} are read differently since"
        if self.status is Status.CONTESTED:
            readers = " and ".join(f"in the {self.names[name]}" for name in self.differing) or "in another coding"
            return f"{self.status}: read differently {readers}"
        named, more = self.because[:NAMED], len(self.because) - NAMED
        works = ", ".join(named) + (f" and {more} more" if more > 0 else "")
        if self.status is Status.OVERTURNED:
            return f"{self.status} since {self.since}" + (f" because of {works}" if works else "")
        if self.status is Status.MISSED:
            return f"{self.status}: what had appeared by {self.held} was not all known" + (
                f" ({works})" if works else ""
            )
        return str(self.status)


def ledger(pool: Pool) -> dict[str, tuple[Judgement, ...]]:
    """Return the judgements of every claim on every snapshot, oldest first, by the id of the claim."""
    judge = pool.once(Judge)
    return {claim.id: tuple(judge.judged(claim, day) for day in snapshots(pool)) for claim in pool.claims}


def snapshots(pool: Pool) -> tuple[date, ...]:
    """Return the days on which claims are judged: those of the editions, and the day of the pool."""
    return tuple(sorted({*(day for day in pool.editions if day <= pool.day), pool.day}))


class Judge:
    """Judges the claims of a pool, each once for a day; the pools recoded by other readings are computed once.

    ``pool.once(Judge)`` is the judge that all pages share.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.readings = pool.claims.readings or Readings()
        self.names = READINGS | readings_of(pool)
        self._known: dict[tuple[str, date], Judgement] = {}

    def judged(self, claim: Claim, day: date | None = None) -> Judgement:
        """Return the judgement of a claim on a day, by default the day of the pool."""
        day = self.day(claim, day)
        known = self._known.get((claim.id, day))
        if known is None or known.claim is not claim:
            known = self._known[claim.id, day] = self._judged(claim, day)
        return known

    def _judged(self, claim: Claim, day: date) -> Judgement:
        now = self.pool.as_of(day)
        if not measurable(now, claim):
            return Judgement(claim, day, Status.UNMEASURABLE, (tally(now, claim, "pool"),), names=self.names)
        tallies = tuple(self._tallies(claim, day))
        found = Judgement(claim, day, Status.HOLDS, tallies, appeared=self._appeared(claim, day), names=self.names)
        broad, others = tallies[0], [t for t in tallies[1:] if t.reading != "strict"]
        if not broad.holds and not self._saved(claim, day):
            return self._fallen(found)
        if found.differing or not broad.holds:
            return replace(found, status=Status.CONTESTED)
        if not all(t.holds for t in tallies if t.reading == "strict"):
            return replace(found, status=Status.BROADLY)
        return found if any(t.holds for t in others) else replace(found, status=Status.ONCE)

    def day(self, claim: Claim, day: date | None = None) -> date:
        """Return the day of a judgement: a claim about the published snapshot is judged on no later one."""
        day = day or self.pool.day
        return min(day, self.readings.day) if claim.snapshot and self.readings.day else day

    def reproduction_problems(self) -> Iterator[Problem]:
        """Yield a problem for every published number that the published snapshot does not reproduce.

        Where our coding departs from the published one, the claim must name each entry and the reason.
        """
        if self.readings.day is None:
            return
        then = self.pool.as_of(self.readings.day)
        for claim in self.pool.claims:
            if claim.published is not None:
                yield from self._unlike_published(claim, then)
            if claim.published_strict is not None:
                number = tally(then, claim, "strict", claim.strict).number
                if number != claim.published_strict:
                    yield _unlike(claim, "published-strict", claim.published_strict, number)
        for table in self.pool.claims.tables:
            if table.counts and self.readings.published:
                yield from _unlike_table(self.published.as_of(self.readings.day), table)

    @cached_property
    def published(self) -> Pool:
        """The pool as the published coding has it."""
        return self.pool.recoded(self.readings.published)

    @cached_property
    def second(self) -> Pool:
        """The pool as the second reader coded it."""
        return self.pool.recoded(self.readings.second)

    def substituted(self, claim: Claim, day: date, reading: str) -> Tally | None:
        """Return a claim with another reader's tags in place of ours, on every work and axis that this reader coded.

        This is no reading: it says how much a claim depends on who coded those works. None if there is no such tag.
        """
        coding = getattr(self.readings, reading)
        if reading == "published" and (self.readings.day is None or day < self.readings.day):
            return None
        if reading == "published" and not self._codes(coding, claim):
            return self._stated_and_added(claim, day)
        if not coding or claim.largest or self.pool.codings[coding].axes.isdisjoint(claim.axes):
            return None
        return tally(getattr(self, reading).as_of(day), claim, reading)

    def _tallies(self, claim: Claim, day: date) -> Iterator[Tally]:
        now = self.pool.as_of(day)
        yield tally(now, claim, "pool")
        if claim.strict:
            yield tally(now, claim, "strict", claim.strict)
        if self.readings.day and day >= self.readings.day:
            found = self._read(claim, day, "published") or self._stated(claim, day)
            if found is not None:
                yield found
        if (found := self._read(claim, day, "second")) is not None:
            yield found

    def _read(self, claim: Claim, day: date, reading: str) -> Tally | None:
        """Return a claim by a reading, on the works of which it coded every axis that the claim needs."""
        coding = getattr(self.readings, reading)
        if not coding:
            return None
        now, theirs = self.pool.as_of(day), getattr(self, reading).as_of(day)
        read = _works_read(now.codings[coding], claim)
        if not read:
            return None
        ours = tally(now.keep(entry.key for entry in now if entry.key in read), claim, "pool")
        found = tally(theirs.keep(entry.key for entry in theirs if entry.key in read), claim, reading)
        if not found.of or not ours.of:
            return None
        return replace(found, works=len(population(now, claim)), ours=ours.number, agrees=found.holds == ours.holds)

    def _stated(self, claim: Claim, day: date) -> Tally | None:
        """Return a claim by the number that was published of the works of that day."""
        if self.readings.day is None or claim.published is None:
            return None
        ours = tally(self.pool.as_of(self.readings.day), claim, "published")
        holds = passes(claim, claim.published, ours.of, len(ours.against))
        works = tally(self.pool.as_of(day), claim, "published").of
        return replace(
            ours, number=claim.published, holds=holds, counted=(), works=works, ours=ours.number,
            agrees=holds == ours.holds,
        )  # fmt: skip

    def _stated_and_added(self, claim: Claim, day: date) -> Tally | None:
        """Return the number that was published, with what was added since as coded here."""
        stated = self._stated(claim, day)
        if stated is None or self.readings.day is None:
            return None
        then, now = self.pool.as_of(self.readings.day), tally(self.pool.as_of(day), claim, "published")
        before = {work.key for work in (*then.entries, *then.records)}
        added = tuple(key for key in now.counted if key not in before)
        number = stated.number if claim.largest else stated.number + len(added)
        return replace(now, number=number, holds=passes(claim, number, now.of, len(now.against)), counted=added)

    def _appeared(self, claim: Claim, day: date) -> Tally | None:
        """Return a claim on all works known today that had appeared by a day; None for one about other records."""
        if any(self.pool.taxonomy[axis].on != "entry" for axis in claim.count) or not claim.count:
            return None
        then = self.pool.appeared_by(day)
        return tally(then, claim, "appeared") if measurable(then, claim) else None

    def _saved(self, claim: Claim, day: date) -> bool:
        """Return whether a claim that fails as coded here would hold with the tags of another reader in place."""
        return any(found.holds for name in OTHERS if (found := self.substituted(claim, day, name)) is not None)

    def _fallen(self, found: Judgement) -> Judgement:
        """Return the judgement of a claim that fails: whether it ever held, and why it does not now.

        Where it held only as one reader coded the works, and another did not, it was read differently from the start.
        """
        claim, now = found.claim, self.pool.as_of(found.day)
        known = {date.fromisoformat(entry.added) for entry in now} if not self.pool.editions else set()
        days = [day for day in sorted({*self.pool.editions, *known}) if day < found.day]
        held = next((day for day in reversed(days) if self._held(claim, day)), None)
        held = held or next((day for day in reversed(days) if self._holds(claim, day)), None)
        if held is None:
            return replace(found, status=Status.FAILS)
        then = list(self._tallies(claim, held))
        before = {work.key for work in (*self.pool.as_of(held).entries, *self.pool.as_of(held).records)}
        against = [key for key in speaking(now, claim, found.broad) if key not in before]
        again = tally(now.only(entry for entry in now if entry.key in before), claim, "pool")
        if not then[0].holds and not against:  # it fell before, by our tags, and nothing has come since
            before_that = self.judged(claim, held)
            return replace(before_that, day=found.day, tallies=found.tallies, appeared=found.appeared)
        if then[0].holds and not _suffice(claim, len(against)):
            if not again.holds:  # the same works, read again, say otherwise: nothing newer is needed
                return replace(found, status=Status.CONTESTED, held=held, reread=True)
            if not all(t.agrees for t in then):
                return replace(found, status=Status.CONTESTED, held=held)
        public = now.appeared_by(held)
        there = tuple(key for key in against if key in public)
        # what another reading alone held to be true then fails by our tags on any works: ask what was missing
        missed = not tally(public, claim, "pool").holds if then[0].holds else bool(there)
        if missed and measurable(public, claim):
            return replace(found, status=Status.MISSED, held=held, because=there)
        newer = sorted((now[key].appeared, key) for key in against if key in now and key not in public)
        since = next((when for when, _ in newer if not self._held_until(claim, now, when)), "")
        if not then[0].holds:
            since = next((when for when, _ in newer), "")
        because = tuple(key for when, key in newer if not since or when <= since)
        return replace(
            found, status=Status.OVERTURNED, held=held, since=since or found.day.isoformat(), because=because
        )

    def _held(self, claim: Claim, day: date) -> bool:
        """Return whether a claim held by the pool's own tags of a day."""
        then = self.pool.as_of(day)
        return measurable(then, claim) and tally(then, claim, "pool").holds

    def _holds(self, claim: Claim, day: date) -> bool:
        """Return whether a claim held in any reading, as far as the works of that day were known."""
        found = self._tallies(claim, day) if measurable(self.pool.as_of(day), claim) else ()
        return any(t.holds for t in found if t.reading != "strict")

    def _held_until(self, claim: Claim, now: Pool, when: str) -> bool:
        """Return whether a claim holds on the works that had appeared by a date as it is written."""
        then = now.only(entry for entry in now if entry.appeared <= when)
        return tally(then, claim, "pool").holds

    def _codes(self, coding: str, claim: Claim) -> bool:
        """Return whether a coding has all axes of a claim."""
        known = bool(coding and claim.axes) and not claim.largest
        return known and self.pool.codings[coding].axes >= {*claim.axes}

    def _unlike_published(self, claim: Claim, then: Pool) -> Iterator[Problem]:
        assert self.readings.day is not None
        if self._codes(self.readings.published, claim):
            number = tally(self.published.as_of(self.readings.day), claim, "published").number
            if number != claim.published:
                yield _unlike(claim, "published", claim.published, number)
            return
        counted = tally(then, claim, "pool")
        agreed = (
            counted.number
            if claim.largest
            else len(set(counted.counted) ^ {then.key_here(key) for key in claim.dissent})
        )
        if agreed != claim.published:
            more = len(counted.counted) - FEW
            named = ", ".join(counted.counted[:FEW]) + (f" and {more} more" if more > 0 else "") or "none"
            message = f"published is {claim.published}, but the count with the named dissent is {agreed} ({named})"
            yield Problem(claim.path, claim.line, message, field=f"claim.{claim.id}", is_of_record=True)


def _works_read(coding: Coding, claim: Claim) -> frozenset[str]:
    """Return the works of which a coding has every axis of a claim."""
    if not claim.axes or claim.largest:
        return frozenset()
    return frozenset(set.intersection(*({*coding.on(axis)} for axis in claim.axes)))


def _suffice(claim: Claim, added: int) -> bool:
    """Return whether so many added works overturn a claim by themselves, however those before them are read."""
    return claim.test in ("is", "at-most") and not claim.largest and added > claim.operand


def _unlike(claim: Claim, name: str, stated: int | None, number: int) -> Problem:
    message = f"{name} is {stated}, but the snapshot of that day gives {number}"
    return Problem(claim.path, claim.line, message, field=f"claim.{claim.id}", is_of_record=True)


def _unlike_table(then: Pool, table: Table) -> Iterator[Problem]:
    found = distribution(then, table)
    for word in found:
        if found[word] != table.counts.get(word, 0):
            message = f"counts: {word} is {table.counts.get(word, 0)}, but the published coding gives {found[word]}"
            yield Problem(table.path, table.line, message, field=f"table.{table.id}", is_of_record=True)
