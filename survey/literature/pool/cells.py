"""The cells of an axis, and those in which an entry stands.

The shape of a table comes from the taxonomy and never from the data: a value without entries is a
cell, too. Axes whose first value is the primary one count each entry once, by that value; sets
count it under each.
"""

from __future__ import annotations

from survey.literature.pool.entries import Entry
from survey.literature.pool.tags import Tag
from survey.literature.taxonomy import Axis, Shape, Taxonomy

NOT_CODED = "not-coded"
"""The row of entries that have no tag on an axis that does not ask for one."""


def cells(axis: Axis) -> tuple[str, ...]:
    """Every cell of an axis in order: values (with how, where the axis asks it), then absences.

    ``spawn: learned`` and ``spawn: designed`` are two cells.
    """
    values = [f"{value}: {how}" for value in axis.values for how in axis.qualifiers] or list(axis.values)
    return (*values, *axis.absences, *(() if axis.required else (NOT_CODED,)))


def cell_label(taxonomy: Taxonomy, axis: Axis, cell: str, language: str = "en") -> str:
    """The label of a cell for a reader."""
    if cell == NOT_CODED:
        return "not coded"
    word, _, how = cell.partition(": ")
    label = taxonomy.label(axis.id, word, language)
    return f"{label}, {axis.qualifiers[how].labels[language]}" if how else label


def mentioned(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """The cells an entry stands in on an axis, primary or not."""
    return tuple(map(_cell, entry.tags.get(axis.id, ()))) or (NOT_CODED,)


def counted(entry: Entry, axis: Axis) -> tuple[str, ...]:
    """The cells under which an entry counts: its primary one, or on a set all of them."""
    found = mentioned(entry, axis)
    return found if axis.shape in (Shape.SET, Shape.QUANTITY) else found[:1]


def _cell(tag: Tag) -> str:
    return f"{tag.word}: {tag.qualifier}" if tag.qualifier else tag.word
