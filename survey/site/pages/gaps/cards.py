"""The cards of gaps, and their feeds: the empty cell, its probability, near entries, and what would fill it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from survey.literature import Axis, Entry, Pool
from survey.literature.gaps import (
    OPEN,
    Cell,
    Gap,
    GapMap,
    Kind,
    Neighbour,
    Surroundings,
    Trend,
    every_map,
    note_for,
)
from survey.literature.gaps.indicators import foundation_keys
from survey.literature.gaps.neighbours import NEAR
from survey.literature.pool import Note
from survey.site.facts import Facts
from survey.site.markup.links import anchor
from survey.site.markup.text import in_sentence, words

CARDS = 12
"""Cards on one page: with more, a page would be too large for a phone."""

SHOWN = 3
"""Nearest entries of each kind on a card."""

LAST_YEARS = 4
"""Years that a trend shows one by one; earlier years are summed."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The sign of a kind of cell in a map, its name and meaning, and the phrase for a sentence (27 cells are ...)."""

    sign: str
    name: str
    meaning: str
    phrase: str = ""


MARKS = {
    Kind.FILLED: Mark("3", "filled", "Three entries or more; the stronger the colour, the more entries."),
    Kind.THIN: Mark("1", "thin", "One or two entries: one work more or less changes the finding."),
    Kind.UNSTUDIED: Mark("0", "unstudied", "Nothing rules the combination out, and no entry is known to have it."),
    Kind.UNDISCLOSED: Mark(
        "?",
        "not disclosed",
        "Empty, but an entry with one of the two values does not disclose its value on the other axis: "
        "it may belong here.",
    ),
    Kind.NOT_CODED: Mark(
        "…", "not coded yet", "Empty, but an entry with one of the two values has no tag on the other axis yet."
    ),
    Kind.FURTHER: Mark(
        "+",
        "further value only",
        "Empty, because entries count by their first value; but some entry carries both values, one of them as a "
        "further value.",
        "filled by a further value only",
    ),
    Kind.NOBODY: Mark(
        "∅",
        "value without entries",
        "No entry carries one of the two values at all: its whole row or column is empty.",
        "in a row or column whose value no entry has",
    ),
    Kind.PAST: Mark("†", "history", "The row or column holds {foundations}; what they left open stays open."),
    Kind.NOT_APPLICABLE: Mark(
        "–", "not applicable", "The other axis applies to no entry that has one of the two values."
    ),
    Kind.IMPOSSIBLE: Mark("×", "impossible", "The definitions of the two values exclude each other."),
}
"""A filled cell shows its number, an empty one the sign of its kind: colour alone never marks a kind."""


def marks(pool: Pool) -> dict[Kind, Mark]:
    """Return the marks of the kinds that a pool can have, in words of its taxonomy."""
    gaps = pool.taxonomy.gaps
    past = replace(MARKS[Kind.PAST], meaning=MARKS[Kind.PAST].meaning.format(foundations=gaps.foundations_label))
    return {
        kind: past if kind is Kind.PAST else m for kind, m in MARKS.items() if kind is not Kind.PAST or gaps.foundations
    }


@dataclass(frozen=True)
class Card:
    """Everything known about one gap, ready for a template."""

    cell: Cell
    anchor: str
    title: str
    sentence: str
    note: Note | None
    rules: tuple[tuple[str, str], ...]
    with_row: tuple[Neighbour, ...]
    with_column: tuple[Neighbour, ...]
    hidden: tuple[Entry, ...]
    foundations: tuple[Neighbour, ...]
    asks_foundations: bool
    trend: Trend
    near: tuple[Entry, ...]
    feed: str

    @property
    def years(self) -> tuple[tuple[str | int, ...], ...]:
        """The trend in few columns: earlier years as one sum, then year by year."""
        last = self.trend.years[-LAST_YEARS:]
        if not last:
            return ()
        three = (self.trend.row, self.trend.column, self.trend.cell)
        row, column, both = (sum(n for year, n in counts.items() if year < last[0]) for counts in three)
        each = (
            (str(y), self.trend.row.get(y, 0), self.trend.column.get(y, 0), self.trend.cell.get(y, 0)) for y in last
        )
        return ((f"to {last[0] - 1}", row, column, both), *each)


