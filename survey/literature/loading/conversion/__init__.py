"""Turning a BibTeX file that was not written for this format into a pool, for ``survey init --from``.

``convert`` returns a ``Conversion``: the entries in this format, an axis made from what the file has, what could not
be taken as it was written, and what was changed, by kind. Nothing is lost: a text is in the pool, or set aside.
"""

from survey.literature.loading.conversion.conversion import Change, Conversion, convert
from survey.literature.loading.conversion.foreign import Aside
from survey.literature.loading.conversion.grouping import Grouping

__all__ = ["Aside", "Change", "Conversion", "Grouping", "convert"]
