"""The command ``survey trace credit``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from survey.cli.trace.credit import credit
from survey.traces import Trace
from survey.traces.credit import METHODS
from survey.traces.files import to_json_line
from tests.traces.credit.drawn import fork


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return saved(tmp_path, fork(1, trace_id="one"), fork(0, trace_id="two"))


def saved(folder: Path, *traces: Trace) -> Path:
    path = folder / "runs.jsonl"
    path.write_bytes(b"".join(to_json_line(trace) + b"\n" for trace in traces))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(credit, [str(argument) for argument in arguments])


def test_a_table_says_what_each_unit_earned_and_why(tmp_path: Path) -> None:
    found = run(saved(tmp_path, fork()), "--value", "outcome-returns", "--method", "shapley")
    assert found.output.splitlines() == [
        "r",
        "",
        "unit      credit  why",
        "------  --------  -------------------------------",
        "lead      0.2500  mean over all orders of 5 units",
        "a         0.2500  mean over all orders of 5 units",
        "b         0.2500  mean over all orders of 5 units",
        "c         0.2500  mean over all orders of 5 units",
        "idle      0.0000  mean over all orders of 5 units",
    ]


def test_estimates_have_bounds_and_hang_on_the_seed(runs: Path) -> None:
    asked = (runs, "--unit", "turn", "--method", "shapley", "--samples", 30)
    first = run(*asked).output
    assert "from" in first and "30 orders drawn at random; 95% interval" in first
    assert run(*asked).output == first
    assert run(*asked, "--seed", 1).output != first


def test_several_files_are_one_group(tmp_path: Path) -> None:
    paths = []
    for score in (1, 0):
        folder = tmp_path / str(score)
        folder.mkdir()
        paths.append(saved(folder, fork(score, trace_id=f"run-{score}")))
    rows = json.loads(run(*paths, "--method", "group", "--unit", "team", "--format", "json").output)
    assert [(row["trace"], row["unit"], round(row["value"], 4)) for row in rows] == [
        ("run-1", "team", 0.7071),
        ("run-0", "team", -0.7071),
    ]


def test_all_formats_say_the_same(runs: Path, tmp_path: Path) -> None:
    as_json = json.loads(run(runs, "--format", "json").output)
    as_csv = list(csv.DictReader(io.StringIO(run(runs, "--format", "csv").output)))
    assert run(runs, "--format", "parquet", "-o", tmp_path / "x.parquet").exit_code == 0
    table = pd.read_parquet(tmp_path / "x.parquet")
    assert [row["unit"] for row in as_json] == [row["unit"] for row in as_csv] == table["unit"].tolist()
    assert [row["value"] for row in as_json] == [float(row["value"]) for row in as_csv] == table["value"].tolist()


def test_what_makes_no_sense_is_refused_with_the_reason(runs: Path) -> None:
    found = run(runs, "--unit", "message")
    said = "needs messages: nobody sends one"
    assert (found.exit_code, found.stderr) == (1, f"Error: one: {said}\ntwo: {said}\n")
    found = run(runs, "--unit", "team", "--method", "shapley")
    assert "The Shapley value does not credit units of kind team: there is only one team" in found.stderr


def test_too_many_units_are_refused_with_the_advice_to_sample(tmp_path: Path) -> None:
    events = [{"type": "model_call", "agent": f"a{number}"} for number in range(21)]
    path = tmp_path / "many.json"
    head = {
        "trace_id": "r",
        "task_id": "t",
        "rewards": {"team": 1},
        "costs": {"tokens": 0, "wall_clock_s": 0},
        "edges": [],
    }
    path.write_text(
        json.dumps({**head, "events": [{"id": f"e{n}", "t": 0, **event} for n, event in enumerate(events)]})
    )
    assert "too many for exact values: draw samples" in run(path, "--method", "shapley", "--value", "outcome").stderr
    assert run(path, "--method", "shapley", "--value", "outcome", "--samples", 20).exit_code == 0


def test_every_method_is_in_the_help() -> None:
    said = run("--help").output
    assert all(name in said for name in METHODS)
