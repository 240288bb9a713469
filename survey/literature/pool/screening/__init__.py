"""Screening: the search log (``searches.toml``) and the criteria with what was decided by them (``protocol.toml``)."""

from survey.literature.pool.screening.protocol import (
    Criterion,
    Decision,
    Protocol,
    Ruling,
    Sourcing,
    read_protocol,
)
from survey.literature.pool.screening.routes import check_routes, check_rulings, routes_of
from survey.literature.pool.screening.searches import Route, Search, SearchLog, read_searches
from survey.literature.pool.screening.sourcing import check_sourcing

__all__ = [
    "Criterion", "Decision", "Protocol", "Route", "Ruling", "Search", "SearchLog", "Sourcing", "check_routes",
    "check_rulings", "check_sourcing", "read_protocol", "read_searches", "routes_of",
]  # fmt: skip
