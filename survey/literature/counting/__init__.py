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
from survey.literature.counting.folding import FOLD, by_frequency, is_folded, leading
from survey.literature.counting.scale import disclosed_numbers, quantity_axis, undisclosed_counts

__all__ = [
    "FOLD", "CellCount", "by_frequency", "cell_counts", "counts", "crosstab", "disclosed_numbers", "is_folded",
    "leading", "pair_counts", "quantity_axis", "timeline", "undisclosed_counts", "year_counts",
]  # fmt: skip
