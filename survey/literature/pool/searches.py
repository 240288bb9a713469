"""The search log, ``searches.toml``: queries, hits, and the numbers screened and kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Tables

KEYS = ("date", "source", "family", "query", "hits", "screened", "kept")
NUMBERS = KEYS[4:]
"""In decreasing order: some of the hits are screened, and some of those are kept."""


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


@dataclass(frozen=True, slots=True)
class SearchLog:
    """All searches, in the order of the file, and the label of each family of queries."""

    families: Mapping[str, str]
    searches: tuple[Search, ...]

    def __len__(self) -> int:
        return len(self.searches)

    def until(self, day: date) -> SearchLog:
        """Return the searches up to and including a day."""
        return SearchLog(self.families, tuple(search for search in self.searches if search.day <= day))

    def of(self, family: str) -> SearchLog:
        """Return the searches of one family."""
        return SearchLog(self.families, tuple(search for search in self.searches if search.family == family))

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
        self._only("", data, ("family", "search"))
        families = {}
        for id, table in self._tables(data, "family"):
            self._only(f"family.{id}", table, ("label",))
            families[id] = self._text(f"family.{id}", table, "label")
        found = [self._search(where, table, families) for where, table in self._array(data, "search")]
        return SearchLog(families, tuple(search for search in found if search))

    def _search(self, where: str, table: dict[str, Any], families: Mapping[str, str]) -> Search | None:
        before = len(self.problems)
        self._only(where, table, KEYS)
        source, family, query = (self._text(where, table, key) for key in ("source", "family", "query"))
        if family:
            self._known(where, family, families, "family")
        day = table.get("date")
        if type(day) is not date:
            self._problem(where, f"found {quoted(str(day))}, expected a date like 2026-11-21", "date")
        hits, screened, kept = (self._number(where, table, key) for key in NUMBERS)
        if len(self.problems) > before or type(day) is not date:
            return None
        if not hits >= screened >= kept:
            found = f"{hits} hits, {screened} screened, {kept} kept"
            self._problem(where, f"{found} (expected hits >= screened >= kept)", "kept")
        return Search(day, source, family, query, hits, screened, kept)

    def _number(self, where: str, table: dict[str, Any], key: str) -> int:
        number = table.get(key)
        if type(number) is int and number >= 0:
            return number
        self._problem(where, f"found {quoted(str(number))}, expected a whole number", key)
        return 0
