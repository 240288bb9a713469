"""Editions: the published snapshots, and what makes them immutable.

``bib/editions.toml`` lists them, each with the fingerprint of its data once it is published. What was changed in its
works since is in ``bib/editions/DAY.csv``, as published; ``published_works`` puts it back. ``bib/editions/DAY.sums``
has a checksum per work and per field, so that ``check_editions`` can name what differs. ``recording`` writes them.
"""

from survey.literature.pool.editions.checking import check_editions
from survey.literature.pool.editions.edition import Edition, Erratum, Row, fingerprint
from survey.literature.pool.editions.keys import aliases, check_former_keys, check_published_keys
from survey.literature.pool.editions.reading import FOLDER, read_editions
from survey.literature.pool.editions.recording import (
    formatted_rows,
    rows_between,
    with_data,
    with_edition,
    with_erratum,
)
from survey.literature.pool.editions.restoring import Works, published_works, works_by_date
from survey.literature.pool.editions.sums import formatted_sums

__all__ = [
    "FOLDER", "Edition", "Erratum", "Row", "Works", "aliases", "check_editions", "check_former_keys",
    "check_published_keys", "fingerprint", "formatted_rows", "formatted_sums", "published_works", "read_editions",
    "rows_between", "with_data", "with_edition", "with_erratum", "works_by_date",
]  # fmt: skip
