"""What took long to make is kept under what it was made of, and never taken for something else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import load
from survey.site import build as building
from survey.site.cache import Cache
from survey.site.facts import Facts
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


def test_a_pool_that_changed_gives_other_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = few_data(tmp_path)
    builds: list[int] = []
    build = building.build

    def counted(facts: Facts) -> dict[str, str | bytes]:
        builds.append(1)
        return build(facts)

    def cached(cache: Cache, site_url: str) -> dict[str, str | bytes]:
        return building.cached_build(Facts(load(data), site_url, cache=cache), data)

    monkeypatch.setattr(building, "build", counted)
    with Cache(tmp_path / "made") as cache:
        first = cached(cache, "https://a.example/")
        assert cached(cache, "https://a.example/") == first == build(Facts(load(data), "https://a.example/"))
        assert len(builds) == 1
        assert cached(cache, "https://b.example/") != first
        pool = data / "pool.bib"
        pool.write_text(re.sub(r"(title\s*= \{)", r"\1An ", pool.read_text(), count=1))
        assert cached(cache, "https://a.example/") != first
    assert len(builds) == 3
