"""Counts with their uncertainty, for the subcommands stats and crosstab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from survey.literature import Axis
from survey.literature.agreement import Figure, Sources, Uncertainty
from survey.literature.counting import CellCount

COLUMNS = ("low", "high", "read_once", "read_twice", "adjudicated")
"""What is added to a count: the ends of its interval, and how its entries were read."""


def figures(uncertain: Uncertainty, axis: Axis, found: Sequence[CellCount]) -> list[Figure | None]:
    """Return the figure behind each count; None on axes of excluded records, which no reader coded."""
    return [uncertain.value(axis.id, row.cell) if axis.on == "entry" else None for row in found]


def flat(figure: Figure | None) -> dict[str, int | None]:
    """Return a figure as the values of ``COLUMNS``."""
    if figure is None:
        return dict.fromkeys(COLUMNS)
    read = figure.readings
    return dict(zip(COLUMNS, (figure.low, figure.high, read.once, read.twice, read.adjudicated), strict=True))


def basis(uncertain: Uncertainty, *axes: str) -> dict[str, Any]:
    """Return the two codings behind the intervals of these axes, or why there are no intervals."""
    found = uncertain.sources(axes)
    if isinstance(found, Sources):
        return {"first": found.first, "second": found.second, "entries": len(found.keys)}
    return {"none_because": found}


def note(uncertain: Uncertainty, *axes: str) -> str:
    """Return the same as a line of text."""
    found = uncertain.sources(axes)
    if isinstance(found, Sources):
        return f"95 % for misclassification, from {len(found.keys)} entries coded by {found.first} and {found.second}"
    return f"no interval for misclassification: {found}"


def span(figure: Figure | None) -> str:
    """Return the interval of a figure as text; empty if there is none.

    >>> from survey.literature.agreement import ReadingCounts
    >>> span(Figure(15, 84, ReadingCounts(15, 0, 0), 3, 16))
    '3\N{EN DASH}16'
    """
    return "" if figure is None or figure.low is None else f"{figure.low}\N{EN DASH}{figure.high}"
