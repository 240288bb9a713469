"""Export of the pool: BibTeX, CSL-JSON, RIS, CSV, JSON, Parquet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from survey.literature.export.bib import to_bib, to_tagged_bib
from survey.literature.export.csl import to_csl_json
from survey.literature.export.ris import to_ris
from survey.literature.export.tables import to_csv, to_json, to_parquet
from survey.literature.pool import Pool

FORMATS: Final[dict[str, Callable[[Pool], bytes]]] = {
    "bib": lambda pool: to_bib(pool).encode(),
    "bib-tagged": lambda pool: to_tagged_bib(pool).encode(),
    "csl-json": lambda pool: to_csl_json(pool).encode(),
    "ris": lambda pool: to_ris(pool).encode(),
    "csv": lambda pool: to_csv(pool).encode(),
    "json": lambda pool: to_json(pool).encode(),
    "parquet": to_parquet,
}
"""For each format, a function from a pool to the bytes of a file."""
