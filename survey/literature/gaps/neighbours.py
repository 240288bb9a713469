"""The surroundings of a cell: nearest entries, counts by year, and the start of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from survey.literature.gaps.indicators import carried, values
from survey.literature.gaps.maps import Cell
from survey.literature.pool import Entry, Pool
from survey.literature.taxonomy import Axis

NEAR = 1
"""Maximum distance of a near entry on one axis: a value of the same family, the same value with another qualifier, or
a neighbour on an ordered axis."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry that has one value of a cell, and its distance from the other: 0 if it has both."""

    entry: Entry
    axis: str
    cell: str
    steps: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Entries by year of first publication: with the row's value, with the column's, and in the cell.

    ``near`` is the last year in which an entry in the cell or near it was published.
    """

    years: tuple[int, ...]
    row: Mapping[int, int]
    column: Mapping[int, int]
    cell: Mapping[int, int]
    near: int | None


class Surroundings:
    """An index of the entries of a pool by their values, for queries about many cells."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._carriers: dict[str, dict[str, list[Entry]]] = {}
        self._years: dict[str, dict[str, Counter[int]]] = {}
        self._around: dict[tuple[str, str, str, str], tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]] = {}
        span = [_year(entry) for entry in pool]
        self.years = tuple(range(min(span), max(span) + 1)) if span else ()

    def neighbours(self, cell: Cell) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        """Return entries with the row's value, nearest on the columns' axis first; and vice versa.

        At equal distance the newest comes first. Entries without a value on the other axis are left out.
        """
        asked = cell.rows, cell.columns, cell.row, cell.column
        if asked not in self._around:
            self._around[asked] = self._neighbours(cell)
        return self._around[asked]

    def _neighbours(self, cell: Cell) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        down, across = self.pool.taxonomy[cell.rows], self.pool.taxonomy[cell.columns]
        with_row = (_neighbour(e, across, cell.column) for e in self._with(down, cell.row))
        with_column = (_neighbour(e, down, cell.row) for e in self._with(across, cell.column))
        first, second = (tuple(sorted(filter(None, some), key=lambda n: n.steps)) for some in (with_row, with_column))
        return first, second

    def near(self, cell: Cell) -> tuple[Entry, ...]:
        """Return the entries in a cell or near it, most recently added first."""
        found = {n.entry.key: n.entry for some in self.neighbours(cell) for n in some if n.steps <= NEAR}
        found |= {key: self.pool[key] for key in cell.entries}
        return tuple(sorted(found.values(), key=lambda e: (e.added, e.key), reverse=True))

    def trend(self, cell: Cell) -> Trend:
        """Return the counts per year for the row's value, the column's value and the cell."""
        row, column = (
            self._by_year(self.pool.taxonomy[axis])[value]
            for axis, value in ((cell.rows, cell.row), (cell.columns, cell.column))
        )
        both = Counter(_year(self.pool[key]) for key in cell.entries)
        return Trend(self.years, row, column, both, max((_year(e) for e in self.near(cell)), default=None))

    def _with(self, axis: Axis, cell: str) -> list[Entry]:
        """Return the entries that have a cell's value, newest first."""
        if axis.id not in self._carriers:
            self._carriers[axis.id] = {value: [] for value in axis.value_cells}
            for entry in sorted(self.pool, key=_newest):
                for value in carried(entry, axis):
                    self._carriers[axis.id][value].append(entry)
        return self._carriers[axis.id][cell]

    def _by_year(self, axis: Axis) -> dict[str, Counter[int]]:
        if axis.id not in self._years:
            self._years[axis.id] = {value: Counter() for value in axis.value_cells}
            for entry in self.pool:
                for value in values(entry, axis):
                    self._years[axis.id][value][_year(entry)] += 1
        return self._years[axis.id]


def search_start(pool: Pool) -> str:
    """Return the first day on which a record was screened or an entry added: gaps are observed from this day on."""
    days = [record.text("screened") for record in pool.records] + [entry.added for entry in pool]
    return min(filter(None, days), default=pool.day.isoformat())


def steps(found: str, wanted: str, axis: Axis) -> int:
    """Return the distance between two values: 0 if identical, 1 for neighbours, otherwise 2 or more.

    Neighbours are the same value with another qualifier, values of one family, and adjacent values on an ordered
    axis; on an ordered axis the distance is the number of places between them.
    """
    if found == wanted:
        return 0
    one, other = axis.values[found.partition(": ")[0]], axis.values[wanted.partition(": ")[0]]
    if one is other or (one.family and one.family == other.family):
        return 1
    order = list(axis.values)
    return abs(order.index(one.id) - order.index(other.id)) if axis.ordered else 2


def _neighbour(entry: Entry, axis: Axis, wanted: str) -> Neighbour | None:
    ways = [(steps(found, wanted, axis), found) for found in carried(entry, axis)]
    if not ways:
        return None
    nearest = min(ways, key=lambda way: way[0])
    return Neighbour(entry, axis.id, nearest[1], nearest[0])


def _newest(entry: Entry) -> tuple[int, str]:
    return -int(entry.appeared[:7].replace("-", "").ljust(6, "0")), entry.key


def _year(entry: Entry) -> int:
    return int(entry.appeared[:4])
