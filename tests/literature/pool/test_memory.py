"""A process reads again only what has changed, and finds what a process finds that reads everything."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Problem, read_pool
from survey.literature.loading import memory
from tests.conftest import ROOT

SEEDS = ROOT / "tests" / "fuzz" / "seeds" / "bib"
"""A small survey with a file of each kind."""

FILES = sorted(path.relative_to(SEEDS).as_posix() for path in SEEDS.rglob("*") if path.is_file())


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n\xff\n")


def removed(path: Path) -> None:
    path.unlink()


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


def told(bib: Path) -> tuple[Problem, ...]:
    return read_pool(bib)[1]


@pytest.mark.parametrize("edit", [damaged, removed, unreadable])
@pytest.mark.parametrize("name", FILES)
def test_a_second_reading_finds_what_a_first_one_would(tmp_path: Path, name: str, edit: Callable[[Path], None]) -> None:
    bib = Path(shutil.copytree(SEEDS, tmp_path / "bib"))
    before = told(bib)
    edit(bib / name)
    after = told(bib)
    memory._memory.cache_clear()
    assert after == told(bib)
    shutil.rmtree(bib)
    shutil.copytree(SEEDS, bib)
    assert told(bib) == before


def test_what_is_missing_is_told_from_what_cannot_be_read(tmp_path: Path) -> None:
    bib = Path(shutil.copytree(SEEDS, tmp_path / "bib"))
    (bib / "codings" / "readers.toml").unlink()
    missing = told(bib)
    (bib / "codings" / "readers.toml").mkdir()
    assert told(bib) != missing


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    bib = Path(shutil.copytree(SEEDS, tmp_path / "bib"))
    assert read_pool(bib)[0] is read_pool(bib)[0]


def test_problems_name_a_folder_as_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read by two names, and from two places by the same name, it is not taken for another."""
    for place in ("one", "two"):
        shutil.copytree(SEEDS, tmp_path / place / "bib")
    damaged(tmp_path / "two" / "bib" / "pool.bib")
    monkeypatch.chdir(tmp_path / "one")
    sound = told(Path("bib"))
    monkeypatch.chdir(tmp_path / "two")
    other = {problem.path for problem in set(told(Path("bib"))) - set(sound)}
    assert "bib/pool.bib" in other
    whole = tmp_path / "two" / "bib"
    assert {problem.path for problem in told(whole)} >= {str(tmp_path / "two" / path) for path in other}
