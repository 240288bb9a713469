"""The files of a new survey: ``new_survey`` returns them, for ``survey init``.

The templates in ``files`` have the names of what they become; those of ``bib/`` and of the site are as short as they
can be, since the plugin adds what a site of this kind needs.
"""

from survey.site.scaffold.scaffold import Survey, new_survey

__all__ = ["Survey", "new_survey"]
