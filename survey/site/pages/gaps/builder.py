"""The pages on gaps: the overview, and a map for each pair of main axes with its cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from survey.literature import Axis, Pool
from survey.literature.agreement import Readings
from survey.literature.counting import by_frequency, is_folded, leading
from survey.literature.export.bib import to_bib
from survey.literature.gaps import (
    OPEN,
    PERMUTATIONS,
    Cell,
    GapMap,
    Kind,
    note_for,
    ranked,
    search_start,
    triple,
)
from survey.literature.gaps.indicators import carried
from survey.literature.pool import Note
from survey.site.facts import Facts, Files
from survey.site.html.addresses import url
from survey.site.markup.links import anchor
from survey.site.markup.optional import has
from survey.site.markup.templates import render
from survey.site.markup.text import in_sentence
from survey.site.pages.gaps.bias import left_out, read_on, searched
from survey.site.pages.gaps.cards import MARKS, Card, gap_anchor, map_path, maps_with_cards, marks, named

STRONGEST = 20
"""Gaps in the list of the least expected ones."""

LISTED = 40
"""Cells of a kind that the page of a map with many values lists; the map has all."""

SURPRISING = 0.05
"""A probability below this counts as surprising."""

FULL = (Kind.FILLED, Kind.THIN)

Cards = Mapping[int, tuple[Card, ...]]
"""The cards of each map, by the identity of the map."""


def gap_pages(facts: Facts) -> Files:
    """Yield every file on gaps, if there are two main axes: the overview, and a map for each pair with its entries."""
    if not has(facts.pool, "gaps/index.md"):
        return
    pool, found = facts.pool, facts.once(maps_with_cards)
    maps, cards = [map for map, _ in found], {id(map): cards for map, cards in found}
    yield from _index(pool, maps, cards, pool.notes, facts.readers)
    for map, some in found:
        yield from _map(pool, map, some, facts.readers)


# -------------------------------------------------------------------- pages


def _index(
    pool: Pool, maps: Sequence[GapMap], cards: Cards, notes: Sequence[Note], readers: Readings
) -> Iterator[tuple[str, str]]:
    page = "gaps/index.md"
    found = ranked(maps)
    noted = [(map, card) for map in maps for card in cards[id(map)] if card.note]
    order = {id(note): place for place, note in enumerate(notes)}
    yield page, render(
        "pages/gaps/gaps.md.j2",
        pool=pool,
        page=page,
        maps=maps,
        axes=_axes(maps),
        reliable=[(readers.reliability(axis.id), read_on(pool, readers, axis)) for axis in _axes(maps)],
        selective=left_out(pool),
        strongest=[(gap, _link(page, gap.map, gap.cell, cards[id(gap.map)])) for gap in found[:STRONGEST]],
        open=len(found),
        sparse=_sparse(maps),
        surprising=sum(gap.cell.corrected < SURPRISING for gap in found),
        after_all=sum(gap.cell.corrected * len(maps) < SURPRISING for gap in found),
        noted=sorted(noted, key=lambda one: order[id(one[1].note)]),
        alone=[(note, *_value(pool, note)) for note in notes if len(note.cells) == 1],
        closed=_closed(maps, notes),
        unused=_unused_values(pool, maps),
        inherited=[(map, cell) for map in maps for cell in map if cell.foundations_only],
        triples=[triple(pool, *axes) for axes in pool.taxonomy.gaps.triples],
        cells=sum(len(map.cells) for map in maps),
        total={kind: sum(len(map.of(kind)) for map in maps) for kind in marks(pool)},
        looked=search_start(pool),
        marks=marks(pool),
        past=pool.taxonomy.gaps.foundations_label,
        searched=searched(pool, *_axes(maps)),
        **SHARED,
    )  # fmt: skip


def _map(pool: Pool, map: GapMap, cards: tuple[Card, ...], readers: Readings) -> Iterator[tuple[str, str]]:
    rows, columns = map.rows.id, map.columns.id
    page, bib = map_path(rows, columns), f"gaps/{rows}-by-{columns}.bib"
    yield bib, to_bib(pool.keep(map.keys))
    carded = {card.cell for card in cards}
    reasons: dict[str, list[Cell]] = {}
    for cell in map.of(Kind.IMPOSSIBLE):
        reasons.setdefault(cell.why, []).append(cell)
    folded = _is_folded(map)
    left = [cell for cell in map.of(*OPEN) if cell not in carded]
    further = map.of(Kind.FURTHER)
    if folded:
        left, further = sorted(left, key=_expected), tuple(sorted(further, key=_expected))
    yield page, render(
        "pages/gaps/map.md.j2",
        pool=pool,
        page=page,
        map=map,
        folded=folded,
        down=leading(pool, map.rows),
        across=leading(pool, map.columns),
        every_row=[cell for cell in by_frequency(pool, map.rows) if cell in map.rows.value_cells],
        every_column=[cell for cell in by_frequency(pool, map.columns) if cell in map.columns.value_cells],
        links=(*OPEN, Kind.FURTHER),
        listed_open=LISTED if folded else len(left),
        listed_further=LISTED if folded else len(further),
        bib=bib,
        cards=cards,
        link={place: _link(page, map, cell, cards) for place, cell in map.cells.items()},
        strength=_strength(map),
        reliable=[readers.reliability(axis) for axis in (rows, columns)],
        lower=readers.lower(rows, columns),
        all_read=readers.counts(map.keys, rows, columns),
        read={card.anchor: readers.counts(card.cell.entries, rows, columns) for card in cards},
        found=_found(pool, map),
        reasons=reasons,
        further=further,
        inherited=[cell for cell in map if cell.foundations_only],
        left=left,
        left_thin=len([cell for cell in map.of(Kind.THIN) if cell not in carded]),
        total={kind: len(map.of(kind)) for kind in marks(pool)},
        looked=search_start(pool),
        marks=marks(pool),
        past=pool.taxonomy.gaps.foundations_label,
        searched=searched(pool, map.rows, map.columns),
        **SHARED,
    )  # fmt: skip


def number(value: float | None) -> str:
    """Format a figure with two decimals and a true minus sign.

    >>> number(-2.864), number(None)
    ('−2.86', '–')
    """
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def chance(p: float) -> str:
    """Format a probability: never as 0, and with no more digits than are meaningful.

    >>> chance(0.0441), chance(0.00002), chance(1.0), chance(0.9961)
    ('0.044', '< 0.001', '1', '> 0.99')
    """
    if p < 0.001:
        return "< 0.001"
    if p > 0.99:
        return "1" if p == 1 else "> 0.99"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


SHARED = {
    "label": named, "Kind": Kind, "anchor": anchor, "gap_anchor": gap_anchor, "map_path": map_path,
    "works_of": lambda pool, keys: [pool[key] for key in keys], "number": number, "chance": chance,
    "permutations": PERMUTATIONS,
}  # fmt: skip
"""Values that the templates of all pages on gaps use."""


def _found(pool: Pool, map: GapMap) -> str:
    """Return a citable summary of the map."""
    total = {kind: len(map.of(kind)) for kind in MARKS}
    filled = total[Kind.FILLED] + total[Kind.THIN]
    parts = [f"{n} {MARKS[kind].phrase or MARKS[kind].name}" for kind, n in total.items() if n and kind not in FULL]
    verb = "is" if parts and parts[0].startswith("1 ") else "are"
    parts[:1] = [first.replace(" ", f" {verb} ", 1) for first in parts[:1]]
    rest = f" Of the other {len(map.cells) - filled}, {_listed(parts)}." if parts else ""
    cells = f"{len(map.cells)} cells of {in_sentence(map.rows.label)} by {in_sentence(map.columns.label)}"
    return (
        f"{filled} of {cells} hold entries, "
        f"{total[Kind.THIN]} of them one or two.{rest} "
        f"(n = {map.n} with a value on both axes, of {map.total}; edition {pool.day.isoformat()}.)"
    )


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _strength(map: GapMap) -> dict[tuple[str, str], int]:
    """Return the shade of each filled cell, in five steps."""
    most = max((cell.count for cell in map), default=0) or 1
    return {place: -(-5 * cell.count // most) for place, cell in map.cells.items()}


def _is_folded(map: GapMap) -> bool:
    return is_folded(map.rows) or is_folded(map.columns)


def _expected(cell: Cell) -> float:
    return -cell.expected


def _link(page: str, map: GapMap, cell: Cell, cards: Sequence[Card]) -> str:
    """Return the link of a cell: to its card, to its entries, or to the description of its kind on the map's page."""
    here = map_path(map.rows.id, map.columns.id)
    if any(card.cell is cell for card in cards):
        place = gap_anchor(cell)
    elif cell.count or cell.kind in OPEN or (cell.kind is Kind.FURTHER and _is_folded(map)):
        return f"{url(page, f'measure/{map.rows.id}-by-{map.columns.id}.md')}#{anchor(cell.row, cell.column)}"
    elif cell.kind is Kind.FURTHER:
        place = f"further-{anchor(cell.row, cell.column)}"
    else:
        place = f"kind-{cell.kind}"
    return f"{'' if page == here else url(page, here)}#{place}"


