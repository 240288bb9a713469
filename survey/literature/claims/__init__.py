"""Claims: their verdicts, their robustness, and what changed between two editions.

``Judge`` judges a claim on a day by every reading, ``Certainties`` says how certain its numbers are, ``conclusions``
tests it in variants of the pool, ``changes`` compares two editions. Claims are data, read by
``survey.literature.pool.claims``.
"""

from survey.literature.claims.appraised import can_narrow, depends_on_size, narrowed
from survey.literature.claims.certainty import Certainties, Certainty
from survey.literature.claims.changes import Cell, Changes, changes, compare_copies, formatted_number, history
from survey.literature.claims.citing import Citation, citation, edition_bib
from survey.literature.claims.rankings import Order, Ranking, rankings
from survey.literature.claims.robustness import (
    Conclusion,
    Outcome,
    Standing,
    by_standing,
    conclusions,
    turning_entries,
    variant_pool,
)
from survey.literature.claims.tallies import distribution, where_it_applies
from survey.literature.claims.verdicts import (
    MEANINGS,
    NAMED,
    READINGS,
    SIGNS,
    Judge,
    Judgement,
    Status,
    ledger,
    readings_of,
    snapshots,
)
from survey.literature.claims.wording import interval_in_words, question

__all__ = [
    "MEANINGS", "NAMED", "READINGS", "SIGNS", "Cell", "Certainties", "Certainty", "Changes", "Citation", "Conclusion",
    "Judge", "Judgement", "Order", "Outcome", "Ranking", "Standing", "Status", "by_standing", "can_narrow", "changes",
    "citation", "compare_copies", "conclusions", "depends_on_size", "distribution", "edition_bib", "formatted_number",
    "history", "interval_in_words", "ledger", "narrowed", "question", "rankings", "readings_of", "snapshots",
    "turning_entries", "variant_pool", "where_it_applies",
]  # fmt: skip
