"""Figures of the real sessions with sub-agents: counted from the rows, and named in the prose."""

from __future__ import annotations

import csv
import re

import pytest

from survey.literature import Pool
from survey.site.charts.drawing import Pictures
from survey.site.prose.prose import render_prose
from survey.site.prose.sessions import FIGURES, figure, sessions
from tests.conftest import ROOT

ROWS = list(csv.DictReader((ROOT / "bib" / "tables" / "sessions.csv").read_text().splitlines()))


def test_the_figures_are_those_of_the_rows() -> None:
    """Counted anew from the file."""
    several = sorted(
        float(row["work_s"]) / float(row["union_s"])
        for row in ROWS
        if row["sub_agents"] != "1" and row["background"] == "no"
    )
    half = len(several) // 2
    middle = several[half] if len(several) % 2 else (several[half - 1] + several[half]) / 2
    assert {name: figure(name, ROWS) for name in FIGURES} == {
        "all": str(len(ROWS)),
        "sub-agents": str(sum(int(row["sub_agents"]) for row in ROWS)),
        "with one": str(len([row for row in ROWS if row["sub_agents"] == "1"])),
        "never two at once": str(len([row for row in ROWS if row["at_once"] == "1"])),
        "several, synchronous": str(len(several)),
        "median concurrency": f"{middle:.2f}",
        "highest concurrency": f"{several[-1]:.2f}",
    }


def test_rows_are_possible_and_each_session_stands_once() -> None:
    assert len({session.id for session in sessions(ROWS)}) == len(sessions(ROWS)) == len(ROWS) > 50
    for session in sessions(ROWS):
        assert 1 <= session.at_once <= session.sub_agents
        assert 0.99 <= session.concurrency <= session.at_once + 0.01
        assert session.at_once > 1 or session.concurrency == pytest.approx(1, abs=0.02)


def test_the_chapters_type_none_of_them() -> None:
    """A sentence on the sessions takes its numbers from the file."""
    told = [
        line
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for line in path.read_text().splitlines()
        if "sessions with sub-agents" in line or "sessions(" in line
    ]
    assert len(told) == 3
    for line in told:
        about = next(part for part in re.split(r"(?<=\.)\s(?=[A-Z])", line) if "sessions(" in part)
        assert re.findall(r"\b\d+\b", re.sub(r"\{\{.*?\}\}|\(.*?\)|\b20\d\d\b", "", about)) == []


def test_an_unknown_figure_is_an_error_with_the_nearest(pool: Pool) -> None:
    with pytest.raises(ValueError, match=r'no figure "with two" of the sessions \(did you mean "with one"'):
        figure("with two", ROWS)
    assert f"Of {len(ROWS)}." in render_prose('Of {{ sessions("all") }}.', pool, "x.md", "x.md", Pictures())
