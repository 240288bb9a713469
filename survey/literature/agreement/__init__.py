"""Agreement between readers: raw, kappa, alpha, with intervals, axis by axis."""

from survey.literature.agreement.pairs import (
    POOL,
    Absences,
    Agreement,
    Disagreement,
    Pair,
    agreement,
    compared,
    reading,
)
from survey.literature.agreement.reliability import Estimate

__all__ = ["POOL", "Absences", "Agreement", "Disagreement", "Estimate", "Pair", "agreement", "compared", "reading"]
