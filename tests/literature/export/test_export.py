"""Exports: complete, readable by other programs, and written atomically."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType

import pandas as pd
import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from survey.atomic import write_atomically
from survey.literature import Pool, load, parse_bibtex
from survey.literature.bibtex import CITED, FORBIDDEN, Field, collapsed
from survey.literature.bibtex.blocks import unwritable
from survey.literature.export import FORMATS
from survey.literature.export.bib import to_bib, to_tagged_bib
from survey.literature.export.csl import to_csl_json
from survey.literature.export.ris import to_ris
from survey.literature.pool import read_entries
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY

POOL = load(ROOT / "bib")


def test_tagged_bibtex_round_trips(pool: Pool) -> None:
    document = parse_bibtex(to_tagged_bib(pool))
    entries, problems = read_entries(document, pool.taxonomy)
    assert problems == []
    for before, after in zip(pool, entries, strict=True):
        assert (before.key, before.block.type, dict(before.tags)) == (after.key, after.block.type, dict(after.tags))
        assert {n: f.text for n, f in before.block.fields.items()} == {n: f.text for n, f in after.block.fields.items()}


def test_the_pool_file_itself_is_written_in_the_usual_order() -> None:
    text = (ROOT / "bib" / "pool.bib").read_text()
    body = text[text.index("\n@") + 1 :]
    assert body == to_tagged_bib(POOL).partition("\n\n")[2]


HOSTILE = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30) | st.lists(
    st.sampled_from(["{x}", "\\", '"', ",", "=", "@misc{a,", "%", "#", "</script>", "{{7*7}}", ";", "é", "—", " "]),
    min_size=1,
).map("".join)


@given(HOSTILE)
def test_hostile_text_in_evidence_survives_tagged_bibtex_and_json(text: str) -> None:
    text = collapsed(text)
    if not text or unwritable(text) or FORBIDDEN.search(text):
        return
    entry = POOL.entries[0]
    fields = {**entry.block.fields, "why-reward": Field(text, 1)}
    changed = replace(POOL, entries=(replace(entry, block=replace(entry.block, fields=MappingProxyType(fields))),))
    read, _ = read_entries(parse_bibtex(to_tagged_bib(changed)), POOL.taxonomy)
    assert read[0].why("reward") == text
    exported = json.loads(FORMATS["json"](changed))
    assert exported["entries"][0]["why"]["reward"] == text


def test_clean_bibtex_has_only_fields_that_styles_read(pool: Pool) -> None:
    document = parse_bibtex(to_bib(pool))
    assert not document.problems
    assert {name for block in document.blocks for name in block.fields} <= set(CITED)
    assert [block.key for block in document.blocks] == [entry.key for entry in pool]


def test_a_preprint_keeps_its_number_in_styles_that_know_no_eprint(pool: Pool) -> None:
    block = parse_bibtex(to_bib(pool.keep(["c3"]))).blocks[0]
    assert block.text("howpublished") == "arXiv:2603.06859"


def test_a_list_known_to_be_incomplete_is_cited_with_others(folder: Callable[..., Path]) -> None:
    entry = ENTRY.replace("title ", "authors-incomplete = {The page names one author only.},\n  title ")
    assert "author = {Last, First and others}" in " ".join(to_bib(load(folder(entry))).split())


# The variables that our items use, with the types the CSL specification gives them.
NAME = {
    "type": "object",
    "properties": {
        key: {"type": "string"} for key in ("family", "given", "suffix", "non-dropping-particle", "literal")
    },
    "additionalProperties": False,
    "anyOf": [{"required": ["family"]}, {"required": ["literal"]}],
}
TEXT = {"type": "string", "minLength": 1}
CSL_ITEM = {
    "type": "object",
    "required": ["id", "type", "title", "author", "issued", "URL"],
    "additionalProperties": False,
    "properties": {
        "id": TEXT,
        "type": {
            "enum": [
                "article", "article-journal", "paper-conference", "chapter", "book", "report", "thesis",
                "manuscript", "webpage",
            ]
        },
        "author": {"type": "array", "minItems": 1, "items": NAME},
        "editor": {"type": "array", "minItems": 1, "items": NAME},
        "source": TEXT,  # CSL: where the item was found
        "issued": {
            "type": "object",
            "required": ["date-parts"],
            "properties": {
                "date-parts": {
                    "type": "array",
                    "items": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "integer"}},
                }
            },
        },
        **dict.fromkeys(
            (
                "title", "container-title", "collection-title", "volume", "issue", "page", "publisher",
                "publisher-place", "edition", "ISBN", "ISSN", "DOI", "URL", "note", "archive",
                "archive_location", "number", "genre",
            ),
            TEXT,
        ),
    },
}  # fmt: skip


def test_csl_json_has_the_names_and_types_of_the_specification(pool: Pool) -> None:
    items = json.loads(to_csl_json(pool))
    validator = Draft202012Validator({"type": "array", "items": CSL_ITEM})
    assert [error.message for error in validator.iter_errors(items)] == []
    assert [item["id"] for item in items] == [entry.key for entry in pool]


def test_csl_keeps_protected_capitals_and_corporate_authors(pool: Pool) -> None:
    items = {item["id"]: item for item in json.loads(to_csl_json(pool))}
    assert '<span class="nocase">LLM</span>' in items["c3"]["title"]
    assert items["kimi-k2-5"]["author"] == [{"literal": "Kimi Team"}]


TITLES = [
    ("{LLM} Teams", '<span class="nocase">LLM</span> Teams'),
    (r"Caf\'{e} Culture", "Café Culture"),
    (r"\{x\} Sets", "{x} Sets"),
    (r"$\tau$-bench", "τ-bench"),
    (r"{\'E}tude in {C}", 'Étude in <span class="nocase">C</span>'),
]


@pytest.mark.parametrize(("raw", "shown"), TITLES, ids=[t[1] for t in TITLES])
def test_csl_titles_keep_accents_braces_and_formulas(folder: Callable[..., Path], raw: str, shown: str) -> None:
    pool = load(folder(ENTRY.replace("A Title", raw)))
    assert json.loads(to_csl_json(pool))[0]["title"] == shown


def test_ris_is_read_back_by_a_reader_of_its_own(pool: Pool) -> None:
    records = rispy.loads(to_ris(pool))
    assert [record["id"] for record in records] == [entry.key for entry in pool]
    for record, entry in zip(records, pool, strict=True):
        assert record["authors"] == [name.sorted for name in entry.authors]
        assert record["title"] == entry.title
        assert record["year"] == str(entry.year)
        assert record["urls"] == [entry.url]


def test_csv_and_parquet_are_the_same_table(pool: Pool) -> None:
    flat = pd.read_csv(io.BytesIO(FORMATS["csv"](pool)), keep_default_na=False, dtype=str)
    typed = pd.read_parquet(io.BytesIO(FORMATS["parquet"](pool)))
    assert list(flat.columns) == list(typed.columns)
    assert list(flat["key"]) == list(typed["key"]) == [entry.key for entry in pool]
    for axis in ("reward", "decision", "scale"):
        assert list(flat[axis]) == ["; ".join(values) for values in typed[axis]]


def test_json_holds_every_tag_with_its_evidence(pool: Pool) -> None:
    whole = json.loads(FORMATS["json"](pool))
    assert whole["as_of"] == pool.day.isoformat()
    for found, entry in zip(whole["entries"], pool, strict=True):
        assert {axis: [t["value"] for t in tags] for axis, tags in found["tags"].items()} == {
            axis: list(entry.words(axis)) for axis in entry.tags
        }
        assert found["why"] == {axis: entry.why(axis) for axis in entry.tags if entry.why(axis)}


@pytest.mark.parametrize("form", list(FORMATS))
def test_an_export_is_the_same_bytes_each_time(pool: Pool, form: str) -> None:
    assert FORMATS[form](pool) == FORMATS[form](load(ROOT / "bib"))


@pytest.mark.parametrize("form", list(FORMATS))
def test_an_empty_selection_is_a_valid_empty_file(pool: Pool, form: str) -> None:
    empty = replace(pool, entries=())
    data = FORMATS[form](empty)
    if form in ("csl-json", "json"):
        whole = {"survey": pool.taxonomy.title, "as_of": str(empty.day), "data": empty.fingerprint, "entries": []}
        assert json.loads(data) in ([], whole)
    elif form in ("bib", "bib-tagged"):
        assert data.decode().split() == f"% {empty.stamp}".split()
    elif form == "parquet":
        assert pd.read_parquet(io.BytesIO(data)).empty
    else:
        assert len(data.splitlines()) <= 1


def test_a_file_is_replaced_atomically(tmp_path: Path) -> None:
    path = tmp_path / "x.bib"
    path.write_text("before")
    path.chmod(0o640)
    write_atomically(path, b"after")
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["x.bib"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.bib").write_text("before")
    (tmp_path / "link.bib").symlink_to("real.bib")
    write_atomically(tmp_path / "link.bib", b"after")
    assert (tmp_path / "link.bib").is_symlink()
    assert (tmp_path / "real.bib").read_text() == "after"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"through")
        assert os.read(reader, 100) == b"through"
        assert pipe.is_fifo()
    finally:
        os.close(reader)


def test_a_failure_leaves_the_old_file_and_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.bib"
    path.write_text("before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"after")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["x.bib"]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "parquet"])
def test_every_export_names_its_edition_and_data(form: str, pool: Pool) -> None:
    part = pool.where([("credit", "message")]).keep(["c3"])
    text = FORMATS[form](part).decode()
    assert pool.day.isoformat() in text
    assert pool.fingerprint in text, "a part carries the fingerprint of the whole"


def test_parquet_carries_edition_and_data_as_columns(pool: Pool) -> None:
    frame = pd.read_parquet(io.BytesIO(FORMATS["parquet"](pool.keep(["c3"]))))
    assert list(frame["edition"]) + list(frame["data"]) == [pool.day.isoformat(), pool.fingerprint]


def test_a_snapshot_has_a_fingerprint_of_its_own(pool: Pool) -> None:
    assert pool.as_of(date(2020, 1, 1)).fingerprint != pool.fingerprint
    assert pool.as_of(pool.day).fingerprint == pool.fingerprint
