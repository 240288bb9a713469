"""Counts and cross-tabulations, with a row for every possible value.

The shape of a table comes from the taxonomy and never from the data: a value without entries is a zero, not a missing
row. On axes with a primary value each entry counts once, by that value; on sets it counts under each of its values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.pool import Entry, Pool, cell_label, cells, counted, mentioned

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")


@dataclass(frozen=True, slots=True)
class CellCount:
    """The number of entries in a cell of an axis.

    ``count`` is by primary value, or on a set by every value; ``mentions`` counts the entries that have the value at
    any rank; ``share`` is the count as a share of all entries.
    """

    cell: str
    label: str
    count: int
    mentions: int
    share: float


def counts(pool: Pool, axis: str) -> pd.DataFrame:
    """Return ``cell_counts`` as a data frame; columns: cell, label, count, mentions, share."""
    return pd.DataFrame(cell_counts(pool, axis))


def cell_counts(pool: Pool, axis: str) -> list[CellCount]:
    """Return the number of entries in each cell of an axis; of excluded records on axes of records."""
    asked = pool.taxonomy[axis]
    entries: Sequence[Entry] = pool.entries if asked.on == "entry" else pool.records
    primary = Counter(cell for entry in entries for cell in counted(entry, asked))
    anywhere = Counter(cell for entry in entries for cell in mentioned(entry, asked))
    whole = len(entries) or 1
    return [
        CellCount(cell, cell_label(pool.taxonomy, asked, cell), primary[cell], anywhere[cell], primary[cell] / whole)
        for cell in cells(asked)
    ]


def crosstab(pool: Pool, rows: str, columns: str) -> pd.DataFrame:
    """Return ``pair_counts`` as a data frame, a row per cell of the first axis and a column per cell of the second.

    Raises:
        ValueError: if one axis is of entries and the other of excluded records.

    """
    table = pair_counts(pool, rows, columns)
    down, across = cells(pool.taxonomy[rows]), cells(pool.taxonomy[columns])
    lines = [[table[a][b] for b in across] for a in down]
    return pd.DataFrame(lines, index=pd.Index(down, name=rows), columns=pd.Index(across, name=columns))


def pair_counts(pool: Pool, rows: str, columns: str) -> Mapping[str, Mapping[str, int]]:
    """Return the number of entries in each pair of cells of two axes, zeros included, by row and column.

    Raises:
        ValueError: if one axis is of entries and the other of excluded records.

    """
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    if down.on != across.on:
        raise ValueError(f"cannot cross {rows} (asked of every {down.on}) with {columns} (asked of every {across.on})")
    entries: Sequence[Entry] = pool.entries if down.on == "entry" else pool.records
    pairs = Counter((a, b) for entry in entries for a in counted(entry, down) for b in counted(entry, across))
    return {a: {b: pairs[a, b] for b in cells(across)} for a in cells(down)}


def timeline(pool: Pool) -> pd.DataFrame:
    """Return ``year_counts`` as a data frame; columns: year, count."""
    return pd.DataFrame(list(year_counts(pool).items()), columns=["year", "count"])


def year_counts(pool: Pool) -> Mapping[int, int]:
    """Return the number of entries by year of first publication, years without entries included."""
    years = Counter(int(entry.appeared[:4]) for entry in pool)
    span = range(min(years), max(years) + 1) if years else ()
    return {year: years[year] for year in span}
