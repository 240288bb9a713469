"""The data for programs: an object for each entry and axis, every cell of each pair of main axes, and an index.

These small files complement the exports of the whole pool, at addresses that say what they hold.
The cells of a pair of axes share one file: there are thousands of them, most are empty, and a
client that reads one mostly reads its neighbours. The id of a cell is its anchor on the page of the pair.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from survey.literature import Axis, Entry, Pool, counts
from survey.literature.bibtex import address_of
from survey.literature.export.tables import TEXTS, entry_data
from survey.literature.pool import cell_label, cells, counted
from survey.literature.taxonomy import Licence, Term, licence
from survey.plurals import plural
from survey.site.drafts import NO_PROSE
from survey.site.facts import Facts, Files
from survey.site.html.addresses import address
from survey.site.markup.downloads import DOWNLOADS
from survey.site.markup.links import anchor, entry_page
from survey.site.pages.data_files.dataset import dataset
from survey.site.pages.entries.builder import structured

INDEX = "data/index.json"
PACKAGE = "data/datapackage.json"
LINKED = "data/dataset.jsonld"
JSON = "application/json"


def data_files(facts: Facts) -> Files:
    """Yield the files for programs."""
    pool, downloads = facts.pool, facts.exports
    whole = downloads["data/pool.json"]
    listed = {path: (download.media, download.words) for path, download in DOWNLOADS.items()}
    tags = facts.reading(NO_PROSE)
    for path, content, words in chain(_entries(pool), tags.cached("axes and cells", lambda: list(_counted(tags.pool)))):
        listed[path] = (JSON, words)
        yield path, content
    yield PACKAGE, _written(datapackage(pool, whole, downloads["data/pool.csv"]))
    yield LINKED, _written(_linked(dataset(pool, facts.site_url), facts.site_url, downloads))
    listed[PACKAGE] = (JSON, "The exports as a data package: each column with its type and its permitted values.")
    listed[LINKED] = ("application/ld+json", "The data set in JSON-LD, with the vocabulary of schema.org.")
    terms = licence(pool.taxonomy.settings.licence)
    yield INDEX, _written({
        **_stamp(pool),
        **({"licence": terms.said} if terms else {}),
        "addresses": "Paths are relative to the home page. Published addresses and keys do not change.",
        "files": [
            {"path": path, "media_type": media, "description": words} for path, (media, words) in sorted(listed.items())
        ],
    })  # fmt: skip


def _entries(pool: Pool) -> Iterator[tuple[str, str, str]]:
    """Yield path, content and description of the file of each entry."""
    stamp = _stamp(pool)
    for entry in pool:
        more = {"page": address(entry_page(entry.key)), "work": structured(entry)}
        words = f"One entry: {entry.by}, {entry.year}."
        yield f"data/entries/{address_of(entry.key)}.json", _compact(stamp | entry_data(entry) | more), words


def _counted(pool: Pool) -> Iterator[tuple[str, str, str]]:
    """Yield path, content and description of the file of each axis, and of the cells of each pair of main axes."""
    for axis in pool.taxonomy:
        words = f"An axis with its values, their definitions and the keys of their entries: {axis.label}."
        yield f"data/axes/{axis.id}.json", _compact(_stamp(pool) | _axis(pool, axis)), words
    for rows, columns in combinations(pool.taxonomy.main, 2):
        words = f"Every cell of {rows.label} by {columns.label}, empty ones included, with the entries in it."
        yield f"data/cells/{rows.id}-by-{columns.id}.json", _compact(_stamp(pool) | _cells(pool, rows, columns)), words


def _stamp(pool: Pool) -> dict[str, Any]:
    return {"survey": pool.taxonomy.title, "as_of": pool.day.isoformat(), "data": pool.fingerprint}


def _axis(pool: Pool, axis: Axis) -> dict[str, Any]:
    works: Sequence[Entry] = pool.entries if axis.on == "entry" else pool.records
    rows = counts(pool, axis.id).to_dict("records")
    return {
        "axis": axis.id,
        "label": axis.label,
        "definition": axis.definition,
        "asked_of": "entries" if axis.on == "entry" else "excluded records",
        "shape": str(axis.shape),
        "required": axis.required,
        "main": axis.main,
        "page": address(f"axes/{axis.id}/index.md"),
        "families": [_term(family) for family in axis.families.values()],
        "qualifiers": [_term(qualifier) for qualifier in axis.qualifiers.values()],
        "values": [
            _term(value)
            | {
                name: text
                for name in ("code", "family", "rule", "positive", "negative", "unit")
                if (text := getattr(value, name))
            }
            | {"page": address(f"axes/{axis.id}/{value.id}.md"), "keys": _with(works, axis, value.id)}
            for value in axis.values.values()
        ],
        "absences": [
            _term(pool.taxonomy.absences[absence]) | {"keys": _with(works, axis, absence)} for absence in axis.absences
        ],
        "counts": [{"cell": row["cell"], "count": row["count"], "mentions": row["mentions"]} for row in rows],
    }


def _term(term: Term) -> dict[str, Any]:
    return {"id": str(term.id), "labels": dict(term.labels), "definition": term.definition, "also": list(term.also)}


def _with(works: Sequence[Entry], axis: Axis, word: str) -> list[str]:
    return [work.key for work in works if word in work.words(axis.id)]


def _cells(pool: Pool, rows: Axis, columns: Axis) -> dict[str, Any]:
    """Return the cells row by row. An entry counts by its first value, on an axis that is a set by each value."""
    found: dict[tuple[str, str], list[str]] = {}
    for entry in pool:
        for row in counted(entry, rows):
            for column in counted(entry, columns):
                found.setdefault((row, column), []).append(entry.key)
    return {
        "rows": rows.id,
        "columns": columns.id,
        "page": address(f"measure/{rows.id}-by-{columns.id}.md"),
        "labels": {
            axis.id: {cell: cell_label(pool.taxonomy, axis, cell) for cell in cells(axis)} for axis in (rows, columns)
        },
        "cells": {
            anchor(row, column): {"row": row, "column": column, "count": len(keys), "keys": keys}
            | ({"cannot_be": why} if (why := pool.taxonomy.excluded({rows.id: row, columns.id: column})) else {})
            for row in cells(rows)
            for column in cells(columns)
            for keys in [found.get((row, column), [])]
        },
    }


# ------------------------------------------------------------ data package and metadata


def datapackage(pool: Pool, whole: bytes, table: bytes) -> dict[str, Any]:
    """Return the pool as a data package (version 1): its table with typed columns, and the entries with evidence."""
    axes, settings = pool.taxonomy.on("entry"), pool.taxonomy.settings
    said = f" with evidence for {pool.taxonomy.evidence}" if pool.taxonomy.evidence else ""
    return {
        "profile": "data-package",
        "name": "-".join("".join(c if c.isalnum() else " " for c in pool.taxonomy.title.lower()).split()),
        "title": pool.taxonomy.title,
        "description": f"{plural(len(pool), 'entry')}{said}, as of {pool.day}, data {pool.fingerprint}.",
        "version": pool.day.isoformat(),
        **({"licenses": [_terms(terms)]} if (terms := licence(settings.licence)) else {}),
        **({"contributors": [{"title": settings.creator, "role": "author"}]} if settings.creator else {}),
        "resources": [
            {
                "profile": "tabular-data-resource",
                "name": "pool",
                "path": "pool.csv",
                "title": "A line for each entry",
                "description": "Where a spreadsheet could read a formula, an apostrophe stands before it: "
                "at the start of a cell, or behind a semicolon; remove one.",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                **_size(table),
                "dialect": {"delimiter": ",", "lineTerminator": "\n", "doubleQuote": True, "header": True},
                "schema": {"fields": [*_columns(), *map(_tags, axes), *_edition()], "primaryKey": "key"},
            },
            {
                "name": "pool-with-evidence",
                "path": "pool.json",
                "title": "Every entry with its tags, their evidence and sources",
                "format": "json",
                "mediatype": "application/json",
                "encoding": "utf-8",
                **_size(whole),
            },
        ],
    }


def _terms(found: Licence) -> dict[str, str]:
    return {"name": found.name} | ({"title": found.title, "path": found.address} if found.address else {})


def _columns() -> list[dict[str, Any]]:
    texts: dict[str, dict[str, Any]] = {
        "key": {
            "description": "The citation key. It never changes.",
            "constraints": {"required": True, "unique": True},
        },
        "type": {"description": "The type of the entry in BibTeX.", "constraints": {"required": True}},
        "title": {"constraints": {"required": True}},
        "authors": {"description": "Last, First; every author, in order, joined by semicolons."},
        "year": {"type": "integer", "constraints": {"required": True}},
        "month": {"type": "integer", "constraints": {"minimum": 1, "maximum": 12}},
        "appeared": {"description": "When it first was public: the day of announcement, else of submission."},
        "venue": {"description": "Where it was published; for a preprint its arXiv number."},
    }
    last: dict[str, dict[str, Any]] = {name: {} for name in TEXTS}
    last["url"] = {"format": "uri"}
    last["submitted"] = {"type": "date", "description": "The day of the first version."}
    last["announced"] = {"description": "When it could first be read: YYYY, YYYY-MM or YYYY-MM-DD."}
    last["version"] = {"description": "The version of the preprint whose title and authors these are, or published."}
    last["added"] = {"type": "date", "description": "The day it was added to the pool."}
    return [{"name": name, "type": "string"} | more for name, more in (texts | last).items()]


def _tags(axis: Axis) -> dict[str, Any]:
    return {
        "name": axis.id,
        "type": "string",
        "title": axis.label,
        "description": f"{axis.definition} Values joined by semicolons, the first one first: {', '.join(axis.words)}.",
        "constraints": {"required": axis.required},
    }


def _edition() -> list[dict[str, Any]]:
    return [
        {"name": "edition", "type": "date", "description": "The day of the snapshot."},
        {"name": "data", "type": "string", "description": "The fingerprint of the data."},
    ]


def _size(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}


def _linked(about: Mapping[str, Any], site_url: str, downloads: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the metadata of the home page, with size and fingerprint of each distribution."""
    files = {f"{site_url}{path}": data for path, data in downloads.items()}
    distribution = [
        one
        | ({"contentSize": f"{len(data)} B", "sha256": hashlib.sha256(data).hexdigest()} if data is not None else {})
        for one in about["distribution"]
        for data in [files.get(one["contentUrl"])]
    ]
    distribution += [
        {"@type": "DataDownload", "contentUrl": f"{site_url}{path}", "encodingFormat": JSON}
        for path in (INDEX, PACKAGE)
    ]
    return {**about, "distribution": distribution}


def _written(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
