"""The command ``survey trace stopping``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces import Trace
from survey.traces.files import to_json_line
from survey.traces.simulate.review import review_loop
from survey.traces.simulate.stopping import Stopping
from tests.traces.importers.samples import sample
from tests.traces.strategies import small


def saved(folder: Path, *traces: Trace) -> Path:
    path = folder / "runs.jsonl"
    path.write_bytes(b"".join(to_json_line(trace) + b"\n" for trace in traces))
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two simulated review loops, of six rounds and of two, and a run without rounds."""
    team = Stopping()
    alone = small([{"type": "model_call"}], trace_id="alone")
    return saved(tmp_path, review_loop(team.episode(1), 6), review_loop(team.episode(2), 2), alone)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["trace", "stopping", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_table_says_what_is_saved_and_what_cannot_be_told(runs: Path) -> None:
    found = run(runs, "--rule", "fixed:4", "--between", 0, 1)
    assert found.exit_code == 0
    there, end = Stopping().episode(1).qualities[4], Stopping().episode(1).qualities[6]
    lines = found.output.splitlines()
    assert lines[0].split() == ["run", "rounds", "stop", "after", "tokens", "saved", "calls", "saved", "seconds",
                                "saved", "reward", "at", "the", "end"]  # fmt: skip
    assert lines[2].split() == ["task-1", "6", "4", "2,400", "4", "80", f"{there:.4g}", f"{end:.4g}"]
    assert lines[3].split() == ["task-2", "2", "goes", "on", f"{Stopping().episode(2).qualities[2]:.4g}"]
    assert lines[5] == "fixed:4 would have ended 1 of 2 runs before the recorded end."
    assert "It saves 2,400 of 7,200 tokens (33%), 4 of 12 calls (33%), 80 of 240 seconds (33%)" in found.output
    assert "Censored: in 1 run it would have gone on beyond the recorded end" in found.output
    assert f"Reward: {there:.4g} at the stop and {end:.4g} at the end, the mean over 1 run" in found.output
    low, high = there / 2, (there + 1) / 2
    assert f"The mean reward of fixed:4 lies between {low:.4g} and {high:.4g}: it is unknown for 1 of 2" in found.output
    assert lines[-2:] == ["fixed:4 does not apply to:", "  alone: one agent works alone and calls no tools: there are "
                          "no rounds"]  # fmt: skip


def test_json_and_csv_hold_the_same_rows(runs: Path, tmp_path: Path) -> None:
    document = json.loads(run(runs, "--rule", "fixed:4", "--format", "json").output)
    assert document["rule"] == "fixed:4"
    assert [row["stop"] for row in document["runs"]] == [4, None, None]
    assert document["runs"][2]["why_not"].startswith("one agent works alone")
    assert document["total"]["tokens"] == {"saved": 2400, "of": 7200, "runs": 1}
    assert (document["total"]["runs"], document["total"]["censored"]) == (2, 1)
    assert document["total"]["mean_reward_between"] is None
    out = tmp_path / "out.csv"
    assert run(runs, "--rule", "fixed:4", "--format", "csv", "-o", out).output == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["trace_id"] for row in rows] == ["task-1", "task-2", "alone"]
    assert [row["tokens_saved"] for row in rows] == ["2400.0", "", ""]


def test_a_log_is_imported_on_the_way() -> None:
    found = run(sample("mini-swe-agent/submitted.traj.json"), "--rule", "passing")
    assert "passing would have ended 0 of 1 run before the recorded end." in found.output
    assert found.exit_code == 0


def test_a_reward_that_no_run_records_is_not_made_up() -> None:
    found = run(sample("marble/flat.jsonl"), "--rule", "fixed:1")
    assert "Reward: no run that it ends records the reward of that stop." in found.output
    assert "mean reward" not in found.output


def test_an_unknown_rule_names_the_nearest(runs: Path) -> None:
    found = run(runs, "--rule", "patiense:2")
    assert found.exit_code == 2
    assert 'Error: Invalid value for \'--rule\': "patiense" is not a rule (did you mean "patience"?)' in found.output


def test_a_rule_that_needs_what_no_run_shows_says_so(runs: Path) -> None:
    found = run(runs, "--rule", "agreement")
    assert found.exit_code == 1
    assert found.output.startswith("agreement does not apply to:\n  task-1: round 1 does not show what the rule needs")


def test_members_named_answer_one_question(runs: Path) -> None:
    """The reviewer repeats the draft that it reviews, in these logs."""
    found = run(runs, "--rule", "agreement", "--among", "writer", "--among", "reviewer")
    assert found.output.splitlines()[2].split()[:3] == ["task-1", "6", "1"]


def test_a_reward_out_of_the_range_is_refused(runs: Path) -> None:
    found = run(runs, "--rule", "fixed:2", "--between", 5, 9)
    assert found.exit_code == 2
    assert "Invalid value for --between: found a reward of" in found.output


@pytest.mark.parametrize(("low", "high"), [("1", "0"), ("nan", "1"), ("0", "inf")])
def test_a_range_that_is_none_is_refused_though_no_reward_is_known(runs: Path, low: str, high: str) -> None:
    for form in ("table", "json"):
        found = run(runs, "--rule", "fixed:9", "--between", low, high, "--format", form)
        assert found.exit_code == 2
        assert f"Invalid value for --between: found a range from {low} to {high}" in found.output


def test_an_agent_that_no_run_has_is_not_passed_over(runs: Path) -> None:
    found = run(runs, "--rule", "patience:1", "--among", "writr", "--among", "reviewer")
    assert found.exit_code == 1
    assert 'task-1: no agent of the run is "writr" (did you mean "writer"?)' in found.output


def test_an_id_does_not_pass_for_a_line_of_the_table(tmp_path: Path) -> None:
    """The second run has no rounds, and both are named by somebody else."""
    named = review_loop(Stopping().episode(1), 3)
    path = saved(tmp_path, Trace(named.events, named.edges, {**named.head, "trace_id": "a\nforged"}),
                 small([{"type": "model_call"}], trace_id="b\nforged"))  # fmt: skip
    lines = run(path, "--rule", "fixed:1").output.splitlines()
    assert [line.split()[0] for line in lines if "forged" in line] == ["a\\u000aforged", "b\\u000aforged:"]


def test_one_run_records_its_tokens(tmp_path: Path) -> None:
    counted, other = review_loop(Stopping().episode(1), 3), review_loop(Stopping().episode(2), 3)
    bare = Trace([event.with_fields(tokens=None) for event in other.events], other.edges, other.head)
    found = run(saved(tmp_path, counted, bare), "--rule", "fixed:1")
    assert "It saves 2,400 of 3,600 tokens (67%) in 1 run that records them, 8 of 12 calls (67%)" in found.output


def test_help_lists_every_rule() -> None:
    from survey.traces.stopping import RULES

    found = run("--help")
    for name, known in RULES.items():
        words = name + (":" + ",".join(known.parameters).upper() if known.parameters else "")
        assert f" {words} {known.about} " in " ".join(found.output.split())
    assert "stopping" in CliRunner().invoke(main, ["trace", "--help"]).output
