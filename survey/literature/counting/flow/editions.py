"""The flow of records into each edition, after PRISMA 2020 and its extension for living systematic reviews.

An edition takes in what was added or screened after the edition before it. What was not recorded is ``None``, and never
zero. Records are counted by the criterion that applies to them today.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from survey.literature.pool import Entry, Pool, Record, routes_of


@dataclass(frozen=True, slots=True)
class Identified:
    """What the searches by one route brought."""

    route: str
    """The id of the route; the source as the log names it, if the log has no routes."""
    label: str
    kind: str
    searches: int
    hits: int
    works: int | None
    """The number of different works among the hits; None if it was not counted."""
    screened: int
    first: int
    """The additions that this route found first."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """Records that one criterion excludes, by the stage at which that was decided."""

    criterion: str
    label: str
    screening: tuple[str, ...]
    """The keys of those that were decided on title and abstract."""
    assessment: tuple[str, ...]
    """The keys of those that were read further."""
    duplicate: bool = False


@dataclass(frozen=True)
class Flow:
    """The flow into one edition."""

    day: date
    title: str
    after: date | None
    """The day of the edition before it; None for the first."""
    earlier: int
    """The entries of the edition before it."""
    waiting: int
    """The records of the editions before it that are eligible and not yet included."""
    identified: tuple[Identified, ...]
    """By route; empty if no search was logged."""
    additions: tuple[str, ...]
    abstract_only: tuple[str, ...] | None
    """The additions that were included on the abstract alone; None if no axis says how deep a work was read."""
    again: tuple[str, ...] | None
    """The additions among the hits of logged searches, whoever found them first; None if no search lists its finds."""
    excluded: tuple[Excluded, ...]
    open: tuple[str, ...]
    """The records that are eligible and not yet included."""

    @property
    def hits(self) -> int | None:
        """The hits of all logged searches; None if none was logged."""
        return sum(one.hits for one in self.identified) if self.identified else None

    @property
    def repeated(self) -> int | None:
        """The hits that were the same works again, on the routes where that was counted."""
        counted = [one.hits - one.works for one in self.identified if one.works is not None]
        return sum(counted) if counted else None

    @property
    def screened(self) -> int | None:
        """The abstracts that were read according to the log."""
        return sum(one.screened for one in self.identified) if self.identified else None

    @property
    def unread(self) -> int | None:
        """The hits that were no repetitions and were passed over without reading an abstract."""
        if self.hits is None or self.screened is None:
            return None
        return max(0, self.hits - (self.repeated or 0) - self.screened)

    @property
    def unrecorded(self) -> int:
        """The additions for which no route is recorded."""
        return len(self.additions) - sum(one.first for one in self.identified)

    @property
    def duplicates(self) -> tuple[str, ...]:
        """The records that are another record or an entry again."""
        return tuple(k for one in self.excluded if one.duplicate for k in (*one.screening, *one.assessment))

    @property
    def out_at_screening(self) -> int:
        """The records excluded on title and abstract, duplicates aside."""
        return sum(len(one.screening) for one in self.excluded if not one.duplicate)

    @property
    def out_at_assessment(self) -> int:
        """The records excluded after more than the abstract, duplicates aside."""
        return sum(len(one.assessment) for one in self.excluded if not one.duplicate)

    @property
    def records(self) -> int:
        """The works with a record of their own: additions, excluded and open ones."""
        excluded = sum(len(one.screening) + len(one.assessment) for one in self.excluded)
        return len(self.additions) + excluded + len(self.open)

    @property
    def lost(self) -> int | None:
        """The abstracts read and not kept of which certainly no record was made; None if nothing was logged."""
        if self.screened is None:
            return None
        kept = sum(one.first for one in self.identified)
        return max(0, self.screened - kept - (self.records - len(self.additions)))

    @property
    def sought(self) -> int | None:
        """The works of which more than the abstract was read; None if no axis says so."""
        if self.abstract_only is None:
            return None
        return len(self.additions) - len(self.abstract_only) + self.out_at_assessment

    @property
    def included(self) -> int:
        """The entries of the edition."""
        return self.earlier + len(self.additions)


def flows(pool: Pool) -> tuple[Flow, ...]:
    """Return the flow into each edition, oldest first; what was added after the last one is a flow of its own.

    A survey without editions has one flow, up to its newest entry.
    """
    days = [day for day in pool.editions if day <= pool.day]
    newest = max((_day(work) for work in (*pool.entries, *pool.records)), default=date.min)
    last = max([newest, *days]) if pool.snapshot is None else pool.snapshot
    if not days or last > days[-1]:
        days.append(last)
    return tuple(_flow(pool, after, day) for after, day in zip([None, *days], days, strict=False))


def _flow(pool: Pool, after: date | None, day: date) -> Flow:
    since = after or date.min
    additions = [entry for entry in pool if since < _day(entry) <= day]
    records = [record for record in pool.records if since < _day(record) <= day]
    log = pool.searches.between(since, day)
    known = {key for search in log.searches for key in search.found or ()}
    listed = any(search.found is not None for search in log.searches)
    edition = pool.editions.get(day)
    before = [record for record in pool.records if _day(record) <= since]
    depth = pool.protocol.unread
    return Flow(
        day=day,
        title=edition.title if edition else "Since the last edition" if after else "No edition yet",
        after=after,
        earlier=sum(_day(entry) <= since for entry in pool),
        waiting=sum(1 for record in before if pool.protocol.waits(record)),
        identified=_identified(pool, since, day, additions),
        additions=tuple(entry.key for entry in additions),
        abstract_only=tuple(e.key for e in additions if e.primary(depth.axis) in depth.values) if depth.axis else None,
        again=tuple(entry.key for entry in additions if entry.key in known) if listed else None,
        excluded=_excluded(pool, records),
        open=tuple(record.key for record in records if pool.protocol.waits(record)),
    )


def _day(work: Entry) -> date:
    return date.fromisoformat(work.text("screened") if isinstance(work, Record) else work.added)


def _identified(pool: Pool, since: date, day: date, additions: Iterable[Entry]) -> tuple[Identified, ...]:
    log = pool.searches.between(since, day)
    named = Counter(routes[0] for entry in additions if (routes := routes_of(entry)))
    searches: dict[str, list[int]] = {}
    for search in log.searches:
        numbers = searches.setdefault(search.route or search.source, [0, 0, 0, 0])
        for place, number in enumerate((1, search.hits, search.screened, search.kept)):
            numbers[place] += number
    works: Counter[str] = Counter()
    for one in log.deduplicated:
        works[one.route] += one.works
    out = []
    for id in dict.fromkeys([*(r for r in log.routes if r in searches or r in named), *searches]):
        count, hits, screened, kept = searches.get(id, (0, 0, 0, 0))
        route = log.routes.get(id)
        out.append(Identified(
            id, route.label if route else id, route.kind if route else "other", count, hits,
            works.get(id), screened,
            max(kept, named[id]),  # an entry that names its route may be one of those that the log counts
        ))  # fmt: skip
    return tuple(out)


def _excluded(pool: Pool, records: Iterable[Record]) -> tuple[Excluded, ...]:
    assessed = pool.protocol.assessed
    found: dict[str, tuple[list[str], list[str]]] = {}
    for record in records:
        ruling = pool.protocol.ruling(record)
        if ruling is None or not ruling.open:
            late = record.primary(assessed.axis) in assessed.values
            found.setdefault(ruling.criterion.id if ruling else "", ([], []))[late].append(record.key)
    criteria = {criterion.id: criterion for criterion in pool.protocol.of(excludes=True)}
    return tuple(
        Excluded(
            id,
            criteria[id].label if id else "no criterion recorded",
            tuple(found[id][0]),
            tuple(found[id][1]),
            bool(id) and criteria[id].duplicate,
        )
        for id in (*criteria, "")
        if id in found
    )