def map_path(rows: str, columns: str) -> str:
    """Return the path of a map's page; the axes are in the order of the taxonomy.

    >>> map_path("leavening", "grain")
    'gaps/leavening-by-grain.md'
    """
    return f"gaps/{rows}-by-{columns}.md"


def gap_anchor(cell: Cell) -> str:
    """Return the anchor of a card on the page of its map."""
    return f"gap-{anchor(cell.row, cell.column)}"


def named(axis: Axis, cell: str) -> str:
    """Return the label of a cell on pages on gaps: the value, and how in parentheses."""
    word, _, how = cell.partition(": ")
    return f"{axis.values[word].label} ({axis.qualifiers[how].label})" if how else axis.values[word].label


def sentence(pool: Pool, cell: Cell, whole: int) -> str:
    """Return a citable sentence on a cell, with number and edition."""
    row, column = (
        f"{in_sentence(pool.taxonomy[axis].label)} “{named(pool.taxonomy[axis], value)}”"
        for axis, value in ((cell.rows, cell.row), (cell.columns, cell.column))
    )
    subject = {0: "No entry of the pool has", 1: "One entry of the pool has"}.get(
        cell.count, f"{words(cell.count, 'entry', 'entries')} of the pool have"
    )
    return f"{subject} {row} together with {column} (n = {cell.count} of {whole}, edition {pool.day.isoformat()})."


def maps_with_cards(facts: Facts) -> list[tuple[GapMap, tuple[Card, ...]]]:
    """Return the map of each pair of main axes, with its cards."""
    around = Surroundings(facts.pool)
    return [(map, map_cards(around, map, facts.pool.notes)) for map in every_map(facts.pool)]


def map_cards(around: Surroundings, map: GapMap, notes: Sequence[Note]) -> tuple[Card, ...]:
    """Return the cards of a map: cells with a note first, then the cells least likely to be so empty."""
    open_or_thin = [Gap(map, cell) for cell in map.of(*OPEN, Kind.THIN)]
    chosen = sorted(
        open_or_thin,
        key=lambda gap: (
            note_for(notes, gap.cell) is None, gap.cell.count > 0, gap.cell.corrected, -gap.cell.expected
        ),
    )[:CARDS]  # fmt: skip
    return tuple(_card(around, map, gap.cell, note_for(notes, gap.cell)) for gap in chosen)


def _card(around: Surroundings, map: GapMap, cell: Cell, note: Note | None) -> Card:
    pool = around.pool
    with_row, with_column = around.neighbours(cell)
    foundations = foundation_keys(pool)
    asked = not {axis for axis, _ in pool.taxonomy.gaps.foundations} & {cell.rows, cell.columns}
    others = [
        tuple(n for n in some if n.entry.key not in cell.entries)[:SHOWN] for some in (with_row, with_column)
    ]  # fmt: skip
    old = {n.entry.key: n for n in (*with_row, *with_column) if n.entry.key in foundations and n.steps <= NEAR}
    return Card(
        cell=cell,
        anchor=gap_anchor(cell),
        title=" × ".join(named(*one) for one in ((map.rows, cell.row), (map.columns, cell.column))),
        sentence=sentence(pool, cell, map.total),
        note=note,
        rules=tuple(_rule(axis, value) for axis, value in ((map.rows, cell.row), (map.columns, cell.column))),
        with_row=others[0],
        with_column=others[1],
        hidden=tuple(pool[key] for key in cell.hidden),
        foundations=tuple(old.values())[:SHOWN] if asked else (),
        asks_foundations=asked and bool(foundations),
        trend=around.trend(cell),
        near=around.near(cell),
        feed=f"gaps/{map.rows.id}-by-{map.columns.id}/{gap_anchor(cell)}.atom",
    )


def _rule(axis: Axis, cell: str) -> tuple[str, str]:
    """Return the label of a cell and the rule by which a reader assigns it, with that of its qualifier."""
    word, _, how = cell.partition(": ")
    parts = [axis.values[word].rule or axis.values[word].definition, axis.qualifiers[how].definition if how else ""]
    return named(axis, cell), " ".join(filter(None, parts))
