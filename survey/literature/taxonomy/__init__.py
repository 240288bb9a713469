"""Axes and values, read from ``bib/taxonomy.toml``: the only place that lists values.

``read_taxonomy`` returns a ``Taxonomy``; ``Tables`` is the base of readers for the other TOML files of ``bib/``. Every
room except ``bibtex`` may import this one.
"""

from survey.literature.taxonomy.axes import HUES, ID, ID_SHAPE, Absence, Axis, Shape, Step, Taxonomy, Term, Value
from survey.literature.taxonomy.examples import NEUTRAL, examples
from survey.literature.taxonomy.licences import Licence, licence
from survey.literature.taxonomy.reading import read_taxonomy, read_toml
from survey.literature.taxonomy.settings import ADDRESS, Settings
from survey.literature.taxonomy.toml_tables import Tables

__all__ = [
    "ADDRESS", "HUES", "ID", "ID_SHAPE", "NEUTRAL", "Absence", "Axis", "Licence", "Settings", "Shape", "Step",
    "Tables", "Taxonomy", "Term", "Value", "examples", "licence", "read_taxonomy", "read_toml",
]  # fmt: skip
