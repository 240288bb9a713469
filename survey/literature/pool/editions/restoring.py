"""The works of an edition as published: the works of today, with what was changed since put back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from survey.literature.bibtex import Block, Field
from survey.literature.pool.editions.edition import ENTRY, KIND, ORDER, PLACE, RECORD, TYPE, Edition, Row
from survey.literature.pool.editions.keys import aliases
from survey.literature.pool.entries import Entry

DATED = {ENTRY: "added", RECORD: "screened"}


@dataclass(frozen=True)
class Works:
    """The entries and the excluded records of a survey, as blocks, in their order."""

    entries: Sequence[Block]
    records: Sequence[Block]

    def __iter__(self) -> Iterator[Block]:
        yield from self.entries
        yield from self.records

    @property
    def kinds(self) -> dict[str, str]:
        """Which works there are, by key: entry or record."""
        return {b.key: ENTRY for b in self.entries} | {b.key: RECORD for b in self.records}

    def of(self, kind: str) -> Sequence[Block]:
        """Return the entries or the records."""
        return self.entries if kind == ENTRY else self.records

    def without(self, keys: Collection[str]) -> Works:
        """Return the works that are not among these."""
        return Works(*([b for b in self.of(kind) if b.key not in keys] for kind in (ENTRY, RECORD))) if keys else self


def works_by_date(works: Works, day: str) -> Works:
    """Return the works that were in the pool on a day (YYYY-MM-DD), by their own dates.

    An entry that does not say when it was added counts from the first day on which it can have appeared.
    """
    return Works(
        [block for block in works.entries if Entry(block, {}).added <= day],
        [block for block in works.records if block.text(DATED[RECORD]) <= day],
    )


def published_works(today: Works, edition: Edition) -> Works:
    """Return the works of an edition as published. A block in which nothing changed is the block of today."""
    by_date = works_by_date(today, edition.day.isoformat())
    if not edition.rows:
        return by_date
    kinds = by_date.kinds
    bases = Bases(today)
    found: dict[str, list[Block]] = {ENTRY: [], RECORD: []}
    placed: dict[str, list[tuple[int, Block]]] = {ENTRY: [], RECORD: []}
    current = [block.key for block in today]
    gone = sorted(key for key in edition.rows if key not in bases.by_key)
    for key in (*current, *gone):
        rows = edition.rows.get(key, {})
        kind = rows[KIND].value if KIND in rows else kinds.get(key, "")
        if not kind:
            continue
        block = restored(bases[key], key, rows) if rows else bases[key]
        if PLACE in rows:
            placed[kind].append((int(rows[PLACE].value), block))
        else:
            found[kind].append(block)
    for kind, blocks in placed.items():
        for place, block in sorted(blocks, key=lambda pair: pair[0]):
            found[kind].insert(place, block)
    return Works(found[ENTRY], found[RECORD])


class Bases:
    """The block of today from which a published one is restored, by the key as published.

    It is the work of that key, or the work that says it had it (``ids``), or an empty one if the work is gone.
    """

    def __init__(self, today: Works) -> None:
        self.by_key = {block.key: block for block in today}
        self.former = aliases(today)

    def __getitem__(self, key: str) -> Block:
        found = self.by_key.get(key) or self.by_key.get(self.former.get(key, ""))
        return found or Block("misc", key, 0, MappingProxyType({}))


def restored(block: Block, key: str, rows: Mapping[str, Row]) -> Block:
    """Return a block with its rows put back."""
    fields = dict(block.fields)
    for name, row in sorted(rows.items()):  # whatever the order of the rows, the fields come in one order
        if name.startswith("@"):
            continue
        if row.value:
            fields[name] = Field(row.value, fields[name].line if name in fields else block.line)
        else:
            fields.pop(name, None)
    if ORDER in rows:
        fields = in_order(fields, rows[ORDER].value.split())
    type = rows[TYPE].value if TYPE in rows else block.type
    return replace(block, type=type, key=key, fields=MappingProxyType(fields))


def in_order(fields: Mapping[str, Field], names: Iterable[str]) -> dict[str, Field]:
    """Return the fields with those named first, in that order."""
    return {name: fields[name] for name in dict.fromkeys([*names, *fields]) if name in fields}
