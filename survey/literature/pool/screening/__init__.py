"""Screening: the search log, the criteria, and what was decided on each candidate.

``searches.toml`` is the log, with what the scout looks for and saw; ``protocol.toml`` has the criteria with what was
decided by them, ``screened.csv`` the queue with its decisions.
"""

from survey.literature.pool.screening.protocol import (
    Criterion,
    Decision,
    Protocol,
    Ruling,
    Sourcing,
    read_protocol,
)
from survey.literature.pool.screening.routes import check_routes, check_rulings, routes_of
from survey.literature.pool.screening.scouting import (
    BUDGETS,
    Ask,
    Evaluation,
    Floor,
    Month,
    Run,
    Scouting,
    read_scouting,
)
from survey.literature.pool.screening.screened import COLUMNS as SCREENED_COLUMNS
from survey.literature.pool.screening.screened import Screened, Screening, read_screened, screening_ids
from survey.literature.pool.screening.searches import Route, Search, SearchLog, read_searches
from survey.literature.pool.screening.sourcing import check_sourcing

__all__ = [
    "BUDGETS", "SCREENED_COLUMNS", "Ask", "Criterion", "Decision", "Evaluation", "Floor", "Month", "Protocol", "Route",
    "Ruling", "Run", "Scouting", "Screened", "Screening", "Search", "SearchLog", "Sourcing", "check_routes",
    "check_rulings", "check_sourcing", "read_protocol", "read_scouting", "read_screened", "read_searches", "routes_of",
    "screening_ids",
]  # fmt: skip
