"""Screening: the search log (``searches.toml``) and the criteria with what was decided by them (``protocol.toml``)."""

from survey.literature.pool.screening.protocol import Criterion, Decision, Protocol, Ruling, read_protocol
from survey.literature.pool.screening.routes import check_routes, check_rulings, routes_of
from survey.literature.pool.screening.searches import Route, Search, SearchLog, read_searches

__all__ = [
    "Criterion", "Decision", "Protocol", "Route", "Ruling", "Search", "SearchLog", "check_routes", "check_rulings",
    "read_protocol", "read_searches", "routes_of",
]  # fmt: skip
