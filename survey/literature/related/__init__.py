"""Support for related-work sections: selection, covering set, works to know first, paragraph, nearest entries."""

from survey.literature.related.first import first_to_know, order_in_words, passes, reasons, strict_reading
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
    "first_to_know",
    "in_reading_order",
    "neighbours",
    "order_in_words",
    "passes",
    "reasons",
    "related",
    "strict_reading",
]
