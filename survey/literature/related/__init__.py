"""Support for related-work sections: selection, shortest reading path, paragraph skeleton, nearest entries."""

from survey.literature.related.nearest import Neighbours, neighbours
from survey.literature.related.paragraph import NOTICE, Style
from survey.literature.related.related import Related, by_preference, in_reading_order, related
from survey.literature.related.selection import Filter

__all__ = [
    "NOTICE",
    "Filter",
    "Neighbours",
    "Related",
    "Style",
    "by_preference",
    "in_reading_order",
    "neighbours",
    "related",
]
