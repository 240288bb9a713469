"""Criteria, decisions and routes: what ``survey check`` says about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import load, read_pool
from tests.literature.counting.flow.test_flow import EDITIONS, ENTRIES, LEFT_OUT, LOG, PROTOCOL, RECORDS

FILES = {"protocol.toml": PROTOCOL, "searches.toml": LOG, "excluded.bib": LEFT_OUT, "pool.bib": ENTRIES}


@pytest.fixture
def bib(folder: Callable[..., Path]) -> Path:
    files = {name.replace(".", "_"): text for name, text in FILES.items() if name != "pool.bib"}
    return folder(ENTRIES, RECORDS, editions_toml=EDITIONS, **files)


def problems(bib: Path) -> list[str]:
    return [str(problem).removeprefix(f"{bib}/") for problem in read_pool(bib)[1]]


def test_criteria_and_routes_that_are_right_are_no_problem(bib: Path) -> None:
    assert problems(bib) == []
    protocol = load(bib).protocol
    assert [criterion.id for criterion in protocol.of(excludes=True)] == ["single", "same"]


def test_criteria_are_optional(bib: Path) -> None:
    (bib / "protocol.toml").unlink()
    assert problems(bib) == []


@pytest.mark.parametrize(
    ("file", "said", "instead", "line", "message"),
    [
        ("protocol.toml", 'reasons = ["alone"]', "", 0, '"alone" is the reason of no criterion of exclusion'),
        ("protocol.toml", 'reasons = ["alone"]', 'reasons = ["allone"]', 5, '(did you mean "alone"?)'),
        ("protocol.toml", "duplicate = true", 'reasons = ["alone"]', 9, '"alone" belongs to "single" already'),
        ("protocol.toml", 'record = "R4"', 'record = "R3"', 26, 'decides "R3" twice'),
        ("protocol.toml", 'record = "R4"', 'record = "R44"', 26, 'there is no excluded record "R44"'),
        ("protocol.toml", 'excluded = "same"', 'excluded = "team"', 26, '"team" is not known here'),
        ("protocol.toml", 'excluded = "same"', "", 26, "names 0 criteria (expected either excluded or eligible)"),
        ("protocol.toml", 'why = "It is a2026."', "", 26, "is missing"),
        ("protocol.toml", 'assessed = ["text"]', 'assessed = ["texts"]', 15, '(did you mean "text"?)'),
        ("searches.toml", 'route = "listing"\nfound = ["b', 'route = "listings"\nfound = ["b', 22, 'did you mean "listing"?'),
        ("searches.toml", 'route = "listing"\nfound = ["b', 'found = ["b', 22, "is missing"),
        ("searches.toml", 'found = ["b2026"]', 'found = ["b2027"]', 22, 'there is no entry or excluded record "b2027"'),
        ("searches.toml", 'found = ["b2026"]', 'found = ["b2026", "b2026"]', 22, "names a work twice"),
        ("searches.toml", 'kind = "other"', 'kind = "others"', 8, '(did you mean "other"?)'),
        ("searches.toml", "works = 25", "works = 31", 32, "31 works among 30 hits"),
        ("pool.bib", "route = {letters}", "route = {leters}", 35, '"leters" is not a route of the search log (did you mean'),
        ("pool.bib", "route = {letters}", "route = {letters; letters}", 35, 'names "letters" twice'),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_where_it_is(
    bib: Path, file: str, said: str, instead: str, line: int, message: str
) -> None:
    text = FILES[file]
    assert said in text
    (bib / file).write_text(text.replace(said, instead, 1))
    found = problems(bib)
    assert any(message in problem for problem in found), found
    if line:
        assert any(problem.startswith(f"{file}:{line}: ") and message in problem for problem in found), found
