"""Counts with their uncertainty, and the reliability of axes, as rows and objects."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isnan, log10
from typing import Any

from survey.literature import Axis
from survey.literature.agreement import Figure, Reliability, Sources, Uncertainty
from survey.literature.counting import CellCount
from survey.plurals import plural

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
        entries = plural(len(found.keys), "entry")
        return f"95 % for misclassification, from {entries} coded by {found.first} and {found.second}"
    return f"no interval for misclassification: {found}"


def span(figure: Figure | None) -> str:
    """Return the interval of a figure as text; empty if there is none.

    >>> from survey.literature.agreement import ReadingCounts
    >>> span(Figure(15, 84, ReadingCounts(15, 0, 0), 3, 16))
    '3\N{EN DASH}16'
    """
    return "" if figure is None or figure.low is None else f"{figure.low}\N{EN DASH}{figure.high}"


def reliability(one: Reliability) -> dict[str, Any] | None:
    """Return how far two readers agree on an axis; None if no two have coded it."""
    if one.found is None:
        return None
    kappa = one.found.kappa
    low, high = (None if isnan(bound) else rounded(bound) for bound in (kappa.low, kappa.high))
    return {
        "first": one.found.first, "second": one.found.second, "blind": one.blind, "n": one.found.n,
        "kappa": rounded(one.kappa), "low": low, "high": high,
    }  # fmt: skip


def rounded(number: float | None) -> float | None:
    """Return a figure with four decimals, or with as many more as tell it from 0 and, if it is below 1, from 1."""
    if number is None or not (far := min(abs(number), abs(1 - number))):
        return number
    return round(number, max(4, 3 - floor(log10(far))))
