"""What filters select from a pool: the entries, and a path through them."""

from __future__ import annotations

from dataclasses import dataclass

from survey.literature.pool import Entry, Pool

Cell = tuple[str, str]
"""An axis, and a value on it (with how, where the axis asks for it)."""

Cells = tuple[Cell, ...]

Filter = tuple[str, str]
"""An axis, and what is asked for on it, as ``Pool.where`` takes it."""


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a reading path: the values that none before it has, those that no other entry has, why it is here."""

    entry: Entry
    adds: Cells
    only: Cells
    because: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries of a pool that match all filters, and the fewest of them that carry every value they have."""

    pool: Pool
    """The whole pool, or its snapshot of a day."""
    filters: tuple[Filter, ...]
    axes: tuple[str, ...]
    """The axes whose values the reading path covers, and that the paragraph goes through."""
    primary: bool
    entries: tuple[Entry, ...]
    """The entries that match, by first publication."""
    path: tuple[Step, ...]
    smallest: bool
    """Whether it is proven that no shorter path covers as much."""
    alone: tuple[tuple[Filter, tuple[Entry, ...]], ...] = ()
    """What each of several filters selects by itself, if together they select nothing."""
