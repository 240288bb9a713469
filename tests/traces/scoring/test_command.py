"""``survey trace score``: output, options, messages and exit status."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces.files.compression import opened
from survey.traces.metrics import MEASURES
from tests.traces.scoring.corpora import corpus, log_of, run, runs


def score(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["trace", "score", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    corpus(folder)
    return folder


def test_rows_go_to_standard_output_and_the_sum_to_standard_error(data: Path) -> None:
    result = score(data / "*", "--workers", 1)
    assert result.exit_code == 0
    assert [json.loads(line)["trace_id"] for line in result.stdout.splitlines()] == [f"run-{n:04}" for n in range(60)]
    assert result.stderr == "60 documents in 15 files, 0 with errors\n"


def test_one_worker_two_workers_and_dask_write_the_same_bytes(data: Path, tmp_path: Path) -> None:
    for name, how in {"1": ("--workers", 1), "2": ("--workers", 2), "d": ("--engine", "dask", "--workers", 2)}.items():
        assert score(data / "*", *how, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "d").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "d", "data"]


def test_a_scheduler_that_is_there_is_used(data: Path, cluster: str) -> None:
    result = score(data / "d-*", "--engine", "dask", "--scheduler", cluster)
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 12)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_packed_output_holds_the_same(data: Path, tmp_path: Path, ending: str) -> None:
    plain = score(data / "d-*", "--workers", 1).stdout_bytes
    score(data / "d-*", "--workers", 1, "-o", tmp_path / f"x.{ending}")
    with (tmp_path / f"x.{ending}").open("rb") as stream:
        assert opened(stream).read() == plain


def test_a_broken_file_is_a_row_and_exit_status_1_and_the_output_is_there(data: Path, tmp_path: Path) -> None:
    (data / "d-50.json").write_text("Dear diary")
    result = score(data / "*", "--workers", 1, "-o", tmp_path / "x.jsonl")
    assert result.exit_code == 1
    assert result.stderr == "60 documents in 15 files, 1 with errors\n"
    found = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    [bad] = [row for row in found if row["errors"]]
    assert bad["problems"] == ['invalid JSON: found "Dear diary", expected {']


def test_csv_has_a_column_for_each_measure_and_family_and_no_formulas(tmp_path: Path) -> None:
    evil = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "harmless"]
    traces = [run(0).with_head(trace_id=word, task_id=word) for word in evil]
    (tmp_path / "x.jsonl").write_bytes(log_of(traces))
    result = score(tmp_path / "x.jsonl", "--format", "csv", "--workers", 1)
    found = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["trace_id"] for row in found] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t'=1", "harmless"]
    assert [row["task_id"] for row in found] == [row["trace_id"] for row in found]
    assert set(MEASURES) | {"R1", "R8", "why_not"} <= set(found[0])
    assert float(found[0]["steps"]) == json.loads(score(tmp_path / "*", "--workers", 1).stdout.splitlines()[0])["measures"]["steps"]  # fmt: skip
    assert list(json.loads(found[-1]["R1"])) == ["team harmless"]
    assert "cost_usd" in json.loads(found[-1]["why_not"])


def test_parquet_has_the_columns_and_the_values_of_csv(tmp_path: Path) -> None:
    lone = run(1).with_head(trace_id="=lone")
    (tmp_path / "x.jsonl").write_bytes(log_of([run(0), lone]) + b"not a trace\n")
    rows, table = tmp_path / "rows.csv", tmp_path / "rows.parquet"
    for path in (rows, table):
        score(
            tmp_path / "x.jsonl", "--workers", 1, "--credit", "leave-one-out", "--format", path.suffix[1:], "-o", path
        )
    wanted, found = list(csv.DictReader(rows.read_text().splitlines())), pd.read_parquet(table)
    assert list(found.columns) == list(wanted[0])
    assert list(found["success"]) == [run(0).head["outcome"]["success"], run(1).head["outcome"]["success"], None]
    assert found["trace_id"].tolist()[:2] == [run(0).id, "=lone"], "only a spreadsheet takes a text for a formula"
    numbers = [name for name in found if pd.api.types.is_float_dtype(found[name])]
    assert {"score", "wall_s", "steps", "tokens", "cost_usd"} <= set(numbers)
    for name in numbers:
        assert found[name].tolist() == pytest.approx([float(row[name] or "nan") for row in wanted], nan_ok=True)
    assert json.loads(found["calls_by_tool"][0]) == json.loads(wanted[0]["calls_by_tool"])
    assert json.loads(found["credit"][0]) == json.loads(wanted[0]["credit"])


def test_csv_keeps_negative_numbers_numbers(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(log_of(runs(1)))
    result = score(tmp_path / "x.jsonl", "--format", "csv", "--measure", "steps", "--no-rewards", "--workers", 1)
    [row] = csv.DictReader(io.StringIO(result.stdout))
    assert list(row) == ["place", "trace_id", "task_id", "success", "score", "errors", "warnings", "problems", "steps", "why_not"]  # fmt: skip
    assert row["steps"].isdigit()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measure", "wal_s"], '"wal_s" is no measure (did you mean "wall_s"?)'),
        (["--family", "R9"], '"R9" is not a reward family'),
        (["--family", "R1", "--no-rewards"], "give either --family or --no-rewards, not both"),
        (
            ["--credit", "shaply"],
            '"shaply" is not a method of credit (did you mean "shapley"?); expected one of broadcast',
        ),
        (
            ["--credit", "group"],
            "compares several runs, but each is scored alone here (use survey trace credit)",
        ),
        (["--credit", "shapley", "--unit", "team"], "does not credit units of kind team: there is only one team"),
        (["--scheduler", "tcp://x:1"], "--scheduler needs --engine dask"),
        (["--timeout", "5"], "--timeout needs --engine dask"),
        (["--engine", "dask", "--timeout", "0"], "0.0 is not in the range x>0"),
        (["--workers", "0"], "0 is not in the range 1<=x<=1000"),
        (["--workers", "8000"], "8000 is not in the range 1<=x<=1000"),
        (["-o", "data/d-50.json"], "-o d-50.json is one of the files to score"),
    ],
    ids=[
        "measure",
        "family",
        "both",
        "method",
        "group",
        "unit",
        "scheduler",
        "timeout",
        "no-timeout",
        "no workers",
        "too many workers",
        "output",
    ],
)
def test_wrong_use_is_answered_with_the_way_out(
    data: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data.parent)
    before = sorted(data.rglob("*"))
    result = score("data/d-*", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert sorted(data.rglob("*")) == before


def test_the_output_may_stand_among_the_files_if_it_is_none_of_them(data: Path) -> None:
    assert score(data / "d-*", "--workers", 1, "-o", data / "scores.jsonl").exit_code == 0
    assert len((data / "scores.jsonl").read_text().splitlines()) == 12


def test_a_journal_is_not_scored_though_the_pattern_fits_it(data: Path) -> None:
    (data / "scores.jsonl.part").write_bytes(b"")
    assert "60 documents in 15 files" in score(data / "*", "--workers", 1, "-o", data / "scores.jsonl").stderr


def test_a_folder_that_is_not_there_is_an_error_and_nothing_is_scored(data: Path, tmp_path: Path) -> None:
    result = score(data / "*", "-o", tmp_path / "none" / "x.jsonl")
    assert result.exit_code == 1
    assert "no such file or directory" in result.stderr


def test_what_writes_no_file_is_left_what_it_is(data: Path) -> None:
    assert score(data / "d-*", "--workers", 1, "-o", "/dev/null").exit_code == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_ctrl_c_leaves_the_journal_whole_and_says_how_to_go_on(engine: str, data: Path, tmp_path: Path) -> None:
    long = data / "z.jsonl.gz"  # one worker reads it for as long as it takes to press Ctrl-C
    long.write_bytes(gzip.compress(log_of([run(0)]) * 10_000, 1))
    out, journal = tmp_path / "x.jsonl", tmp_path / "x.jsonl.part"
    # whoever runs the tests in the background has Ctrl-C ignored by everything they start
    heeding = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from survey.cli import main; main()"
    )
    command = [sys.executable, "-c", heeding, "trace", "score", str(data / "*"), "-o", str(out), "--workers", "2", "--engine", engine]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b'{"piece"') > 5):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said == "Stopped; finished results are in x.jsonl.part; repeat the command to resume\n"
    long.unlink()
    again = score(data / "*", "-o", out, "--workers", 1)
    assert "60 documents in 15 files, 0 with errors; " in again.stderr and "reused" in again.stderr
    assert [json.loads(line)["trace_id"] for line in out.read_text().splitlines()] == [f"run-{n:04}" for n in range(60)]


def test_help_and_the_default_engine_load_neither_dask_nor_fsspec_nor_pandas_nor_mkdocs(data: Path) -> None:
    heavy = "{'dask', 'distributed', 'fsspec', 'pandas', 'mkdocs', 'numpy'}"
    code = (
        "import sys; from survey.cli import main; main(sys.argv[1:], standalone_mode=False); "
        f"sys.exit(', '.join({heavy} & set(sys.modules)) or 0)"
    )
    for arguments in (["--help"], [str(data / "*"), "--workers", "2"]):
        done = subprocess.run([sys.executable, "-c", code, "trace", "score", *arguments], capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr


HERE = "import sys; sys.modules['{name}'] = None; from survey.cli import main; main()"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fsspec", ["s3://bucket/*"], "reading remote files needs fsspec"),
        ("distributed", ["data/*", "--engine", "dask"], "the engine dask needs distributed"),
        ("cryptography", ["data/*", "--engine", "dask"], "the engine dask needs cryptography"),
    ],
)
def test_what_is_not_installed_is_said_with_how_to_install_it(
    data: Path, name: str, arguments: list[str], said: str
) -> None:
    command = [sys.executable, "-c", HERE.format(name=name), "trace", "score", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=data.parent)
    assert done.returncode == 2
    assert done.stderr == f"-c trace score: {said} (pip install 'orchestration-survey[cluster]')\n"
