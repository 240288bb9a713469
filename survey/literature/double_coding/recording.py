"""Writing of codings: a reader's entry in ``readers.toml`` and rows of CSV files, each file whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from survey.atomic import write_atomically
from survey.literature.bibtex import FORBIDDEN
from survey.literature.pool import ADJUDICATIONS, COLUMNS, NOTES, READERS, Judgement, format_tags, read_readers
from survey.literature.problems import InvalidSurvey
from survey.literature.taxonomy import ID

TAKEN = (Path(ADJUDICATIONS).stem, "pool")
"""Names of other things: no reader can have them."""


def reader_problem(id: str) -> str:
    """Return why a text cannot be the id of a reader; empty if it can."""
    if not ID.fullmatch(id):
        return "expected lower case, digits and single hyphens, as in ada-2026"
    return "the name is taken by something else" if id in TAKEN else ""


def text_problem(text: str) -> str:
    """Return why a text cannot be recorded; empty if it can."""
    if bad := FORBIDDEN.search(text):
        return f"contains the character U+{ord(bad.group()):04X} (delete it)"
    return ""


def begin(codings: Path, id: str, reader: str, statement: str, today: date) -> None:
    """Describe a new reader in ``readers.toml``, and begin the file of the coding."""
    codings.mkdir(exist_ok=True)
    path = codings / READERS
    before = path.read_text(encoding="utf-8") if os.path.lexists(path) else ""
    if before:
        before = before.rstrip("\n") + "\n\n"
    # a JSON string is also a TOML string
    texts = [f"{name} = {json.dumps(text, ensure_ascii=False)}" for name, text in
             (("reader", reader), ("statement", statement))]  # fmt: skip
    table = "\n".join([f"[{id}]", texts[0], f"made = {today.isoformat()}", texts[1], ""])
    write_atomically(path, (before + table).encode())
    complete(codings, id)


def complete(codings: Path, id: str) -> None:
    """Begin the file of a coding that ``readers.toml`` describes, if a killed run did not come to it.

    Raises:
        InvalidSurvey: if ``readers.toml`` cannot be read.

    """
    if not os.path.lexists(codings / READERS) or os.path.lexists(codings / f"{id}.csv"):
        return
    readers, problems = read_readers(codings / READERS)
    if problems:
        raise InvalidSurvey(problems)
    if id in readers:
        write_atomically(codings / f"{id}.csv", (",".join((*COLUMNS, *NOTES)) + "\n").encode())


def append_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    """Add judgements to the file of a coding."""
    rows = [{"key": j.key, "axis": j.axis, "value": format_tags(j.tags), **j.notes} for j in judgements]
    write_atomically(path, with_rows(path, rows))


def with_rows(path: Path, rows: Iterable[Mapping[str, str]], columns: tuple[str, ...] = COLUMNS) -> bytes:
    """Return the bytes of a CSV file with rows added; the rows that it has stay as they are written.

    Where a new row needs a column that the file lacks, that column is added to all rows.
    """
    rows = list(rows)
    text = path.read_bytes().decode() if os.path.lexists(path) else ""
    text = text or ",".join(columns) + "\n"
    end = "\r\n" if "\r\n" in text else "\n"
    text += "" if text.endswith("\n") else end
    old = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    head = old[0]
    if more := [name for row in rows for name, cell in row.items() if cell and name not in head]:
        head = [*head, *dict.fromkeys(more)]
        text = _csv([head, *([*row, *[""] * (len(head) - len(row))] for row in old[1:])], end)
    return (text + _csv([[row.get(name, "") for name in head] for row in rows], end)).encode()


def _csv(rows: Iterable[Iterable[str]], end: str) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    return text.getvalue()
