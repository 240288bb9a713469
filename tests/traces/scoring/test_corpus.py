"""Files of a pattern, splitting of long files, and rows of broken ones."""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.scoring import (
    CorpusNotFound,
    FailureCounts,
    Journal,
    Request,
    pieces,
    processes,
    readings_in,
    score,
    score_task,
    sources,
)
from survey.traces.scoring.corpus import Source
from survey.traces.scoring.pieces import Piece
from tests.traces.scoring.corpora import REQUEST, corpus, half_a_gzip, log_of, runs, source
from tests.traces.strategies import MODEST

DOCUMENTS = [
    log_of(runs(1)),
    json.dumps(runs(1, 1)[0].to_json(), indent=1).encode() + b"\n",
    json.dumps(runs(1, 2)[0].to_json(), indent=0).encode() + b"\r\n",
    b'{"trace_id": "not closed", "events": [\n',
    b'{"trace_id": "no events"}\n',
    b"Dear diary}\n",
    b"\n\n",
    b'{"trace_id": "half a character \xe2\x82"}\n',
]
"""Valid documents on one line and on many, and broken ones."""


def rows(*found: Path | str, cut: int = 1 << 20, request: Request = REQUEST) -> list[dict[str, object]]:
    journal = Journal(None, request)
    all_ = pieces(sources([str(one) for one in found]), cut)
    keys = score(all_, request, partial(processes, workers=1, failures=FailureCounts()), journal)
    made = [json.loads(line) for own in keys for some in journal.rows(own) for line in some.splitlines()]
    journal.close()
    return made


def test_files_come_in_the_order_of_their_names_and_each_once(tmp_path: Path) -> None:
    corpus(tmp_path)
    names = [Path(one.name).name for one in sources([str(tmp_path / "d-5*"), str(tmp_path / "*")])]
    assert names[:3] == ["d-50.json", "d-51.json", "d-52.json"]
    assert names[10:13] == ["a.jsonl.gz", "b.jsonl.zst", "c.jsonl"]
    assert len(names) == len(set(names)) == 15


def test_a_name_that_is_there_is_no_pattern(tmp_path: Path) -> None:
    path = tmp_path / "run [1].json"
    path.write_bytes(log_of(runs(1)))
    assert [one.name for one in sources([str(path)])] == [str(path)]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("runs/2025/x*.jsonl", '"runs/2025/x*.jsonl" matches no file; the folder "runs/2025" holds "a.jsonl"'),
        ("runs/2052/*", '"runs/2052/*" matches no file; there is no "2052" in the nearest folder that exists, "runs" (did you mean "2025"?)'),
        ("rnus/2025/*", '"rnus/2025/*" matches no file; there is no "rnus" in the nearest folder that exists, "." (did you mean "runs"?)'),
        ("runs/*/x", '"runs/*/x" matches no file; the folder "runs" holds "2025"'),
        ("", '"" matches no file; the folder "." holds "runs"'),
        ("-", '"-" matches no file; the folder "." holds "runs"'),
    ],
    ids=count(),
)  # fmt: skip
def test_a_pattern_without_files_is_answered_with_what_there_is(
    pattern: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs" / "2025").mkdir(parents=True)
    (tmp_path / "runs" / "2025" / "a.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusNotFound) as error:
        sources([pattern])
    assert str(error.value) == said


def test_a_pattern_may_be_an_address() -> None:
    fsspec = import_module("fsspec")
    with fsspec.open("memory://corpus/b.jsonl.gz", "wb", compression="gzip") as stream:
        stream.write(log_of(runs(2)))
    with fsspec.open("memory://corpus/a.jsonl", "wb") as stream:
        stream.write(log_of(runs(1, 2)))
    found = rows("memory://corpus/*")
    assert [(row["place"], row["trace_id"]) for row in found] == [
        ("memory:///corpus/a.jsonl:1", "run-0002"),
        ("memory:///corpus/b.jsonl.gz:1", "run-0000"),
        ("memory:///corpus/b.jsonl.gz:2", "run-0001"),
    ]


def test_an_address_of_a_local_file_means_that_file(tmp_path: Path) -> None:
    wanted = corpus(tmp_path)
    assert [row["trace_id"] for row in rows(f"file://{tmp_path}/*")] == wanted


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("memory://nothing/*", '"memory://nothing/*" matches no file'),
        ("flie://x/*", '"flie://x/*" cannot be listed: Protocol not known: flie (did you mean "file"?)'),
    ],
)
def test_an_address_that_leads_to_nothing_is_answered_with_the_reason(pattern: str, said: str) -> None:
    with pytest.raises(CorpusNotFound) as error:
        sources([pattern])
    assert str(error.value) == said


