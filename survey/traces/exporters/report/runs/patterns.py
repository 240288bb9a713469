"""Patterns of failure: in how many runs each shows, and in which most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from survey.traces.exporters.report.runs.table import COLUMNS, Column, Row, Table

PATTERNS = ("looping_calls", "retries", "silent_sub_agents", "unused_results", "last_sub_agent_s")

LATE = 0.1
"""A run waits for its last sub-agent if that takes more than this share of its time."""

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of failure."""

    column: Column
    known: int
    """The runs that would show it."""
    runs: int
    """The runs that show it."""
    total: float
    """The sum over these runs."""
    examples: tuple[Row, ...]
    """The runs that show most of it."""


def patterns(table: Table) -> Iterator[Pattern]:
    """Yield each pattern that at least one run would show."""
    for name in PATTERNS:
        holders = table.holders(name)
        found = sorted((row for row in holders if shows(row, name)), key=lambda row: -row.values[name])
        if holders:
            total = sum(row.values[name] for row in found)
            yield Pattern(COLUMNS[name], len(holders), len(found), total, tuple(found[:EXAMPLES]))


def shows(row: Row, name: str) -> bool:
    """Return whether a run shows a pattern."""
    value = row.values.get(name, 0.0)
    return value > LATE * row.values.get("wall_s", 0.0) if name == "last_sub_agent_s" else value > 0
