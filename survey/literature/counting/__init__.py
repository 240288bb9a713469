"""Counts, cross-tabulations, timelines and scales. The taxonomy determines the rows and columns."""

from survey.literature.counting.counts import (
    CellCount,
    cell_counts,
    counts,
    crosstab,
    pair_counts,
    timeline,
    year_counts,
)
from survey.literature.counting.scale import disclosed_numbers, quantity_axis, undisclosed_counts

__all__ = [
    "CellCount", "cell_counts", "counts", "crosstab", "disclosed_numbers", "pair_counts", "quantity_axis",
    "timeline", "undisclosed_counts", "year_counts",
]  # fmt: skip
