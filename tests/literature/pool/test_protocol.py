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


SOURCES = """
[sources]
preprint-needs = ["primaryclass", "version"]
third-party = ["digest.example"]
said-as = "third part"
"""


@pytest.mark.parametrize(
    ("was", "instead", "message"),
    [
        ("year       = {2026}", "year = {2026}, booktitle = {B}, archiveprefix = {arXiv}, eprint = {2512.06859}, version = {1}",
         "1: entry a2026: primaryclass: is missing (an entry with eprint needs it)"),
        ("year       = {2026}", "year = {2026}, sources = {https://a.example https://www.digest.example/x}",
         '4: entry a2026: sources: "https://www.digest.example/x" is a third party\'s page (move it to third-party)'),
        ("year       = {2026}", "year = {2026}, sources = {https://notdigest.example/x}", ""),
        ("year       = {2026}", "year = {2026}, third-party = {https://www.digest.example/x}", ""),
        ("why-reward = {", "why-reward = {A third party's note: ",
         "7: entry a2026: why-reward: rests on a third party's page, yet third-party names none"),
        ("why-reward = {", "third-party = {https://b.example}, why-reward = {A third party's note: ", ""),
    ],
)  # fmt: skip
def test_an_entry_says_what_the_protocol_asks_about_its_sources(
    bib: Path, was: str, instead: str, message: str
) -> None:
    (bib / "protocol.toml").write_text(PROTOCOL + SOURCES)
    text = (bib / "pool.bib").read_text()
    assert was in text
    (bib / "pool.bib").write_text(text.replace(was, instead, 1))
    assert problems(bib) == ([f"pool.bib:{message}"] if message else [])


def test_a_field_that_a_preprint_cannot_need_is_named(bib: Path) -> None:
    (bib / "protocol.toml").write_text(PROTOCOL + SOURCES.replace('"version"', '"verson"'))
    assert any("protocol.toml" in p and 'did you mean "version"?' in p for p in problems(bib))


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
