"""Axes and values, read from ``bib/taxonomy.toml``: the only place that lists values.

``read_taxonomy`` returns a ``Taxonomy``; ``Tables`` is the base of readers for the other TOML files of ``bib/``. Every
room except ``bibtex`` may import this one.
"""

from survey.literature.taxonomy.axes import ID, ID_SHAPE, Absence, Axis, Shape, Step, Taxonomy, Term, Value
from survey.literature.taxonomy.licences import Licence, licence
from survey.literature.taxonomy.reading import read_taxonomy, read_toml
from survey.literature.taxonomy.settings import Settings
from survey.literature.taxonomy.toml_tables import Tables

__all__ = [
    "ID", "ID_SHAPE", "Absence", "Axis", "Licence", "Settings", "Shape", "Step", "Tables", "Taxonomy", "Term", "Value",
    "licence", "read_taxonomy", "read_toml",
]  # fmt: skip
