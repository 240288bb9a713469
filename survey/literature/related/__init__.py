"""What to read and cite for a cell: selection, shortest reading path, paragraph, nearest entries."""

from survey.literature.related.nearest import neighbours
from survey.literature.related.paragraph import NOTICE, Style
from survey.literature.related.related import Related, in_reading_order, preferred, related
from survey.literature.related.selection import Filter

__all__ = ["NOTICE", "Filter", "Related", "Style", "in_reading_order", "neighbours", "preferred", "related"]
