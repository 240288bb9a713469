"""Entries and records: BibTeX blocks checked against the taxonomy, with typed tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from types import MappingProxyType

from survey.literature.bibtex import (
    CHECKS,
    CITED,
    FORMER,
    MONTHS,
    OWN,
    Block,
    Document,
    Name,
    check_combinations,
    check_field,
    parse_names,
    readable,
)
from survey.literature.pool.tags import Parsed, Tag, derived_tags, format_tags, parse_once
from survey.literature.problems import Problem, expected, quoted
from survey.literature.taxonomy import ADDRESS, Absence, Axis, Taxonomy

PREFIXES = ("tag-", "why-")


@dataclass(frozen=True, slots=True)
class Entry:
    """A retained work: its citation data, its tags, and the evidence for each tag."""

    block: Block
    tags: Mapping[str, tuple[Tag, ...]]
    path: str = ""
    known: str = ""
    """The day on which a work was read that is dated later, and of which nobody noted when it was added."""

    @property
    def key(self) -> str:
        """The citation key. Published keys never change."""
        return self.block.key

    @property
    def title(self) -> str:
        """The title for display, without LaTeX."""
        return readable(self.text("title"))

    @property
    def authors(self) -> tuple[Name, ...]:
        """Every author, in order."""
        return parse_names(self.text("author"))

    @property
    def by(self) -> str:
        """The authors as cited in a sentence, for example ``Chen et al.``."""
        names = [name.last for name in self.authors]
        if len(names) == 1:
            return f"{names[0]} et al." if self.text("authors-incomplete") else names[0]
        return f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."

    @property
    def year(self) -> int:
        """The year of the cited version."""
        return int(self.text("year"))

    @property
    def month(self) -> int | None:
        """The month of the cited version, if known."""
        return MONTHS.index(self.text("month")) + 1 if self.text("month") else None

    @property
    def venue(self) -> str:
        """The place of publication; for a preprint its arXiv id."""
        for name in ("journal", "booktitle", "howpublished", "institution", "school", "publisher", "organization"):
            if self.text(name):
                return readable(self.text(name))
        return f"arXiv:{self.text('eprint')}" if self.text("eprint") else ""

    @property
    def appeared(self) -> str:
        """When the work first was public: YYYY, YYYY-MM or YYYY-MM-DD. A preprint is public once it is announced.

        Where nobody knows that day, it is the day of its first version, which is a few days earlier. Entries of
        former editions have only ``appeared``.
        """
        for name in ("announced", "submitted", "appeared"):
            if self.text(name):
                return self.text(name)
        return f"{self.year}-{self.month:02}" if self.month else str(self.year)

    @property
    def added(self) -> str:
        """The day it was added to the pool, YYYY-MM-DD; where nobody noted it, the first day of ``appeared``.

        A work that appears after the day on which it was read was added by that day.
        """
        return self.text("added") or self.known or f"{self.appeared}-01-01"[:10]

    def had_appeared(self, day: date) -> bool:
        """Return whether the work had surely appeared by the end of a day: a whole month or year must be over."""
        appeared, iso = self.appeared, day.isoformat()
        return appeared <= iso if len(appeared) == len(iso) else appeared < iso[: len(appeared)]

    @property
    def url(self) -> str:
        """The URL of the work; empty if nothing leads to it."""
        if self.text("url"):
            return self.text("url")
        if self.text("doi"):
            return f"https://doi.org/{self.text('doi')}"
        return f"https://arxiv.org/abs/{self.text('eprint')}" if self.text("eprint") else ""

    def text(self, name: str) -> str:
        """Return the raw text of a field; empty if there is none."""
        return self.block.text(name)

    def why(self, axis: str) -> str:
        """Return the evidence for the tags on an axis."""
        return self.block.text(f"why-{axis}")

    def primary(self, axis: str) -> str:
        """Return the first word on an axis; empty if the axis is not coded."""
        tags = self.tags.get(axis, ())
        return tags[0].word if tags else ""

    def words(self, axis: str) -> tuple[str, ...]:
        """Return all words on an axis, the primary one first."""
        return tuple(tag.word for tag in self.tags.get(axis, ()))


class Record(Entry):
    """A screened-out work: its citation data, the stage at which it was excluded, and the reason."""

    __slots__ = ()


Checked = dict[int, tuple["Entry", list[Problem]]]
"""Entries that were checked before against a taxonomy, with their problems, by the identity of their blocks."""


def read_entries(
    document: Document, taxonomy: Taxonomy, checked: Checked | None = None
) -> tuple[tuple[Entry, ...], list[Problem]]:
    """Return the entries of a document, and their problems.

    ``checked`` are those of an earlier reading with the same taxonomy; it then holds those of this one.
    """
    reading = _Reading(document.path, taxonomy, "entry")
    found: Checked = {}
    for block in document.blocks:
        known = checked.get(id(block)) if checked else None
        if not known or known[0].block is not block:
            number = len(reading.problems)
            entry = Entry(block, reading.tags(block), document.path)
            known = entry, reading.problems[number:]
        found[id(block)] = known
    if checked is not None:
        checked.clear()
        checked.update(found)
    problems = [problem for _, own in found.values() for problem in own]
    return tuple(entry for entry, _ in found.values()), [*document.problems, *problems]


def read_records(document: Document, taxonomy: Taxonomy) -> tuple[tuple[Record, ...], list[Problem]]:
    """Return the excluded records of a document, and their problems."""
    reading = _Reading(document.path, taxonomy, "record")
    records = tuple(Record(block, reading.tags(block), document.path) for block in document.blocks)
    return records, [*document.problems, *reading.problems]


def read_background(document: Document, taxonomy: Taxonomy) -> tuple[tuple[Entry, ...], list[Problem]]:
    """Return the works that are cited in prose but not counted, checked as citations only, and their problems."""
    reading = _Reading(document.path, taxonomy, "background")
    works = tuple(Entry(block, reading.tags(block), document.path) for block in document.blocks)
    return works, [*document.problems, *reading.problems]


def known_by(entries: Iterable[Entry], day: date) -> tuple[Entry, ...]:
    """Return entries as read on a day: nobody noted when some were added, but none was after it."""
    iso = day.isoformat()
    return tuple(replace(entry, known=iso) if _is_dated_after(entry, iso) else entry for entry in entries)


def _is_dated_after(entry: Entry, day: str) -> bool:
    try:
        return not entry.text("added") and entry.added > day
    except ValueError:  # what is no year or month is a problem already
        return False


def check_days(works: Iterable[Entry], latest: date) -> list[Problem]:
    """Return a problem for every work that was taken in after a day, which is the latest that can be today."""
    iso = latest.isoformat()
    return [
        Problem(work.path, work.block.fields[name].line, f"{day} is in the future (today is {iso})", work.key, name)
        for work in works
        for name in ("added", "screened")
        if (day := work.text(name)) > iso and not any(CHECKS[name](day))  # what is no date is a problem already
    ]


def restored_tags(block: Block, axes: Sequence[Axis], parsed: Parsed) -> Mapping[str, tuple[Tag, ...]]:
    """Return the tags of a block as an edition published it: it was checked then, and is not checked again.

    ``parsed`` holds what was read of other blocks, and then what was read of this one.
    """
    found = {a.id: parse_once(block.text(a.field), a, parsed)[0] for a in axes if a.field in block.fields}
    found |= {a.id: derived_tags(a, found) for a in axes if a.steps and a.id not in found}
    return MappingProxyType({a.id: tags for a in axes if (tags := found.get(a.id))})


class _Reading:
    """Checks blocks against the axes of entries (or of records)."""

    def __init__(self, path: str, taxonomy: Taxonomy, on: str) -> None:
        self.path, self.taxonomy, self.on = path, taxonomy, on
        self.axes = taxonomy.on(on)
        self.derived = {axis.field: axis for axis in self.axes if axis.steps}
        self.axis_fields = {axis.field for axis in self.axes if not axis.steps}
        self.axis_fields |= {axis.why for axis in self.axes if axis.evidence}
        self.known = self.axis_fields | set(CITED) | set(OWN)
        required = {"entry": taxonomy.settings.required, "record": ("screened",)}.get(on, ())
        self.required = tuple(name for name in required if name != ADDRESS)
        self.addressed = ADDRESS in taxonomy.settings.required
        self.problems: list[Problem] = []
        self._parsed: Parsed = {}

    def tags(self, block: Block) -> Mapping[str, tuple[Tag, ...]]:
        for name, field in block.fields.items():
            self._name(block, name)
            if name not in self.axis_fields:
                self._report(block, name, check_field(name, field.text))
        for name, message in check_combinations(block):
            self._report(block, name, [message])
        if self.addressed and not block.fields.keys() & {"url", "doi", "eprint"}:
            self._report(block, "url", ["is missing (an entry needs a url, a doi or an eprint)"])
        for name in self.required:
            if name not in block.fields:
                self._report(block, name, ["is missing"])
        tags = {axis.id: found for axis in self.axes if not axis.steps and (found := self._tagged(block, axis))}
        tags |= {axis.id: found for axis in self.derived.values() if (found := self._derived(block, axis, tags))}
        self._rules(block, tags)
        return MappingProxyType({axis.id: tags[axis.id] for axis in self.axes if axis.id in tags})

    def _name(self, block: Block, name: str) -> None:
        """Report unknown fields with our prefixes, and other unknown fields that look like misspellings."""
        if name in self.known:
            return
        if name in FORMER:
            self._report(block, name, [f"is no longer a field ({FORMER[name]})"])
            return
        if name in self.derived:
            parts = ", ".join(self.taxonomy[part].field for part in self.derived[name].parts)
            self._report(block, name, [f"follows from {parts} (delete it)"])
            return
        if name.startswith(PREFIXES):
            self._report(block, name, [f"is not a field of this survey {expected(name, sorted(self.axis_fields))}"])
        elif near := get_close_matches(name, self.known, n=1, cutoff=0.84):
            self._report(block, name, [f'is not a field that anything reads (did you mean "{near[0]}"?)'])

    def _tagged(self, block: Block, axis: Axis) -> tuple[Tag, ...]:
        if axis.field not in block.fields:
            if axis.required:
                self._report(block, axis.field, [f"is missing {expected('', axis.words)}"])
            elif axis.why in block.fields and not axis.part_of:
                self._report(block, axis.why, [f"is evidence for a tag that is not there ({axis.field})"])
            return ()
        tags, problems = parse_once(block.text(axis.field), axis, self._parsed)
        self._report(block, axis.field, problems)
        self._supported(block, axis, tags, block.text(axis.field))
        return tags

    def _derived(self, block: Block, axis: Axis, tags: Mapping[str, tuple[Tag, ...]]) -> tuple[Tag, ...]:
        """Return what follows from the tags of a block on the parts of an axis; nothing if one of them is missing."""
        parts = [part for part in axis.parts if part in tags]
        found = derived_tags(axis, tags)
        if found:
            self._supported(block, axis, found, format_tags(found))
        elif len(parts) == len(axis.parts):
            given = " and ".join(f"{part} = {quoted(format_tags(tags[part]))}" for part in parts)
            field = self.taxonomy[parts[-1]].field
            self._report(block, field, [f"no {axis.id} follows from {given} (change one of them)"])
        return found

    def _supported(self, block: Block, axis: Axis, tags: tuple[Tag, ...], written: str) -> None:
        """Report evidence that is missing or empty."""
        why = block.fields.get(axis.why)
        if not axis.evidence:
            return
        if why is None and not any(tag.word == Absence.NA for tag in tags):
            tagged = f"{axis.field} = {quoted(written)}"
            message = f"is missing (say in your own words what supports {tagged}, and where it stands)"
            self._report(block, axis.why, [message])
        elif why is not None and not why.text:
            self._report(block, axis.why, check_field(axis.why, ""))

    def _rules(self, block: Block, tags: Mapping[str, tuple[Tag, ...]]) -> None:
        for rule in self.taxonomy.rules:
            matched = all(any(tag.word in words for tag in tags.get(axis, ())) for axis, words in rule.when.items())
            if not matched or not rule.when.keys() <= {axis.id for axis in self.axes}:
                continue
            for axis, words in rule.only.items():
                wrong = [tag.word for tag in tags.get(axis, ()) if tag.word not in words]
                if wrong:
                    field = self.taxonomy.field_of(axis)
                    allowed = " or ".join(map(quoted, words))
                    self._report(block, field, [f"{quoted(wrong[0])} cannot be: {rule.because} (expected {allowed})"])

    def _report(self, block: Block, name: str, messages: Iterator[str] | list[str]) -> None:
        line = block.fields[name].line if name in block.fields else block.line
        self.problems += [Problem(self.path, line, message, block.key, name) for message in messages]
