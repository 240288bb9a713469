"""The literature wing: a tagged BibTeX pool, checked, counted and exported.

    >>> from survey.literature import load
    >>> pool = load("bib")
    >>> pool["c3"].words("credit")
    ('message',)

``load`` reads a folder with ``pool.bib``, ``excluded.bib``, ``taxonomy.toml`` and ``codings/``. It returns an
immutable ``Pool``, or raises ``InvalidSurvey`` with every problem found. Axes and values are data, never code.
"""

from survey.literature.bibtex import Block, Name, parse_bibtex, read_bibtex, write_bibtex
from survey.literature.counting import counts, crosstab, timeline
from survey.literature.loading import counted_pool, load, read_pool
from survey.literature.pool import Coding, Entry, Judgement, Pool, Record, Tag, cells
from survey.literature.problems import InvalidSurvey, Problem
from survey.literature.taxonomy import Absence, Axis, Shape, Taxonomy, Value, read_taxonomy

__all__ = [
    "Absence", "Axis", "Block", "Coding", "Entry", "InvalidSurvey", "Judgement", "Name", "Pool",
    "Problem", "Record", "Shape", "Tag", "Taxonomy", "Value", "cells", "counted_pool", "counts", "crosstab", "load",
    "parse_bibtex", "read_bibtex", "read_pool", "read_taxonomy", "timeline", "write_bibtex",
]  # fmt: skip
