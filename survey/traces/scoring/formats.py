"""Output formats of rows: JSON Lines with the complete row, CSV for a spreadsheet, or Parquet for data frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from survey.escaping import csv_text
from survey.extras import needed
from survey.traces.metrics import MEASURES
from survey.traces.scoring.rows import Request

GROUP = 10_000
"""How many rows a part of a Parquet file holds."""


def json_lines(rows: Iterable[bytes], request: Request) -> Iterator[bytes]:
    """Yield the rows unchanged."""
    yield from rows


def csv_lines(rows: Iterable[bytes], request: Request) -> Iterator[bytes]:
    """Yield a header line, then a line for each row.

    Each measure has a column; each family of rewards has one, with the sum paid to each unit. A value that is
    not a single number or text is JSON. A text that a spreadsheet would take for a formula gets an apostrophe.
    """
    yield _line(_columns(request))
    for cells in _cells(rows, request):
        yield _line(cells.values())


def parquet(rows: Iterable[bytes], request: Request) -> Iterator[bytes]:
    """Yield a Parquet file with the columns of the CSV: numbers, texts, and JSON for what is neither."""
    needed("pyarrow")
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    columns = _columns(request)
    buffer, cells = BytesIO(), _cells(rows, request)
    with ParquetWriter(buffer, pa.schema([(name, types[kind]) for name, kind in columns.items()])) as writer:
        while some := list(islice(cells, GROUP)):
            flat = {name: [_fitting(one[name], kind) for one in some] for name, kind in columns.items()}
            writer.write_table(pa.table(flat, writer.schema))
    yield buffer.getvalue()


def _columns(request: Request) -> dict[str, type]:
    """Return the columns of a table of rows, and what their cells hold."""
    columns: dict[str, type] = {"place": str, "trace_id": str, "task_id": str, "success": bool, "score": float}
    columns |= {"errors": int, "warnings": int, "problems": str}
    for name in request.measures:
        columns[name] = str if _by_part(name) else float
    columns |= dict.fromkeys(request.families, str)
    return columns | {name: str for name in ("credit",) if request.credit} | {"why_not": str}


def _by_part(name: str) -> bool:
    """Return whether a measure has several values, such as one for each agent."""
    return str(MEASURES[name][1].__annotations__["return"]).startswith("dict[")


def _cells(rows: Iterable[bytes], request: Request) -> Iterator[dict[str, Any]]:
    """Yield the cells of each row, by column."""
    for row in (json.loads(line) for lines in rows for line in lines.splitlines()):
        outcome = row["outcome"]
        cells = {name: row[name] for name in ("place", "trace_id", "task_id")}
        cells |= {"success": outcome.get("success"), "score": outcome.get("score")}
        cells |= {"errors": row["errors"], "warnings": row["warnings"], "problems": " | ".join(row["problems"])}
        cells |= {name: row["measures"].get(name) for name in request.measures}
        cells |= {word: _paid(row["rewards"].get(word)) for word in request.families}
        cells |= {name: _credited(row.get(name)) for name in ("credit",) if request.credit}
        yield {**cells, "why_not": row["why_not"] or None}


def _fitting(value: Any, kind: type) -> Any:
    """Return a value as its column holds it: as JSON, if the column is of texts."""
    if value is None or isinstance(value, kind):
        return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
    return json.dumps(value) if kind is str else kind(value)


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
    flat = [json.dumps(cell, ensure_ascii=False) if isinstance(cell, (dict, list, bool)) else cell for cell in cells]
    return csv_text(flat).encode("utf-8", "backslashreplace")


FORMATS: dict[str, Callable[[Iterable[bytes], Request], Iterator[bytes]]] = {
    "jsonl": json_lines,
    "csv": csv_lines,
    "parquet": parquet,
}
"""Each format by its name on the command line."""
