"""Counts, cross-tabulations, timelines and scales: tables whose shape comes from the taxonomy."""

from survey.literature.counting.counts import (
    CellCount,
    cell_counts,
    counts,
    crosstab,
    pair_counts,
    timeline,
    year_counts,
)
from survey.literature.counting.scale import disclosed, quantity_axis, silence

__all__ = [
    "CellCount",
    "cell_counts",
    "counts",
    "crosstab",
    "disclosed",
    "pair_counts",
    "quantity_axis",
    "silence",
    "timeline",
    "year_counts",
]
