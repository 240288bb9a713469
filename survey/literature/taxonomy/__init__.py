"""Axes and values, read from ``bib/taxonomy.toml``: the only place that lists values.

``read_taxonomy`` gives a ``Taxonomy``; ``Tables`` reads the other TOML files of ``bib/`` with the same checks.
Asked by every room but ``bibtex``.
"""

from survey.literature.taxonomy.axes import ID, Absence, Axis, Shape, Taxonomy, Term, Value
from survey.literature.taxonomy.reading import read_taxonomy, read_toml
from survey.literature.taxonomy.toml_tables import Tables

__all__ = ["ID", "Absence", "Axis", "Shape", "Tables", "Taxonomy", "Term", "Value", "read_taxonomy", "read_toml"]
