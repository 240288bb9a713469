"""How complete the editions are: relative recall, and capture-recapture over the documented routes.

Only eligible works count: entries, and records that are eligible and not yet included. Every estimate is of the works
that a route can reach at all, and of those that were read; what nobody read is in no list and in no estimate.
"""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from survey.literature.counting.flow.editions import flows
from survey.literature.counting.flow.estimates import Estimate, chao, two_lists
from survey.literature.pool import Entry, Pool

EDITION, FAMILIES, ROUTES = "edition", "families", "routes"


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the works known today, and public by the day of an edition, that the edition had."""

    day: date
    title: str
    had: int
    """The entries of the edition."""
    known: int
    """The eligible works known today that had certainly appeared by its day, and the entries of the edition."""
    perhaps: int
    """Further works known today of which only a year or month is known, so that they may have appeared later."""
    waiting: int
    """Those of the known works that are eligible and not yet included."""
    later: bool
    """Whether anything was searched or added after its day. If not, the figure knows only what the edition knew."""

    @property
    def high(self) -> float | None:
        """The relative recall if all uncertain works appeared after the day; None if nothing else can be known."""
        return self.had / self.known if self.known and (self.later or self.waiting) else None

    @property
    def low(self) -> float | None:
        """The relative recall if all uncertain works had appeared by the day."""
        return None if self.high is None else self.had / (self.known + self.perhaps)


@dataclass(frozen=True)
class Capture:
    """Which works several lists found of those that one place holds, and what follows from it."""

    id: str
    kind: str
    place: str
    """The label of the route whose holdings are the population."""
    lists: tuple[tuple[str, int], ...]
    """Each list with the number of works that it found."""
    frequencies: tuple[tuple[int, int], ...]
    """How many works were found by one list, by two, and so on."""
    known: int
    """The eligible works that the place holds and that are known today by any way."""
    day: date
    estimate: Estimate

    @property
    def passed(self) -> bool:
        """Whether more works are known than the estimate says there are, so that it says nothing on completeness."""
        return self.estimate.total is not None and self.known > self.estimate.total

    @property
    def counted(self) -> int:
        """The works whose share is of interest: those of the edition, otherwise all that were found."""
        return self.lists[0][1] if self.kind == EDITION else self.estimate.found

    @property
    def share(self) -> tuple[float, float, float] | None:
        """The estimated completeness with its interval; None where there is no estimate or it is passed."""
        e = self.estimate
        if self.passed or not e.total or not e.low or not e.high:
            return None
        return self.counted / e.total, self.counted / e.high, self.counted / e.low


def recalls(pool: Pool) -> tuple[Recall, ...]:
    """Return the relative recall of each edition, oldest first."""
    works = _eligible(pool)
    out = []
    for flow in flows(pool):
        had = {entry.key for entry in pool if date.fromisoformat(entry.added) <= flow.day}
        others = [work for work in works if work.key not in had]
        sure = [work for work in others if _span(work)[1] <= flow.day]
        perhaps = [work for work in others if _span(work)[0] <= flow.day < _span(work)[1]]
        out.append(Recall(
            flow.day, flow.title, len(had), len(had) + len(sure), len(perhaps),
            sum(work not in pool.entries for work in sure),
            any(search.day > flow.day for search in pool.searches.searches) or len(had) < len(pool),
        ))  # fmt: skip
    return tuple(out)


def captures(pool: Pool) -> tuple[Capture, ...]:
    """Return every estimate for which the log has the lists: by edition and route, by families, by pairs of routes."""
    return (*_by_edition(pool), *_by_family(pool), *_by_routes(pool))


def _by_edition(pool: Pool) -> Iterator[Capture]:
    """Yield two lists for an edition: its own entries, and what later searches of a route found again."""
    log = pool.searches.until(pool.day)
    for day, edition in pool.editions.items():
        for route in log.routes.values():
            later = [s for s in log.searches if s.route == route.id and s.day > day and s.found is not None]
            if not route.holds or not later:
                continue
            held = {work.key: work for work in _eligible(pool) if work.key in route.holds and _span(work)[1] <= day}
            first = {key for key, work in held.items() if work.text("added") and work.text("added") <= day.isoformat()}
            second = {key for search in later for key in search.found or () if key in held}
            yield _two(f"{day}-{route.id}", EDITION, route.label, (edition.title, "later searches"), first, second,
                       len(held), day)  # fmt: skip


def _by_family(pool: Pool) -> Iterator[Capture]:
    """Yield, for each route, how many families of queries found each work."""
    log = pool.searches.until(pool.day)
    for route in log.routes.values():
        listed = [search for search in log.searches if search.route == route.id and search.found is not None]
        if not route.holds or not listed:
            continue
        held = {work.key for work in _eligible(pool)} & route.holds
        families = {
            id: {key for search in listed if search.family == id for key in search.found or () if key in held}
            for id in log.families
            if any(search.family == id for search in listed)
        }
        times = Counter(key for found in families.values() for key in found)
        frequencies = Counter(times.values())
        yield Capture(
            f"families-{route.id}", FAMILIES, route.label,
            tuple((log.families[id], len(found)) for id, found in families.items()),
            tuple(sorted(frequencies.items())), len(held), pool.day, chao(len(families), frequencies),
        )  # fmt: skip


def _by_routes(pool: Pool) -> Iterator[Capture]:
    """Yield two lists for each pair of routes: what each found of the works that both hold."""
    log = pool.searches.until(pool.day)
    listed = [
        route
        for route in log.routes.values()
        if route.holds and any(s.route == route.id and s.found is not None for s in log.searches)
    ]
    eligible = {work.key for work in _eligible(pool)}
    for one, other in combinations(listed, 2):
        held = eligible & one.holds & other.holds
        first, second = (
            {key for s in log.searches if s.route == route.id for key in s.found or () if key in held}
            for route in (one, other)
        )
        yield _two(f"{one.id}-{other.id}", ROUTES, f"{one.label}; {other.label}", (one.label, other.label),
                   first, second, len(held), pool.day)  # fmt: skip


def _two(
    id: str, kind: str, place: str, names: tuple[str, str], first: set[str], second: set[str], known: int, day: date
) -> Capture:
    both = len(first & second)
    estimate = two_lists(len(first), len(second), both)
    if not known:
        estimate = Estimate(0, why_not="no eligible work is known to be in reach of both lists")
    frequencies = ((1, len(first ^ second)), (2, both))
    lists = ((names[0], len(first)), (names[1], len(second)))
    return Capture(id, kind, place, lists, frequencies, known, day, estimate)


def _eligible(pool: Pool) -> list[Entry]:
    return [*pool.entries, *pool.eligible]


def _span(work: Entry) -> tuple[date, date]:
    """Return the first and the last day on which a work can have appeared."""
    parts = [int(part) for part in work.appeared.split("-")]
    if len(parts) == 3:
        return date(*parts), date(*parts)
    year, first, last = parts[0], parts[1] if len(parts) > 1 else 1, parts[1] if len(parts) > 1 else 12
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])
