"""All that a report says of many runs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from survey.traces.exporters.report.runs.contrasts import Contrast, contrasts
from survey.traces.exporters.report.runs.distributions import Distribution, Outlier, distributions, outliers
from survey.traces.exporters.report.runs.patterns import Pattern, patterns
from survey.traces.exporters.report.runs.table import Table


@dataclass(frozen=True)
class Summary:
    """What many runs are like."""

    table: Table
    distributions: Mapping[str, Distribution]
    """By the name of the column."""
    outliers: Sequence[Outlier]
    patterns: Sequence[Pattern]
    contrasts: Sequence[Contrast]

    @property
    def solved(self) -> int:
        """How many sound runs say that they solved their task."""
        return sum(row.success is True for row in self.table.sound)

    @property
    def unsolved(self) -> int:
        """How many sound runs say that they did not."""
        return sum(row.success is False for row in self.table.sound)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        table = self.table
        return {
            "runs": len(table.runs),
            "with_errors": len(table.runs) - len(table.sound),
            "not_read": [{"place": row.place, "problems": list(row.problems)} for row in table.unread],
            "solved": self.solved,
            "unsolved": self.unsolved,
            "distributions": {
                name: {
                    "title": one.column.title, "unit": one.column.unit, "runs": one.count, "total": _finite(one.total),
                    "least": one.least, "first_quartile": one.first, "median": one.median,
                    "third_quartile": one.third, "most": one.most,
                }
                for name, one in self.distributions.items()
            },
            "outliers": [
                {"place": one.row.place, "measure": one.column.name, "value": one.value, "limit": one.limit}
                for one in self.outliers
            ],
            "patterns": {
                one.column.name: {
                    "measurable": one.known, "runs": one.runs, "total": _finite(one.total),
                    "examples": [row.place for row in one.examples],
                }
                for one in self.patterns
            },
            "solved_against_unsolved": {
                one.column.name: {
                    "solved": one.solved, "unsolved": one.unsolved,
                    "median_solved": one.medians[0], "median_unsolved": one.medians[1],
                    "superiority": one.superiority, "low": one.low, "high": one.high,
                    "p": one.p, "p_adjusted": one.adjusted,
                }
                for one in self.contrasts
            },
        }  # fmt: skip


def _finite(total: float) -> float | None:
    """Return a sum, or None if it is too large for a number in JSON."""
    return total if isfinite(total) else None


def summary(table: Table) -> Summary:
    """Return what the runs of a table are like."""
    spread = {one.column.name: one for one in distributions(table)}
    return Summary(table, spread, list(outliers(table)), list(patterns(table)), contrasts(table))
