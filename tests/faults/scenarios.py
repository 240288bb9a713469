"""The commands that write output, each with its own folder in which it may be killed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tests.conftest import ROOT
from tests.traces.importers.samples import sample

SURVEY = [sys.executable, "-m", "survey"]
MKDOCS = [sys.executable, "-m", "mkdocs"]
TRACES, LOGS, CORPUS = 500, 300, 20


@dataclass(frozen=True)
class Scenario:
    """A command in two variants whose outputs differ in every file, so that mixed output is detected."""

    prepare: Callable[[Path], None]
    """Prepares a new folder for both variants."""
    command: Callable[[Path, str], list[str]]
    """Prepares the input of a variant, "a" or "b", and returns its command."""
    output: str
    fresh: bool = False
    """Whether it refuses to overwrite its output."""
    journal: str = ""
    """A file that remains until the work is done, from which the next run resumes."""
    chain: int = 3
    """The number of consecutive kills before a run may finish, so that recovery is killed, too."""


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a command, with all temporary places inside the folder."""
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    own = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)}
    return {**os.environ, **own, "SOURCE_DATE_EPOCH": "1780000000", "NO_MKDOCS_2_WARNING": "1"}


def _write_data(folder: Path) -> None:
    shutil.copytree(ROOT / "tests" / "literature" / "bread", folder / "bib")


def write_project(folder: Path) -> None:
    """A site of a few entries, one page and one notebook."""
    _write_data(folder)
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text("# Bread\n\nThere are {{ count() }} works.\n")
    (folder / "requirements").mkdir()
    (folder / "requirements" / "site.txt").write_text("none\n")
    (folder / "notebooks").mkdir()


def _build(folder: Path, variant: str) -> list[str]:
    (folder / "mkdocs.yml").write_text(
        f"site_name: Site {variant}\n"
        "plugins:\n  - search\n  - survey\n"
        "  - mkdocs-jupyter: {include: ['*.ipynb'], execute: false, no_prompt: true}\n"
        "markdown_extensions: [attr_list, md_in_html, tables]\n"
        "nav: [index.md, notebooks/one.ipynb]\n"
    )
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": f"print('{variant}')", "outputs": []}
    title = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# One"}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {
        "cells": [title, cell | {"execution_count": None}],
        "metadata": kernel,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "notebooks" / "one.ipynb").write_text(json.dumps(notebook))
    return [*MKDOCS, "build", "--quiet"]


def _pages(folder: Path, variant: str) -> list[str]:
    _build(folder, variant)
    return [*SURVEY, "pages", "--out", "pages"]


def _export(folder: Path, variant: str) -> list[str]:
    some = [] if variant == "a" else ["--where", "leavening=sourdough"]
    return [*SURVEY, "export", "--format", "json", *some, "-o", "out.json"]


def _write_log(folder: Path) -> None:
    found = sorted(sample("claude-code").rglob("*.jsonl"), key=lambda p: p.stat().st_size)
    (folder / "log.jsonl").write_bytes(found[-1].read_bytes())


def _import(folder: Path, variant: str) -> list[str]:
    return [*SURVEY, "trace", "import", "claude-code", *["log.jsonl"] * LOGS, "--salt", variant, "-o", "run.jsonl.gz"]


def _example(number: int) -> str:
    document = json.loads(files("survey.traces.model").joinpath("example.json").read_text("utf-8"))
    return json.dumps(document | {"trace_id": f"example-{number}"})


def _write_traces(folder: Path) -> None:
    (folder / "runs.jsonl").write_text("\n".join(map(_example, range(TRACES))))
    (folder / "one.json").write_text(_example(1))


def _anonymise(folder: Path, variant: str) -> list[str]:
    return [*SURVEY, "trace", "anonymise", "runs.jsonl", "--salt", variant, "-o", "hidden.jsonl.zst"]


def _report(folder: Path, variant: str) -> list[str]:
    (folder / "one.json").write_text(_example(ord(variant)))
    return [*SURVEY, "trace", "export", "html", "one.json", "-o", "report.html"]


def _score(folder: Path, variant: str) -> list[str]:
    (folder / "corpus").mkdir(exist_ok=True)
    for number in range(CORPUS):
        start = ord(variant) * 1000 + number * 25
        (folder / "corpus" / f"{number}.jsonl").write_text("\n".join(map(_example, range(start, start + 25))))
    return [*SURVEY, "trace", "score", "corpus/*.jsonl", "--workers", "2", "-o", "scores.jsonl"]


def _nothing(folder: Path) -> None:
    return None


SCENARIOS: Mapping[str, Scenario] = {
    "build": Scenario(write_project, _build, "site", chain=4),
    "pages": Scenario(write_project, _pages, "pages", fresh=True),
    "export": Scenario(_write_data, _export, "out.json"),
    "import": Scenario(_write_log, _import, "run.jsonl.gz"),
    "anonymise": Scenario(_write_traces, _anonymise, "hidden.jsonl.zst"),
    "report": Scenario(_write_traces, _report, "report.html"),
    "score": Scenario(_nothing, _score, "scores.jsonl", journal="scores.jsonl.part"),
}
