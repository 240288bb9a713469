"""Notebooks as pages: executed once for what they depend on, then filled in and shown like any page.

``executed`` runs a notebook, or finds the run that is still true; ``filled`` puts live
figures and citations into its text; ``light`` makes a page of what a notebook plugin
gives; ``markdown`` writes it for generators that know no notebooks; ``tables`` are
the numbers in it, for pages that show them again.
"""

from survey.site.notebooks.execution import executed
from survey.site.notebooks.rendering import filled, light, markdown, tables

__all__ = ["executed", "filled", "light", "markdown", "tables"]
