"""Files for programs: one for each thing, a list that names them all, and a data package that says what a column may hold."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from datetime import date
from itertools import combinations
from typing import Any

import jsonschema
import pytest

from survey.literature import Pool, counts, crosstab
from survey.literature.export import FORMATS
from survey.literature.pool import cells
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.markup.downloads import DOWNLOADS
from survey.site.pages.data_files.builder import INDEX, LINKED, PACKAGE, data_files

SITE = "https://example.org/survey/"

DATA_PACKAGE: dict[str, Any] = {
    "type": "object",
    "required": ["resources"],
    "properties": {
        "profile": {"enum": ["data-package", "tabular-data-package"]},
        "name": {"type": "string", "pattern": "^([-a-z0-9._/])+$"},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "version": {"type": "string"},
        "licenses": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "anyOf": [{"required": ["name"]}, {"required": ["path"]}]},
        },
        "contributors": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["title"],
                "properties": {"role": {"enum": ["author", "publisher", "maintainer", "wrangler", "contributor"]}},
            },
        },
        "resources": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "path"],
                "properties": {
                    "profile": {"enum": ["data-resource", "tabular-data-resource"]},
                    "name": {"type": "string", "pattern": "^([-a-z0-9._/])+$"},
                    "path": {"type": "string", "pattern": r"^(?!/)(?!.*\.\./)[^:]+$"},
                    "bytes": {"type": "integer"},
                    "hash": {"type": "string", "pattern": "^([^:]+:[a-fA-F0-9]+|[a-fA-F0-9]{32}|)$"},
                    "mediatype": {"type": "string", "pattern": "^(.+)/(.+)$"},
                    "dialect": {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number"]}},
                    "schema": {
                        "type": "object",
                        "required": ["fields"],
                        "properties": {
                            "primaryKey": {"type": "string"},
                            "fields": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "object",
                                    "required": ["name"],
                                    "properties": {
                                        "type": {"enum": ["string", "integer", "date"]},
                                        "format": {"enum": ["uri"]},
                                        "constraints": {
                                            "type": "object",
                                            "additionalProperties": False,
                                            "properties": {
                                                "required": {"type": "boolean"},
                                                "unique": {"type": "boolean"},
                                                "minimum": {"type": "number"},
                                                "maximum": {"type": "number"},
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What version 1 of the Data Package standard asks of a descriptor, as far as ours uses it."""


@pytest.fixture(scope="module")
def downloads(pool: Pool) -> dict[str, bytes]:
    return {path: FORMATS[download.form](pool) for path, download in DOWNLOADS.items()}


@pytest.fixture(scope="module")
def made(pool: Pool, downloads: dict[str, bytes]) -> dict[str, str]:
    return {path: fill(text, pool) for path, text in data_files(Facts(pool, SITE))}


def read(made: dict[str, str], path: str) -> Any:
    return json.loads(made[path])


def test_every_entry_axis_and_pair_of_main_axes_has_a_file(pool: Pool, made: dict[str, str]) -> None:
    main = [axis.id for axis in pool.taxonomy.on("entry") if axis.main]
    assert set(made) == {
        *(f"data/entries/{entry.key}.json" for entry in pool),
        *(f"data/axes/{axis.id}.json" for axis in pool.taxonomy),
        *(f"data/cells/{a}-by-{b}.json" for a, b in combinations(main, 2)),
        INDEX, PACKAGE, LINKED,
    }  # fmt: skip


def test_every_file_says_which_data_it_holds(pool: Pool, made: dict[str, str]) -> None:
    for path in set(made) - {PACKAGE, LINKED}:
        found = read(made, path)
        assert (found["as_of"], found["data"]) == (pool.day.isoformat(), pool.fingerprint)


def test_an_entry_is_told_as_the_whole_pool_tells_it(made: dict[str, str], downloads: dict[str, bytes]) -> None:
    for whole in json.loads(downloads["data/pool.json"])["entries"]:
        alone = read(made, f"data/entries/{whole['key']}.json")
        assert {name: alone[name] for name in whole} == whole
        assert alone["work"]["@context"] == "https://schema.org"


def test_an_axis_has_its_definitions_and_the_counts_of_its_page(pool: Pool, made: dict[str, str]) -> None:
    for axis in pool.taxonomy:
        found = read(made, f"data/axes/{axis.id}.json")
        assert [value["id"] for value in found["values"]] == list(axis.values)
        assert all(value["labels"] and value["definition"] for value in found["values"])
        assert {row["cell"]: row["count"] for row in found["counts"]} == {
            row.cell: row.n for row in counts(pool, axis.id).rename(columns={"count": "n"}).itertuples()
        }
        works = pool.entries if axis.on == "entry" else pool.records
        for value in found["values"]:
            assert value["keys"] == [work.key for work in works if value["id"] in work.words(axis.id)]


