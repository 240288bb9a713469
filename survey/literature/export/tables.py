"""Export as tables and JSON, for spreadsheets and programs."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from survey.escaping import csv_text
from survey.extras import lazy
from survey.literature.export.csl import csl_name
from survey.literature.pool import Entry, Pool, Tag

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

TEXTS = (
    "submitted", "announced", "authors-incomplete", "doi", "eprint", "version", "url", "code", "summary", "sought",
    "added",
)  # fmt: skip


def to_frame(pool: Pool) -> pd.DataFrame:
    """Return a row per entry; authors and the values on each axis are lists."""
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
    """Return one line per entry; lists are joined by semicolons, and no spreadsheet reads a cell as a formula."""
    rows = (["; ".join(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in _rows(pool))
    return csv_text(_columns(pool), *rows)


def to_parquet(pool: Pool) -> bytes:
    """Return the same table as Parquet, with column types: lists stay lists, numbers stay numbers."""
    buffer = io.BytesIO()
    to_frame(pool).to_parquet(buffer, index=False, engine="pyarrow")
    return buffer.getvalue()


def to_json(pool: Pool) -> str:
    """Return all data of each entry as JSON: citation, tags with their evidence, sources, third parties' pages."""
    document = {
        "survey": pool.taxonomy.title,
        "as_of": pool.day.isoformat(),
        "data": pool.fingerprint,
        "entries": [entry_data(entry) for entry in pool],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def entry_data(entry: Entry) -> dict[str, Any]:
    """Return all data of an entry, as in the JSON export."""
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
        "third-party": entry.text("third-party").split(),
        "tags": {axis: [_tag(tag) for tag in tags] for axis, tags in entry.tags.items()},
        "why": {axis: entry.why(axis) for axis in entry.tags if entry.why(axis)},
    }


def _tag(tag: Tag) -> dict[str, Any]:
    parts = {"value": tag.word, "qualifier": tag.qualifier or None, "number": tag.number}
    return {name: part for name, part in parts.items() if part is not None}
