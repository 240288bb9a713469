"""``survey trace check --max``: runs that take, cost or fail more than allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces.files import to_json_line
from tests.traces.strategies import Json, small

RUN: list[Json] = [
    {"type": "model_call", "t": 0, "t_end": 10, "cost": 0.5},
    {"type": "spawn", "t": 10, "to": "a"},
    {"type": "model_call", "agent": "a", "t": 10, "t_end": 40, "cost": 1},
    {"type": "return", "agent": "a", "to": "lead", "t": 40},
]
EDGES = [("e1", "e2", "causal"), ("e2", "e3", "spawn"), ("e3", "e4", "causal")]


def check(folder: Path, *arguments: str, **head: Any) -> Result:
    path = folder / "run.jsonl"
    path.write_bytes(to_json_line(small(RUN, EDGES, **head)) + b"\n")
    return CliRunner().invoke(main, ["trace", "check", str(path), *arguments])


def test_a_run_within_its_limits_has_no_problems(tmp_path: Path) -> None:
    done = check(tmp_path, "--max", "cost_usd=1.5", "--max", "critical_path_s=40")
    assert (done.exit_code, done.output) == (0, "no problems in 1 trace\n")


def test_each_limit_that_a_run_exceeds_is_an_error_with_both_numbers(tmp_path: Path) -> None:
    done = check(tmp_path, "--max", "cost_usd=1", "--max", "critical_path_s=39.5", "--max", "agents=2")
    assert done.exit_code == 1
    first, second, last = done.output.splitlines()
    assert first.endswith("Cost: found 1.5 US dollars, expected at most 1 US dollar (--max cost_usd=1)")
    assert second.endswith("Critical path: found 40 s, expected at most 39.5 s (--max critical_path_s=39.5)")
    assert last == "2 errors in 1 of 1 trace"


def test_a_measure_by_agent_counts_as_its_sum(tmp_path: Path) -> None:
    assert check(tmp_path, "--max", "busy_s=40").exit_code == 0
    assert "Busy time: found 40 s, expected at most 39 s" in check(tmp_path, "--max", "busy_s=39").output


def test_what_cannot_be_measured_does_not_pass(tmp_path: Path) -> None:
    done = check(tmp_path, "--max", "critical_path_tokens=1000")
    assert done.exit_code == 1
    assert (
        "Critical path in tokens: cannot be measured, because no event records its tokens (--max critical_path_tokens=1000)"
        in done.output
    )


def test_the_json_names_the_kind_of_problem(tmp_path: Path) -> None:
    [problem] = json.loads(check(tmp_path, "--max", "agents=1", "--format", "json").output)["problems"]
    assert (problem["kind"], problem["level"]) == ("above-limit", "error")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cost_usd", 'found "cost_usd", expected NAME=NUMBER, as in critical_path_s=600'),
        ("cost=2", '"cost" is no measure'),
        ("critical_path=2", '"critical_path" is no measure (did you mean "critical_path_s"?)'),
        ("cost_usd=two", 'found "two", expected a number, as in cost_usd=600'),
        ("cost_usd=nan", 'found "nan", expected a number, as in cost_usd=600'),
    ],
)
def test_a_limit_that_cannot_be_read_is_wrong_usage(tmp_path: Path, text: str, message: str) -> None:
    done = check(tmp_path, "--max", text)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
