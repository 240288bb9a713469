"""Drafts: the pool as a family of pages may read it, so that pages that an edit cannot change are recognised.

Every citable sentence and every export carries the fingerprint of the data, which each edit changes. A draft has a
placeholder in its place; ``fill`` replaces it when a file is written. And a draft withholds the prose of entries from
families that do not say that they read it: their pages are the same whatever a summary says.
"""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType

from survey.literature import Pool
from survey.literature.bibtex import Block, Field
from survey.literature.pool import Edition, Entry
from survey.site.cache import fingerprint

Reads = Set[str]
"""What a family of pages reads besides tags and citations: prose of entries (names of fields, or the start of such
names), and the tables of notebooks."""

SUMMARY, EVIDENCE, TABLES = "summary", "why-", "tables of notebooks"
NO_PROSE: Reads = frozenset()
PROSE: Reads = frozenset({SUMMARY, EVIDENCE})

ENTRIES = "pool.bib"


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
    withheld = tuple(sorted(PROSE - reads))
    parts = {part.name: getattr(pool, part.name) for part in fields(pool)}
    if pool.origin:  # editions are restored from it
        parts["origin"] = draft(pool.origin, reads)
    if pool.parent:  # those of a selection, from the pool that it was taken from
        parts["parent"] = draft(pool.parent, reads)
    return Draft(**parts | {"entries": tuple(_excerpt(entry, withheld) for entry in pool.entries)})


def fill(text: str, pool: Pool) -> str:
    """Replace the placeholders by the fingerprints of a pool and of its snapshots."""
    for day in {None, pool.day, *pool.editions}:
        text = text.replace(_placeholder(day), pool.as_of(day).fingerprint)
    return text


def data_fingerprint(drafted: Draft, data: Path) -> str:
    """Return a fingerprint of what a draft holds: its entries, and the other files of the folder of the data."""
    files = sorted(path for path in data.rglob("*") if path.is_file() and path != data / ENTRIES)
    blocks = [entry.block for entry in drafted]
    held = [[b.type, b.key, [[name, field.text] for name, field in b.fields.items()]] for b in blocks]
    return fingerprint(files, json.dumps(held))


def _excerpt(entry: Entry, withheld: tuple[str, ...]) -> Entry:
    """Return an entry without the withheld fields, and without its lines in the file, which other entries shift."""
    block = entry.block
    held = {name: Field(field.text, 0) for name, field in block.fields.items() if not name.startswith(withheld)}
    return replace(entry, block=Excerpt(block.type, block.key, 0, MappingProxyType(held), withheld or ("\0",)))


def _placeholder(day: date | None) -> str:
    return f"da7a0{day.toordinal() if day else 0:07x}"
