"""Verdicts: every countable statement of the survey, judged on every snapshot by every reading.

A claim has a broad reading (as the pool is coded), a strict one (with a narrower selection), the published one (by the
published coding or, where that lacks the axis, by the published number) and that of a second reader. Where the codings
disagree the claim is contested: the disagreement is shown, not resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from survey.literature.claims.tallies import Tally, distribution, measurable, passes, tally
from survey.literature.pool import Claim, Pool, Table
from survey.literature.problems import Problem

READINGS = {
    "pool": "as coded here",
    "published": "as published",
    "second": "second reading",
    "strict": "strict reading",
}


class Status(StrEnum):
    """The status of a claim on a snapshot."""

    HOLDS = "holds"
    BROADLY = "holds only broadly"
    CONTESTED = "contested"
    OVERTURNED = "no longer holds"
    FAILS = "does not hold"
    UNMEASURABLE = "not measurable"


SIGNS = {
    Status.OVERTURNED: "✗",
    Status.FAILS: "✗",
    Status.CONTESTED: "≠",
    Status.BROADLY: "≈",
    Status.HOLDS: "✓",
    Status.UNMEASURABLE: "?",
}
"""A sign for each status, so that they can be distinguished without colour; doubtful ones come first."""


NAMED = 3
"""Maximum number of entries that a sentence names as the cause of a new status; the claim's page lists all."""


@dataclass(frozen=True)
class Judgement:
    """A claim on one day: its status, and the tallies of every reading behind it."""

    claim: Claim
    day: date
    status: Status
    tallies: tuple[Tally, ...] = ()
    since: date | None = None
    because: tuple[str, ...] = ()

    @property
    def broad(self) -> Tally:
        """The tally as the pool is coded."""
        return self.tallies[0]

    @property
    def entries(self) -> tuple[str, ...]:
        """The keys behind the numbers of this judgement, in any reading."""
        return tuple(dict.fromkeys(key for t in self.tallies for key in (*t.counted, *t.against)))

    @property
    def verdict(self) -> str:
        """The status as text, with date and cause if there are any."""
        if self.status is not Status.OVERTURNED:
            return str(self.status)
        if not self.because:
            return f"{self.status} since {self.since}"
        named, more = self.because[:NAMED], len(self.because) - NAMED
        rest = f" and {more} more" if more > 0 else ""
        return f"{self.status} since {self.since} because of {', '.join(named)}{rest}"


def ledger(pool: Pool) -> dict[str, tuple[Judgement, ...]]:
    """Return the judgements of every claim on every snapshot, oldest first, by the id of the claim."""
    judge = Judge(pool)
    return {claim.id: tuple(judge.judged(claim, day) for day in snapshots(pool)) for claim in pool.claims}


def snapshots(pool: Pool) -> tuple[date, ...]:
    """Return the days on which claims are judged: those of the editions, and the day of the pool."""
    return tuple(sorted({*(day for day in pool.editions if day <= pool.day), pool.day}))


