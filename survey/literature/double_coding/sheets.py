"""What a reader is shown: the work without its tags, the codebook of an axis, and blank sheets to fill in elsewhere.

A blind reader sees what the work says of itself: title, authors, venue, links, and the abstract if the entry has one.
Summary, evidence, confidence and reading depth are words of the first reader, and could give the tags away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from survey.escaping import csv_text
from survey.literature.bibtex import readable
from survey.literature.double_coding.readings import PairId
from survey.literature.pool import COLUMNS, NOTES, Entry, Pool
from survey.literature.taxonomy import Axis, Shape, Taxonomy

CONTEXT = ("title", "authors", "venue", "links", "question", "values")
"""Columns of a sheet that tell the reader what to read; they are not read back."""

SHEET = ("key", "title", "authors", "venue", "links", "axis", "question", "values", *COLUMNS[2:], *NOTES)

HOW_MANY = {
    Shape.ONE: "exactly one",
    Shape.RANKED: 'the most important first, more after ";"',
    Shape.SET: 'all that apply, with ";" between them',
    Shape.QUANTITY: 'with numbers, as in "NAME: 100"; more after ";"',
}


def work(entry: Entry) -> dict[str, str]:
    """Return what a blind reader may know of a work: nothing in it was written by the first reader."""
    links = dict.fromkeys(
        [*([entry.url] if entry.url else []), *entry.text("code").split(), *entry.text("sources").split()]
    )
    return {
        "title": entry.title,
        "authors": "; ".join(map(str, entry.authors)),
        "venue": f"{entry.venue}, {entry.year}" if entry.venue else str(entry.year),
        "links": " ".join(link for link in links if link),
        "abstract": readable(entry.text("abstract")),
    }


def codebook(axis: Axis, taxonomy: Taxonomy, entry: Entry | None = None) -> Iterator[str]:
    """Yield the definition of an axis and of its values; examples that name the entry are left out."""
    yield f"{axis.label}: {axis.definition}"
    how = f", each followed by {' or '.join(f': {name}' for name in axis.qualifiers)}" if axis.qualifiers else ""
    yield f"Expected: {HOW_MANY[axis.shape]}{how}."
    for value in axis.values.values():
        yield f"  {value.id}: {value.definition}"
        for name, text in (("rule", value.rule), ("for example", value.positive), ("but not", value.negative)):
            if text and not (entry and _names(text, entry)):
                yield f"      {name}: {text}"
    for qualifier in axis.qualifiers.values():
        if qualifier.definition:
            yield f"  : {qualifier.id}: {qualifier.definition}"
    for absence in axis.absences:
        yield f"  {absence}: {taxonomy.absences[absence].definition}"


def blank_sheet(pool: Pool, pairs: Iterable[PairId]) -> str:
    """Return a sheet as CSV: a row per pair with the work, the question, the possible values, and cells to fill in."""
    rows = []
    for key, id in pairs:
        axis, about = pool.taxonomy[id], work(pool[key])
        words = [f"{word}: N" if axis.shape is Shape.QUANTITY and word in axis.values else word for word in axis.words]
        how = f" (each followed by {' or '.join(f': {name}' for name in axis.qualifiers)})" if axis.qualifiers else ""
        known = about | {"key": key, "axis": id, "question": axis.definition, "blind": "yes"}
        known["values"] = f"{HOW_MANY[axis.shape]}: {' | '.join(words)}{how}"
        rows.append([known.get(column, "") for column in SHEET])
    return csv_text(SHEET, *rows)


def _names(text: str, entry: Entry) -> bool:
    """Return whether an example names a work: by its title up to a colon, or by its key without the year."""
    names = {entry.title, entry.title.partition(":")[0], re.sub(r"-?(?:19|20)[0-9]{2}$", "", entry.key)}
    folded = _folded(text)
    return any(f" {_folded(name)} " in f" {folded} " for name in names if len(_folded(name)) > 2)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower().replace("-", "")))
