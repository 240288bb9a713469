"""The command ``survey trace reward``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli.trace.rewards import reward

Command = Callable[..., Result]


@pytest.fixture
def pay(tmp_path: Path) -> Command:
    """Run the command on the bundled example."""
    path = tmp_path / "example.json"
    path.write_text(files("survey.traces.model").joinpath("example.json").read_text("utf-8"))

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(reward, [str(path), *arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_a_table_gives_each_family_and_what_is_missing(pay: Command) -> None:
    result = pay()
    assert result.exit_code == 0
    assert 'R1 Shared outcome\n  team example         1  the run\'s reward "team" is 1\n' in result.output
    assert (
        "R7 Orchestration\n  to the orchestrator lead\n  parallelism    0.1431  1.17 agents were busy" in result.output
    )
    assert "Not computable in this trace\n  R2: needs a reward of the run" in result.output


def test_parts_paid_to_one_unit_are_added_up(pay: Command) -> None:
    lines = pay(
        "--family", "R7", "--weight", "latency=0", "--weight", "parallelism=0", "--weight", "balance=3"
    ).output.splitlines()
    assert lines[-1].split() == ["total", "6"]


def test_one_family_by_its_name(pay: Command) -> None:
    output = pay("--family", "parl", "--weight", "progress=1").output
    assert (
        output
        == 'example\n\nR7 Orchestration as in PARL\n  orchestrator lead, r_perf         1  the run\'s reward "team" is 1\n'
    )


def test_json_has_rewards_and_reasons(pay: Command) -> None:
    document = json.loads(pay("--format", "json", "--family", "R5", "--family", "R2").output)
    assert [row["reward"] for row in document["rewards"]] == [1.0, 1.0, 0.5]
    assert list(document["why_not"]) == ["R2"]


def test_csv_has_a_row_for_each_reward_and_tells_reasons_apart(pay: Command) -> None:
    result = pay("--format", "csv", "--family", "R5", "--family", "R2")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["trace_id"], row["unit"], row["reward"]) for row in rows] == [
        ("example", "e7", "1.0"),
        ("example", "e8", "1.0"),
        ("example", "e16", "0.5"),
    ]
    assert result.stderr.startswith("R2: needs a reward")


def test_a_family_that_pays_nothing_is_exit_status_1(pay: Command) -> None:
    result = pay("--family", "R4")
    assert result.exit_code == 1
    assert "R4: needs a reward on a turn" in result.output


def test_a_trace_with_errors_is_paid_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    events = [
        {"id": "e1", "t": 0, "type": "spawn", "agent": "lead", "to": "a"},
        {"id": "e2", "t": 1, "type": "model_call", "agent": "b"},
    ]
    path.write_text(
        json.dumps(
            {
                "trace_id": "r",
                "task_id": "t",
                "rewards": {"team": 1},
                "costs": {"tokens": 0, "wall_clock_s": 1},
                "events": events,
                "edges": [],
            }
        )
    )
    assert (
        "1 error: the rewards are unreliable (run survey trace check).\n"
        in CliRunner().invoke(reward, [str(path)]).output
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--family", "R9"], '"R9" is not a reward family'),
        (["--family", "R8", "--weight", "locl=1"], '"locl" is not a weight of the families chosen (did you mean "local"?); expected one of local'),
        (["--family", "R1", "--weight", "local=1"], '"local" is not a weight of the families chosen; they have none'),
        (["--family", "R8", "--weight", "local=2"], "the weight of the local part is 2 (expected 0 to 1)"),
        (["--weight", "local=nan"], '"local=nan" is not a weight (expected a name, "=" and a number: local=0.3)'),
        (["--weight", "local"], '"local" is not a weight (expected a name, "=" and a number: local=0.3)'),
        (["--trace", "other"], 'holds no trace "other"'),
    ],
    ids=["family", "weight's name", "no weights", "out of range", "nan", "no number", "trace"],
)  # fmt: skip
def test_wrong_use_is_answered_with_a_fix(pay: Command, arguments: list[str], said: str) -> None:
    result = pay(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
