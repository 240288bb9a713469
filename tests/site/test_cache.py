"""What took long to make is kept under what it was made of, and never taken for something else."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.site import build as building
from survey.site.cache import PACKAGE, Cache
from survey.site.drafts import NO_PROSE, TABLES, Withheld, draft, fill
from survey.site.facts import Facts
from survey.site.families import FAMILIES, Family
from tests.conftest import few_data


@pytest.fixture
def made() -> list[str]:
    """What was made anew, in order."""
    return []


@pytest.fixture
def ask(made: list[str]) -> Callable[..., str]:
    def asked(cache: Cache, *made_of: str) -> str:
        def make() -> str:
            made.append("+".join(made_of))
            return f"<{made_of}\r\n\u2028é>"

        return cache.get(made_of, make)

    return asked


def names(folder: Path) -> int:
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_the_same_is_made_once_and_comes_back_as_it_was(
    tmp_path: Path, made: list[str], ask: Callable[..., str]
) -> None:
    for _ in range(2):
        with Cache(tmp_path / "made") as cache:
            assert ask(cache, "a", "b") == "<('a', 'b')\r\n\u2028é>"
            assert ask(cache, "ab") != ask(cache, "a", "b")
    assert made == ["a+b", "ab"]


def test_without_a_folder_nothing_is_cached(tmp_path: Path, made: list[str], ask: Callable[..., str]) -> None:
    cache = Cache()
    ask(cache, "a")
    ask(cache, "a")
    assert made == ["a", "a"]
    assert not cache.has(["a"])
    assert names(tmp_path / "made") == 0


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-3], lambda data: data[:70] + b"\xff" + data[71:], lambda _: b""],
    ids=["cut", "a byte", "empty"],
)
def test_what_was_damaged_is_made_anew(
    tmp_path: Path, made: list[str], ask: Callable[..., str], damage: Callable[[bytes], bytes]
) -> None:
    with Cache(tmp_path / "made") as cache:
        whole = ask(cache, "a")
        (path,) = (tmp_path / "made").iterdir()
        path.write_bytes(damage(path.read_bytes()))
        assert ask(cache, "a") == whole
    assert made == ["a", "a"]


def test_what_nobody_asked_for_goes_and_what_a_kept_text_was_made_with_stays(
    tmp_path: Path, made: list[str], ask: Callable[..., str]
) -> None:
    def page(cache: Cache) -> str:
        return cache.get(["page"], lambda: ask(cache, "picture"))

    with Cache(tmp_path / "made") as cache:
        page(cache)
        ask(cache, "old")
    assert names(tmp_path / "made") == 3
    with Cache(tmp_path / "made") as cache:
        page(cache)
    assert names(tmp_path / "made") == 2
    with Cache(tmp_path / "made") as cache:
        ask(cache, "picture")
    assert made == ["picture", "old"]


def test_a_build_that_fails_drops_nothing(tmp_path: Path, ask: Callable[..., str]) -> None:
    with Cache(tmp_path / "made") as cache:
        ask(cache, "a")
    with pytest.raises(ZeroDivisionError), Cache(tmp_path / "made"):
        raise ZeroDivisionError
    assert names(tmp_path / "made") == 1


def test_only_families_that_read_what_has_changed_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = few_data(tmp_path)
    families = list[str]()
    make = building._made

    def noted(family: Family, facts: Facts) -> dict[str, str | bytes]:
        families.append(family.name)
        return make(family, facts)

    def files(cache: Cache, site_url: str = "https://a.example/") -> dict[str, str | bytes]:
        families.clear()
        return building.build(Facts(load(data), site_url, cache=cache, folder=data))

    def edit(field: str, text: str) -> None:
        pool = data / "pool.bib"
        pool.write_text(re.sub(rf"({field}\s*= \{{)", rf"\1{text}", pool.read_text(), count=1))

    monkeypatch.setattr(building, "_made", noted)
    with Cache(tmp_path / "made") as cache:
        first = files(cache)
        assert families == [family.name for family in FAMILIES]
        assert files(cache) == first
        assert families == []
        assert files(cache, "https://b.example/") != first
        assert {*families} == {family.name for family in FAMILIES if family.reads is not None}
        edit("summary", "Now: ")
        assert files(cache) == building.build(Facts(load(data), "https://a.example/")) != first
        assert {*families[: -len(FAMILIES)]} == READ_SUMMARIES
        edit("why-rl", "As it says, ")
        assert files(cache) == building.build(Facts(load(data), "https://a.example/"))
        assert {*families[: -len(FAMILIES)]} == READ_EVIDENCE
        edit("title", "An ")
        assert files(cache) == building.build(Facts(load(data), "https://a.example/"))
        assert {*families[: -len(FAMILIES)]} == {family.name for family in FAMILIES if family.reads is not None}


READ_SUMMARIES = {"axis_pages", "claim_files", "entry_pages", "explorer_pages", "feeds", "data_files", "_exports"}
READ_EVIDENCE = {"claim_files", "entry_pages", "agreement_pages", "data_files", "_exports"}


def test_a_family_that_reads_nothing_of_the_pool_is_the_same_for_any_pool(pool: Pool, published: Pool) -> None:
    free = [family for family in FAMILIES if family.reads is None]
    assert {family.name for family in free} == {
        "trace_pages", "open_log_pages", "real_session_pages", "dependency_pages", "_end",
    }  # fmt: skip
    for family in free:
        assert dict(family.make(Facts(pool))) == dict(family.make(Facts(published)))


def test_a_family_cannot_read_what_it_does_not_name(tmp_path: Path) -> None:
    drafted = Facts(load(few_data(tmp_path))).reading(NO_PROSE).pool
    assert drafted["c3"].title
    with pytest.raises(Withheld, match="c3: summary is withheld from this family of pages"):
        drafted["c3"].text("summary")
    with pytest.raises(Withheld):
        drafted["c3"].why("reward")


def test_a_new_run_of_a_notebook_concerns_only_the_families_that_read_its_tables(tmp_path: Path) -> None:
    data = few_data(tmp_path)
    shown = {"data": {"application/json": {"title": "T", "head": ["a"], "rows": [["1"]]}}}
    with Cache(tmp_path / "made") as cache:
        before, after = (
            Facts(load(data), cache=cache, folder=data, notebooks=[{"cells": cells}])
            for cells in ([], [{"outputs": [shown]}])
        )
        assert before.reading(NO_PROSE).fingerprint == after.reading(NO_PROSE).fingerprint
        assert before.reading(frozenset({TABLES})).fingerprint != after.reading(frozenset({TABLES})).fingerprint
        with pytest.raises(Withheld):
            assert before.reading(NO_PROSE).tables


def test_fingerprints_are_filled_in_for_the_pool_and_for_each_snapshot(published: Pool) -> None:
    drafted = draft(published, NO_PROSE)
    for day in (None, published.day, *published.editions):
        true = published.as_of(day).fingerprint
        assert drafted.as_of(day).fingerprint != true
        assert fill(drafted.as_of(day).stamp, published) == published.as_of(day).stamp
    assert drafted.where([]).fingerprint == drafted.fingerprint


# ------------------------------------------------------------ nothing in a cache is executed

EXECUTES = {"pickle", "marshal", "shelve", "dill", "joblib", "FileSystemBytecodeCache"}
"""What runs code of the files that it reads."""


def test_no_module_reads_files_in_a_form_that_can_hold_code() -> None:
    """A task of the dask engine is pickled in memory, and read by a worker that trusts its scheduler."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = {alias.name.partition(".")[0] for alias in node.names} | {getattr(node, "module", "") or ""}
                found |= {path.relative_to(PACKAGE).as_posix()} if names & EXECUTES else set()
    assert found == {"traces/scoring/scheduling.py"}
