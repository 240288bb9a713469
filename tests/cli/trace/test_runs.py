"""``survey trace report`` of many runs: what it reads, what it writes, and what it says of bad input."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from importlib.resources import files
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces import Problems
from survey.traces.files.writing import write
from survey.traces.metrics import MEASURES, measure
from survey.traces.metrics import prices as public
from survey.traces.scoring.rows import empty_row
from tests.traces.importers.samples import sample
from tests.traces.scoring.corpora import log_of, runs

COUNT = 12
PRICES = files(public) / "prices.toml"


def report(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["trace", "report", *map(str, arguments), "--workers", "1"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of runs, a run in a file of its own, a log of a real system, and a file that is none."""
    path = tmp_path / "runs"
    path.mkdir()
    write(runs(COUNT), path / "many.jsonl.gz")
    write(runs(1, COUNT), path / "one.json")
    shutil.copy(sample("claude-code/folders/deep.jsonl"), path / "session.jsonl")
    shutil.copytree(sample("claude-code/folders/deep"), path / "session")
    (path / "notes.json").write_text('{"text": "nothing"}')
    return path


def test_a_folder_of_runs_is_summarised_on_the_terminal(folder: Path) -> None:
    result = report(folder)
    assert result.exit_code == 0, "a document that cannot be read is told, and does not end the report"
    assert "1 document could not be read as a run." in result.stdout
    for heading in ("Distributions", "Failure patterns", "Solved and unsolved runs", "Unreadable documents"):
        assert f"\n{heading}\n" in result.stdout
    assert f"{folder / 'notes.json'}:1: " in result.stdout


def test_the_figures_are_those_of_the_runs_reported_one_by_one(folder: Path) -> None:
    found = json.loads(report(folder, "--format", "json").stdout)
    alone = [measure(one) for one in runs(COUNT + 1)]
    session = json.loads(report(folder / "session.jsonl", "--format", "json").stdout)["measures"]
    for name in ("wall_s", "tokens", "steps"):
        values = [one[name].value for one in alone] + [session[name]["value"]]
        one = found["distributions"][name]
        assert (one["runs"], one["least"], one["most"]) == (COUNT + 2, min(values), max(values))
        assert one["total"] == pytest.approx(sum(values))
    outcomes = [one.head["outcome"]["success"] for one in runs(COUNT + 1)]
    assert (found["runs"], found["solved"], found["unsolved"]) == (COUNT + 2, sum(outcomes), outcomes.count(False))
    assert [one["place"] for one in found["not_read"]] == [f"{folder / 'notes.json'}:1"]