class Judge:
    """Judges the claims of a pool; the pools recoded by other readings are computed once."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.readings = pool.claims.readings

    def judged(self, claim: Claim, day: date | None = None) -> Judgement:
        """Return the judgement of a claim on a day, by default the day of the pool.

        A claim about the published snapshot is always judged on that snapshot, if the day is not earlier.
        """
        day = day or self.pool.day
        if claim.snapshot and self.readings:
            day = min(day, self.readings.day)
        if not measurable(self.pool.as_of(day), claim):
            return Judgement(claim, day, Status.UNMEASURABLE, (tally(self.pool.as_of(day), claim, "pool"),))
        tallies = tuple(self._tallies(claim, day))
        codings = [t.holds for t in tallies if t.reading != "strict"]
        if not any(codings):
            since, because = self._since(claim, day)
            return Judgement(claim, day, Status.OVERTURNED if since else Status.FAILS, tallies, since, because)
        if not all(codings):
            return Judgement(claim, day, Status.CONTESTED, tallies)
        strictly = all(t.holds for t in tallies)
        return Judgement(claim, day, Status.HOLDS if strictly else Status.BROADLY, tallies)

    def reproduction_problems(self) -> Iterator[Problem]:
        """Yield a problem for every published number that the published snapshot does not reproduce.

        Where our coding departs from the published one, the claim must name each entry and the reason.
        """
        if self.readings is None:
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
            if table.counts:
                yield from _unlike_table(self.published.as_of(self.readings.day), table)

    @cached_property
    def published(self) -> Pool:
        """The pool as the published survey coded it."""
        assert self.readings is not None
        return self.pool.recoded(self.readings.published)

    @cached_property
    def second(self) -> Pool:
        """The pool as the second reader coded it."""
        assert self.readings is not None
        return self.pool.recoded(self.readings.second)

    def _tallies(self, claim: Claim, day: date) -> Iterator[Tally]:
        now = self.pool.as_of(day)
        yield tally(now, claim, "pool")
        if claim.strict:
            yield tally(now, claim, "strict", claim.strict)
        if self.readings is None:
            return
        if (found := self._as_published(claim, day)) is not None:
            yield found
        if self._covers(self.readings.second, claim, any):
            yield tally(self.second.as_of(day), claim, "second")

    def _as_published(self, claim: Claim, day: date) -> Tally | None:
        """Return the claim by the published coding, or by the published number plus the entries added since."""
        if self.readings is None or day < self.readings.day:
            return None
        if self._covers(self.readings.published, claim, all):
            return tally(self.published.as_of(day), claim, "published")
        if claim.published is None:
            return None
        then, now = self.pool.as_of(self.readings.day), tally(self.pool.as_of(day), claim, "published")
        before = {work.key for work in (*then.entries, *then.records)}
        added = tuple(key for key in now.counted if key not in before)
        number = claim.published + len(added)
        return replace(now, number=number, holds=passes(claim, number, now.of, len(now.against)), counted=added)

    def _since(self, claim: Claim, day: date) -> tuple[date | None, tuple[str, ...]]:
        """Return since when a claim holds in no coding, and the entries behind that; None if it never held."""
        days = sorted({*self.pool.editions, *(date.fromisoformat(e.text("added")) for e in self.pool), day})
        held: date | None = None
        for when in (d for d in days if d <= day):
            tallies = list(self._tallies(claim, when))
            if any(t.holds for t in tallies if t.reading != "strict"):
                held = when
            elif held is not None:
                there = self.pool.as_of(held)
                known = {work.key for work in (*there.entries, *there.records)}
                speaking = tallies[0].against or tallies[0].counted
                return when, tuple(key for key in speaking if key not in known)
        return None, ()

    def _covers(self, coding: str, claim: Claim, how: Callable[[Iterable[bool]], bool]) -> bool:
        """Return whether a coding has all (or any) of the axes of a claim."""
        axes = {judgement.axis for judgement in self.pool.codings[coding].judgements}
        return bool(claim.axes) and not claim.largest and how(axis in axes for axis in claim.axes)

    def _unlike_published(self, claim: Claim, then: Pool) -> Iterator[Problem]:
        assert self.readings is not None
        if self._covers(self.readings.published, claim, all):
            number = tally(self.published.as_of(self.readings.day), claim, "published").number
            if number != claim.published:
                yield _unlike(claim, "published", claim.published, number)
            return
        counted = tally(then, claim, "pool")
        agreed = counted.number if claim.largest else len(set(counted.counted) ^ claim.dissent.keys())
        if agreed != claim.published:
            named = ", ".join(counted.counted) or "none"
            message = f"published is {claim.published}, but the count with the named dissent is {agreed} ({named})"
            yield Problem(claim.path, claim.line, message, field=f"claim.{claim.id}")


def _unlike(claim: Claim, name: str, stated: int | None, number: int) -> Problem:
    message = f"{name} is {stated}, but the snapshot of that day gives {number}"
    return Problem(claim.path, claim.line, message, field=f"claim.{claim.id}")


def _unlike_table(then: Pool, table: Table) -> Iterator[Problem]:
    found = distribution(then, table)
    for word in found:
        if found[word] != table.counts.get(word, 0):
            message = f"counts: {word} is {table.counts.get(word, 0)}, but the published coding gives {found[word]}"
            yield Problem(table.path, table.line, message, field=f"table.{table.id}")
