"""What the page that opens a log gets from the toolkit, without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from survey.cli.trace.in_browser import Session
from tests.conftest import ROOT
from tests.traces.importers.samples import sample

EXAMPLE = ROOT / "survey" / "traces" / "model" / "example.json"


def test_a_trace_is_described_with_its_size_and_problems() -> None:
    (row,) = json.loads(Session().open([str(EXAMPLE)]))
    assert {name: row[name] for name in ("id", "trace", "agents", "errors")} == {
        "id": "example", "trace": 0, "agents": 4, "errors": 0,
    }  # fmt: skip


def test_of_a_log_it_is_said_which_format_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = json.loads(Session().open([str(sample("claude-code/inline.jsonl"))]))
    assert row["importer"] == "claude-code"
    assert capsys.readouterr().err == ""


def test_what_cannot_be_read_is_told_beside_what_can(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    paths = [str(tmp_path / "bad.json"), str(tmp_path / "gone.json"), str(EXAMPLE)]
    rows = json.loads(Session().open(paths))
    assert [bool(row.get("trouble")) for row in rows] == [True, True, False]
    assert rows[1]["trouble"] == f"{tmp_path / 'gone.json'}: No such file or directory"
    assert rows[2]["trace"] == 0


@pytest.mark.parametrize("form", ["html", "trace", "perfetto", "otlp"])
def test_a_run_is_saved_in_each_format_that_the_page_offers(form: str) -> None:
    session = Session()
    session.open([str(EXAMPLE)])
    assert len(session.save(0, form)) > 1000