def test_the_page_links_each_run_with_its_own_report(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "all.html"
    result = report(folder, "-o", page)
    assert result.exit_code == 0
    assert result.stderr.endswith(f"; a page for each run in {tmp_path / 'all-pages'}\n")
    text = page.read_text()
    linked = set(re.findall(r'href="all-pages/([^"]+)"', text))
    assert linked == {path.name for path in (tmp_path / "all-pages").iterdir()}
    assert len(linked) == COUNT + 2
    for one in runs(COUNT + 1):
        [name] = [name for name in linked if name.startswith(one.id)]
        own = tmp_path / f"{one.id}.html"
        single = tmp_path / f"{one.id}.json"
        write([one], single)
        assert report(single, "-o", own).exit_code == 0
        assert (tmp_path / "all-pages" / name).read_text() == own.read_text().rstrip("\n"), "as the run's own report"


def test_without_pages_no_run_is_linked(folder: Path, tmp_path: Path) -> None:
    assert report(folder, "-o", tmp_path / "all.html", "--no-pages").exit_code == 0
    assert not (tmp_path / "all-pages").exists()
    assert "all-pages" not in (tmp_path / "all.html").read_text()


def test_the_same_runs_give_the_same_page(folder: Path, tmp_path: Path) -> None:
    pages = []
    for workers in ("1", "2"):
        assert report(folder, "-o", tmp_path / "all.html", "--workers", workers).exit_code == 0
        pages.append((tmp_path / "all.html").read_bytes())
    assert pages[0] == pages[1]


def test_a_data_frame_has_a_row_for_each_run(folder: Path, tmp_path: Path) -> None:
    assert report(folder, "-o", tmp_path / "all.parquet").exit_code == 0
    frame = pd.read_parquet(tmp_path / "all.parquet")
    assert len(frame) == COUNT + 3
    assert set(MEASURES) <= set(frame.columns)
    assert frame["wall_s"].notna().sum() == COUNT + 2


def test_rows_that_another_machine_has_scored_are_reported(folder: Path, tmp_path: Path) -> None:
    rows = tmp_path / "scores.jsonl"
    command = ["trace", "score", str(folder), "-o", str(rows), "--workers", "1"]
    assert CliRunner().invoke(main, command).exit_code == 1
    wanted = report(folder, "--format", "json").stdout
    assert report(rows, "--format", "json").stdout == wanted
    packed, compact = tmp_path / "packed.jsonl.gz", tmp_path / "compact.jsonl"
    packed.write_bytes(gzip.compress(rows.read_bytes()))
    compact.write_text(
        "\n".join(json.dumps(json.loads(line), separators=(",", ":")) for line in rows.read_text().splitlines())
    )
    (tmp_path / "alone").mkdir()
    shutil.copy(rows, tmp_path / "alone")
    for same in (packed, compact, tmp_path / "alone"):
        assert report(same, "--format", "json").stdout == wanted
    result = report(rows, folder)
    assert result.exit_code == 2
    assert f"found rows of survey trace score, and {folder}, which are none" in result.stderr
    result = report(rows, "--prices", PRICES)
    assert result.exit_code == 2
    assert "--prices needs the runs" in result.stderr


BAD = {name: empty_row("x", Problems()) for name in ("measures", "outcome")}
BAD["measures"]["measures"], BAD["outcome"]["outcome"] = {"wall_s": "long"}, None


@pytest.mark.parametrize("line", ["{}", "[1]", "not JSON", '{"place": 1}', *map(json.dumps, BAD.values())])
def test_a_file_that_is_no_longer_rows_of_scores_says_so(line: str, tmp_path: Path) -> None:
    rows = tmp_path / "scores.jsonl"
    write(runs(1), tmp_path / "one.json")
    CliRunner().invoke(main, ["trace", "score", str(tmp_path / "one.json"), "-o", str(rows), "--workers", "1"])
    rows.write_text(rows.read_text() + line + "\n")
    result = report(rows)
    assert result.exit_code == 1
    assert "scores.jsonl: line 2: found " in result.stderr
    assert "expected a row of survey trace score" in result.stderr


def test_one_run_has_a_report_of_its_own_wherever_it_lies(tmp_path: Path) -> None:
    [one] = runs(1)
    path = tmp_path / "runs"
    path.mkdir()
    write([one], path / "one.jsonl")
    assert report(path).stdout == report(path / "one.jsonl").stdout
    assert report(path).stdout.startswith(one.id)


def test_several_files_are_several_runs(tmp_path: Path) -> None:
    paths = [tmp_path / f"{place}.json" for place in range(3)]
    for path, one in zip(paths, runs(3), strict=True):
        write([one], path)
    assert json.loads(report(*paths, "--format", "json").stdout)["runs"] == 3
    result = report(*paths, "--trace", "run-0001")
    assert result.exit_code == 2
    assert "--trace names a trace of one file, to report on it alone; found 3 files" in result.stderr
    result = report(paths[0], "--trace", "run-0000", "--format", "csv")
    assert result.exit_code == 2
    assert "found --format csv" in result.stderr


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write(runs(1), path)
    before = path.read_bytes()
    result = report(path, "-o", path)
    assert result.exit_code == 2
    assert "-o one.json is one of the files to report on" in result.stderr
    assert path.read_bytes() == before


def test_pages_that_were_deleted_before_a_run_is_resumed_are_named_and_not_linked(folder: Path, tmp_path: Path) -> None:
    page, kept = tmp_path / "all.html", tmp_path / "kept.part"
    with patch(
        "survey.cli.trace.report.write_output", side_effect=KeyboardInterrupt
    ):  # as if stopped when all was scored
        assert report(folder, "-o", page).exit_code == 130
    gone, *others = sorted((tmp_path / "all-pages").iterdir())
    gone.unlink()
    shutil.copy(tmp_path / "all.html.part", kept)
    result = report(folder, "-o", page)
    assert result.exit_code == 0
    assert f"{gone}: missing, although it was written (--restart writes it again)\n" in result.stderr
    assert gone.name not in page.read_text()
    assert all(other.name in page.read_text() for other in others)
    shutil.copy(kept, tmp_path / "all.html.part")
    assert report(folder, "-o", page, "--restart").exit_code == 0
    assert gone.name in page.read_text()


def test_the_name_of_the_output_says_the_format(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(log_of(runs(2)))
    for ending, first in (
        (".html", b"<!DOCTYPE html>"), (".json", b"{"), (".csv", b"place,"), (".txt", b"Of 2 runs"),
        (".html.gz", b"\x1f\x8b"), (".json.gz", b"\x1f\x8b"),
    ):  # fmt: skip
        out = tmp_path / f"out{ending}"
        assert report(tmp_path / "x.jsonl", "-o", out).exit_code == 0
        assert out.read_bytes().startswith(first)
    assert gzip.decompress((tmp_path / "out.html.gz").read_bytes()) == (tmp_path / "out.html").read_bytes()


def test_a_page_stays_whole_under_hostile_names(tmp_path: Path) -> None:
    evil = ["</script><script>x", "a\x1b[2J", "‮evil", "../../up", "con", "x" * 500]
    traces = [one.with_head(trace_id=name, task_id=name) for one, name in zip(runs(len(evil)), evil, strict=True)]
    (tmp_path / "x.jsonl").write_bytes(log_of(traces))
    assert report(tmp_path / "x.jsonl", "-o", tmp_path / "all.html").exit_code == 0
    text = (tmp_path / "all.html").read_text()
    assert "</script><script>x" not in text
    assert not set(text) & set("\x1b‮")
    names = [path.name for path in (tmp_path / "all-pages").iterdir()]
    assert len(names) == len(evil)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,80}", name) for name in names)
    assert "\x1b" not in report(tmp_path / "x.jsonl").stdout
