"""Files and folders that are whole or not there, whenever the process that writes them is killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from survey.atomic import UNFINISHED, own_folder, sweep, whole
from survey.site.publishing.staging import Busy, beside
from tests.conftest import ROOT
from tests.faults.conftest import Full
from tests.faults.doors import DOORS
from tests.faults.kills import campaign, snapshot

SEED, KILLS = 3, 8

FILES = """
import itertools, pathlib, sys
from survey.atomic import whole
print("ready", flush=True)
for n in itertools.count():
    with whole("out") as stream:
        for _ in range(64):
            stream.write(b"%d" % (n % 2) * 4096)
"""

FOLDERS = """
import itertools, pathlib, sys
from survey.site.publishing.staging import beside
print("ready", flush=True)
for n in itertools.count():
    with beside(pathlib.Path("out")) as new:
        for name in range(20):
            (new / str(name)).write_text(str(n % 2))
"""


def killed(script: str, folder: Path, moment: float) -> None:
    """Have a script write without end, and kill it after so long."""
    with subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}) as process:  # fmt: skip
        assert process.stdout
        process.stdout.readline()
        time.sleep(moment)
        process.kill()


def test_a_file_is_whole_at_whatever_moment_its_writer_is_killed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    (tmp_path / "out").write_bytes(b"0" * 64 * 4096)
    for _ in range(KILLS):
        killed(FILES, tmp_path, rng.uniform(0, 0.05))
        assert (tmp_path / "out").read_bytes() in (b"0" * 64 * 4096, b"1" * 64 * 4096)
    with whole(tmp_path / "out") as stream:
        stream.write(b"next")
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "the next run takes away what is left"


def test_a_folder_is_whole_at_whatever_moment_its_writer_is_killed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".kept").write_text("mine")
    killed(FOLDERS, tmp_path, 0.3)
    for _ in range(KILLS):
        killed(FOLDERS, tmp_path, rng.uniform(0, 0.05))
        found = {p.name: p.read_text() for p in (tmp_path / "out").glob("[0-9]*")}
        assert (len(found), len(set(found.values()))) == (20, 1)
    with beside(tmp_path / "out") as new:
        (new / "next").write_text("")
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "the next run takes away what is left"
    assert (tmp_path / "out" / ".kept").read_text() == "mine", "what is hidden is not ours, and stays"


def test_a_command_that_is_killed_leaves_the_earlier_output_or_the_new_one(tmp_path: Path) -> None:
    tally = campaign(DOORS["report"], tmp_path / "work", SEED, 2)
    assert tally.faults == []
    assert tally.before + tally.after == tally.kills == 2


def test_a_process_that_lives_keeps_what_it_has_in_hand(tmp_path: Path) -> None:
    with whole(tmp_path / "slow") as slow, own_folder("own-", tmp_path) as own:
        sweep(tmp_path)
        sweep(tmp_path, "own-")
        with whole(tmp_path / "quick") as quick:
            quick.write(b"q")
        assert own.is_dir()
        slow.write(b"s")
    assert snapshot(tmp_path).keys() == {"slow", "quick"}


def test_only_files_of_that_name_are_taken_away(tmp_path: Path) -> None:
    for name in (f"{UNFINISHED}0", f"my{UNFINISHED}0", ".mine"):
        (tmp_path / name).write_text("")
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine", f"my{UNFINISHED}0"]


def test_two_runs_that_make_the_same_folder_do_not_meet(tmp_path: Path) -> None:
    with beside(tmp_path / "out") as new:
        (new / "one").write_text("")
        with pytest.raises(Busy, match=r"out is being made by another run \(process \d+\): wait for it"), beside(tmp_path / "out"):  # fmt: skip
            pass
    assert snapshot(tmp_path).keys() == {"out/one"}


def test_a_folder_in_which_a_shell_stands_is_filled_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with beside(Path()) as new:
        assert new == tmp_path


def test_the_earlier_folder_comes_back_if_a_run_was_killed_between_two_renames(tmp_path: Path) -> None:
    """As it is done where a system cannot let two folders change places in one step."""
    (tmp_path / ".out.building" / "other").mkdir(parents=True)
    (tmp_path / ".out.building" / "other" / "earlier").write_text("")
    with pytest.raises(ZeroDivisionError), beside(tmp_path / "out"):
        raise ZeroDivisionError
    assert snapshot(tmp_path).keys() == {"out/earlier"}


def test_a_file_that_stands_where_a_folder_belongs_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(NotADirectoryError), beside(tmp_path / "out"):
        pass
    assert (tmp_path / "out").read_text() == "mine"


def test_what_is_told_of_a_full_disk_names_the_file_as_it_was_given(tmp_path: Path, full: Full) -> None:
    with pytest.raises(OSError, match="File too large") as error, full(100), whole(tmp_path / "x") as stream:
        stream.write(b"x" * 1000)
    assert error.value.filename == str(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_what_fails_for_another_reason_is_told_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, whole(tmp_path / "x"):
        (tmp_path / "input").read_bytes()
    assert error.value.filename == str(tmp_path / "input")
    assert list(tmp_path.iterdir()) == []
