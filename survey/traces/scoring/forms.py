"""Rows as text: JSON Lines, which hold all of a row, or CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from survey.traces.scoring.rows import Asked

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With one of these at its start a text is a formula to a spreadsheet."""


def json_lines(rows: Iterable[bytes], asked: Asked) -> Iterator[bytes]:
    """The rows as they are."""
    yield from rows


def csv_lines(rows: Iterable[bytes], asked: Asked) -> Iterator[bytes]:
    """A line for each row, behind the names of the columns.

    A measure has a column, a family of rewards has one with what it pays to each unit, and what is no
    single figure or text is JSON. A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    credit = ["credit"] if asked.credit else []
    first = ["place", "trace_id", "task_id", "errors", "warnings", "problems"]
    yield _line([*first, *asked.measures, *asked.families, *credit, "why_not"])
    for row in (json.loads(line) for lines in rows for line in lines.splitlines()):
        cells = [row[name] for name in first[:-1]] + [" | ".join(row["problems"])]
        cells += [row["measures"].get(name) for name in asked.measures]
        cells += [_paid(row["rewards"].get(word)) for word in asked.families]
        cells += [_credited(row.get("credit"))] * len(credit)
        yield _line([*cells, row["why_not"] or None])


def _paid(found: list[dict[str, Any]] | None) -> dict[str, float] | None:
    """What each unit is paid in all."""
    sums: dict[str, float] = {}
    for one in found or []:
        unit = f"{one['kind']} {one['unit']}"
        sums[unit] = sums.get(unit, 0) + one["reward"]
    return sums or None


def _credited(found: list[dict[str, Any]] | None) -> dict[str, float] | None:
    return {f"{one['kind']} {one['unit']}": one["value"] for one in found} if found else None


def _line(cells: Iterable[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: Any) -> Any:
    """A value as a cell has it.

    >>> _cell("=1+1"), _cell(-1), _cell({"a": 1})
    ("'=1+1", -1, '{"a": 1}')
    """
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return f"'{value}"
    return value


FORMS: dict[str, Callable[[Iterable[bytes], Asked], Iterator[bytes]]] = {"jsonl": json_lines, "csv": csv_lines}
"""By the name that the command has for them."""
