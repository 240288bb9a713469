"""A run that was killed resumes from its journal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey import __version__
from survey.cli import main
from survey.traces.scoring import Journal, JournalConflict, PieceResult, Request
from tests.traces.scoring.corpora import REQUEST, corpus

DONE = [
    PieceResult("one", 1, 0, b'{"a": 1}\n'),
    PieceResult("two", 2, 1, b'{"b": 2}\n{"b": 3}\n'),
    PieceResult("none", 0, 0, b""),
]
SAME = ("--measure", "wall_s", "--measure", "steps", "--measure", "cost_usd", "--family", "R1", "--family", "R2")


def score(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["trace", "score", *map(str, arguments), *SAME])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.jsonl.part"


def kept(path: Path) -> Path:
    journal = Journal(path, REQUEST)
    for done in DONE:
        journal.add(done)
    journal.close()
    return path


def test_a_run_that_was_killed_resumes_and_has_every_document_once(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "scores.jsonl"
    data.mkdir()
    wanted = corpus(data)
    out.write_text("what was there before\n")
    code = (
        "import sys; from tests.traces.scoring.corpora import killed_in_the_middle as k; k(sys.argv[1], sys.argv[2], 5)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(data / "*"), f"{out}.part"], check=False)
    assert killed.returncode == -9
    assert out.read_text() == "what was there before\n"
    again = score(data / "*", "--workers", 2, "-o", out)
    assert again.exit_code == 0, again.output
    assert "60 documents in 15 files, 0 with errors; 5 pieces reused from an earlier run" in again.stderr
    assert [json.loads(line)["trace_id"] for line in out.read_text().splitlines()] == wanted
    assert sorted(item.name for item in tmp_path.iterdir()) == ["data", "scores.jsonl"]


def test_a_run_that_is_resumed_keeps_its_salt_and_another_is_refused(path: Path) -> None:
    def opened(where: Path | None, salt: str | None = None) -> str | None:
        journal = Journal(where, replace(REQUEST, salt=salt))
        journal.add(DONE[0])
        journal.close()
        return journal.request.salt

    first = opened(path)
    assert first == opened(path) == opened(path, first) is not None
    assert first != opened(None)
    with pytest.raises(JournalConflict, match=r"different settings \(salt\)"):
        opened(path, "another")


def test_a_journal_truncated_anywhere_resumes_with_the_finished_pieces(path: Path) -> None:
    whole = kept(path).read_bytes()
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        journal = Journal(path, REQUEST)
        there = [done.key for done in DONE if done.key in journal]
        assert there == [done.key for done in DONE][: len(there)]
        assert end < len(whole) or len(there) == 3
        for done in DONE:
            journal.add(done)
        assert list(journal.rows(done.key for done in DONE)) == [done.data for done in DONE]
        journal.close()
        assert path.read_bytes() == whole


def test_rows_damaged_by_a_power_failure_are_discarded(path: Path) -> None:
    whole = kept(path).read_bytes()
    path.write_bytes(whole.replace(b'{"b": 2}', b"\0" * 8))
    journal = Journal(path, REQUEST)
    assert ["one" in journal, "two" in journal] == [True, False]
    journal.close()


def test_a_journal_of_another_request_is_not_mixed_with_this_one(path: Path) -> None:
    kept(path)
    with pytest.raises(JournalConflict) as error:
        Journal(path, Request(measures=("steps",), families=REQUEST.families))
    assert str(error.value) == (
        f"{path} belongs to a run with different settings (measures); "
        "repeat its settings to resume it, or give --restart to discard it"
    )


def test_a_journal_of_another_version_is_not_mixed_with_this_one(path: Path) -> None:
    path.write_bytes(kept(path).read_bytes().replace(__version__.encode(), b"0.0.0", 1))
    with pytest.raises(JournalConflict, match=r"different settings \(version\)"):
        Journal(path, REQUEST)


@pytest.mark.parametrize("text", [b"Dear diary", b"Dear diary\n", b"[]\n", b'{"a": 1}\n'], ids=repr)
def test_a_file_that_is_no_journal_is_left_as_it_is(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(JournalConflict, match="is not a journal of scores"):
        Journal(path, REQUEST)
    assert path.read_bytes() == text


def test_two_runs_do_not_write_one_journal(path: Path) -> None:
    first = Journal(path, REQUEST)
    with pytest.raises(JournalConflict, match="another run is writing"):
        Journal(path, REQUEST)
    first.close()


def test_a_file_that_has_changed_since_is_scored_again_and_others_are_not(tmp_path: Path, path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    corpus(data)
    code = "import sys; from tests.traces.scoring.corpora import killed_in_the_middle as k; k(sys.argv[1], sys.argv[2], 15)"
    subprocess.run([sys.executable, "-c", code, str(data / "*"), str(path)], check=False)
    (data / "d-50.json").write_bytes((data / "d-59.json").read_bytes())
    again = score(data / "*", "--workers", 1, "-o", tmp_path / "scores.jsonl")
    assert "pieces reused" in again.stderr
    rows = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert Counter(row["trace_id"] for row in rows)["run-0059"] == 2
    assert len(rows) == 60


def test_restart_discards_the_journal(tmp_path: Path, path: Path) -> None:
    corpus(tmp_path)
    kept(path)
    result = score(tmp_path / "d-*", "--workers", 1, "-o", tmp_path / "scores.jsonl", "--restart")
    assert result.stderr == "12 documents in 12 files, 0 with errors\n"
