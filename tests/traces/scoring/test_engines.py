"""Engines return every piece once, even if workers die."""

from __future__ import annotations

import json
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from survey.traces.scoring import Engine, FailureCounts, Journal, Piece, PieceResult, pieces, processes, score, sources
from survey.traces.scoring.cluster import dask
from survey.traces.scoring.processes import Work, WorkerPool
from tests.traces.scoring.corpora import REQUEST, corpus, dying_always, dying_once, long_rows, noting


def found(folder: Path) -> list[Piece]:
    corpus(folder)
    return list(pieces(sources([str(folder / "*")]), cut=5_000))


def engine(name: str, failures: FailureCounts, cluster: str) -> Engine:
    if name == "dask":
        return partial(dask, failures=failures, scheduler=cluster)
    return partial(processes, workers=2, failures=failures)


def ids(done: list[PieceResult]) -> Counter[str]:
    return Counter(json.loads(line)["trace_id"] for one in done for line in one.data.splitlines())


def done_by(name: str, work: Work, all_: list[Piece], cluster: str, failures: FailureCounts) -> list[PieceResult]:
    tasks = [tuple(all_[place : place + 2]) for place in range(0, len(all_), 2)]
    return [one for some in engine(name, failures, cluster)(tasks, work) for one in some]


BOTH = pytest.mark.parametrize("name", ["processes", "dask"])


@BOTH
def test_a_worker_that_is_killed_loses_no_document_and_repeats_none(name: str, tmp_path: Path, cluster: str) -> None:
    notes, data = tmp_path / "notes", tmp_path / "data"
    notes.mkdir()
    data.mkdir()
    failures = FailureCounts()
    all_ = found(data)
    done = done_by(name, partial(dying_once, request=REQUEST, folder=str(notes)), all_, cluster, failures)
    assert (notes / "died").exists()
    assert ids(done) == Counter({f"run-{place:04}": 1 for place in range(60)})
    assert sorted(one.key for one in done) == sorted(piece.key for piece in all_)
    assert (failures.workers, failures.given_up) == (1, 0)
    times_scored = sum(note.stat().st_size for note in notes.iterdir())
    assert len(all_) <= times_scored <= len(all_) + failures.retried  # a finished piece is never assigned again
    if name == "processes":  # nor are the tasks of other workers; dask also recomputes results not yet fetched
        assert (failures.retried, times_scored) == (2, len(all_))


@BOTH
def test_a_piece_that_kills_whoever_touches_it_is_a_row_with_an_error_and_takes_nothing_with_it(
    name: str, tmp_path: Path, cluster: str
) -> None:
    notes, data = tmp_path / "notes", tmp_path / "data"
    notes.mkdir()
    data.mkdir()
    failures = FailureCounts()
    done = done_by(name, partial(dying_always, request=REQUEST, folder=str(notes)), found(data), cluster, failures)
    rows = [json.loads(line) for one in done for line in one.data.splitlines()]
    [bad] = [row for row in rows if row["errors"]]
    assert bad["place"].endswith("d-50.json")
    assert "workers died" in bad["problems"][0]
    assert len(rows) == 60
    assert failures.given_up == 1


def test_a_worker_that_is_killed_while_it_sends_a_long_result_stops_nothing(tmp_path: Path) -> None:
    all_ = found(tmp_path)[:8]
    failures = FailureCounts()
    crew = WorkerPool([(piece,) for piece in all_], long_rows, 2, failures)
    results = crew.results()
    done = list(next(results))
    while not (sending := [one for one in crew.workers.values() if one.task and one.pipe.poll()]):
        time.sleep(0.01)
    sending[0].process.kill()  # nobody reads, so half of the result is still in the worker
    done += [one for some in results for one in some]
    assert Counter(one.key for one in done) == Counter(piece.key for piece in all_)
    assert all(len(one.data) == 3_000_000 for one in done)
    assert (failures.workers, failures.retried) == (1, 1)


def test_no_more_workers_are_started_than_there_are_tasks(tmp_path: Path) -> None:
    crew = WorkerPool([(piece,) for piece in found(tmp_path)[:2]], long_rows, 500, FailureCounts())
    results = crew.results()
    done = list(next(results))
    assert len(crew.workers) == 2
    assert len([*done, *(one for some in results for one in some)]) == 2
    assert list(WorkerPool([], long_rows, 500, FailureCounts()).results()) == []


def test_workers_are_gone_when_a_run_is_left_in_the_middle(tmp_path: Path) -> None:
    crew = WorkerPool([(piece,) for piece in found(tmp_path)], long_rows, 2, FailureCounts())
    results = crew.results()
    next(results)
    workers = list(crew.workers.values())
    results.close()  # type: ignore[attr-defined]
    assert [one.process.is_alive() for one in workers] == [False, False]


def test_what_a_worker_cannot_take_up_is_an_error_of_its_pieces(tmp_path: Path) -> None:
    [done] = processes(
        [tuple(found(tmp_path)[:2])], partial(noting, request=REQUEST, folder="/nowhere/at/all"), 2, FailureCounts()
    )
    assert [json.loads(one.data)["errors"] for one in done] == [1, 1]
    assert b"FileNotFoundError" in done[0].data


@pytest.mark.parametrize("name", ["here", "processes", "dask"])
def test_every_engine_gives_the_same_rows_in_the_order_of_the_input(name: str, tmp_path: Path, cluster: str) -> None:
    wanted = corpus(tmp_path)
    journal = Journal(None, REQUEST)
    chosen: Engine = (
        partial(processes, workers=1, failures=FailureCounts())
        if name == "here"
        else engine(name, FailureCounts(), cluster)
    )
    keys = score(pieces(sources([str(tmp_path / "*")]), cut=5_000), REQUEST, chosen, journal, batch=1)
    rows = [json.loads(line) for own in keys for some in journal.rows(own) for line in some.splitlines()]
    assert [row["trace_id"] for row in rows] == wanted
    assert [row["place"].rpartition("/")[2] for row in rows[3:10]] == [
        "a.jsonl.gz:4", *[f"b.jsonl.zst:{line}" for line in (1, 2, 3, 4)], "c.jsonl:1", "c.jsonl:2",
    ]  # fmt: skip
    journal.close()
