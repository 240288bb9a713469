"""Claims as data, from ``claims.toml``: what each counts, what the number must be, and under which variants."""

from survey.literature.pool.claims.claim import All, Claim, Claims, Readings, Table, Variant, conditions, pairs
from survey.literature.pool.claims.reading import read_claims

__all__ = ["All", "Claim", "Claims", "Readings", "Table", "Variant", "conditions", "pairs", "read_claims"]
