"""Notes on gaps, from ``gaps.toml``: why a gap may matter, what would fill it, and where works were searched for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Tables, Taxonomy

NOTE_KEYS = ("cells", "matters", "fills")
SEARCHED_KEYS = ("cells", "date", "why")


@dataclass(frozen=True, slots=True)
class Note:
    """Why a gap may matter and what would fill it, for one cell, several cells, or a single value."""

    cells: Mapping[str, tuple[str, ...]]
    matters: str
    fills: str


@dataclass(frozen=True, slots=True)
class Searched:
    """Values for which works were searched on purpose, since there were few: their counts are no sample."""

    cells: Mapping[str, tuple[str, ...]]
    day: date
    why: str


def read_gaps(
    path: Path, taxonomy: Taxonomy, shown: str = ""
) -> tuple[tuple[Note, ...], tuple[Searched, ...], list[Problem]]:
    """Return the notes of a file, what was searched on purpose, and all problems; none if there is no file."""
    if not os.path.lexists(path):
        return (), (), []
    reader = _Reader(path, shown or str(path))
    try:
        notes, searched = reader.read(taxonomy)
    except InvalidSurvey as error:
        return (), (), list(error.problems)
    return notes, searched, reader.problems


def read_notes(path: Path, taxonomy: Taxonomy, shown: str = "") -> tuple[tuple[Note, ...], list[Problem]]:
    """Return the notes of a file alone, and all problems of the file."""
    notes, _, problems = read_gaps(path, taxonomy, shown)
    return notes, problems


class _Reader(Tables):
    """Converts the tables of ``gaps.toml``."""

    def read(self, taxonomy: Taxonomy) -> tuple[tuple[Note, ...], tuple[Searched, ...]]:
        data = self.parsed()
        self._only("", data, ("note", "searched"))
        notes, seen = [], set()
        for where, table in self._array(data, "note"):
            self._only(where, table, NOTE_KEYS)
            cells = self._cells(where, table, taxonomy.axes, least=1)
            matters, fills = (self._text(where, table, key) for key in ("matters", "fills"))
            place = tuple(sorted(cells.items()))
            if place in seen:
                self._problem(where, "an earlier note has the same cells", "cells")
            seen.add(place)
            notes.append(Note(cells, matters, fills))
        found = (self._searched(where, table, taxonomy) for where, table in self._array(data, "searched"))
        return tuple(notes), tuple(filter(None, found))

    def _searched(self, where: str, table: dict[str, Any], taxonomy: Taxonomy) -> Searched | None:
        self._only(where, table, SEARCHED_KEYS)
        cells, why = self._cells(where, table, taxonomy.axes, least=1), self._text(where, table, "why")
        day = table.get("date")
        if type(day) is date:
            return Searched(cells, day, why)
        self._problem(where, f"found {quoted(str(day))}, expected a date like 2026-11-21", "date")
        return None
