"""A server shows the page of a notebook at once, and its results when its run has ended."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from survey.literature import InvalidSurvey
from survey.site.notebooks.background import RUNNING, BackgroundRuns
from tests.conftest import ROOT


def write(path: Path, *cells: tuple[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    made: list[dict[str, Any]] = [
        {"cell_type": kind, "id": f"c{number}", "metadata": {}, "source": source}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for number, (kind, source) in enumerate(cells)
    ]
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


class Reports:
    """What is reported, and a way to wait for it."""

    def __init__(self) -> None:
        self.lines = list[str]()
        self.arrived = threading.Semaphore(0)

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self.arrived.release()

    def wait(self) -> None:
        assert self.arrived.acquire(timeout=100), "no run has ended"


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def runs(tmp_path: Path, reports: Reports) -> BackgroundRuns:
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    found = BackgroundRuns(tmp_path, reports)
    found.begin()
    return found


def texts(notebook: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in notebook["cells"]]


def test_the_page_says_that_its_notebook_is_being_run_and_then_has_its_results(
    tmp_path: Path, runs: BackgroundRuns, reports: Reports
) -> None:
    one = write(tmp_path / "notebooks" / "one.ipynb", ("markdown", "# One"), ("code", "6 * 7"))
    first = runs.executed([one])[one]
    assert texts(first) == ["# One", f"*{RUNNING}*", "6 * 7"]
    assert first["cells"][2]["outputs"] == []
    reports.wait()
    assert reports.lines[-1].endswith("one.ipynb has run, none left")
    (result,) = runs.executed([one])[one]["cells"][1]["outputs"]
    assert result["data"]["text/plain"] == "42"
    assert len(reports.lines) == 1


def test_a_notebook_that_fails_says_why_and_is_run_again_when_it_is_edited(
    tmp_path: Path, runs: BackgroundRuns, reports: Reports
) -> None:
    one = write(tmp_path / "notebooks" / "one.ipynb", ("markdown", "# One"), ("code", "1 / 0"))
    runs.executed([one])
    reports.wait()
    assert "ZeroDivisionError" in texts(runs.executed([one])[one])[1]
    assert len(reports.lines) == 1  # it is not tried again as it is
    write(one, ("markdown", "# One"), ("code", "1 / 1"))
    assert texts(runs.executed([one])[one])[1] == f"*{RUNNING}*"
    reports.wait()
    assert runs.executed([one])[one]["cells"][1]["outputs"][0]["data"]["text/plain"] == "1.0"


def test_a_kernel_that_dies_is_a_failure_too(tmp_path: Path, runs: BackgroundRuns, reports: Reports) -> None:
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    one = write(tmp_path / "notebooks" / "one.ipynb", ("markdown", "# One"), ("code", killed))
    runs.executed([one])
    reports.wait()
    assert reports.lines[-1].endswith("one.ipynb failed, none left")
    assert texts(runs.executed([one])[one])[1].startswith("*This notebook failed: ")


def test_no_run_begins_before_the_first_pages_are_there(tmp_path: Path, reports: Reports) -> None:
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    runs = BackgroundRuns(tmp_path, reports)
    one = write(tmp_path / "notebooks" / "one.ipynb", ("markdown", "# One"), ("code", "6 * 7"))
    runs.executed([one])
    assert not reports.arrived.acquire(timeout=1)
    runs.begin()
    reports.wait()


def test_a_notebook_without_code_and_one_that_is_none_are_not_waited_for(tmp_path: Path, runs: BackgroundRuns) -> None:
    text = write(tmp_path / "notebooks" / "text.ipynb", ("markdown", "# Text"))
    assert texts(runs.executed([text])[text]) == ["# Text"]
    text.write_text("{")
    with pytest.raises(InvalidSurvey, match="is not a notebook"):
        runs.executed([text])
