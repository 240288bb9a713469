"""Atomic writes: a file or folder is complete or absent, whenever its writer is killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from survey.atomic import UNFINISHED, atomic_write, remove_stale, temporary_folder
from survey.site.publishing.staging import Busy, staged_folder
from tests.conftest import ROOT
from tests.faults.conftest import Full
from tests.faults.kills import campaign, snapshot
from tests.faults.scenarios import SCENARIOS

SEED, KILLS = 3, 8

FILES = """
import itertools, pathlib, sys
from survey.atomic import atomic_write
print("ready", flush=True)
for n in itertools.count():
    with atomic_write("out") as stream:
        for _ in range(64):
            stream.write(b"%d" % (n % 2) * 4096)
"""

FOLDERS = """
import itertools, pathlib, sys
from survey.site.publishing.staging import staged_folder
print("ready", flush=True)
for n in itertools.count():
    with staged_folder(pathlib.Path("out")) as new:
        for name in range(20):
            (new / str(name)).write_text(str(n % 2))
"""


def killed(script: str, folder: Path, moment: float) -> None:
    """Start a script that writes in an endless loop, and kill it after ``moment`` seconds."""
    with subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}) as process:  # fmt: skip
        assert process.stdout
        process.stdout.readline()
        time.sleep(moment)
        process.kill()


def test_a_file_is_complete_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    (tmp_path / "out").write_bytes(b"0" * 64 * 4096)
    for _ in range(KILLS):
        killed(FILES, tmp_path, rng.uniform(0, 0.05))
        assert (tmp_path / "out").read_bytes() in (b"0" * 64 * 4096, b"1" * 64 * 4096)
    with atomic_write(tmp_path / "out") as stream:
        stream.write(b"next")
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "the next run takes away what is left"


def test_a_folder_is_complete_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".kept").write_text("mine")
    killed(FOLDERS, tmp_path, 0.3)
    for _ in range(KILLS):
        killed(FOLDERS, tmp_path, rng.uniform(0, 0.05))
        found = {p.name: p.read_text() for p in (tmp_path / "out").glob("[0-9]*")}
        assert (len(found), len(set(found.values()))) == (20, 1)
    with staged_folder(tmp_path / "out") as new:
        (new / "next").write_text("")
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "the next run takes away what is left"
    assert (tmp_path / "out" / ".kept").read_text() == "mine", "what is hidden is not ours, and stays"


def test_a_command_that_is_killed_leaves_the_earlier_output_or_the_new_one(tmp_path: Path) -> None:
    tally = campaign(SCENARIOS["report"], tmp_path / "work", SEED, 2)
    assert tally.faults == []
    assert tally.before + tally.after == tally.kills == 2


def test_files_of_a_live_process_are_not_removed(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "slow") as slow, temporary_folder("own-", tmp_path) as own:
        remove_stale(tmp_path)
        remove_stale(tmp_path, "own-")
        with atomic_write(tmp_path / "quick") as quick:
            quick.write(b"q")
        assert own.is_dir()
        slow.write(b"s")
    assert snapshot(tmp_path).keys() == {"slow", "quick"}


def test_only_files_with_the_prefix_are_removed(tmp_path: Path) -> None:
    for name in (f"{UNFINISHED}0", f"my{UNFINISHED}0", ".mine"):
        (tmp_path / name).write_text("")
    remove_stale(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine", f"my{UNFINISHED}0"]


def test_two_runs_cannot_write_the_same_folder_at_once(tmp_path: Path) -> None:
    with staged_folder(tmp_path / "out") as new:
        (new / "one").write_text("")
        with pytest.raises(Busy, match=r"out is being written by another run \(process \d+\): wait for it"), staged_folder(tmp_path / "out"):  # fmt: skip
            pass
    assert snapshot(tmp_path).keys() == {"out/one"}


def test_the_current_folder_of_a_shell_is_filled_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with staged_folder(Path()) as new:
        assert new == tmp_path


def test_the_earlier_folder_comes_back_if_a_run_was_killed_between_two_renames(tmp_path: Path) -> None:
    """On systems that cannot exchange two folders in one step."""
    (tmp_path / ".out.building" / "other").mkdir(parents=True)
    (tmp_path / ".out.building" / "other" / "earlier").write_text("")
    with pytest.raises(ZeroDivisionError), staged_folder(tmp_path / "out"):
        raise ZeroDivisionError
    assert snapshot(tmp_path).keys() == {"out/earlier"}


def test_a_file_in_place_of_the_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(NotADirectoryError), staged_folder(tmp_path / "out"):
        pass
    assert (tmp_path / "out").read_text() == "mine"


def test_a_full_disk_is_reported_with_the_file_name_as_given(tmp_path: Path, full: Full) -> None:
    with pytest.raises(OSError, match="File too large") as error, full(100), atomic_write(tmp_path / "x") as stream:
        stream.write(b"x" * 1000)
    assert error.value.filename == str(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_other_errors_propagate_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, atomic_write(tmp_path / "x"):
        (tmp_path / "input").read_bytes()
    assert error.value.filename == str(tmp_path / "input")
    assert list(tmp_path.iterdir()) == []
