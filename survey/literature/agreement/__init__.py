"""Inter-reader agreement by axis, with intervals; and what it means for counts: intervals for misclassification."""

from survey.literature.agreement.pairs import (
    POOL,
    Absences,
    Agreement,
    Disagreement,
    Pair,
    agreement,
    coding_pairs,
    reading,
    reading_pairs,
)
from survey.literature.agreement.readings import ReadingCounts, Readings, Reliability
from survey.literature.agreement.reliability import Estimate
from survey.literature.agreement.sources import Sources
from survey.literature.agreement.uncertainty import (
    Figure,
    Uncertainty,
    cell_interval,
    interval,
    near_threshold,
    readings_of,
)

__all__ = [
    "POOL", "Absences", "Agreement", "Disagreement", "Estimate", "Figure", "Pair", "ReadingCounts", "Readings",
    "Reliability", "Sources", "Uncertainty", "agreement", "cell_interval", "coding_pairs", "interval", "near_threshold",
    "reading", "reading_pairs", "readings_of",
]  # fmt: skip
