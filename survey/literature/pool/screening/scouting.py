"""The scout's tables in ``searches.toml``: what is looked for, what each run saw, how well the ranking finds works."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Tables, Taxonomy

ASK = ("classes", "queries", "cites", "venues", "feeds", "contact")
MONTH = ("month", "seen", "came", "read")

BUDGETS = (20, 50, 100)
"""How many candidates a week somebody reads, in the tables of recall."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Groups of words: a candidate that lacks a word of any group is not ranked."""

    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """What the sources are asked for."""

    classes: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    cites: tuple[tuple[str, str], ...] = ()
    """Conditions of the entries of which we want the works that cite them."""

    venues: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    contact: str = ""
    """Where services can write to."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of the scout saw: candidates since the run before, and how many entered the queue."""

    day: date
    route: str
    newest: date
    """The day of the newest work that it saw."""

    seen: int
    ranked: int
    """The number above the floor."""

    queued: int


@dataclass(frozen=True, slots=True)
class Month:
    """How many of the works of a month that came into the pool are among the first of each week."""

    month: str
    seen: int
    """The works above the floor."""

    came: int
    """Those of all works of the month that came into the pool, also below the floor."""

    read: tuple[int, ...]
    """For each budget, how many of them a reader of that many a week would have seen."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The ranking, tried on our own history: each month by what had been decided before it."""

    day: date
    listing: str
    work_saved: float | None
    """Work saved over sampling at a recall of 95 % (Cohen and others, 2006), a mean over months."""

    months: tuple[Month, ...] = ()

    @property
    def came(self) -> int:
        """All works that came in."""
        return sum(month.came for month in self.months)

    def found(self, budget: int) -> int:
        """Return how many of them a reader of so many a week would have seen."""
        return sum(month.read[BUDGETS.index(budget)] for month in self.months)


@dataclass(frozen=True, slots=True)
class Scouting:
    """All tables of the scout."""

    floor: Floor = Floor()
    ask: Ask = Ask()
    keep: tuple[tuple[str, str], ...] = ()
    """The value that a kept candidate gets on an axis that admits no unknown."""

    runs: tuple[Run, ...] = ()
    evaluation: Evaluation | None = None
    path: str = ""

    @property
    def newest(self) -> date | None:
        """The day of the newest work that any run saw."""
        return max((run.newest for run in self.runs), default=None)


def read_scouting(
    path: Path, taxonomy: Taxonomy, routes: Mapping[str, Any], shown: str = ""
) -> tuple[Scouting, list[Problem]]:
    """Return the scout's tables in a file and all their problems; the rest of the file is not read."""
    if not os.path.lexists(path):
        return Scouting(), []
    reader = _Reader(path, shown or str(path))
    try:
        found = reader.read(taxonomy, routes)
    except InvalidSurvey:
        return Scouting(), []  # not TOML at all: the reader of the log reports that
    return found, reader.problems


class _Reader(Tables):
    """Converts the tables of the scout."""

    def read(self, taxonomy: Taxonomy, routes: Mapping[str, Any]) -> Scouting:
        data = self.parsed()
        return Scouting(
            self._floor(data),
            self._ask(data, taxonomy),
            self._keep(data, taxonomy),
            tuple(run for run in (self._run(*pair, routes) for pair in self._array(data, "run")) if run),
            self._evaluation(data),
            self.shown,
        )

    def _floor(self, data: dict[str, Any]) -> Floor:
        table = self._table("floor", data.get("floor", {}), ("groups",))
        groups = table.get("groups", [])
        if not isinstance(groups, list) or not all(
            isinstance(group, list) and group and all(isinstance(word, str) and word.strip() for word in group)
            for group in groups
        ):
            self._problem("floor", 'expected lists of words, as in [["first*"], ["second*", "third"]]', "groups")
            return Floor()
        return Floor(tuple(tuple(group) for group in groups))

    def _ask(self, data: dict[str, Any], taxonomy: Taxonomy) -> Ask:
        table = self._table("ask", data.get("ask", {}), ASK)
        words = {key: self._words("ask", table, key) for key in ("classes", "queries", "venues", "feeds")}
        for address in words["feeds"]:
            if not address.startswith("https://"):
                self._problem("ask", f"found {quoted(address)}, expected an address that begins with https://", "feeds")
        cites = self._filters("ask", table, "cites", taxonomy.axes)
        contact = self._text("ask", table, "contact", obligatory=False)
        return Ask(**words, cites=cites, contact=contact)

    def _keep(self, data: dict[str, Any], taxonomy: Taxonomy) -> tuple[tuple[str, str], ...]:
        return self._filters("keep", {"values": data.get("keep", {})}, "values", taxonomy.axes)

    def _run(self, where: str, table: dict[str, Any], routes: Mapping[str, Any]) -> Run | None:
        before = len(self.problems)
        self._only(where, table, ("day", "route", "newest", "seen", "ranked", "queued"))
        route = self._text(where, table, "route")
        if route:
            self._known(where, route, routes, "route")
        day, newest = (self._day(where, table, key) for key in ("day", "newest"))
        seen, ranked, queued = (self._number(where, table, key) for key in ("seen", "ranked", "queued"))
        if day and newest and newest > day:
            self._problem(where, f"the newest work is of {newest}, after the run", "newest")
        if not seen >= ranked >= queued:
            self._problem(where, f"{queued} of {ranked} of {seen} (expected queued <= ranked <= seen)")
        return (
            Run(day, route, newest, seen, ranked, queued) if len(self.problems) == before and day and newest else None
        )

    def _evaluation(self, data: dict[str, Any]) -> Evaluation | None:
        if "evaluation" not in data:
            return None
        before = len(self.problems)
        table = self._table("evaluation", data["evaluation"], ("day", "listing", "work-saved", "month"))
        day, listing = self._day("evaluation", table, "day"), self._text("evaluation", table, "listing")
        saved = table.get("work-saved")
        if saved is not None and not (isinstance(saved, float) and -1 <= saved <= 1):
            self._problem("evaluation", f"found {quoted(str(saved))}, expected a share like 0.91", "work-saved")
        found = table.get("month", [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._problem("evaluation", "found something else, expected tables like [[evaluation.month]]", "month")
            found = []
        months = tuple(self._month(f"evaluation.month[{place}]", one) for place, one in enumerate(found))
        return Evaluation(day, listing, saved, months) if len(self.problems) == before and day else None

    def _month(self, where: str, table: dict[str, Any]) -> Month:
        self._only(where, table, MONTH)
        seen, came = (self._number(where, table, key) for key in ("seen", "came"))
        read = table.get("read", [])
        if not isinstance(read, list) or len(read) != len(BUDGETS) or not all(type(n) is int for n in read):
            budgets = ", ".join(map(str, BUDGETS))
            self._problem(
                where, f"found {quoted(str(read))}, expected {len(BUDGETS)} numbers (at {budgets} a week)", "read"
            )
            read = []
        elif not read[0] >= 0 or sorted(read) != read or read[-1] > came:
            self._problem(where, f"{read} of {came} (expected numbers that grow, and none above {came})", "read")
        return Month(self._text(where, table, "month"), seen, came, tuple(read))

    def _day(self, where: str, table: dict[str, Any], key: str) -> date | None:
        found = table.get(key)
        if type(found) is date:
            return found
        self._problem(where, f"found {quoted(str(found))}, expected a date like 2026-11-23", key)
        return None

    def _number(self, where: str, table: dict[str, Any], key: str) -> int:
        found = table.get(key)
        if type(found) is int and found >= 0:
            return found
        self._problem(where, f"found {quoted(str(found))}, expected a number of works", key)
        return 0
