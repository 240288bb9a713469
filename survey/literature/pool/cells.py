"""The cells of an axis, and the cells of an entry.

The shape of a table comes from the taxonomy and never from the data: a value without entries is also a cell. On axes
with a primary value each entry counts once, by that value; on sets it counts under each of its values.
"""

from __future__ import annotations

from survey.literature.pool.entries import Entry
from survey.literature.pool.tags import Tag
from survey.literature.taxonomy import Axis, Shape, Taxonomy

NOT_CODED = "not-coded"
"""The cell of entries without a tag, on axes where tags are optional."""


def cells(axis: Axis) -> tuple[str, ...]:
    """Return every cell of an axis in order: values (with their qualifiers, if any), then absences.

    ``spawn: learned`` and ``spawn: designed`` are two cells.
    """
    values = [f"{value}: {how}" for value in axis.values for how in axis.qualifiers] or list(axis.values)
    return (*values, *axis.absences, *(() if axis.required else (NOT_CODED,)))


def cell_label(taxonomy: Taxonomy, axis: Axis, cell: str, language: str = "en") -> str:
    """Return the label of a cell."""
    if cell == NOT_CODED:
        return "not coded"
    word, _, how = cell.partition(": ")
    label = taxonomy.label(axis.id, word, language)
    return f"{label}, {axis.qualifiers[how].labels[language]}" if how else label


def mentioned(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """Return the cells of all values of an entry on an axis, primary or not."""
    return tuple(map(_cell, entry.tags.get(axis.id, ()))) or (NOT_CODED,)


def counted(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """Return the cells under which an entry counts: the primary one, or on a set all of them."""
    found = mentioned(entry, axis)
    return found if axis.shape in (Shape.SET, Shape.QUANTITY) else found[:1]


def _cell(tag: Tag) -> str:
    return f"{tag.word}: {tag.qualifier}" if tag.qualifier else tag.word
