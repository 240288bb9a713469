"""Build and serve the site, and edit it, against plain Material with the same pages as files."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.error import URLError
from urllib.request import urlopen

from survey.literature import load
from survey.site.publishing.serving.background import BUSY
from tests.benchmarks.bench_pool import grown
from tests.conftest import ROOT

ROUNDS = 3

LARGE = 5_000
"""Entries of the large pool."""

QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "SITE_URL": "http://127.0.0.1:8000/"}

PROJECT = ("mkdocs.yml", "requirements", "docs", "bib", "notebooks", "survey")


@dataclass(frozen=True)
class Edit:
    """An edit of one file, and the address of the page on which it is to be seen."""

    what: str
    file: str
    after: str
    """Where a word is inserted that no page has yet."""
    page: str
    swapped: tuple[str, str] = ("", "")
    """Two texts of which the first that is found is replaced by the other."""


SUMMARY = Edit("one entry's summary", "bib/pool.bib", "  summary           = {", "entries/magrpo/")
EDITS = (
    SUMMARY,
    replace(SUMMARY, what="one entry's tag", swapped=("tag-scenario      = {coding}", "tag-scenario      = {math}")),
    Edit("a chapter", "docs/read/credit.md", "\n\n", "read/credit/"),
)  # fmt: skip
PEER = Edit("a page", "docs/entries/magrpo.md", "\n---\n\n", "entries/magrpo/")


def run() -> Iterator[str]:
    """Yield the ratios of edits under a server, of builds, and of an edit in a large pool."""
    with tempfile.TemporaryDirectory() as name:
        ours, peer = Path(name) / "ours", Path(name) / "peer"
        _copied_project(ours)
        subprocess.run(_survey("pages", "--out", str(peer)), check=True, cwd=ours, stdout=subprocess.DEVNULL)
        pages = len(list((peer / "docs").rglob("*.md")))
        yield f"the site, against plain Material with the same {pages} pages as files"
        base = median(_build(peer) for _ in range(ROUNDS))
        with served(peer) as (url, _):
            refreshed = median(_seen(peer, url, PEER) for _ in range(ROUNDS))
        shutil.rmtree(ours / ".cache")
        with served(ours) as (_, first):
            yield f"  first page of a fresh clone under mkdocs serve: {first / base:.2f} times a build"
        shutil.rmtree(ours / ".cache")
        yield f"  mkdocs build from nothing, notebooks included: {_build(ours) / base:.2f} times"
        yield f"  mkdocs build, nothing changed: {median(_build(ours) for _ in range(ROUNDS)) / base:.2f} times"
        yield f"an edit under mkdocs serve until its page is new, against {refreshed:.1f} s of plain Material"
        with served(ours) as (url, _):
            _settled(url)
            for edit in EDITS:
                found = median(_seen(ours, url, edit) for _ in range(ROUNDS))
                yield f"  {edit.what}: {found / refreshed:.2f} times"
        yield from _larger(Path(name))


def _larger(folder: Path) -> Iterator[str]:
    """Yield the time of an edit in a large pool against the same edit in a pool of today's size."""
    pool, seconds = load(ROOT / "bib"), list[float]()
    for size in (len(pool), LARGE):
        project = folder / str(size)
        (project / "docs").mkdir(parents=True)
        (project / "docs" / "index.md").write_text("# Home\n")
        (project / "bib").mkdir()
        shutil.copy(ROOT / "bib" / "taxonomy.toml", project / "bib")
        (project / "bib" / "pool.bib").write_text(grown(pool, size))
        (project / "mkdocs.yml").write_text(
            f"INHERIT: {ROOT / 'mkdocs.yml'}\ntheme: {{custom_dir: {ROOT / 'survey/site/theme/overrides'}}}\n"
            "plugins: [search, survey]\nnav: [index.md, explore/index.md]\n"
        )
        key = f"{pool.entries[0].key}.0"
        edit = replace(SUMMARY, page=f"entries/{key}/")
        with served(project) as (url, _):
            _settled(url)
            seconds.append(median(_seen(project, url, edit) for _ in range(ROUNDS)))
    yield f"  one entry's summary among {LARGE:,}: {seconds[1] / seconds[0]:.2f} times as among {len(pool)}"


@contextmanager
def served(project: Path) -> Iterator[tuple[str, float]]:
    """Serve a project; its address, and the seconds until its home page was there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    start = perf_counter()
    command = [sys.executable, "-m", "mkdocs", "serve", "--quiet", "--dev-addr", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, cwd=project, env=_environment(project)) as server:
        try:
            while not _page(url):
                assert server.poll() is None, "the server has ended"
                time.sleep(0.05)
            yield url, perf_counter() - start
        finally:
            server.terminate()


def _settled(url: str) -> None:
    """Wait until a server has shown all that it left for later when it started, and has come to rest."""
    quiet = 0
    while quiet < 20:
        busy = BUSY.partition("{}")[0] in _page(url) or not _page(f"{url}gaps/")
        quiet = 0 if busy else quiet + 1
        time.sleep(0.5)


def _seen(project: Path, url: str, edit: Edit) -> float:
    """Return the seconds from an edit until the server shows it."""
    word = f"word{time.monotonic_ns()}"
    path = project / edit.file
    text = path.read_text(encoding="utf-8")
    assert edit.after in text, f"{edit.file} has no {edit.after!r}"
    one, other = edit.swapped if edit.swapped[0] in text else edit.swapped[::-1]
    text = text.replace(one, other, 1) if one else text
    text = text.replace(edit.after, f"{edit.after}{word} ", 1)
    time.sleep(1)  # a server that has just built must be idle
    start = perf_counter()
    path.write_text(text, encoding="utf-8")
    while word not in _page(url + edit.page):
        time.sleep(0.02)
    return perf_counter() - start


def _page(url: str) -> str:
    try:
        with urlopen(url) as answer:
            return str(answer.read().decode())
    except URLError:
        return ""


def _build(project: Path) -> float:
    """Return the seconds of ``mkdocs build`` in a process of its own."""
    start = perf_counter()
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    subprocess.run(command, check=True, cwd=project, env=_environment(project), stdout=subprocess.DEVNULL)
    return perf_counter() - start


def _copied_project(folder: Path) -> None:
    folder.mkdir()
    for thing in PROJECT:
        copy = shutil.copytree if (ROOT / thing).is_dir() else shutil.copy
        copy(ROOT / thing, folder / thing)


def _survey(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "survey", *arguments]


def _environment(project: Path) -> dict[str, str]:
    return os.environ | QUIET | {"PYTHONPATH": str(project)}
