"""Gap maps: two axes crossed, with each cell's count, its probability, and why it is empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import combinations, product
from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.gaps.independence import independence
from survey.literature.gaps.indicators import Coded, OnAxis, entry_axes
from survey.literature.pool import NOT_CODED, Note, Pool
from survey.literature.taxonomy import Absence, Axis

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

THIN = 2
"""A cell with at most this many entries is thin: a single work more or less changes the conclusion."""


class Kind(StrEnum):
    """Whether a cell is filled, or in which way it is empty. The kinds are never merged."""

    FILLED = "filled"
    THIN = "thin"
    IMPOSSIBLE = "impossible"
    FURTHER = "further-value"
    PAST = "past"
    NOBODY = "nobody"
    NOT_APPLICABLE = "not-applicable"
    UNDISCLOSED = "undisclosed"
    NOT_CODED = "not-coded"
    UNSTUDIED = "unstudied"


OPEN = (Kind.UNSTUDIED, Kind.UNDISCLOSED)
"""The kinds that are gaps: nothing rules the cell out, and no entry is known to fill it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of one axis combined with a value of another, and the entries that have both.

    ``entries`` are the keys counted here; ``strict`` those that pass the strict reading; ``foundations`` those from
    before the field of the survey. ``further`` have both values, but do not count under both. ``hidden`` have one
    value and are undisclosed or not coded on the other axis, so that they may fill the cell. ``p`` is the probability
    of so few entries here, ``corrected`` the same, corrected for all cells of the map.
    """

    rows: str
    columns: str
    row: str
    column: str
    kind: Kind
    entries: tuple[str, ...]
    expected: float
    residual: float | None
    p: float
    corrected: float
    why: str = ""
    strict: tuple[str, ...] = ()
    foundations: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of entries in the cell."""
        return len(self.entries)

    @property
    def foundations_only(self) -> bool:
        """Whether all entries here are foundations: the cell is empty for the field of the survey."""
        return bool(self.entries) and self.entries == self.foundations


