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
from tests.traces.strategies import small


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
    as_json = json.loads(run(runs, "--format", "json").stdout)
    as_csv = list(csv.DictReader(io.StringIO(run(runs, "--format", "csv").stdout)))
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


def values(found: Result) -> dict[tuple[str, str], float]:
    return {(row["trace"], row["unit"]): round(row["value"], 4) for row in json.loads(found.stdout)}


def test_a_critic_a_bootstrap_and_a_discount_are_taken_from_the_command_line(tmp_path: Path) -> None:
    events = [{"type": "model_call"}, {"type": "model_call", "agent": "a"}]
    path = saved(tmp_path, small(events, rewards={"team": 1}, trace_id="one"))
    critic = tmp_path / "critic.json"
    critic.write_text(json.dumps({"one": {"e1": 0.25, "e2": 0.5}}))
    asked = (path, "--method", "gae", "--unit", "turn", "--gamma", 0.5, "--lam", 0, "--format", "json")
    both = values(run(*asked, "--critic", critic, "--bootstrap", 2))
    assert both == {("one", "e1"): 1 + 0.5 * 2 - 0.25, ("one", "e2"): 1 + 0.5 * 2 - 0.5}
    chain = saved(tmp_path, small([events[0], events[0]], rewards={"team": 1}, trace_id="one"))
    alone = (chain, *asked[1:], "--critic", critic)
    assert values(run(*alone)) == values(run(*alone, "--per-agent")) == {("one", "e1"): 0, ("one", "e2"): 0.5}
    critic.write_text("[1]")
    assert "expected {TRACE: {UNIT: VALUE}}" in run(*alone).stderr


def test_bad_runs_are_all_named_or_left_out_or_given_nothing(tmp_path: Path) -> None:
    path = saved(tmp_path, fork(1, trace_id="one"), fork(trace_id="two", rewards={}), fork(trace_id="six", rewards={}))
    asked = (path, "--method", "shapley", "--format", "json")
    missing = "needs a reward or an outcome of the whole run"
    found = run(*asked)
    assert (found.exit_code, found.stderr) == (1, f"Error: two: {missing}\nsix: {missing}\n")
    found = run(*asked, "--bad", "skip")
    assert {trace for trace, _ in values(found)} == {"one"}
    assert found.stderr == f"two: {missing}\nsix: {missing}\n"
    assert values(run(*asked, "--bad", "zero"))["six", "lead"] == 0


def test_the_reward_is_chosen_and_the_baseline_taken_off(tmp_path: Path) -> None:
    path = saved(tmp_path, fork(rewards={"team": 1.0, "style": -0.5}))
    asked = (path, "--method", "shapley", "--format", "json")
    assert sum(values(run(*asked)).values()) == pytest.approx(1, abs=1e-3)
    assert sum(values(run(*asked, "--reward", "style")).values()) == pytest.approx(-0.5, abs=1e-3)
    assert sum(values(run(*asked, "--baseline", 0.75)).values()) == pytest.approx(0.25, abs=1e-3)
    wrong = run(*asked, "--reward", "stile")
    assert wrong.stderr == 'Error: no run has the reward "stile" (did you mean "style"?); there is team, style\n'
    ignored = run(*asked, "--value", "reach", "--reward", "style")
    assert (ignored.exit_code, "does not depend on a reward" in ignored.stderr) == (1, True)


def test_what_is_the_same_for_all_units_is_said_not_to_be_credit(tmp_path: Path) -> None:
    events = [{"type": "model_call", "agent": name} for name in "ab"]
    found = run(saved(tmp_path, small(events, rewards={"team": 1})), "--method", "shapley")
    assert found.stderr == "r: 0.5000 is the same for all 2 units: a share, not credit\n"


def test_every_method_is_in_the_help() -> None:
    said = run("--help").output
    assert all(name in said for name in METHODS)
