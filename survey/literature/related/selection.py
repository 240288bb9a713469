"""A filtered selection from a pool: the entries, and a small set that covers their values."""

from __future__ import annotations

from dataclasses import dataclass

from survey.literature.pool import Entry, Pool

Cell = tuple[str, str]
"""An axis and a value on it, with its qualifier if it has one."""

Cells = tuple[Cell, ...]

Filter = tuple[str, str]
"""An axis and the values to match on it, as ``Pool.where`` takes them."""


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a covering set, with the values it adds, those that only it has, and the reason for its place."""

    entry: Entry
    new_values: Cells
    unique_values: Cells
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries of a pool that match all filters, and the fewest of them that cover all their values."""

    pool: Pool
    """The full pool, or its snapshot of a day."""
    filters: tuple[Filter, ...]
    axes: tuple[str, ...]
    """The axes whose values the set covers and the paragraph reports."""
    primary: bool
    entries: tuple[Entry, ...]
    """The matching entries, by first publication."""
    path: tuple[Step, ...]
    smallest: bool
    """Whether it is proven that no shorter path covers the same values."""
    separate_matches: tuple[tuple[Filter, tuple[Entry, ...]], ...] = ()
    """The matches of each filter separately, if there are several filters and together they match nothing."""
