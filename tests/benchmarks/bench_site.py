"""Build the whole site, and build it again after an edit, against bare Material on the same pages as files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from survey.literature import load
from survey.site.pages import build as pages
from tests.benchmarks.bench_pool import grown
from tests.conftest import ROOT

ROUNDS = 3

SIZES = (1_000, 5_000)
"""Entries of larger pools."""

SUMMARY, ENTRY = "  summary                   = {", "\n\n"
"""Behind which words an edit is made: in the pool, in the first entry's summary; in its page, after its head."""

PROJECT = ("mkdocs.yml", "constraints.txt", "docs", "bib", "notebooks", "survey")


def run() -> Iterator[str]:
    """The first build, with notebooks run before, and the build after an edit; each against its peer."""
    yield "the site, notebooks cached, against bare Material building the same pages from files"
    with tempfile.TemporaryDirectory() as name:
        ours, peer = Path(name) / "ours", Path(name) / "peer"
        ours.mkdir()
        for thing in PROJECT:
            copy = shutil.copytree if (ROOT / thing).is_dir() else shutil.copy
            copy(ROOT / thing, ours / thing)
        _survey("pages", "--out", str(peer), folder=ours)
        sides = (ours, "bib/pool.bib", SUMMARY), (peer, "docs/entries/magrpo.md", ENTRY)
        _measured(*sides[0])  # runs the notebooks
        rounds = [[_measured(*side) for side in sides] for _ in range(ROUNDS)]
        written = len(list((peer / "docs").rglob("*.md")))
    for part, what in enumerate(("mkdocs build", "an entry edited under mkdocs serve, until its page is new")):
        best, other = (min(pair[side][part] for pair in rounds) for side in (0, 1))
        yield f"  {what}: {best / other:.2f} times, {written} pages"
    yield from _larger()


def _larger() -> Iterator[str]:
    """What a computed page costs in larger pools, against one in the real pool."""
    pool = load(ROOT / "bib")
    each, number = _each(ROOT / "bib")
    yield f"computing a page or file, in larger pools, against the {number} of {len(pool)} entries"
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copy(ROOT / "bib" / "taxonomy.toml", folder)
            (folder / "pool.bib").write_text(grown(pool, size))
            cost, number = _each(folder)
        yield f"  {size:,} entries, {number:,} pages and files: {cost / each:.2f} times"


def _each(folder: Path) -> tuple[float, int]:
    """Seconds of processor for each page and file, and how many there are.

    It is the second build that counts: pictures, as many in any pool, are drawn in the first.
    """
    pages(load(folder))
    pool = load(folder)
    start = process_time()
    number = len(pages(pool))
    return (process_time() - start) / number, number


def _survey(*arguments: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "survey", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)


def _measured(folder: Path, edited: str, after: str) -> list[float]:
    """Seconds of a first build and of the build after an edit, in a process of its own."""
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "PYTHONPATH": str(folder)}
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("building.py"), edited, after],
        stdout=subprocess.PIPE, check=True, cwd=folder, env=os.environ | quiet,
    )  # fmt: skip
    seconds: list[float] = json.loads(run.stdout.splitlines()[-1])
    return seconds
