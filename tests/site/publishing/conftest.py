"""A small survey with all kinds of pages, and with a copy of the package, so that code and templates can be edited."""

from __future__ import annotations

import json
import shutil
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of the survey."""
    folder = tmp_path / "project"
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
