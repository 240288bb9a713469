"""Tables and JSON: the whole pool for spreadsheets and programs."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd

from survey.literature.entries import Entry
from survey.literature.export.csl import csl_name
from survey.literature.pool import Pool
from survey.literature.tags import Tag

TEXTS = ("authors-incomplete", "doi", "eprint", "url", "code", "summary", "added")


def to_frame(pool: Pool) -> pd.DataFrame:
    """A row per entry; authors and the values on each axis are lists."""
    axes = pool.taxonomy.on("entry")
    rows = [
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
    columns = ["key", "type", "title", "authors", "year", "month", "appeared", "venue", *TEXTS]
    frame = pd.DataFrame(rows, columns=[*columns, *(axis.id for axis in axes), "edition", "data"])
    return frame.astype({"year": "int64", "month": "Int64"})


def to_csv(pool: Pool) -> str:
    """One line an entry; lists are joined by semicolons."""
    frame = to_frame(pool)
    lists = ["authors", *(axis.id for axis in pool.taxonomy.on("entry"))]
    return frame.assign(**{name: frame[name].map("; ".join) for name in lists}).to_csv(index=False)


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
