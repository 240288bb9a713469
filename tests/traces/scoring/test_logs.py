"""Logs of real systems are scored without being imported first: what several files tell of one run is one row."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces.importers import Log, logs_in
from survey.traces.metrics import measure
from survey.traces.model import Content
from survey.traces.scoring import Request, pieces, score_task, sources
from tests.traces.importers.samples import sample
from tests.traces.scoring.corpora import log_of, runs

SESSIONS = "claude-code"
FEW = ("--measure", "agents", "--measure", "steps", "--measure", "tokens", "--no-rewards")


def score(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["trace", "score", *map(str, (*arguments, *FEW, "--workers", 1))])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def rows(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in score(*arguments).stdout.splitlines()]


def imported(path: Path) -> dict[str, dict[str, object]]:
    """The measures of the traces of a log or of a folder of logs, each imported and measured by itself."""
    found = {}
    for log, importer in logs_in(Log(path)):
        for trace in importer.read(log, Content()) if importer else ():
            measured = measure(trace, FEW[1:6:2])
            found[trace.id] = {name: one.value for name, one in measured.items() if one.value is not None}
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sessions of which one has its sub-agents in files of their own, and one has lost its main file."""
    return Path(shutil.copytree(sample(f"{SESSIONS}/folders"), tmp_path / "project"))


@pytest.mark.parametrize("name", sorted(path.name for path in sample(SESSIONS).parent.iterdir()))
def test_a_folder_of_logs_has_the_traces_that_an_import_of_it_has(name: str) -> None:
    for path in [sample(name), *(path for path in sample(name).iterdir() if path.is_dir())]:
        if wanted := imported(path):
            found = {row["trace_id"]: row["measures"] for row in rows(path) if not row["errors"]}
            assert wanted.items() <= found.items(), path


def test_every_real_log_has_the_rows_of_its_traces(real: Callable[[str], Path]) -> None:
    for path in sorted(real("").glob("*/*.json*")):
        assert {row["trace_id"]: row["measures"] for row in rows(path) if not row["errors"]} == imported(path), path


def test_the_files_of_sub_agents_belong_to_their_session(folder: Path) -> None:
    together = imported(folder)
    for pattern in (folder, folder / "*", folder / "**" / "*.jsonl"):
        deep, *others = rows(pattern)
        assert (deep["place"], deep["measures"]) == (f"{folder / 'deep.jsonl'}, trace deep", together["deep"])
        assert not [row for row in others if "deep" in row["place"]], pattern
    assert [row["place"] for row in rows(folder)][1:] == [f"{folder / 'lost'}, trace lost"]
    assert len(rows(folder / "deep" / "**" / "agent-b*.jsonl", folder / "deep.jsonl")) == 1


def test_a_file_that_cannot_be_unpacked_is_read_as_a_trace_which_says_where(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(b"\x1f\x8b\x08 and no more")
    (row,) = rows(path)
    assert row["errors"] == 1
    assert "every worker" not in row["problems"][0]


def test_a_sub_agent_whose_session_is_not_asked_for_is_a_row_of_its_own(folder: Path) -> None:
    path = folder / "deep" / "subagents" / "agent-b1.jsonl"
    (row,) = rows(path)
    assert {row["trace_id"]: row["measures"]} == imported(path) != imported(folder)


def test_sub_agents_beside_their_session_belong_to_it_too() -> None:
    folder = sample(f"{SESSIONS}/siblings")
    wanted = imported(folder)
    found = rows(folder / "*.jsonl")
    assert found[-1]["measures"] == wanted[found[-1]["trace_id"]]
    assert not [row for row in found if "agent-a1" in row["place"]]


def test_a_folder_that_is_read_as_a_whole_is_one_source(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample("claude-code-team/harbour"), tmp_path / "harbour"))
    (row,) = rows(tmp_path)
    assert row["place"] == f"{folder}, trace {row['trace_id']}"
    assert score(tmp_path).stderr == "1 document in 1 folder, 0 with errors\n"


def test_the_output_may_not_stand_in_a_folder_that_is_one_log(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample("claude-code-team/harbour"), tmp_path / "harbour"))
    result = score(folder, "-o", folder / "scores.jsonl")
    assert result.exit_code == 2
    assert f"is in {folder}, which is one log; name another folder" in " ".join(result.stderr.split())
    assert score(folder, "-o", tmp_path / "scores.jsonl").exit_code == 0


