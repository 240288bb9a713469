"""Files that hold works, by the ending of their names."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from survey.literature import InvalidSurvey
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.sources import read_file
from tests.literature.scout.server import ARXIV_FEED, COMPANY_FEED


def read(folder: Path, name: str, text: str | bytes) -> list[Candidate]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_file(path))


# ------------------------------------------------------------- JSON lines


def test_our_own_listing_is_read_with_every_field(tmp_path: Path) -> None:
    line = (
        '{"title": "Batons", "authors": ["Ada Beispiel"], "abstract": "We\\n pass.", "arxiv": "2603.00011", "doi": "10.5555/a",'
        ' "classes": ["cs.MA"], "submitted": "2026-03-02", "announced": "2026-03-04", "version": 2, "venue": "Relays",'
        ' "links": ["https://example.org/1"], "withdrawn": true, "sources": ["arxiv"]}'
    )
    assert read(tmp_path, "works.jsonl", line) == [
        Candidate(
            title="Batons", authors=("Ada Beispiel",), abstract="We pass.", arxiv="2603.00011", doi="10.5555/a",
            classes=("cs.MA",), submitted=date(2026, 3, 2), announced=date(2026, 3, 4), version=2, venue="Relays",
            links=("https://example.org/1",), withdrawn=True, sources=("arxiv",),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        '{"title": "Batons", "arxiv_id": "2603.00011v2", "summary": "We pass.", "authors": "Ada Beispiel, Bob Muster",'
        ' "categories": "cs.MA cs.AI", "published": "2026-03-02T17:59:01Z"}',
        '{"title": "Batons", "id": "http://arxiv.org/abs/2603.00011v2", "abstract": "We pass.",'
        ' "author": "Ada Beispiel and Bob Muster", "primary_category": "cs.MA, cs.AI", "submitted_date": "2026-03-02"}',
        "{'title': 'Batons', 'eprint': 'arXiv:2603.00011', 'version': 'v2', 'abstract': 'We pass.', 'withdrawn': None,"
        " 'creators': [{'name': 'Ada Beispiel'}, 'Bob Muster', None], 'classes': ['cs.MA', 'cs.AI'],"
        " 'submitted': '2026-03-02'}",
    ],
)
def test_listings_of_others_name_their_fields_as_they_like(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, "works.ndjson", line + "\n") == [
        Candidate(
            title="Batons", authors=("Ada Beispiel", "Bob Muster"), abstract="We pass.", arxiv="2603.00011", version=2,
            classes=("cs.MA", "cs.AI"), submitted=date(2026, 3, 2), sources=("works.ndjson",),
        )
    ]  # fmt: skip


def test_a_version_is_that_of_the_arxiv_id_and_of_nothing_else(tmp_path: Path) -> None:
    line = (
        '{"title": "Batons", "id": "https://example.org/api/v9", "pdf_url": "https://arxiv.org/pdf/2603.00011v2.pdf"}'
    )
    (found,) = read(tmp_path, "works.jsonl", line)
    assert (found.arxiv, found.version) == ("2603.00011", 2)


def test_a_smaller_than_in_a_title_is_no_markup(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "works.jsonl", '{"title": "When 1 < 2 and <i>3</i> > 2"}')
    assert found.title == "When 1 < 2 and 3 > 2"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", 'not a work (expected one JSON object a line, as in {"title": "...", "abstract": "..."})'),
        ('["a"]', "not a work (expected one JSON object a line"),
        ("{'title': open('x')}", "not a work (expected one JSON object a line"),
        ('{"titel": "A", "id": "1"}', "a work without a title (expected \"title\" among 'titel', 'id')"),
        ("{}", 'a work without a title (expected "title" among its fields)'),
    ],
)
def test_a_line_that_is_no_work_is_an_error_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InvalidSurvey) as error:
        read(tmp_path, "works.jsonl", f'{{"title": "A"}}\n\n{line}\n')
    assert f"works.jsonl:3: {message}" in str(error.value)


def test_lines_that_are_not_utf_8_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidSurvey, match=r"works\.jsonl:1: not UTF-8 text"):
        read(tmp_path, "works.jsonl", b'{"title": "\xff"}')


# ------------------------------------------------------------- feeds


def test_feeds_are_read_by_the_ending_of_the_name(tmp_path: Path) -> None:
    assert [found.title for found in read(tmp_path, "new.rss", ARXIV_FEED)] == ["Relay Races for Small Agents"]
    assert [found.sources for found in read(tmp_path, "NEWS.XML", COMPANY_FEED)] == [("NEWS.XML",)] * 2


def test_a_feed_that_cannot_be_read_is_an_error_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidSurvey, match=r"new\.atom:1: gave neither Atom nor RSS, but <html>"):
        read(tmp_path, "new.atom", "<html></html>")


# ------------------------------------------------------------- bibliographies

ENTRY = r"""@inproceedings{beispiel2026,
  title     = {Batons: {\'E}tude},
  author    = {Beispiel, Ada and {Relays and Batons Group} and others},
  abstract  = {We pass 50\% of them.},
  booktitle = {Relays},
  year      = {2026},
  eprint    = {2603.00011},
  doi       = {10.5555/A},
  announced = {2026-03-04},
  url       = {https://example.org/1},
}
"""


def test_an_entry_of_a_bibliography_is_read_with_every_field(tmp_path: Path) -> None:
    assert read(tmp_path, "works.bib", ENTRY) == [
        Candidate(
            title="Batons: Étude", authors=("Ada Beispiel", "Relays and Batons Group"), abstract="We pass 50% of them.",
            arxiv="2603.00011", doi="10.5555/a", venue="Relays", announced=date(2026, 3, 4),
            links=("https://example.org/1",), sources=("works.bib",), parted=("Beispiel, Ada", "{Relays and Batons Group}"),
                kind="inproceedings", published="2026",
        )
    ]  # fmt: skip


def test_an_entry_without_a_title_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidSurvey, match=r"works\.bib:12: entry untitled: a work without a title"):
        read(tmp_path, "works.bib", ENTRY + "@misc{untitled,\n  year = {2026},\n}\n")


def test_a_broken_bibliography_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidSurvey, match=r"works\.bib:\d+: "):
        read(tmp_path, "works.bib", ENTRY + "@misc{open,\n  title = {No end,\n")


@pytest.mark.parametrize(("name", "found"), [("works.csv", "ends in .csv"), ("works", "ends in nothing")])
def test_a_file_of_another_kind_is_an_error(tmp_path: Path, name: str, found: str) -> None:
    with pytest.raises(InvalidSurvey, match=found):
        read(tmp_path, name, "title\n")
