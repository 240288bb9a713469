"""Gaps: where the pool is empty, in which way, and how surprising that is.

    >>> from datetime import date
    >>> from survey.literature import load
    >>> from survey.literature.gaps import gap_map
    >>> pool = load("bib").as_of(date(2026, 5, 4))
    >>> cell = gap_map(pool, "credit", "decision")["message", "stop: learned"]
    >>> cell.count, cell.kind.value
    (0, 'unstudied')

A gap is a fact about this pool. How unlikely it is under independence is another and a
weaker one; which cells cannot be filled at all is said by the taxonomy.
"""

from survey.literature.gaps.independence import Independence, independence, so_few
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
from survey.literature.gaps.neighbours import Neighbour, Surroundings, Trend, looked_since, steps
from survey.literature.gaps.triples import TripleCell, TripleMap, triple
from survey.literature.pool import standing_in_impossible_cells

__all__ = [
    "OPEN", "THIN", "Cell", "Gap", "GapMap", "Independence", "Kind", "Neighbour", "Surroundings", "Trend",
    "TripleCell", "TripleMap", "every_map", "gap_map", "gaps", "independence", "looked_since", "note_for", "pairs",
    "ranked", "so_few", "standing_in_impossible_cells", "steps", "triple",
]  # fmt: skip
