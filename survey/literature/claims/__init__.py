"""Claims: their verdicts, how robust they are, and what changed between two editions.

``Judge`` decides a claim on a day by every reading, ``conclusions`` holds it against variants of the pool, ``changes``
compares two editions. What a claim asks is data: ``survey.literature.pool.claims_file``.
"""

from survey.literature.claims.changes import Cell, Changes, between, changes, figure, history
from survey.literature.claims.rankings import Order, Ranking, rankings
from survey.literature.claims.robustness import (
    Conclusion,
    Outcome,
    Standing,
    by_standing,
    conclusions,
    hangs_on,
    varied,
)
from survey.literature.claims.tallies import distribution
from survey.literature.claims.verdicts import NAMED, READINGS, SIGNS, Judge, Judgement, ledger, snapshots
from survey.literature.claims.wording import citable, question

__all__ = [
    "NAMED",
    "READINGS",
    "SIGNS",
    "Cell",
    "Changes",
    "Conclusion",
    "Judge",
    "Judgement",
    "Order",
    "Outcome",
    "Ranking",
    "Standing",
    "between",
    "by_standing",
    "changes",
    "citable",
    "conclusions",
    "distribution",
    "figure",
    "hangs_on",
    "history",
    "ledger",
    "question",
    "rankings",
    "snapshots",
    "varied",
]
