"""A review that nobody here wrote, 2,000 entries in the style of INSPIRE: ``survey init``, and a strict build."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.bibtex import address_of
from tests.conftest import ROOT
from tests.literature.pool.conversion.foreign_bib import foreign_bib
from tests.site.test_another_field import OURS

NUMBER = 2000
THIRD_PARTY = re.compile(r"assets/(javascripts/|vega\.js)")
"""Scripts that others wrote."""

BUILT = "1798848000"
"""2027-01-02, after every work of the file: no day of the site is one of ours."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What somebody installs who has no clone of this repository: the content of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "dist"), cwd=ROOT)
    [built] = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture(scope="module")
def moved(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the survey, built strictly by two commands and no edit, with what the wheel holds and no more."""
    folder = tmp_path_factory.mktemp("moved")
    (folder / "refs.bib").write_text(foreign_bib(NUMBER))
    installed = {"PYTHONPATH": str(wheel)}
    where = run("-c", "import survey; print(survey.__file__)", cwd=folder, **installed)
    assert where.strip() == str(wheel / "survey" / "__init__.py")
    run("-m", "survey", "init", "review", "--from", "refs.bib", cwd=folder, **installed)
    run("-m", "mkdocs", "build", "--strict", "--quiet", cwd=folder / "review", **installed)
    return folder / "review"


def run(*arguments: str, cwd: Path, **settings: str) -> str:
    """Run Python in a folder; return what it prints."""
    quiet = {"SOURCE_DATE_EPOCH": BUILT, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | quiet | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    """Templates, styles, scripts and the files of a new survey included."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "survey"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    held = {path.relative_to(wheel).as_posix() for path in (wheel / "survey").rglob("*") if path.is_file()}
    assert held == {name for name in listed if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def pool(moved: Path) -> Pool:
    return load(moved / "bib")


def test_every_entry_has_its_page(moved: Path, pool: Pool) -> None:
    assert len(pool) > 0.98 * NUMBER
    without = [e.key for e in pool if not (moved / "site" / "entries" / address_of(e.key) / "index.html").is_file()]
    assert without == []


def decoded(site: Path) -> Iterator[tuple[str, str]]:
    """Every file that is text, with its path."""
    for path in site.rglob("*"):
        if path.is_file():
            with contextlib.suppress(UnicodeDecodeError):
                yield path.relative_to(site).as_posix(), path.read_bytes().decode("utf-8")


def test_no_file_of_the_site_says_a_word_of_ours(moved: Path) -> None:
    texts = dict(decoded(moved / "site"))
    named = {
        f"{path}: {found[0]}"
        for path, text in texts.items()
        if not THIRD_PARTY.match(path) and (found := OURS.search(ALLOWED.sub("", text)))
    }
    assert {Path(path).suffix for path in texts} >= {
        ".html",
        ".js",
        ".css",
        ".bib",
        ".csv",
        ".ris",
        ".atom",
        ".jsonld",
        ".xml",
    }
    assert len(texts) > NUMBER
    assert named == set()


ALLOWED = re.compile(r"orchestration-survey|user[- ]agent|/\* Trace schema[^*]*\*/|authors as published", re.IGNORECASE)


def test_no_page_asks_another_host(moved: Path) -> None:
    asked = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=\"?https?:|<link[^>]*rel=\"?stylesheet[^>]*href=\"?https?:")
    pages = list((moved / "site").rglob("*.html"))
    assert [str(page) for page in pages if asked.search(page.read_text())] == []


def test_the_site_is_of_a_size_that_one_can_publish(moved: Path) -> None:
    files = [path for path in (moved / "site").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 130_000_000
    assert max(path.stat().st_size for path in files if path.suffix == ".html") < 500_000


def test_formulas_in_titles_are_mathematics_on_pages_and_untouched_in_exports(moved: Path, pool: Pool) -> None:
    entry = next(e for e in pool if r"\sqrt{s}" in e.text("title"))
    page = (moved / "site" / "entries" / address_of(entry.key) / "index.html").read_text()
    assert "<msqrt>" in page
    assert entry.text("title") in (moved / "site" / "data" / "pool.bib").read_text()
    titles = {row["id"]: row["title"] for row in json.loads((moved / "site" / "data" / "pool.csl.json").read_text())}
    assert "√s" in titles[entry.key]