@dataclass(frozen=True)
class GapMap:
    """Two axes crossed: a cell for every pair of values in the taxonomy.

    ``total`` is the number of entries in the pool; ``n``, the number with a value on both axes, is the basis of the
    expected counts.
    """

    rows: Axis
    columns: Axis
    day: date
    total: int
    n: int
    strict: bool
    cells: Mapping[tuple[str, str], Cell]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells.values())

    def __getitem__(self, place: tuple[str, str]) -> Cell:
        return self.cells[place]

    def of(self, *kinds: Kind) -> tuple[Cell, ...]:
        """Return the cells of the given kinds, in the order of the table."""
        return tuple(cell for cell in self if cell.kind in kinds)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all entries counted in the map."""
        return tuple(sorted({key for cell in self for key in cell.entries}))


@dataclass(frozen=True)
class Gap:
    """An open cell and its map."""

    map: GapMap
    cell: Cell


def gap_map(pool: Pool, rows: str, columns: str, strict: bool = False) -> GapMap:
    """Return the gap map of two axes of entries.

    ``strict`` counts only entries that pass the strict reading of the taxonomy.

    Raises:
        ValueError: if an axis does not exist or is not one of entries, if both are the same, or if ``strict`` is set
            and the taxonomy defines no strict reading.

    """
    entry_axes(pool, rows, columns)
    return _map(_coded(pool, strict), rows, columns)


def _coded(pool: Pool, strict: bool) -> Coded:
    if strict and not pool.taxonomy.gaps.strict:
        raise ValueError("the taxonomy defines no strict reading (expected strict = { AXIS = VALUE } under [gaps])")
    return Coded(pool, strict)


def _map(coded: Coded, rows: str, columns: str) -> GapMap:
    taxonomy = coded.pool.taxonomy
    down, across = taxonomy[rows], taxonomy[columns]
    in_rows, in_columns = coded.on(down), coded.on(across)
    inside = np.array([bool(a and b) for a, b in zip(in_rows.counted, in_columns.counted, strict=True)], dtype=bool)
    excluded = {(a, b): taxonomy.excluded({rows: a, columns: b}) for a in down.value_cells for b in across.value_cells}
    tested = np.array([[not excluded[a, b] for b in across.value_cells] for a in down.value_cells])
    table = independence(in_rows.indicators[inside], in_columns.indicators[inside], tested)
    classifier = _Classifier(in_rows, in_columns)
    founding = set(taxonomy.gaps.foundations)
    crossed = {axis for axis, _ in founding} & {rows, columns}
    foundations = frozenset() if crossed else coded.foundations
    standing: dict[tuple[str, str], list[str]] = {}
    for key, a_cells, b_cells in zip(coded.keys, in_rows.counted, in_columns.counted, strict=True):
        for place in product(a_cells, b_cells):
            standing.setdefault(place, []).append(key)
    cells = {}
    for i, a in enumerate(down.value_cells):
        for j, b in enumerate(across.value_cells):
            keys = tuple(standing.get((a, b), ()))
            residual = float(table.residual[i, j])
            cells[a, b] = Cell(
                rows, columns, a, b,
                kind=classifier.kind(a, b, len(keys), bool(excluded[a, b]), bool(founding & {(rows, a), (columns, b)})),
                entries=keys,
                expected=float(table.expected[i, j]),
                residual=None if isnan(residual) else residual,
                p=float(table.p[i, j]),
                corrected=float(table.corrected[i, j]),
                why=excluded[a, b],
                strict=tuple(k for k in keys if k in coded.strict),
                foundations=tuple(k for k in keys if k in foundations),
                further=tuple(sorted(classifier.both(a, b).difference(keys))),
                hidden=() if excluded[a, b] else tuple(sorted(classifier.one_of(a, b, Absence.UNKNOWN, NOT_CODED))),
            )  # fmt: skip
    total, n = len(coded.keys), int(inside.sum())
    return GapMap(down, across, coded.pool.day, total, n, coded.narrowed, MappingProxyType(cells))


def every_map(pool: Pool, strict: bool = False) -> tuple[GapMap, ...]:
    """Return a map for each pair of main axes, in the order of the taxonomy."""
    coded = _coded(pool, strict)
    return tuple(_map(coded, a, b) for a, b in pairs(pool))


def pairs(pool: Pool) -> list[tuple[str, str]]:
    """Return each pair of main axes once, in the order of the taxonomy."""
    return list(combinations([axis.id for axis in pool.taxonomy.main], 2))


def gaps(pool: Pool, strict: bool = False) -> tuple[Gap, ...]:
    """Return every open cell of every pair of main axes, the least likely to be empty by chance first."""
    return ranked(every_map(pool, strict))


def ranked(maps: Iterable[GapMap]) -> tuple[Gap, ...]:
    """Return the open cells of some maps, by corrected probability, then by expected count in descending order."""
    found = [Gap(map, cell) for map in maps for cell in map.of(*OPEN)]
    return tuple(sorted(found, key=lambda gap: (gap.cell.corrected, -gap.cell.expected)))


def note_for(notes: Iterable[Note], cell: Cell) -> Note | None:
    """Return the first note on a cell; None if there is none."""
    place = {cell.rows: cell.row, cell.columns: cell.column}
    about = (n for n in notes if n.cells.keys() == place.keys())
    return next((n for n in about if all(place[axis] in n.cells[axis] for axis in place)), None)


class _Classifier:
    """Determines the kind of a cell from the entries that have or lack its values."""

    def __init__(self, rows: OnAxis, columns: OnAxis) -> None:
        self.rows, self.columns = rows, columns

    def both(self, a: str, b: str) -> set[str]:
        return self.rows.carriers[a] & self.columns.carriers[b]

    def one_of(self, a: str, b: str, *words: str) -> set[str]:
        """Return the entries with one of the two values and one of these words for absence on the other axis."""
        without_column = self.rows.carriers[a] & self.columns.without(*words)
        return without_column | self.columns.carriers[b] & self.rows.without(*words)

    def kind(self, a: str, b: str, count: int, impossible: bool, past: bool) -> Kind:
        if count:
            return Kind.FILLED if count > THIN else Kind.THIN
        if impossible:
            return Kind.IMPOSSIBLE
        if self.both(a, b):
            return Kind.FURTHER
        if past:
            return Kind.PAST
        row, column = self.rows.carriers[a], self.columns.carriers[b]
        if not row or not column:
            return Kind.NOBODY
        if row <= self.columns.without(Absence.NA) or column <= self.rows.without(Absence.NA):
            return Kind.NOT_APPLICABLE
        if self.one_of(a, b, Absence.UNKNOWN):
            return Kind.UNDISCLOSED
        return Kind.NOT_CODED if self.one_of(a, b, NOT_CODED) else Kind.UNSTUDIED
