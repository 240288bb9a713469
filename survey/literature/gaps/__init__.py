"""Gaps: the empty cells of the pool, why they are empty, and how surprising that is.

    >>> from datetime import date
    >>> from survey.literature import load
    >>> from survey.literature.gaps import gap_map
    >>> pool = load("bib").as_of(date(2026, 5, 4))
    >>> cell = gap_map(pool, "credit", "decision")["message", "stop: learned"]
    >>> cell.count, cell.kind.value
    (0, 'unstudied')

A gap is a fact about this pool. How unlikely it is under independence is a weaker one. The taxonomy defines which cells
are impossible.
"""

from survey.literature.gaps.independence import PERMUTATIONS, SEED, Independence, hypergeometric_cdf, independence
from survey.literature.gaps.maps import (
    OPEN,
    THIN,
    Cell,
    Gap,
    GapMap,
    Kind,
    every_map,
    gap_map,
    gaps,
    note_for,
    pairs,
    ranked,
)
from survey.literature.gaps.neighbours import Neighbour, Surroundings, Trend, search_start, steps
from survey.literature.gaps.triples import TripleCell, TripleMap, triple
from survey.literature.pool import check_impossible_cells

__all__ = [
    "OPEN", "PERMUTATIONS", "SEED", "THIN", "Cell", "Gap", "GapMap", "Independence", "Kind", "Neighbour",
    "Surroundings", "Trend", "TripleCell", "TripleMap", "check_impossible_cells", "every_map", "gap_map", "gaps",
    "hypergeometric_cdf", "independence", "note_for", "pairs", "ranked", "search_start", "steps", "triple",
]  # fmt: skip
