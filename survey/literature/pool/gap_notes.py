"""Notes on gaps, from ``gaps.toml``: why a gap may matter, and what would fill it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from survey.literature.problems import InvalidSurvey, Problem
from survey.literature.taxonomy import Tables, Taxonomy

NOTE_KEYS = ("cells", "matters", "fills")


@dataclass(frozen=True, slots=True)
class Note:
    """Why a gap may matter and what would fill it, for one cell, several cells, or a single value."""

    cells: Mapping[str, tuple[str, ...]]
    matters: str
    fills: str


def read_notes(path: Path, taxonomy: Taxonomy, shown: str = "") -> tuple[tuple[Note, ...], list[Problem]]:
    """Return the notes of a file and all its problems; none if there is no file."""
    if not os.path.lexists(path):
        return (), []
    reader = _Reader(path, shown or str(path))
    try:
        notes = reader.read(taxonomy)
    except InvalidSurvey as error:
        return (), list(error.problems)
    return notes, reader.problems


class _Reader(Tables):
    """Converts the tables of ``gaps.toml`` into notes."""

    def read(self, taxonomy: Taxonomy) -> tuple[Note, ...]:
        data = self.parsed()
        self._only("", data, ("note",))
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
        return tuple(notes)
