"""An edition: a snapshot that was published under its date, with the fingerprint of its data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from survey.literature.bibtex import Block
from survey.literature.pool.entries import Entry

KIND, TYPE, PLACE, ORDER = "@kind", "@type", "@place", "@order"
"""Rows that are no field: entry or record (empty: not in the edition), BibTeX type, place among the works of its
kind, order of the fields. No field of BibTeX begins with an @."""

ENTRY, RECORD = "entry", "record"


@dataclass(frozen=True, slots=True)
class Row:
    """A value as an edition published it; empty if there was none then. ``changed`` is the day on which it changed."""

    value: str
    changed: date
    line: int = 0


@dataclass(frozen=True, slots=True)
class Erratum:
    """A correction of an edition itself. ``was`` is the fingerprint before it, ``works`` are the corrected works."""

    day: date
    reason: str
    was: str
    works: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """A snapshot that was published under its date. Without ``data``, the fingerprint, it is not yet published."""

    day: date
    title: str
    note: str = ""
    data: str = ""
    errata: tuple[Erratum, ...] = ()
    rows: Mapping[str, Mapping[str, Row]] = field(default_factory=dict)
    """By key as published, then by field: what has changed since."""

    path: str = ""
    line: int = 0

    @property
    def last_change(self) -> date:
        """The day of the last change in the works of the edition; its own day if there is none."""
        return max((row.changed for rows in self.rows.values() for row in rows.values()), default=self.day)


def fingerprint(works: Iterable[Entry | Block]) -> str:
    """Return twelve hexadecimal digits that change when any field of any work does; the order does not matter.

    The fingerprint and the date identify the data of an export.
    """
    blocks = (work if isinstance(work, Block) else work.block for work in works)
    rows = sorted((b.key, b.type, sorted((n, f.text) for n, f in b.fields.items())) for b in blocks)
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()[:12]