def test_every_cell_is_there_the_empty_ones_too(pool: Pool, made: dict[str, str]) -> None:
    for path in (path for path in made if path.startswith("data/cells/")):
        found = read(made, path)
        rows, columns = pool.taxonomy[found["rows"]], pool.taxonomy[found["columns"]]
        table = crosstab(pool, rows.id, columns.id)
        assert len(found["cells"]) == len(cells(rows)) * len(cells(columns))
        for cell in found["cells"].values():
            assert cell["count"] == len(cell["keys"]) == table.at[cell["row"], cell["column"]]


def test_a_cell_that_cannot_be_says_why(pool: Pool, made: dict[str, str]) -> None:
    barred = [
        cell for path in made if "/cells/" in path for cell in read(made, path)["cells"].values() if "cannot_be" in cell
    ]
    assert barred
    assert all(cell["cannot_be"] and cell["count"] == 0 for cell in barred)


def test_the_index_lists_everything_with_its_kind_and_a_description(made: dict[str, str]) -> None:
    listed = read(made, INDEX)["files"]
    assert {file["path"] for file in listed} == set(made) - {INDEX} | set(DOWNLOADS)
    assert all(re.fullmatch(r"\w+/[\w.+-]+", file["media_type"]) for file in listed)
    assert all(file["description"].endswith(".") for file in listed)
    assert len({file["description"] for file in listed if "/entries/" not in file["path"]}) > 30


def test_the_files_for_single_things_stay_small(made: dict[str, str], pool: Pool) -> None:
    """One of them is what a program asks for; all of them grow with the number of entries alone."""
    sizes = {path: len(text.encode()) for path, text in made.items()}
    assert max(size for path, size in sizes.items() if path != INDEX) < 50_000
    assert sum(sizes.values()) < 6_000 * len(pool)


# ------------------------------------------------------------------ data package


def test_the_descriptor_is_one_of_a_data_package(made: dict[str, str]) -> None:
    jsonschema.Draft202012Validator(DATA_PACKAGE).validate(read(made, PACKAGE))


def test_resources_are_the_exports_with_their_size_and_fingerprint(
    made: dict[str, str], downloads: dict[str, bytes]
) -> None:
    for resource in read(made, PACKAGE)["resources"]:
        data = downloads[f"data/{resource['path']}"]
        assert resource["bytes"] == len(data)
        assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_every_row_of_the_table_is_what_its_schema_says(made: dict[str, str], downloads: dict[str, bytes]) -> None:
    [table] = [resource for resource in read(made, PACKAGE)["resources"] if "schema" in resource]
    header, *rows = csv.reader(io.StringIO(downloads["data/pool.csv"].decode(), newline=""))
    fields = table["schema"]["fields"]
    assert [field["name"] for field in fields] == header
    for field, column in zip(fields, zip(*rows, strict=True), strict=True):
        limits = field.get("constraints", {})
        assert all(column) or not limits.get("required"), field
        assert len(set(column)) == len(column) or not limits.get("unique"), field
        given = [value for value in column if value]
        if field["type"] == "integer":
            numbers = [int(value) for value in given]
            assert min(numbers) >= limits.get("minimum", 0), field
            assert max(numbers) <= limits.get("maximum", 9999), field
        elif field["type"] == "date":
            assert all(date.fromisoformat(value).isoformat() == value for value in given), field
        elif field.get("format") == "uri":
            assert all(re.match(r"https?://[^\s]+$", value) for value in given), field


# ---------------------------------------------------------------------- JSON-LD


def test_the_linked_data_name_every_download_with_its_size_and_fingerprint(
    made: dict[str, str], downloads: dict[str, bytes]
) -> None:
    about = read(made, LINKED)
    assert about["@type"] == "Dataset"
    assert about["license"].startswith("https://")
    sums = {one["contentUrl"]: one.get("sha256") for one in about["distribution"]}
    for path, data in downloads.items():
        assert sums[SITE + path] == hashlib.sha256(data).hexdigest()
    assert {SITE + INDEX, SITE + PACKAGE} < set(sums)


def test_the_same_pool_gives_the_same_files(pool: Pool, made: dict[str, str], downloads: dict[str, bytes]) -> None:
    assert {path: fill(text, pool) for path, text in data_files(Facts(pool, SITE))} == made
