"""The search log, ``searches.toml``: routes, queries, hits, and the numbers screened and kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Tables
from survey.plurals import plural

NUMBERS = ("hits", "screened", "kept")
"""In decreasing order: some of the hits are screened, and some of those are kept."""

KEYS = ("date", "source", "family", "query", *NUMBERS, "route", "found")
SCOUT_TABLES = ("floor", "ask", "keep", "run", "evaluation")
"""Tables that ``scouting`` reads."""

KINDS = ("databases", "other")
"""The two columns of a PRISMA flow diagram: databases and registers, and every other method."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way by which works are found: a listing, a kind of search, lists that were read."""

    id: str
    label: str
    kind: str
    holds: frozenset[str] = frozenset()
    """The works of the pool that can be found there, whether or not a query found them; empty if that is not known."""

    line: int = 1


@dataclass(frozen=True, slots=True)
class Search:
    """One query to one source on one day."""

    day: date
    source: str
    family: str
    query: str
    hits: int
    screened: int
    """The number of abstracts read."""
    kept: int
    """The number added to the pool; each work counts for the first search that found it."""
    route: str = ""
    found: tuple[str, ...] | None = None
    """The entries and records among the hits, whoever found them first; None if that was not recorded."""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The number of different works among all hits of a route on a day."""

    day: date
    route: str
    works: int


@dataclass(frozen=True, slots=True)
class SearchLog:
    """All searches, in the order of the file, the label of each family of queries, and the routes."""

    families: Mapping[str, str]
    searches: tuple[Search, ...]
    routes: Mapping[str, Route] = field(default_factory=dict)
    deduplicated: tuple[Deduplicated, ...] = ()
    path: str = ""

    def __len__(self) -> int:
        return len(self.searches)

    def until(self, day: date) -> SearchLog:
        """Return the searches up to and including a day."""
        return self.between(date.min, day)

    def between(self, after: date, day: date) -> SearchLog:
        """Return the searches after a day, up to and including another."""
        found = tuple(search for search in self.searches if after < search.day <= day)
        counted = tuple(one for one in self.deduplicated if after < one.day <= day)
        return SearchLog(self.families, found, self.routes, counted, self.path)

    def of(self, family: str) -> SearchLog:
        """Return the searches of one family."""
        found = tuple(search for search in self.searches if search.family == family)
        return SearchLog(self.families, found, self.routes, (), self.path)

    @property
    def totals(self) -> tuple[int, int, int]:
        """The sums of hits, screened and kept. A work found by several searches counts in each."""
        columns: Iterable[tuple[int, ...]] = ((s.hits, s.screened, s.kept) for s in self.searches)
        hits, screened, kept = map(sum, zip(*columns, strict=True)) if self.searches else (0, 0, 0)
        return hits, screened, kept


def read_searches(path: Path, shown: str = "") -> tuple[SearchLog, list[Problem]]:
    """Return the log of a file and all its problems; an empty log if there is no file."""
    if not os.path.lexists(path):
        return SearchLog({}, ()), []
    reader = _Reader(path, shown or str(path))
    try:
        log = reader.read()
    except InvalidSurvey as error:
        return SearchLog({}, ()), list(error.problems)
    return log, reader.problems


class _Reader(Tables):
    """Converts the tables of the file into a log."""

    def read(self) -> SearchLog:
        data = self.parsed()
        self._only("", data, ("family", "route", "search", "deduplicated", *SCOUT_TABLES))
        families = {}
        for id, table in self._tables(data, "family"):
            self._only(f"family.{id}", table, ("label",))
            families[id] = self._text(f"family.{id}", table, "label")
        routes = {id: self._route(id, table) for id, table in self._tables(data, "route")}
        found = [self._search(where, table, families, routes) for where, table in self._array(data, "search")]
        counted = [self._counted(where, table, routes) for where, table in self._array(data, "deduplicated")]
        log = SearchLog(families, tuple(s for s in found if s), routes, tuple(c for c in counted if c), self.shown)
        self._bounded(log)
        return log

    def _route(self, id: str, table: dict[str, Any]) -> Route:
        where = f"route.{id}"
        self._only(where, table, ("label", "kind", "holds"))
        kind = self._text(where, table, "kind")
        if kind:
            self._known(where, kind, KINDS, "kind")
        holds = frozenset(self._words(where, table, "holds"))
        return Route(id, self._text(where, table, "label"), kind, holds, self.lines.get(where, 1))

    def _search(
        self, where: str, table: dict[str, Any], families: Mapping[str, str], routes: Mapping[str, Route]
    ) -> Search | None:
        before = len(self.problems)
        self._only(where, table, KEYS)
        source, family, query = (self._text(where, table, key) for key in ("source", "family", "query"))
        if family:
            self._known(where, family, families, "family")
        route = self._text(where, table, "route", obligatory=bool(routes))
        if route:
            self._known(where, route, routes, "route")
        day = self._day(where, table)
        hits, screened, kept = (self._number(where, table, key) for key in NUMBERS)
        found = self._words(where, table, "found") if "found" in table else None
        if len(self.problems) > before or day is None:
            return None
        if not hits >= screened >= kept:
            said = f"{hits} hits, {screened} screened, {kept} kept"
            self._problem(where, f"{said} (expected hits >= screened >= kept)", "kept")
        if found and len(set(found)) < len(found):
            self._problem(where, "names a work twice", "found")
        if found and len(found) > hits:
            self._problem(where, f"names {plural(len(found), 'work')} among {plural(hits, 'hit')}", "found")
        return Search(day, source, family, query, hits, screened, kept, route, found, self.lines.get(where, 1))

    def _counted(self, where: str, table: dict[str, Any], routes: Mapping[str, Route]) -> Deduplicated | None:
        self._only(where, table, ("date", "route", "works"))
        route = self._text(where, table, "route")
        day, works = self._day(where, table), self._number(where, table, "works")
        known = bool(route) and self._known(where, route, routes, "route")
        return Deduplicated(day, route, works) if day and known else None

    def _bounded(self, log: SearchLog) -> None:
        """Report a number of different works that the hits of the route on that day cannot have."""
        for place, one in enumerate(log.deduplicated):
            hits = sum(s.hits for s in log.searches if (s.route, s.day) == (one.route, one.day))
            if one.works > hits:
                self._problem(f"deduplicated[{place}]", f"{one.works} works among {hits} hits of that day", "works")

    def _day(self, where: str, table: dict[str, Any]) -> date | None:
        day = table.get("date")
        if type(day) is date:
            return day
        self._problem(where, f"found {quoted(str(day))}, expected a date like 2026-11-21", "date")
        return None

    def _number(self, where: str, table: dict[str, Any], key: str) -> int:
        number = table.get(key)
        if type(number) is int and number >= 0:
            return number
        self._problem(where, f"found {quoted(str(number))}, expected a whole number", key)
        return 0
