"""The commands that write for a person, each with a folder of its own in which it may be killed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tests.conftest import ROOT
from tests.site.hostile import write_hostile

SURVEY = [sys.executable, "-m", "survey"]
MKDOCS = [sys.executable, "-m", "mkdocs"]
TRACES, LOGS, CORPUS = 500, 300, 20


@dataclass(frozen=True)
class Door:
    """A command in two variants whose outputs differ in every file, so that a mixture shows."""

    prepare: Callable[[Path], None]
    """Put everything into a new folder that both variants need."""
    command: Callable[[Path, str], list[str]]
    """The command of a variant, "a" or "b", and whatever it reads put in order."""
    output: str
    fresh: bool = False
    """Whether it refuses to write where something stands."""
    journal: str = ""
    """A file that stays until the work is done, for the next run to go on from."""
    chain: int = 3
    """How many kills follow each other before a run may end: it is killed while it takes over, too."""


def environment(folder: Path) -> dict[str, str]:
    """What a command sees: everything it may leave anywhere is in the folder."""
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    own = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)}
    return {**os.environ, **own, "SOURCE_DATE_EPOCH": "1780000000", "NO_MKDOCS_2_WARNING": "1"}


def _write_data(folder: Path) -> None:
    write_hostile(folder)


def write_project(folder: Path) -> None:
    """A site of six entries, one page and one notebook."""
    write_hostile(folder)
    (folder / "constraints.txt").write_text("none\n")
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
    some = [] if variant == "a" else ["--where", "reward=shared"]
    return [*SURVEY, "export", "--format", "json", *some, "-o", "out.json"]


def _write_log(folder: Path) -> None:
    found = sorted((ROOT / "tests/traces/importers/logs/claude-code").rglob("*.jsonl"), key=lambda p: p.stat().st_size)
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


DOORS: Mapping[str, Door] = {
    "build": Door(write_project, _build, "site", chain=4),
    "pages": Door(write_project, _pages, "pages", fresh=True),
    "export": Door(_write_data, _export, "out.json"),
    "import": Door(_write_log, _import, "run.jsonl.gz"),
    "anonymise": Door(_write_traces, _anonymise, "hidden.jsonl.zst"),
    "report": Door(_write_traces, _report, "report.html"),
    "score": Door(_nothing, _score, "scores.jsonl", journal="scores.jsonl.part"),
}
