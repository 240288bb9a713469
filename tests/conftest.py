"""What tests of every wing share: the real data, and real programs."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Playwright, sync_playwright

from survey.literature import Pool, load

collect_ignore = ["benchmarks"]  # they hold no test, and load for seconds

ROOT = Path(__file__).parent.parent
PUBLISHED = "2026-05-04"
"""The day of the first edition."""
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")  # a busy machine fails no property

PACKAGES = {"bibtex": "texlive-binaries", "biber": "biber", "pandoc": "pandoc", "chromium": "chromium"}


def pytest_collection_finish() -> None:
    """Spare the collector of garbage all that the collection of tests has made: none of it is ever freed."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def _asks_nobody() -> Iterator[None]:
    """Let no ``survey new`` of a test ask the services of the world."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SURVEY_OFFLINE", "1")
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def pool() -> Pool:
    """The real pool."""
    return load(ROOT / "bib")


def published_data(parent: Path) -> Path:
    """A copy of the data as the first edition had it: without what came in later."""
    bib = Path(shutil.copytree(ROOT / "bib", parent / "bib"))
    kept = set()
    for name in ("pool.bib", "excluded.bib"):
        blocks = re.split(r"(?m)^(?=@)", (bib / name).read_text())
        dated = [re.search(r"(?m)^\s*(?:added|screened)\s*= \{([0-9-]+)\}", block) for block in blocks]
        chosen = [block for block, day in zip(blocks, dated, strict=True) if not day or day[1] <= PUBLISHED]
        kept |= {key for block in chosen for key in re.findall(r"^@\w+\{([^,]+),", block)}
        (bib / name).write_text("".join(chosen))
    keys = (bib / "editions" / "keys.txt").read_text().splitlines()
    (bib / "editions" / "keys.txt").write_text("\n".join(key for key in keys if key.startswith("#") or key in kept))
    editions = (bib / "editions.toml").read_text()
    first = editions.index("[", editions.index(f"[{PUBLISHED}]") + 1) if editions.count("\n[") > 1 else None
    (bib / "editions.toml").write_text(editions[:first])
    for path in (bib / "editions").iterdir():
        if path.stem not in (PUBLISHED, "keys"):
            path.unlink()
    for path in (bib / "codings").rglob("*.csv"):  # readings of works that came later
        head, *rows = path.read_text().splitlines(keepends=True)
        of_then = [row for row in rows if row.partition(",")[0] in kept]
        path.write_text("".join([head, *of_then]))
        if not of_then:
            path.unlink()
            readers = path.parent / "readers.toml"
            readers.write_text(re.sub(rf"(?ms)^\[{path.stem}\].*?(?=^\[|\Z)", "", readers.read_text()))
    for later in (
        "searches.toml",
        "protocol.toml",
        "appraisal.toml",
        "screened.csv",
    ):  # they name works that came later
        (bib / later).unlink()
    return bib


def unpublished(bib: Path) -> Path:
    """The same copy of the data, to be edited freely: its editions are not published yet."""
    editions = re.sub(r"(?m)^data = .*\n", "", (bib / "editions.toml").read_text())
    (bib / "editions.toml").write_text(editions)
    for path in (bib / "editions").glob("20*"):
        path.unlink()
    return bib


CROSSED = ["credit", "decision", "topology"]
"""The axes that a few data are crossed by: a page for each two, with a map of what is missing."""


def few_data(parent: Path) -> Path:
    """Data enough for a site that is built in seconds: every twentieth entry with c3 among them, and three axes crossed.

    Otherwise the taxonomy is ours.
    """
    bib = parent / "bib"
    bib.mkdir(parents=True)
    taxonomy = (ROOT / "bib" / "taxonomy.toml").read_text()
    tables = re.split(r"(?m)^(?=\[axis\.[a-z-]+\]$|\[gaps\]$)", taxonomy)
    crossed = tuple(f"[axis.{axis}]" for axis in CROSSED)
    tables = [table if table.startswith(crossed) else table.replace("main = true\n", "") for table in tables]
    triples = f"triples = [{json.dumps(CROSSED)}]\n"
    (bib / "taxonomy.toml").write_text(re.sub(r"(?ms)^triples = \[$.*?^\]\n", triples, "".join(tables)))
    shutil.copytree(ROOT / "bib" / "tables", bib / "tables")  # chapters quote them
    head, *blocks = re.split(r"(?m)^(?=@)", (ROOT / "bib" / "pool.bib").read_text())
    chosen = [block for place, block in enumerate(blocks) if place % 20 == 0 or re.match(r"@\w+\{c3,", block)]
    (bib / "pool.bib").write_text(head + "".join(chosen))
    return bib


@pytest.fixture(scope="session")
def published_bib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data as the first edition had them, to be read."""
    return published_data(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="session")
def published(published_bib: Path) -> Pool:
    """The pool of the first edition, whose figures do not change any more."""
    return load(published_bib)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The driver of browsers. It allows one of itself in a process, so that every test asks for this one."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program that ``tests/system-packages`` installs; fail, and never skip, if it is missing."""

    def run(name: str, *arguments: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        if shutil.which(name) is None:
            pytest.fail(f"{name} is missing: make test installs it (Debian package {PACKAGES[name]})")
        return subprocess.run([name, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, timeout=300)

    return run
