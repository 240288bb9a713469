"""Downloads of the whole pool: address, media type and description of each format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Download:
    """A file that holds the whole pool."""

    form: str
    """The name of the format in ``survey export``."""
    media: str
    words: str


DOWNLOADS = {
    "data/pool.bib": Download("bib", "application/x-bibtex", "Every entry in BibTeX, for citing."),
    "data/pool-tagged.bib": Download(
        "bib-tagged",
        "application/x-bibtex",
        "Every entry in BibTeX with its tags and their evidence: the source of the survey.",
    ),
    "data/pool.csl.json": Download(
        "csl-json",
        "application/vnd.citationstyles.csl+json",
        "Every entry in CSL-JSON, for Pandoc and reference managers.",
    ),
    "data/pool.ris": Download("ris", "application/x-research-info-systems", "Every entry in RIS."),
    "data/pool.csv": Download("csv", "text/csv", "One line per entry, with its tags."),
    "data/pool.json": Download(
        "json", "application/json", "Every entry with its tags, their evidence, and the sources read."
    ),
    "data/pool.parquet": Download(
        "parquet", "application/vnd.apache.parquet", "The table of entries with typed columns."
    ),
}
"""By address; published addresses stay."""
