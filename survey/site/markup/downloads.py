"""The whole pool in each format: where it lies, what kind of file it is, and what stands in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Download:
    """A file with the whole pool in it."""

    form: str
    """What ``survey export`` calls the format."""
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
    "data/pool.csv": Download("csv", "text/csv", "A line for each entry, with its tags."),
    "data/pool.json": Download(
        "json", "application/json", "Every entry with its tags, their evidence, and the sources that were read."
    ),
    "data/pool.parquet": Download("parquet", "application/vnd.apache.parquet", "The table with its types."),
}
"""By address; published addresses stay."""
