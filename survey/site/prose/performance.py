"""Two tables of a survey about its own program: benchmark results, and fuzzing and fault-injection campaigns.

``tables/measured.csv`` holds results of ``make bench``, each compared with a peer or a limit in the same run;
``tables/campaigns.csv`` holds the findings of longer campaigns. Only this module decides whether an aim is met.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from survey.literature.pool import Rows


@dataclass(frozen=True, slots=True)
class Measured:
    """A result relative to its peer. Smaller is better; ``aim`` is its upper limit, if there is an aim."""

    what: str
    against: str
    aim: float | None
    found: float
    bench: str
    day: date

    @property
    def verdict(self) -> str:
        """The status of the aim: met, missed, or no aim."""
        if self.aim is None:
            return "no aim"
        return "met" if self.found <= self.aim else "missed"


@dataclass(frozen=True, slots=True)
class Campaign:
    """A test repeated many times to make the survey fail."""

    what: str
    command: str
    times: int
    failed: int
    findings: str
    day: date


def measured(rows: Rows) -> list[Measured]:
    """Return every result, in the order of the table."""
    return [
        Measured(
            row["what"],
            row["against"],
            float(row["aim"]) if row["aim"] else None,
            float(row["found"]),
            row["bench"],
            date.fromisoformat(row["day"]),
        )
        for row in rows
    ]


def campaigns(rows: Rows) -> list[Campaign]:
    """Return every campaign, in the order of the table."""
    return [
        Campaign(
            row["what"],
            row["command"],
            int(row["times"]),
            int(row["failed"]),
            row["findings"],
            date.fromisoformat(row["day"]),
        )
        for row in rows
    ]
