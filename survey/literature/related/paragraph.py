"""A selection from the pool in words: the sentence to cite, and sentences with citations, for three styles.

Every word that is not the taxonomy's is the program's, and every number is counted: a
skeleton, which the writer of a related-work section makes into sentences of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from survey.literature.pool import Entry, cell_label, cells, counted
from survey.literature.related.selection import Selection
from survey.literature.taxonomy import Axis, Shape

FEW = 6
"""A value that more entries carry is cited by those of the reading path alone."""

NOTICE = (
    "This is a skeleton. A program put its sentences together from the tags and counts of the pool; nobody wrote "
    "them about these works, and they judge nothing. Each tag is one reading of a work: see the evidence behind it, "
    "read the work, then write sentences of your own."
)

LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\^{}"}
"""What stands in LaTeX for each character that it would obey."""

ACTIVE = frozenset("\\`*_[]<>{}#@$^~|")
"""The characters that Markdown (as Pandoc reads it) would obey."""


class Style(StrEnum):
    """What a paragraph is written for: it decides how works are cited and which characters are escaped."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"


class Writer:
    """Says in one style what a filter selects."""

    def __init__(self, found: Selection, style: Style) -> None:
        self.found, self.style, self.taxonomy = found, style, found.pool.taxonomy

    def count(self) -> str:
        """How many entries match, of how many, in which edition of which data."""
        found, whole = len(self.found.entries), len(self.found.pool)
        edition = f"edition {self.found.pool.day}, data {self.found.pool.fingerprint}"
        pool = f"The pool of {self._quoted(self.taxonomy.title)} holds"
        if not self.found.filters:
            return f"{pool} {_entries(whole)} ({edition})."
        tagged = " and ".join(self._filter(axis, values) for axis, values in self.found.filters)
        return f"{pool} {_entries(found)} tagged {tagged}{self._rank()} (n = {found} of {whole}, {edition})."

    def sentences(self) -> Iterator[str]:
        """Every sentence of the paragraph."""
        yield self.count()
        entries, path = self.found.entries, [step.entry for step in self.found.path]
        if not entries:
            yield from self._each_alone()
            yield "This is a statement about that pool, as it is tagged there, and not about the field."
            return
        first, last = (entries[place].appeared[:4] for place in (0, -1))
        when = f"in {first}" if first == last else f"between {first} and {last}"
        yield f"{'It' if len(entries) == 1 else 'They'} first became public {when}."
        for name in self.found.axes:
            yield from self._axis(self.taxonomy[name])
        if len(entries) > len(path) > 0:
            axes = listed([self._escaped(self.taxonomy[name].label.lower()) for name in self.found.axes])
            fewer = ", and no fewer do" if self.found.smallest else ""
            having = f"{_entries(len(path))} {'has' if len(path) == 1 else 'together have'} every value"
            yield f"{having} that occurs among them on {axes}{fewer}{self._cited(path)}."

    def _axis(self, axis: Axis) -> Iterator[str]:
        """How the entries stand on an axis, by the values under which tables count them."""
        standing = spread(self.found.entries, axis)
        told = [f"{len(some)} {self._cell(axis, cell)}{self._cited(some)}" for cell, some in _valued(standing, axis)]
        without = [
            f"{len(some)} {self._cell(axis, cell)}"
            for cell, some in standing.items()
            if some and cell.partition(": ")[0] not in axis.values
        ]
        if told:
            how = {Shape.RANKED: " (first value)", Shape.SET: " (an entry may have several)"}.get(axis.shape, "")
            rest = f"; without a value: {listed(without)}" if without else ""
            yield f"By {self._escaped(axis.label.lower())}{how}: {listed(told)}{rest}."

    def _each_alone(self) -> Iterator[str]:
        """What each of several filters selects by itself, if together they select nothing."""
        alone = [
            f"{len(some) or 'none'} {'are' if len(some) > 1 else 'is'} tagged {self._filter(*pair)}{self._cited(some)}"
            for pair, some in self.found.alone
        ]
        if alone:
            yield f"Taken alone, {listed(alone)}."

    def _filter(self, name: str, values: str) -> str:
        axis = self.taxonomy[name]
        labels = []
        for value in values.split(","):
            word, _, how = (part.strip() for part in value.partition(":"))
            label = " or ".join(self.taxonomy.label(name, found) for found in axis.resolve(word))
            labels.append(f"{label}, {axis.qualifiers[how].label}" if how else label)
        return self._escaped(f"{axis.label.lower()}: {' or '.join(labels)}")

    def _rank(self) -> str:
        if not any(self.taxonomy[axis].shape is Shape.RANKED for axis, _ in self.found.filters):
            return ""
        return ", by first value" if self.found.primary else ", at any rank"

    def _cell(self, axis: Axis, cell: str) -> str:
        return self._quoted(cell_label(self.taxonomy, axis, cell))

    def _cited(self, entries: Sequence[Entry]) -> str:
        """The entries in brackets after what is said of them; of many, those that are in the reading path."""
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
        """Text of the taxonomy, so that the style shows it as it is."""
        match self.style:
            case Style.LATEX:
                return "".join(LATEX.get(c, c) for c in text)
            case Style.MARKDOWN:
                return "".join(f"\\{c}" if c in ACTIVE else c for c in text)
            case _:
                return text


def spread(entries: Sequence[Entry], axis: Axis) -> dict[str, list[Entry]]:
    """The entries by the cells of an axis under which tables count them, empty cells included."""
    standing: dict[str, list[Entry]] = {cell: [] for cell in cells(axis)}
    for entry in entries:
        for cell in counted(entry, axis):
            standing[cell].append(entry)
    return standing


def _valued(standing: Mapping[str, list[Entry]], axis: Axis) -> Iterator[tuple[str, list[Entry]]]:
    return ((cell, some) for cell, some in standing.items() if some and cell.partition(": ")[0] in axis.values)


def _entries(number: int) -> str:
    return f"{number or 'no'} {'entry' if number < 2 else 'entries'}"


def listed(parts: Sequence[str]) -> str:
    """Parts in a row, with an "and" before the last."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
