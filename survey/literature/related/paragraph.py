"""Text on a selection from the pool: the sentence to cite, and a paragraph with citations, in three styles.

The text is generated from the taxonomy's labels and from counts. It is a skeleton, which the author of a related-work
section rewrites in their own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from survey.literature.pool import Entry, cell_label, cells, counted
from survey.literature.related.selection import Selection
from survey.literature.taxonomy import Axis, Shape

FEW = 6
"""Values with more entries than this are cited with entries of the covering set only."""

NOTICE = (
    "This is a skeleton. A program generated its sentences from the tags and counts of the pool; nobody wrote "
    "them about these works, and they do not judge the works. Each tag is one reading of a work: check its evidence, "
    "read the work, then write your own sentences."
)

LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\^{}"}
"""The escape of each character that is special in LaTeX."""

ACTIVE = frozenset("\\`*_[]<>{}#@$^~|")
"""The characters that are special in Markdown, as Pandoc reads it."""


class Style(StrEnum):
    """The output format of a text: it determines the citation syntax and the escaped characters."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"


class Writer:
    """Writes text on a selection in one style."""

    def __init__(self, found: Selection, style: Style) -> None:
        self.found, self.style, self.taxonomy = found, style, found.pool.taxonomy

    def count(self) -> str:
        """Return a sentence with the number of matching entries, of all entries, the edition and the fingerprint."""
        found = len(self.found.entries)
        labels = [(axis, self._labels(axis, values)) for axis, values in self.found.filters]
        return self._counted(_entries(found), str(found), labels)

    def pattern(self, places: Mapping[str, str]) -> str:
        """Return that sentence with ``{entries}``, ``{n}``, and a place for the label on each axis."""
        return self._counted("{entries}", "{n}", [(axis, places[axis]) for axis, _ in self.found.filters])

    def _counted(self, entries: str, number: str, labels: Sequence[tuple[str, str]]) -> str:
        pool, whole = self.found.pool, len(self.found.pool)
        edition = f"edition {pool.day}, data {pool.fingerprint}"
        holds = f"The pool of {self._quoted(self.taxonomy.title)} holds"
        if not labels:
            return f"{holds} {_entries(whole)} ({edition})."
        tagged = " and ".join(self._escaped(f"{self.taxonomy[axis].label.lower()}: {label}") for axis, label in labels)
        return f"{holds} {entries} tagged {tagged}{self._rank()} (n = {number} of {whole}, {edition})."

    def sentences(self) -> Iterator[str]:
        """Yield the sentences of the paragraph."""
        yield self.count()
        entries, path = self.found.entries, [step.entry for step in self.found.path]
        if not entries:
            yield from self._separate_matches()
            yield "This is a statement about that pool and its tags, not about the field."
            return
        first, last = (entries[place].appeared[:4] for place in (0, -1))
        when = f"in {first}" if first == last else f"between {first} and {last}"
        yield f"{'It' if len(entries) == 1 else 'They'} first became public {when}."
        for name in self.found.axes:
            yield from self._axis(self.taxonomy[name])
        if len(entries) > len(path) > 0:
            axes = join_words([self._escaped(self.taxonomy[name].label.lower()) for name in self.found.axes])
            minimal = ", the smallest such number" if self.found.smallest else ""
            having = f"{_entries(len(path))} {'has' if len(path) == 1 else 'together have'} every value"
            yield f"{having} that occurs among them on {axes}{minimal}{self._cited(path)}."

    def _axis(self, axis: Axis) -> Iterator[str]:
        """Yield a sentence on the entries by their values on an axis, as counted in tables."""
        cells = by_cell(self.found.entries, axis)
        valued = [f"{len(some)} {self._cell(axis, cell)}{self._cited(some)}" for cell, some in _valued(cells, axis)]
        without = [
            f"{len(some)} {self._cell(axis, cell)}"
            for cell, some in cells.items()
            if some and cell.partition(": ")[0] not in axis.values
        ]
        if valued:
            how = {Shape.RANKED: " (first value)", Shape.SET: " (an entry may have several)"}.get(axis.shape, "")
            rest = f"; without a value: {join_words(without)}" if without else ""
            yield f"By {self._escaped(axis.label.lower())}{how}: {join_words(valued)}{rest}."

    def _separate_matches(self) -> Iterator[str]:
        """Yield a sentence on the separate matches of each filter, if together they match nothing."""
        separate = [
            f"{len(some) or 'none'} {'are' if len(some) > 1 else 'is'} tagged {self._filter(*pair)}{self._cited(some)}"
            for pair, some in self.found.separate_matches
        ]
        if separate:
            yield f"Separately, {join_words(separate)}."

    def _filter(self, name: str, values: str) -> str:
        return self._escaped(f"{self.taxonomy[name].label.lower()}: {self._labels(name, values)}")

    def _labels(self, name: str, values: str) -> str:
        axis, labels = self.taxonomy[name], []
        for value in values.split(","):
            word, _, how = (part.strip() for part in value.partition(":"))
            label = " or ".join(self.taxonomy.label(name, found) for found in axis.resolve(word))
            labels.append(f"{label}, {axis.qualifiers[how].label}" if how else label)
        return " or ".join(labels)

    def _rank(self) -> str:
        if not any(self.taxonomy[axis].shape is Shape.RANKED for axis, _ in self.found.filters):
            return ""
        return ", by first value" if self.found.primary else ", at any rank"

    def _cell(self, axis: Axis, cell: str) -> str:
        return self._quoted(cell_label(self.taxonomy, axis, cell))

    def _cited(self, entries: Sequence[Entry]) -> str:
        """Return citations of the entries; if there are many, of those in the covering set only."""
        chosen = {step.entry.key for step in self.found.path}
        keys = [entry.key for entry in entries if len(entries) <= FEW or entry.key in chosen]
        some = len(keys) < len(entries)
        if not keys:
            return ""
        match self.style:
            case Style.LATEX:
                cited = f"\\cite{{{','.join(keys)}}}"
                return f" (e.g.~{cited})" if some else f"~{cited}"
            case Style.MARKDOWN:
                return f" [{'e.g. ' if some else ''}{'; '.join(f'@{key}' for key in keys)}]"
            case _:
                return f" [{'e.g. ' if some else ''}{'; '.join(keys)}]"

    def _quoted(self, text: str) -> str:
        return f"``{self._escaped(text)}''" if self.style is Style.LATEX else f"“{self._escaped(text)}”"

    def _escaped(self, text: str) -> str:
        """Return text of the taxonomy, escaped for the style."""
        match self.style:
            case Style.LATEX:
                return "".join(LATEX.get(c, c) for c in text)
            case Style.MARKDOWN:
                return "".join(f"\\{c}" if c in ACTIVE else c for c in text)
            case _:
                return text


def by_cell(entries: Sequence[Entry], axis: Axis) -> dict[str, list[Entry]]:
    """Return the entries by the cells of an axis in which tables count them, empty cells included."""
    grouped: dict[str, list[Entry]] = {cell: [] for cell in cells(axis)}
    for entry in entries:
        for cell in counted(entry, axis):
            grouped[cell].append(entry)
    return grouped


def _valued(grouped: Mapping[str, list[Entry]], axis: Axis) -> Iterator[tuple[str, list[Entry]]]:
    return ((cell, some) for cell, some in grouped.items() if some and cell.partition(": ")[0] in axis.values)


def _entries(number: int) -> str:
    return f"{number or 'no'} {'entry' if number < 2 else 'entries'}"


def join_words(parts: Sequence[str]) -> str:
    """Return the parts joined by commas, with "and" before the last."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
