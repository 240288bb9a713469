"""Rows of tags in CSV: key, axis, value, and a reader's notes; every invalid row is a problem with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from survey.literature.bibtex import FORBIDDEN
from survey.literature.pool.tags import Parsed, Tag, parse_once
from survey.literature.problems import Problem, expected, quoted
from survey.literature.taxonomy import Axis, Taxonomy

COLUMNS = ("key", "axis", "value")
"""Required columns of a coding file; the optional ones are in ``NOTES``."""

NOTES = ("why", "read", "confidence", "blind")

WAS = "was"
"""The column of adjudications with the tags that the pool had before, if the decision changed them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One reader's tags on one axis of one entry, with the reader's notes."""

    key: str
    axis: str
    tags: tuple[Tag, ...]
    notes: Mapping[str, str]


def read_judgements(
    path: Path, taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """Return the rows of one coding file and its problems. Every invalid row is a problem."""
    rows, problems = judged_rows(path, taxonomy, keys)
    return tuple(judgement for _, judgement in rows), problems


def read_sheet(
    path: Path, taxonomy: Taxonomy, keys: Collection[str], context: Collection[str]
) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """Return the filled-in rows of a coding sheet and their problems.

    A sheet has the columns of a coding, and those in ``context``, which are not read. Rows without a value are skipped.
    """
    rows, problems = judged_rows(path, taxonomy, keys, (*NOTES, *context), blank=True)
    return tuple(judgement for _, judgement in rows), problems


def judged_rows(
    path: Path, taxonomy: Taxonomy, keys: Collection[str], optional: Collection[str] = NOTES, blank: bool = False
) -> tuple[list[tuple[int, Judgement]], list[Problem]]:
    """Return every valid row with its line, and a problem for every other row; ``blank`` skips rows without a value."""
    read, problems = csv_rows(path, COLUMNS, optional, "value" if blank else "")
    rows: list[tuple[int, Judgement]] = []
    seen: set[tuple[str, str]] = set()
    axes = {axis.id: axis for axis in taxonomy.on("entry")}
    parsed: Parsed = {}
    for line, row in read:
        judgement, messages = _judgement(row, axes, keys, parsed)
        if judgement and (judgement.key, judgement.axis) in seen:
            messages.append("repeats an entry and axis of an earlier row")
        problems += [Problem(str(path), line, message, row["key"], row["axis"]) for message in messages]
        if judgement:
            rows.append((line, judgement))
            seen.add((judgement.key, judgement.axis))
    return rows, sorted(problems)


def csv_rows(
    path: Path, columns: Collection[str], optional: Collection[str] = (), filled_in: str = ""
) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """Return the rows of a file with their lines, and a problem for each that has too few or too many cells.

    The first two columns name what a row is about. Where a sheet was ``filled_in``, rows that are empty in that column
    are skipped, and a byte-order mark is allowed, since spreadsheets write one.
    """
    shown = str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig" if filled_in else "utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        return [], [Problem(shown, line, "not UTF-8 text")]
    except OSError as error:
        return [], [Problem(shown, 1, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if problem := _head(reader, text, columns, optional):
        return [], [Problem(shown, 1, problem)]
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    try:
        for row in reader:
            if filled_in and not (row[filled_in] or "").strip():
                continue
            if None in row or None in row.values():
                key, axis = (str(row.get(name) or "") for name in [*columns][:2])
                message = "has more or fewer cells than the header line"
                problems.append(Problem(shown, reader.line_num, message, key, axis))
            else:
                rows.append((reader.line_num, row))
    except csv.Error as error:
        problems.append(Problem(shown, reader.line_num + 1, f"not CSV: {error}"))
    return rows, problems


def _head(reader: csv.DictReader[str], text: str, columns: Collection[str], optional: Collection[str]) -> str:
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
    if missing := [column for column in columns if column not in names]:
        return f"there is no column {', '.join(missing)} (found {names})"
    for name in names:
        if name not in (*columns, *optional):
            return f"{quoted(name)} is not a column of a coding {expected(name, (*columns, *optional))}"
    return "" if len(set(names)) == len(names) else "repeats a column name"


def _judgement(
    row: Mapping[str, str], axes: Mapping[str, Axis], keys: Collection[str], parsed: Parsed
) -> tuple[Judgement | None, list[str]]:
    key, axis, value = (row[column] for column in COLUMNS)
    if key not in keys:
        return None, [f"there is no entry {quoted(key)} {expected(key, keys)}"]
    if axis not in axes:
        return None, [f"there is no axis {quoted(axis)} {expected(axis, axes)}"]
    tags, messages = parse_once(value, axes[axis], parsed)
    notes = {name: row[name] for name in (*NOTES, WAS) if row.get(name)}
    return Judgement(key, axis, tags, notes), [*messages]
