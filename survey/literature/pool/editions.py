"""Editions: the published snapshots, the fingerprint of the data, and the published keys, which must not disappear."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from survey.literature.pool.entries import Entry
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import read_toml

KEYS = ("title", "note")


@dataclass(frozen=True, slots=True)
class Edition:
    """A snapshot that was published under its date."""

    day: date
    title: str
    note: str = ""


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
        try:
            if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", name):  # 20260504 would be the same day again
                raise ValueError(name)
            day = date.fromisoformat(name)
        except ValueError:
            problems.append(Problem(shown, line, f"{quoted(name)} is not a date (expected tables like [2026-05-04])"))
            continue
        if not isinstance(table, dict) or not isinstance(table.get("title"), str):
            problems.append(Problem(shown, line, "needs a title (text)", field=name))
            continue
        if not isinstance(table.get("note", ""), str):
            message = f"note: found {quoted(str(table['note']))}, expected a text"
            problems.append(Problem(shown, line, message, field=name))
        problems += [
            Problem(shown, line, f"{quoted(key)} is not a key {expected(key, KEYS)}", field=name)
            for key in table
            if key not in KEYS
        ]
        editions[day] = Edition(day, table["title"], str(table.get("note", "")))
    return dict(sorted(editions.items())), problems


def fingerprint(entries: Iterable[Entry]) -> str:
    """Return twelve hexadecimal digits that change when any field of any entry does; the order does not matter.

    The fingerprint and the date identify the data of an export.
    """
    rows = sorted((e.key, e.block.type, sorted((n, f.text) for n, f in e.block.fields.items())) for e in entries)
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()[:12]


def aliases(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the former keys of entries with their current keys (field ``ids``, as in biblatex)."""
    return {old.strip(): entry.key for entry in entries for old in entry.text("ids").split(",") if old.strip()}


def check_published_keys(path: Path, keys: Collection[str], former: Mapping[str, str]) -> list[Problem]:
    """Return a problem for every published key that is neither a key nor a former key of an entry."""
    if not os.path.lexists(path):
        return []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        return [Problem(str(path), 1, f"cannot be read: {error}")]
    gone = "was published and no longer exists: add to the entry that replaces it the field ids = "
    return [
        Problem(str(path), number, f"{quoted(key)} {gone}{{{key}}}")
        for number, key in enumerate(map(str.strip, lines), 1)
        if key and not key.startswith("#") and key not in keys and key not in former
    ]  # fmt: skip