def test_links_make_no_round_and_a_session_with_a_part_elsewhere_is_refused(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.jsonl"
    part = folder / "deep" / "subagents" / "agent-b1.jsonl"
    shutil.move(part, outside)
    part.symlink_to(outside)
    (folder / "one.jsonl").write_bytes(log_of(runs(1)))
    (folder / "round").symlink_to(folder)
    found = {Path(row["place"].partition(",")[0]).name: row for row in rows(folder)}
    assert "a link to a file outside" in found["deep.jsonl"]["problems"][0]
    assert (found["lost"]["trace_id"], found["one.jsonl:1"]["trace_id"]) == ("lost", "run-0000")
    assert not [row["place"] for row in found.values() if row["place"].startswith(str(folder / "round"))]


def test_traces_and_logs_may_be_mixed_and_other_files_are_left_alone(folder: Path) -> None:
    (folder / "runs").mkdir()
    (folder / "runs" / "some.jsonl").write_bytes(log_of(runs(2)))
    (folder / "README.md").write_text("# Runs")
    (folder / ".hidden.jsonl").write_text("{}")
    assert [row["trace_id"] for row in rows(folder)] == ["deep", "lost", "run-0000", "run-0001"]
    assert score(folder).stderr == "4 documents in 2 files and 1 folder, 0 with errors\n"


def test_a_folder_without_a_file_to_score_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    result = score(tmp_path)
    assert result.exit_code == 2
    said = "found a folder without a file to score, expected a trace or log, with a name that ends in .json, .jsonl, .eval or .traj, packed or not"  # fmt: skip
    assert said in " ".join(result.stderr.split()).replace("- ", "-")


def test_a_long_log_is_not_split(tmp_path: Path) -> None:
    record = {"task": {"content": "x" * 2000}, "iterations": [{}], "coordination_mode": "star"}
    (tmp_path / "log.jsonl").write_text((json.dumps(record) + "\n") * 1500)
    assert [row["trace_id"] for row in rows(tmp_path / "log.jsonl")] == [f"log:{number}" for number in range(1, 1501)]


def test_a_log_at_an_address_is_imported() -> None:
    fsspec = import_module("fsspec")
    path = sample(f"{SESSIONS}/inline.jsonl")
    with fsspec.open("memory://logs/inline.jsonl", "wb") as stream:
        stream.write(path.read_bytes())
    assert {row["trace_id"]: row["measures"] for row in rows("memory://logs/*")} == imported(path)


def test_a_log_of_which_a_part_changes_is_another_piece_and_a_row_if_it_changes_meanwhile(folder: Path) -> None:
    def keys() -> list[str]:
        return [piece.key for piece in pieces(sources([str(folder)]))]

    before = keys()
    assert keys() == before
    part = folder / "deep" / "subagents" / "agent-b1.jsonl"
    part.write_text(part.read_text() + "\n")
    assert [one == other for one, other in zip(before, keys(), strict=True)] == [False, True]
    listed = tuple(pieces(sources([str(folder)])))
    part.write_text(part.read_text() + "\n")
    deep, lost = score_task(listed, Request(measures=("steps",), families=()))
    assert (deep.bad, lost.bad) == (1, 0)
    assert "the log has changed since the start" in deep.data.decode()


def test_a_task_without_an_id_has_one_id_in_all_rows_of_a_run_that_is_resumed(tmp_path: Path) -> None:
    """It is a hash of the text of the task, with the salt of the run."""
    log = sample("marble/flat.jsonl")
    for name in ("one.jsonl", "two.jsonl"):
        shutil.copy(log, tmp_path / name)
    salted = [[row["task_id"] for row in rows(tmp_path / "*.jsonl", "--salt", salt)] for salt in ("a", "a", "b")]
    assert salted[0] == salted[1] != salted[2]
    half = len(salted[0]) // 2
    assert salted[0][:half] == salted[0][half:], "the same task in two logs"
    assert salted[0] != [row["task_id"] for row in rows(tmp_path / "*.jsonl")]


def test_a_log_with_events_of_its_own_is_a_log_for_every_command(tmp_path: Path) -> None:
    path = sample("inspect/events.json")
    assert json.loads(path.read_text()).keys() == {"events"}
    assert {row["trace_id"]: row["measures"] for row in rows(path)} == imported(path)
    for given in (str(path), "-"):
        command = ["trace", "report", given, "--format", "json"]
        result = CliRunner().invoke(main, command, input=path.read_bytes())
        assert result.exit_code == 0, result.output
        (steps,) = {found["steps"] for found in imported(path).values()}
        assert json.loads(result.stdout)["measures"]["steps"]["value"] == steps


def test_a_trace_that_breaks_off_is_still_a_trace(tmp_path: Path) -> None:
    """Without its edges it looks like a log, which no importer knows; what follows it is read all the same."""
    text = b'{"trace_id": "x", "events": [{"id": \n' + log_of(runs(1))
    (tmp_path / "runs.jsonl").write_bytes(text)
    broken, whole = rows(tmp_path / "runs.jsonl")
    assert (broken["errors"], whole["trace_id"]) == (1, "run-0000")
    for given in (str(tmp_path / "runs.jsonl"), "-"):
        result = CliRunner().invoke(main, ["trace", "check", given], input=text)
        assert "invalid JSON" in result.output and "2 traces" in result.output, result.output