# ---------------------------------------------------- parts of the overview


def _axes(maps: Sequence[GapMap]) -> list[Axis]:
    """Return the main axes, in the order of the taxonomy."""
    return list({axis.id: axis for map in maps for axis in (map.rows, map.columns)}.values())


def _sparse(maps: Sequence[GapMap]) -> list[tuple[GapMap, Cell]]:
    """Return the cells that are not gaps but hold surprisingly few entries, the least likely first."""
    passed = (*OPEN, Kind.PAST)
    found = [(map, cell) for map in maps for cell in map if cell.corrected < SURPRISING and cell.kind not in passed]
    return sorted(found, key=lambda one: (one[1].corrected, -one[1].expected))


def _unused_values(pool: Pool, maps: Sequence[GapMap]) -> list[tuple[Axis, str]]:
    """Return the values of main axes that no entry carries, not even as a further value."""
    have = {axis.id: {cell for entry in pool for cell in carried(entry, axis)} for axis in _axes(maps)}
    return [(axis, cell) for axis in _axes(maps) for cell in axis.value_cells if cell not in have[axis.id]]


def _value(pool: Pool, note: Note) -> tuple[Axis, str, int]:
    """Return the value that a note on a single axis is about, and how many entries carry it."""
    (id, cells), *_ = note.cells.items()
    axis = pool.taxonomy[id]
    return axis, cells[0], sum(bool({*cells} & {*carried(entry, axis)}) for entry in pool)


def _closed(maps: Sequence[GapMap], notes: Sequence[Note]) -> list[tuple[GapMap, Cell]]:
    """Return the cells that have a note as gaps and are filled by now."""
    return [(map, cell) for map in maps for cell in map.of(Kind.FILLED) if note_for(notes, cell)]
