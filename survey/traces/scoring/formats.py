"""Output formats of rows: JSON Lines with the complete row, or CSV for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from survey.escaping import csv_text
from survey.traces.scoring.rows import Request


def json_lines(rows: Iterable[bytes], request: Request) -> Iterator[bytes]:
    """Yield the rows unchanged."""
    yield from rows


def csv_lines(rows: Iterable[bytes], request: Request) -> Iterator[bytes]:
    """Yield a header line, then a line for each row.

    Each measure has a column; each family of rewards has one, with the sum paid to each unit. A value that is
    not a single number or text is JSON. A text that a spreadsheet would take for a formula gets an apostrophe.
    """
    credit = ["credit"] if request.credit else []
    first = ["place", "trace_id", "task_id", "errors", "warnings", "problems"]
    yield _line([*first, *request.measures, *request.families, *credit, "why_not"])
    for row in (json.loads(line) for lines in rows for line in lines.splitlines()):
        cells = [row[name] for name in first[:-1]] + [" | ".join(row["problems"])]
        cells += [row["measures"].get(name) for name in request.measures]
        cells += [_paid(row["rewards"].get(word)) for word in request.families]
        cells += [_credited(row.get("credit"))] * len(credit)
        yield _line([*cells, row["why_not"] or None])


def _paid(found: list[dict[str, Any]] | None) -> dict[str, float] | None:
    """Return the total paid to each unit."""
    sums: dict[str, float] = {}
    for one in found or []:
        unit = f"{one['kind']} {one['unit']}"
        sums[unit] = sums.get(unit, 0) + one["reward"]
    return sums or None


def _credited(found: list[dict[str, Any]] | None) -> dict[str, float] | None:
    return {f"{one['kind']} {one['unit']}": one["value"] for one in found} if found else None


def _line(cells: Iterable[Any]) -> bytes:
    flat = [json.dumps(cell, ensure_ascii=False) if isinstance(cell, (dict, list)) else cell for cell in cells]
    return csv_text(flat).encode("utf-8", "backslashreplace")


FORMATS: dict[str, Callable[[Iterable[bytes], Request], Iterator[bytes]]] = {"jsonl": json_lines, "csv": csv_lines}
"""Each format by its name on the command line."""
