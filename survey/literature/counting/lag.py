"""How far behind the survey is: the newest work seen, the queue, the delay, and the recall of the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from statistics import median

from survey.literature.pool import BUDGETS, Evaluation, Month, Pool, share_interval


@dataclass(frozen=True, slots=True)
class Lag:
    """The survey's lag. What the data do not have is None."""

    newest: date | None
    """The day of the newest work that a run of the scout saw."""

    queued: int
    """The candidates that ever entered the queue."""

    read: int
    delay: float | None
    """The median number of days from a work's appearance until it was in the pool, of those whose day is known."""

    dated: int
    latest: date | None
    """The day on which the newest work of the pool appeared."""


def lag(pool: Pool) -> Lag:
    """Return how far behind a pool is."""
    days = {entry.key: _day(entry.appeared) for entry in pool.entries}
    delays = [
        (date.fromisoformat(entry.text("added")) - day).days
        for entry in pool.entries
        if (day := days[entry.key]) and entry.text("added")
    ]
    return Lag(
        pool.scouting.newest,
        len(pool.screened),
        sum(not row.waits for row in pool.screened),
        median(delays) if delays else None,
        len(delays),
        max((day for day in days.values() if day), default=None),
    )


def recall_at(found: Evaluation, budget: int) -> tuple[float, float, float]:
    """Return the share of works that a reader of so many a week would have seen, with its 95 % interval (Wilson)."""
    number, of = found.found(budget), found.came
    return (number / of if of else 0.0, *share_interval(number, of))


def month_recalls(month: Month) -> tuple[tuple[int, float, float, float], ...]:
    """Return for each budget the number seen in a month, its share and the interval."""
    return tuple(
        (number, number / month.came if month.came else 0.0, *share_interval(number, month.came))
        for _, number in zip(BUDGETS, month.read, strict=True)
    )


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if len(text) == len("2026-11-23") else None
