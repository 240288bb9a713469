"""Codings: one reader's tags, stored beside the pool so that readings can be compared.

Where readings differ, an adjudication gives the value that stands in the pool, and the reason.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from survey.literature.bibtex import FORBIDDEN
from survey.literature.pool.entries import Entry
from survey.literature.pool.tags import Tag, derived_tags, format_tags, parse_tags
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import Axis, Shape, Taxonomy, read_toml

COLUMNS = ("key", "axis", "value")
"""Required columns of a coding file; the optional ones are in ``NOTES``."""

NOTES = ("why", "read", "confidence", "blind")

READERS = "readers.toml"

ADJUDICATIONS = "adjudications.csv"
"""The file of adjudications, with the columns key, axis, value and why, and optionally ``was``."""

TRIALS = "trials"
"""The folder of trials: codings by rules that were tried on a few entries before the codebook was settled."""

WAS = "was"
"""The column of adjudications with the tags that the pool had before, if the decision changed them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One reader's tags on one axis of one entry, with the reader's notes."""

    key: str
    axis: str
    tags: tuple[Tag, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Coding:
    """All judgements of one reader, and a statement about the reader that is shown wherever the coding is used."""

    id: str
    reader: str
    made: date
    statement: str
    judgements: tuple[Judgement, ...]
    codebook: str = ""
    """The day of the codebook by which it was made; codings by different codebooks are not compared."""
    taken_over: bool = False
    """Whether the pool took its first tags over from this coding: then the pool is no reading beside it."""

    def of(self, key: str) -> dict[str, Judgement]:
        """Return the judgements on one entry, by axis."""
        return {j.axis: j for j in self.judgements if j.key == key}

    def with_keys(self, keys: Mapping[str, str]) -> Coding:
        """Return the coding with other keys in place of some."""
        return replace(self, judgements=tuple(replace(j, key=keys.get(j.key, j.key)) for j in self.judgements))


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The reason for the value in the pool, where readings differ; ``was`` are the tags that it replaced, if any."""

    key: str
    axis: str
    tags: tuple[Tag, ...]
    why: str
    was: tuple[Tag, ...] = ()


def compared_values(tags: tuple[Tag, ...], axis: Axis) -> tuple[str, ...]:
    """Return the part of a reader's tags that is compared: the first value, or on a set all of them."""
    written = tuple(tag.word if tag.absent else str(tag) for tag in tags)
    return tuple(sorted(written)) if axis.shape in (Shape.SET, Shape.QUANTITY) else written[:1]


