"""Reading ``editions.toml``, and beside it ``editions/DAY.csv``: what was changed since, as published."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.bibtex import FORBIDDEN, KEY
from survey.literature.pool.editions.edition import (
    ENTRY,
    KIND,
    ORDER,
    PLACE,
    RECORD,
    TYPE,
    Edition,
    Erratum,
    Row,
)
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import read_toml
from survey.plurals import plural

KEYS = ("title", "note", "data", "errata")
ERRATUM = ("day", "reason", "was", "works")
COLUMNS = ["key", "field", "value", "changed"]
FOLDER = "editions"
SUFFIXES = (".csv", ".sums")

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # 20260504 would be the same day again
DATA = re.compile(r"[0-9a-f]{12}")
FIELD = re.compile(r"[a-z][a-z0-9-]*")
NOT_FIELDS = (KIND, TYPE, PLACE, ORDER)


def read_editions(path: Path) -> tuple[dict[date, Edition], list[Problem]]:
    """Return the editions of a file by day, oldest first; none if there is no file."""
    shown = str(path)
    if not os.path.lexists(path):
        return {}, []
    try:
        data, text = read_toml(path, shown)
    except InvalidSurvey as error:
        return {}, list(error.problems)
    editions, problems = {}, []
    for name, table in data.items():
        line = text[: max(text.find(f"[{name}]"), 0)].count("\n") + 1
        day = _day(name)
        if day is None:
            problems.append(Problem(shown, line, f"{quoted(name)} is not a date (expected tables like [2026-05-04])"))
            continue
        if not isinstance(table, dict) or not isinstance(table.get("title"), str):
            problems.append(Problem(shown, line, "needs a title (text)", field=name))
            continue
        problems += [Problem(shown, line, message, field=name) for message in _table_problems(table)]
        errata, messages = _errata(table.get("errata", []), day)
        problems += [Problem(shown, line, message, field=name) for message in messages]
        rows, found = _read_rows(path.parent / FOLDER / f"{name}.csv", day)
        problems += found
        note, pinned = (str(table.get(key, "")) for key in ("note", "data"))
        editions[day] = Edition(day, table["title"], note, pinned, errata, rows, shown, line)
    problems += [] if problems else _between(path, editions)
    return dict(sorted(editions.items())), problems


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if DAY.fullmatch(text) else None
    except ValueError:
        return None


def _table_problems(table: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(table.get("note", ""), str):
        yield f"note: found {quoted(str(table['note']))}, expected a text"
    if "data" in table and not (isinstance(table["data"], str) and DATA.fullmatch(table["data"])):
        yield f"data: found {quoted(str(table['data']))}, expected a fingerprint of twelve hexadecimal digits"
    for key in table:
        if key not in KEYS:
            yield f"{quoted(key)} is not a key {expected(key, KEYS)}"


def _errata(tables: object, day: date) -> tuple[tuple[Erratum, ...], list[str]]:
    """Return the errata of an edition, oldest first, and their problems."""
    errata, problems = [], []
    for table in tables if isinstance(tables, list) else [tables]:
        values = table if isinstance(table, dict) else {}
        when, reason, was, works = (values.get(key) for key in ERRATUM)
        keyed = isinstance(works, list) and works and all(isinstance(work, str) for work in works)
        said = isinstance(reason, str) and reason.strip() and isinstance(was, str) and DATA.fullmatch(was)
        if type(when) is date and when >= day and said and keyed and not values.keys() - set(ERRATUM):
            errata.append(Erratum(when, str(reason), str(was), tuple(map(str, works or ()))))
        else:
            message = "errata: expected day (a date, not before the edition), reason (text), was (the fingerprint"
            problems.append(f"{message} before) and works (keys), and nothing else")
    return tuple(sorted(errata, key=lambda erratum: erratum.day)), problems


def _between(path: Path, editions: Mapping[date, Edition]) -> Iterator[Problem]:
    """Yield problems between the editions and the files beside them."""
    published = {day for day, edition in editions.items() if edition.data}
    for day, edition in editions.items():
        if not edition.data and published and day < max(published):
            message = f"needs data: the edition of {max(published)} was published after it (survey edition new {day})"
            yield Problem(edition.path, edition.line, message, field=str(day))
        if edition.errata and edition.data in {erratum.was for erratum in edition.errata}:
            yield Problem(edition.path, edition.line, "data is as before an erratum", field=str(day))
    names = {f"{day}{suffix}" for day in published for suffix in SUFFIXES}
    for file in sorted((path.parent / FOLDER).iterdir()) if (path.parent / FOLDER).is_dir() else ():
        if file.suffix in SUFFIXES and file.name not in names:
            yield Problem(str(file), 1, f"there is no published edition {quoted(file.stem)} in {path.name}")


def _read_rows(path: Path, day: date) -> tuple[dict[str, dict[str, Row]], list[Problem]]:
    """Return the rows of an edition by key and field, and their problems; none if there is no file."""
    shown = str(path)
    if not os.path.lexists(path):
        return {}, []
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return {}, [Problem(shown, 1, f"cannot be read: {error}")]
    if bad := FORBIDDEN.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        return {}, [Problem(shown, line, f"contains the character U+{ord(bad.group()):04X} (delete it)")]
    found: dict[str, dict[str, Row]] = {}
    problems: list[Problem] = []
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if (head := next(reader, [])) != COLUMNS:
            return {}, [Problem(shown, 1, f"the columns are {','.join(head)} (expected {','.join(COLUMNS)})")]
        for cells in reader:
            if message := _cells_problem(cells, day):
                problems.append(Problem(shown, reader.line_num, message))
                continue
            key, name, value, changed = cells
            if name in found.setdefault(key, {}):
                problems.append(Problem(shown, reader.line_num, "repeats a key and field of an earlier row", key, name))
            found[key][name] = Row(value, date.fromisoformat(changed), reader.line_num)
    except csv.Error as error:
        problems.append(Problem(shown, reader.line_num + 1, f"not CSV: {error}"))
    return found, problems


def _cells_problem(cells: list[str], day: date) -> str:
    """Return what is wrong with a row; empty if nothing is."""
    if len(cells) != len(COLUMNS):
        return f"has {plural(len(cells), 'cell')}, expected {len(COLUMNS)}: {', '.join(COLUMNS)}"
    key, name, value, changed = cells
    if not KEY.fullmatch(key):
        return f"{quoted(key)} cannot be a key"
    if not FIELD.fullmatch(name) and name not in NOT_FIELDS:
        return f"{quoted(name)} is not a field {expected(name, NOT_FIELDS)}"
    if name == KIND and value not in (ENTRY, RECORD, ""):
        return f"{quoted(value)} is not a kind (expected entry, record, or nothing)"
    if name == PLACE and not re.fullmatch("[0-9]{1,6}", value):
        return f"{quoted(value)} is not a place (expected a number)"
    if name in (TYPE, ORDER) and not value:
        return f"{name} is empty"
    since = _day(changed)
    if since is None or since <= day:
        return f"changed: {quoted(changed)} is not a date after the edition"
    return ""
