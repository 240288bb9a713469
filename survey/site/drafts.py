"""Drafts: the pool as a family of pages may read it, so that pages that an edit cannot change are recognised.

Every citable sentence and every export carries the fingerprint of the data, which each edit changes. A draft has a
placeholder in its place; ``fill`` replaces it when a file is written. And a draft withholds the prose of entries from
families that do not say that they read it: their pages are the same whatever a summary says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from survey.literature import Pool
from survey.literature.bibtex import Block, Field
from survey.literature.pool import Edition, Entry
from survey.site.cache import files_below, fingerprint

T = TypeVar("T", str, bytes, str | bytes)

Reads = Set[str]
"""What a family of pages reads besides tags and citations: prose of entries (names of fields, or the start of such
names), the tables of notebooks, and which works the chapters discuss."""

SUMMARY, EVIDENCE, TABLES, CHAPTERS = "summary", "why-", "tables of notebooks", "chapters"
NO_PROSE: Reads = frozenset()
PROSE: Reads = frozenset({SUMMARY, EVIDENCE})

ENTRIES = "pool.bib"

UNPUBLISHED = "preview-only"
"""What a preview shows as the fingerprint of data that are not published: nobody should cite it."""

MARK = "da7a0"
"""How every placeholder begins."""


class Withheld(LookupError):
    """A family of pages has read prose that it does not name."""


@dataclass(frozen=True, slots=True)
class Excerpt(Block):
    """An entry of a draft, without the fields that start with one of ``withheld``."""

    withheld: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """Return the text of a field. Raises ``Withheld`` if it is withheld."""
        if name.startswith(self.withheld):
            raise Withheld(f"{self.key}: {name} is withheld from this family of pages (name it in FAMILIES)")
        return Block.text(self, name)


class Draft(Pool):
    """A pool with a placeholder for the fingerprint of its data."""

    @property
    def fingerprint(self) -> str:
        """The placeholder, as long as a fingerprint."""
        return _placeholder((self.parent or self).snapshot)

    def _restored(self, edition: Edition) -> Pool:
        """Withhold from an edition what is withheld from the pool: its own values come from another file."""
        then = super()._restored(edition)
        blocks = [entry.block for entry in self.entries]
        withheld = next((block.withheld for block in blocks if isinstance(block, Excerpt)), ())
        return replace(then, entries=tuple(_excerpt(entry, withheld) for entry in then.entries))


def draft(pool: Pool, reads: Reads) -> Draft:
    """Return a draft of a pool, for a family of pages that reads this prose."""
    withheld = _withheld(reads)
    parts = {part.name: getattr(pool, part.name) for part in fields(pool)}
    if pool.origin:  # editions are restored from it
        parts["origin"] = draft(pool.origin, reads)
    if pool.parent:  # those of a selection, from the pool that it was taken from
        parts["parent"] = draft(pool.parent, reads)
    return Draft(**parts | {"entries": tuple(_excerpt(entry, withheld) for entry in pool.entries)})


def placeholders(pool: Pool) -> dict[str, str]:
    """Return the fingerprints of a pool and of its snapshots by their placeholders."""
    return {_placeholder(day): pool.as_of(day).fingerprint for day in (None, pool.day, *pool.editions)}


def preview_placeholders(pool: Pool) -> dict[str, str]:
    """Return the same for a preview: only editions have their fingerprints, those with which they were published."""
    days = {None: UNPUBLISHED, pool.day: UNPUBLISHED} | {
        day: one.data for day, one in pool.editions.items() if one.data
    }
    return {_placeholder(day): found for day, found in days.items()}


def filled(content: T, fingerprints: Mapping[str, str]) -> T:
    """Return a text with fingerprints in place of their placeholders; bytes as they are."""
    if isinstance(content, str) and MARK in content:
        for placeholder, found in fingerprints.items():
            content = content.replace(placeholder, found)
    return content


def fill(text: str, pool: Pool) -> str:
    """Replace the placeholders in a text by the fingerprints of a pool and of its snapshots."""
    return filled(text, placeholders(pool))


def data_fingerprints(pool: Pool, data: Path, *drafts: Reads) -> dict[Reads, str]:
    """Return for families that read this prose a fingerprint of their draft, and of the other files of the data."""
    files = other_files(data)
    found = {}
    for reads in drafts:
        withheld = _withheld(reads)
        held = [
            [
                *(entry.block.type, entry.block.key, entry.known),
                [[name, one.text] for name, one in entry.block.fields.items() if not name.startswith(withheld)],
            ]
            for entry in pool
        ]
        found[reads] = fingerprint([], files, json.dumps(held))
    return found


def other_files(data: Path) -> str:
    """Return a fingerprint of the files of the data but for the entries."""
    return fingerprint(path for path in files_below(data) if path != data / ENTRIES)


def _withheld(reads: Reads) -> tuple[str, ...]:
    """Return how the names of fields start that are withheld from families which read this prose."""
    return tuple(sorted(PROSE - reads)) or ("\0",)


def _excerpt(entry: Entry, withheld: tuple[str, ...]) -> Entry:
    """Return an entry without the withheld fields, and without its lines in the file, which other entries shift."""
    block = entry.block
    held = {name: Field(field.text, 0) for name, field in block.fields.items() if not name.startswith(withheld)}
    return replace(entry, block=Excerpt(block.type, block.key, 0, MappingProxyType(held), withheld))


def _placeholder(day: date | None) -> str:
    return f"{MARK}{day.toordinal() if day else 0:07x}"
