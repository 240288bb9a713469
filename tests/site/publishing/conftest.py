"""A small survey with all kinds of pages, and with a copy of the package, so that code and templates can be edited."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from tests.conftest import ROOT, few_data

CONFIGURATION = """\
site_name: A survey
site_url: https://example.org/
theme:
  name: material
  custom_dir: survey/site/theme/overrides
  font: false
  features: [navigation.instant, navigation.tabs]
plugins:
  - search
  - survey
  - mkdocs-jupyter: {include: ["*.ipynb"], ignore: ["*.md"], execute: false, ignore_h1_titles: true, cache: false}
  - mkdocstrings
markdown_extensions: [admonition, attr_list, md_in_html, tables, toc: {permalink: "#"}]
extra_css: [assets/survey.css]
extra_javascript: [assets/survey.js]
nav:
  - index.md
  - A chapter: read/chapter.md
  - Entries: explore/index.md
  - API: api.md
  - Notebook: notebooks/one.ipynb
not_in_nav: "*"
validation: {anchors: warn, links: {unrecognized_links: info}}
"""

CHAPTER = """\
# A chapter

One of {{ count() }} works is @c3, [read here](../entries/c3.md), tagged [so](../axes/credit/message.md).

A [section](#a-section), one [elsewhere](../index.md#more), and one [of a notebook](../notebooks/one.ipynb#its-part).

## A section

Text.
"""

CLAIMS = """\
[readings]
published = "first"
second = "first"
day = 2026-05-04

[claim.some-shared]
sentence = "Some work shares its reward."
source = "ours"
chapters = ["read/chapter.md"]
count = { reward = "shared" }
at-least = 1
limit = "It says nothing of other works."
changes = "No such work."
"""


class NotBuilt(Exception):
    """A strict build has ended with a warning or an error."""


def built(project: Path, *options: str) -> dict[str, bytes]:
    """Build the site in a process of its own, strictly; every file of it."""
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", *options],
        cwd=project, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(project), "SOURCE_DATE_EPOCH": "1780000000", "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    if result.returncode:
        raise NotBuilt(result.stderr)
    return files_of(project / "site")


def files_of(site: Path) -> dict[str, bytes]:
    """Every file of a built site."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of the survey, never built."""
    return written(tmp_path / "project")


@pytest.fixture
def built_project(shared: Path, tmp_path: Path) -> Path:
    """A copy of the folder with what a build has kept, which is made once for all processes of the tests."""
    original = shared / "small" / "project"
    with (shared / "small.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (original / "site").exists():  # a build that fails leaves none
            shutil.rmtree(original, ignore_errors=True)
            built(written(original))
    return Path(shutil.copytree(original, tmp_path / "project"))


def written(folder: Path) -> Path:
    """Write the small survey into a new folder, and return it."""
    few_data(folder)
    shutil.copytree(ROOT / "survey", folder / "survey", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    files = {
        "bib/claims.toml": CLAIMS,
        "bib/codings/readers.toml": '[first]\nreader = "One"\nmade = 2026-05-04\nstatement = "One reading."\n',
        "bib/codings/first.csv": "key,axis,value\nc3,reward,shared\nc3,credit,message\n",
        "mkdocs.yml": CONFIGURATION,
        "docs/index.md": "# Home\n\nAn [entry](entries/c3.md).\n\n## More\n\n<div markdown>\n**Bold**\n</div>\n",
        "docs/read/chapter.md": CHAPTER,
        "docs/take-part/citing.md": "# Citing\n",
        "docs/api.md": "# API\n\n::: survey.atomic\n",
        "notebooks/one.ipynb": notebook("# One", "Of [an entry](../entries/c3.md).", "## Its part"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def notebook(*texts: str) -> str:
    cells = [{"cell_type": "markdown", "id": f"m{n}", "metadata": {}, "source": text} for n, text in enumerate(texts)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
