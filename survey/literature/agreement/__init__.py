"""Inter-reader agreement by axis: raw agreement, kappa and alpha, with intervals."""

from survey.literature.agreement.pairs import (
    POOL,
    Absences,
    Agreement,
    Disagreement,
    Pair,
    agreement,
    reading,
    reading_pairs,
)
from survey.literature.agreement.readings import ReadingCounts, Readings, Reliability
from survey.literature.agreement.reliability import Estimate

__all__ = [
    "POOL", "Absences", "Agreement", "Disagreement", "Estimate", "Pair", "ReadingCounts", "Readings", "Reliability",
    "agreement", "reading", "reading_pairs",
]  # fmt: skip
