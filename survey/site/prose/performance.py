"""What was measured, and what was tried on purpose to break it: two tables, from the files beside the package.

``measured.csv`` holds what ``make bench`` said, each figure against a peer or a limit of the same run;
``campaigns.csv`` what longer campaigns found. Whether an aim is met is computed, here and nowhere else.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure against its peer. Smaller is better; ``aim`` is what it should not exceed, if there is an aim."""

    what: str
    against: str
    aim: float | None
    found: float
    bench: str
    day: date

    @property
    def verdict(self) -> str:
        """Whether the aim is met."""
        if self.aim is None:
            return "none set"
        return "met" if self.found <= self.aim else "falls short"


@dataclass(frozen=True, slots=True)
class Campaign:
    """Something done many times to make the survey fail."""

    what: str
    command: str
    times: int
    failed: int
    said: str
    day: date


def measured() -> list[Measured]:
    """Every figure, in the order of the file."""
    return [
        Measured(
            row["what"],
            row["against"],
            float(row["aim"]) if row["aim"] else None,
            float(row["found"]),
            row["bench"],
            date.fromisoformat(row["day"]),
        )
        for row in _rows("measured.csv")
    ]


def campaigns() -> list[Campaign]:
    """Every campaign, in the order of the file."""
    return [
        Campaign(
            row["what"],
            row["command"],
            int(row["times"]),
            int(row["failed"]),
            row["said"],
            date.fromisoformat(row["day"]),
        )
        for row in _rows("campaigns.csv")
    ]


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files("survey.site.prose").joinpath(name).read_text("utf-8"))))
