"""Tables and JSON: the whole pool for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from survey.extras import late
from survey.literature.export.csl import csl_name
from survey.literature.pool import Entry, Pool, Tag

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = late("pandas")

TEXTS = ("authors-incomplete", "doi", "eprint", "url", "code", "summary", "added")

FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠']")
"""How a cell begins that a spreadsheet would take for a formula; and the apostrophe that says it is none."""


def to_frame(pool: Pool) -> pd.DataFrame:
    """A row per entry; authors and the values on each axis are lists."""
    return pd.DataFrame(_rows(pool), columns=_columns(pool)).astype({"year": "int64", "month": "Int64"})


def _columns(pool: Pool) -> list[str]:
    first = ["key", "type", "title", "authors", "year", "month", "appeared", "venue", *TEXTS]
    return [*first, *(axis.id for axis in pool.taxonomy.on("entry")), "edition", "data"]


def _rows(pool: Pool) -> list[dict[str, Any]]:
    axes = pool.taxonomy.on("entry")
    return [
        {
            "key": entry.key,
            "type": entry.block.type,
            "title": entry.title,
            "authors": [name.sorted for name in entry.authors],
            "year": entry.year,
            "month": entry.month,
            "appeared": entry.appeared,
            "venue": entry.venue,
            **{name: entry.text(name) or None for name in TEXTS},
            **{axis.id: [str(tag) for tag in entry.tags.get(axis.id, ())] for axis in axes},
            "edition": pool.day.isoformat(),
            "data": pool.fingerprint,
        }
        for entry in pool
    ]


def to_csv(pool: Pool) -> str:
    """One line an entry; lists are joined by semicolons, and no cell is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(pool), lineterminator="\n")
    writer.writeheader()
    for row in _rows(pool):
        flat = {name: "; ".join(cell) if isinstance(cell, list) else cell for name, cell in row.items()}
        writer.writerow({name: as_text(cell) for name, cell in flat.items()})
    return text.getvalue()


def as_text(cell: Any) -> Any:
    """The cell as spreadsheets read it as text: with an apostrophe in front, if it looked like a formula.

    A cell that begins with an apostrophe of its own gets another: whoever takes the first one away
    has what was written.

    >>> as_text("=1+1"), as_text("'tis"), as_text("a = b")
    ("'=1+1", "''tis", 'a = b')
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def to_parquet(pool: Pool) -> bytes:
    """The same table with its types: lists stay lists, numbers stay numbers."""
    buffer = io.BytesIO()
    to_frame(pool).to_parquet(buffer, index=False, engine="pyarrow")
    return buffer.getvalue()


def to_json(pool: Pool) -> str:
    """Everything about each entry: how to cite it, tags with their evidence, sources."""
    whole = {
        "survey": pool.taxonomy.title,
        "as_of": pool.day.isoformat(),
        "data": pool.fingerprint,
        "entries": [_entry(entry) for entry in pool],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "type": entry.block.type,
        "title": entry.title,
        "authors": [csl_name(name) for name in entry.authors],
        "year": entry.year,
        "month": entry.month,
        "appeared": entry.appeared,
        "venue": entry.venue,
        **{name: entry.text(name) or None for name in TEXTS},
        "sources": entry.text("sources").split(),
        "tags": {axis: [_tag(tag) for tag in tags] for axis, tags in entry.tags.items()},
        "why": {axis: entry.why(axis) for axis in entry.tags if entry.why(axis)},
    }


def _tag(tag: Tag) -> dict[str, Any]:
    parts = {"value": tag.word, "qualifier": tag.qualifier or None, "number": tag.number}
    return {name: part for name, part in parts.items() if part is not None}