def read_codings(folder: Path, taxonomy: Taxonomy, keys: Collection[str]) -> tuple[dict[str, Coding], list[Problem]]:
    """Return the codings of a folder, by file name without extension; none if there is no folder."""
    if not os.path.lexists(folder):
        return {}, []
    try:
        files = sorted(p for p in folder.iterdir() if p.suffix == ".csv" and p.name != ADJUDICATIONS)
    except OSError as error:
        return {}, [Problem(str(folder), 1, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    if not files:
        return {}, []
    readers, problems = read_readers(folder / READERS)
    for id in readers.keys() - {path.stem for path in files}:
        problems.append(Problem(str(folder / READERS), 1, f"there is no file {id}.csv", id))
    codings = {}
    for path in files:
        judgements, found = read_judgements(path, taxonomy, keys)
        problems += found
        reader = readers.get(path.stem)
        if reader is None:
            message = f"does not describe {path.name} (expected a table [{path.stem}] with reader, made, statement)"
            problems.append(Problem(str(folder / READERS), 1, message))
        else:
            judgements = (*judgements, *_derived(judgements, taxonomy))
            codings[path.stem] = replace(reader, judgements=judgements)
    return codings, problems


def read_trials(
    folder: Path, taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[dict[str, dict[str, Coding]], list[Problem]]:
    """Return the trials of rules in the folder of the codings, by name: each a folder of codings by the same rules."""
    trials: dict[str, dict[str, Coding]] = {}
    problems: list[Problem] = []
    for path in sorted((folder / TRIALS).glob("*/")):
        trials[path.name], found = read_codings(path, taxonomy, keys)
        problems += found
    return trials, problems


def _derived(judgements: Iterable[Judgement], taxonomy: Taxonomy) -> Iterator[Judgement]:
    """Yield the judgements that follow from a reader's on the parts of an axis, where the reader judged all of them."""
    by_key: dict[str, dict[str, Judgement]] = {}
    for judgement in judgements:
        by_key.setdefault(judgement.key, {})[judgement.axis] = judgement
    axes = [axis for axis in taxonomy.on("entry") if axis.steps]
    for key, judged in by_key.items():
        for axis in axes:
            if axis.id not in judged and judged.keys() >= {*axis.parts}:
                tags = derived_tags(axis, {part: judged[part].tags for part in axis.parts})
                if tags:
                    yield Judgement(key, axis.id, tags, judged[axis.parts[0]].notes)


def read_judgements(
    path: Path, taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """Return the rows of one coding file and its problems. Every invalid row is a problem."""
    rows, problems = _judged_lines(path, taxonomy, keys)
    return tuple(judgement for _, judgement in rows), problems


def read_adjudications(
    folder: Path, taxonomy: Taxonomy, entries: Iterable[Entry], codings: Mapping[str, Coding]
) -> tuple[dict[tuple[str, str], Adjudication], list[Problem]]:
    """Return the adjudications in the folder of the codings, by entry and axis; none if there is no such file.

    A row is a problem if it gives no reason, if its value differs from the pool's tag (one of the two is out of
    date), or if no two readings differ there.
    """
    path = folder / ADJUDICATIONS
    if not os.path.lexists(path):
        return {}, []
    by_key = {entry.key: entry for entry in entries}
    rows, problems = _judged_lines(path, taxonomy, by_key, (*NOTES, WAS))
    read: dict[tuple[str, str], list[tuple[Tag, ...]]] = {}
    for judgement in (j for coding in codings.values() for j in coding.judgements):
        read.setdefault((judgement.key, judgement.axis), []).append(judgement.tags)
    found = {}
    for line, row in rows:
        place, axis = (row.key, row.axis), taxonomy[row.axis]
        stands = by_key[row.key].tags.get(row.axis, ())
        messages = []
        if row.tags and row.tags != stands:
            stated, standing = quoted(format_tags(row.tags)), quoted(format_tags(stands))
            messages.append(f"value is {stated}, the pool has {standing} (decide again, and change one of the two)")
        if not row.notes.get("why", "").strip():
            messages.append("why is empty (explain in your own words why this value was preferred)")
        was, found_in_was = parse_tags(row.notes[WAS], axis) if WAS in row.notes else ((), [])
        messages += [f"{WAS}: {message}" for message in found_in_was]
        before = [was] if was else []
        if len({compared_values(tags, axis) for tags in (stands, *before, *read.get(place, []))}) < 2:
            messages.append("no two readings differ here (delete the row)")
        problems += [Problem(str(path), line, message, *place) for message in messages]
        found[place] = Adjudication(row.key, row.axis, row.tags, row.notes.get("why", ""), was)
    return found | _settled_by_parts(found, codings.values(), by_key, taxonomy), problems


def _settled_by_parts(
    found: Mapping[tuple[str, str], Adjudication],
    codings: Collection[Coding],
    by_key: Mapping[str, Entry],
    taxonomy: Taxonomy,
) -> dict[tuple[str, str], Adjudication]:
    """Return what is settled on derived axes on which readers of the parts differ, since it is settled on the parts."""
    settled = {}
    for axis in (axis for axis in taxonomy.on("entry") if axis.steps):
        read: dict[str, set[tuple[str, ...]]] = {}
        for coding in codings:
            if {*axis.parts} <= {judgement.axis for judgement in coding.judgements}:
                for judgement in (j for j in coding.judgements if j.axis == axis.id):
                    read.setdefault(judgement.key, set()).add(compared_values(judgement.tags, axis))
        for key, entry in by_key.items():
            rulings = [found[key, part] for part in axis.parts if (key, part) in found]
            if rulings and len(read.get(key, ())) > 1 and (key, axis.id) not in found:
                why = " ".join(dict.fromkeys(ruling.why for ruling in rulings))
                settled[key, axis.id] = Adjudication(key, axis.id, entry.tags.get(axis.id, ()), why)
    return settled


def read_sheet(
    path: Path, taxonomy: Taxonomy, keys: Collection[str], context: Collection[str]
) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """Return the filled-in rows of a coding sheet and their problems.

    A sheet has the columns of a coding, and those in ``context``, which are not read. Rows without a value are skipped.
    """
    rows, problems = _judged_lines(path, taxonomy, keys, (*NOTES, *context), blank=True)
    return tuple(judgement for _, judgement in rows), problems


def _judged_lines(
    path: Path, taxonomy: Taxonomy, keys: Collection[str], optional: Collection[str] = NOTES, blank: bool = False
) -> tuple[list[tuple[int, Judgement]], list[Problem]]:
    """Return every valid row with its line, and a problem for every other row; ``blank`` skips rows without a value."""
    shown = str(path)
    try:
        # spreadsheets, in which sheets are filled in, begin a file with a byte-order mark
        text = path.read_bytes().decode("utf-8-sig" if blank else "utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        return [], [Problem(shown, line, "not UTF-8 text")]
    except OSError as error:
        return [], [Problem(shown, 1, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if problem := _head(reader, text, optional):
        return [], [Problem(shown, 1, problem)]
    rows: list[tuple[int, Judgement]] = []
    problems: list[Problem] = []
    seen: set[tuple[str, str]] = set()
    try:
        for row in reader:
            if blank and not (row["value"] or "").strip():
                continue
            judgement, messages = _judgement(row, taxonomy, keys)
            if judgement and (judgement.key, judgement.axis) in seen:
                messages.append("repeats an entry and axis of an earlier row")
            problems += [Problem(shown, reader.line_num, m, row["key"] or "", row["axis"] or "") for m in messages]
            if judgement:
                rows.append((reader.line_num, judgement))
                seen.add((judgement.key, judgement.axis))
    except csv.Error as error:
        problems.append(Problem(shown, reader.line_num + 1, f"not CSV: {error}"))
    return rows, problems


def _head(reader: csv.DictReader[str], text: str, optional: Collection[str]) -> str:
    """Return the problem of the header line; empty if there is none."""
    if text.startswith("\ufeff"):
        return "starts with a byte-order mark (save the file as UTF-8 without one)"
    if bad := FORBIDDEN.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        return f"contains the character U+{ord(bad.group()):04X} in line {line} (delete it)"
    try:
        names = list(reader.fieldnames or ())
    except csv.Error as error:
        return f"not CSV: {error}"
    if missing := [column for column in COLUMNS if column not in names]:
        return f"there is no column {', '.join(missing)} (found {names})"
    for name in names:
        if name not in (*COLUMNS, *optional):
            return f"{quoted(name)} is not a column of a coding {expected(name, (*COLUMNS, *optional))}"
    return "" if len(set(names)) == len(names) else "repeats a column name"


def _judgement(
    row: Mapping[str, str | None], taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[Judgement | None, list[str]]:
    if None in row or None in row.values():
        return None, ["has more or fewer cells than the header line"]
    key, axis, value = (str(row[column]) for column in COLUMNS)
    if key not in keys:
        return None, [f"there is no entry {quoted(key)} {expected(key, keys)}"]
    on_entries = {a.id: a for a in taxonomy.on("entry")}
    if axis not in on_entries:
        return None, [f"there is no axis {quoted(axis)} {expected(axis, on_entries)}"]
    tags, messages = parse_tags(value, on_entries[axis])
    notes = {name: str(row[name]) for name in (*NOTES, WAS) if row.get(name)}
    return Judgement(key, axis, tags, notes), messages


def read_readers(path: Path) -> tuple[dict[str, Coding], list[Problem]]:
    """Return each coding without its judgements, by file name, and the problems of the file."""
    try:
        tables, _ = read_toml(path, str(path))
    except InvalidSurvey as error:
        return {}, list(error.problems)
    readers, problems = {}, []
    for id, table in tables.items():
        values = table if isinstance(table, dict) else {}
        reader, made, statement = (values.get(key) for key in ("reader", "made", "statement"))
        taken_over, codebook = values.get("taken-over", False), values.get("codebook", "")
        if type(taken_over) is not bool:
            message = f"taken-over: found {quoted(str(taken_over))}, expected true or false"
            problems.append(Problem(str(path), 1, message, id))
        elif codebook and type(codebook) is not date:
            message = f"codebook: found {quoted(str(codebook))}, expected a date, as in 2026-11-23"
            problems.append(Problem(str(path), 1, message, id))
        elif type(made) is date and _is_text(reader) and _is_text(statement):
            readers[id] = Coding(id, str(reader), made, str(statement), (), str(codebook), taken_over)
        else:
            message = "needs a reader (text), made (a date) and a statement (text)"
            problems.append(Problem(str(path), 1, message, id))
    return readers, problems


def _is_text(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())