def test_a_long_file_is_cut_between_documents_and_places_stay_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"".join(DOCUMENTS[place % 3] for place in range(30)))
    cut = list(pieces([source(path)], cut=6_000))
    assert len(cut) > 5
    assert [piece.start for piece in cut[1:]] == [piece.end for piece in cut[:-1]]
    assert (cut[0].start, cut[-1].end) == (0, path.stat().st_size)
    assert rows(path, cut=6_000) == rows(path)


@MODEST
@given(st.lists(st.sampled_from(range(len(DOCUMENTS))), max_size=12), st.integers(50, 4_000))
def test_however_a_file_is_cut_its_documents_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[int], cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "x.jsonl"
    path.write_bytes(b"".join(DOCUMENTS[place] for place in chosen))

    def short(found: list[dict[str, object]]) -> list[tuple[object, ...]]:
        return [(row["place"], row["trace_id"], row["errors"], row["measures"]) for row in found]

    assert short(rows(path, cut=cut)) == short(rows(path))


def test_packed_files_are_not_cut(tmp_path: Path) -> None:
    corpus(tmp_path)
    assert len(list(pieces([source(tmp_path / "a.jsonl.gz"), source(tmp_path / "b.jsonl.zst")], cut=100))) == 2


def test_what_is_broken_is_a_row_and_the_rest_is_scored(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(log_of(runs(1)) + b'{"trace_id": 3}\n' + log_of(runs(1, 1)))
    (tmp_path / "2.jsonl.gz").write_bytes(half_a_gzip(runs(8)))
    (tmp_path / "3.json").write_bytes(b"")
    (tmp_path / "4.json").write_bytes(log_of(runs(1, 2)))
    found = rows(tmp_path / "*")
    said = [(str(row["place"]).rpartition("/")[2], row["trace_id"], bool(row["errors"])) for row in found]
    assert said[:3] == [("1.jsonl:1", "run-0000", False), ("1.jsonl:2", None, True), ("1.jsonl:3", "run-0001", False)]
    assert said[-2:] == [("3.json", None, True), ("4.json:1", "run-0002", False)]
    assert found[-2]["problems"] == ["found nothing, expected a trace"]
    [cut_off] = [row for row in found if "2.jsonl.gz" in str(row["place"]) and row["errors"]]
    assert "cannot be unpacked" in str(cut_off["problems"])


def test_a_file_that_goes_away_or_changes_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(log_of(runs(1)))
    [piece] = pieces([source(path)])
    path.write_bytes(log_of(runs(2)))
    [done] = score_task((piece,), REQUEST)
    assert b"the file has changed: found" in done.data
    path.unlink()
    [done] = score_task((piece,), REQUEST)
    assert json.loads(done.data)["problems"] == [
        "cannot be read: FileNotFoundError: No such file or directory (does every worker see the same files?)"
    ]


def test_a_row_has_measures_rewards_credit_or_why_there_are_none(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(log_of(runs(1)))
    [row] = rows(path, request=Request(("steps", "cost_usd"), ("R1", "R2"), "leave-one-out"))
    assert list(row) == ["place", "trace_id", "task_id", "outcome", "errors", "warnings", "problems", "measures", "rewards", "why_not", "credit"]  # fmt: skip
    assert list(row["measures"]) == ["steps"]  # type: ignore[call-overload]
    assert row["rewards"]["R2"] == []  # type: ignore[index]
    assert list(row["why_not"]) == ["cost_usd", "R2"]  # type: ignore[call-overload]
    assert {one["unit"] for one in row["credit"]} >= {"lead", "worker-1"}  # type: ignore[attr-defined]


def test_a_piece_knows_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    data = log_of(runs(3))
    path.write_bytes(data)
    at = data.index(b"\n") + 1
    piece = Piece(Source("x", str(path), len(data), ""), at, len(data), 2)
    assert [reading.place for reading in readings_in(piece, 5)] == ["x:2", "x:3"]
