"""Build the whole site, and rebuild it after an edit, against plain Material on the same pages as files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

from survey.literature import load
from survey.site.build import build as pages
from survey.site.facts import Facts
from tests.benchmarks.bench_pool import grown
from tests.conftest import ROOT

ROUNDS = 3

SIZES = (1_000, 5_000)
"""Entry counts of larger pools."""

SUMMARY, ENTRY = "  summary                   = {", "\n\n"
"""The texts after which an edit is inserted: the first entry's summary in the pool; the head of its page."""

QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}

PROJECT = ("mkdocs.yml", "constraints.txt", "docs", "bib", "notebooks", "survey")


def run() -> Iterator[str]:
    """Yield the ratios of the first build, with cached notebooks, and of the build after an edit."""
    yield "the site, notebooks cached, against plain Material building the same pages from files"
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
    for part, what in enumerate(("mkdocs build", "refresh of a page after an edit under mkdocs serve")):
        best, other = (min(pair[side][part] for pair in rounds) for side in (0, 1))
        yield f"  {what}: {best / other:.2f} times, {written} pages"
    yield from _larger()


def _larger() -> Iterator[str]:
    """Yield the cost per page in larger pools, and its computed part, against the pool of today's size."""
    pool = load(ROOT / "bib")
    with tempfile.TemporaryDirectory() as name:
        costs = {size: _costs(Path(name) / str(size), grown(pool, size)) for size in (len(pool), *SIZES)}
    base = costs.pop(len(pool))
    yield f"the site of a larger pool after an edit, per page, against {base.pages:,} pages of {len(pool)} entries"
    for size, cost in costs.items():
        yield (
            f"  {size:,} entries: {cost.built / base.built:.2f} times, {cost.pages:,} pages; computing its "
            f"{cost.files:,} pages and files: {cost.computed / base.computed:.2f} times each"
        )


@dataclass(frozen=True)
class Cost:
    """Processor seconds per built page of a site, and per computed page or file."""

    built: float
    pages: int
    computed: float
    files: int


def _costs(project: Path, text: str) -> Cost:
    """Return the cost of the pages of a pool without chapters, notebooks and claims.

    The fastest build counts. The first build is excluded because it draws the charts: their number
    does not depend on the pool, and an edit that changes no count leaves them unchanged.
    """
    (project / "docs").mkdir(parents=True)
    (project / "docs" / "index.md").write_text("# Home\n")
    (project / "bib").mkdir()
    shutil.copy(ROOT / "bib" / "taxonomy.toml", project / "bib")
    (project / "bib" / "pool.bib").write_text(text)
    (project / "mkdocs.yml").write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ntheme: {{custom_dir: {ROOT / 'survey' / 'site' / 'theme' / 'overrides'}}}\n"
        "plugins: [search, survey]\nnav: [index.md, explore/index.md]\n"
    )
    files = len(pages(Facts(load(project / "bib"))))
    computed = min(_computing(project / "bib") for _ in range(ROUNDS))
    built = [_building(project) for _ in range(ROUNDS)][1:]
    html = len(list((project / "site").rglob("*.html")))
    return Cost(min(built) / html, html, computed / files, files)


def _computing(data: Path) -> float:
    pool = load(data)
    start = process_time()
    pages(Facts(pool))
    return process_time() - start


def _building(project: Path) -> float:
    """Return the processor seconds of a build with all pages recomputed, after a comment is added to the pool."""
    with (project / "bib" / "pool.bib").open("a") as pool:
        pool.write("\n@comment{read again}\n")
    start = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"], check=True, cwd=project, env=os.environ | QUIET
    )
    end = getrusage(RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def _survey(*arguments: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "survey", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)


def _measured(folder: Path, edited: str, after: str) -> list[float]:
    """Return the seconds of a first build and of the build after an edit, in a separate process."""
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("building.py"), edited, after],
        stdout=subprocess.PIPE, check=True, cwd=folder, env=os.environ | QUIET | {"PYTHONPATH": str(folder)},
    )  # fmt: skip
    seconds: list[float] = json.loads(run.stdout.splitlines()[-1])
    return seconds
