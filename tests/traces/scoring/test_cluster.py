"""A lost worker or scheduler ends a run with a message, and loses no finished result."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType

import psutil  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner, Result
from distributed import LocalCluster, Security

from survey import __version__
from survey.cli import main
from survey.traces.scoring import (
    FailureCounts,
    Journal,
    Piece,
    PieceResult,
    Request,
    Source,
    pieces,
    score,
    score_task,
    sources,
)
from survey.traces.scoring.cluster import LOOPBACK, dask
from survey.traces.scoring.processes import NoWorkers, Work
from survey.traces.scoring.work import Task
from tests.traces.scoring.corpora import REQUEST, corpus, dying_once, slowly, stopping

SAME = ("--measure", "wall_s", "--measure", "steps", "--measure", "cost_usd", "--family", "R1", "--family", "R2")
NUMBERS: list[Task] = [(Piece(Source(str(number), str(number), 1, ""), 0, 1),) for number in range(10)]
TIMEOUT = 4
"""Seconds to wait for workers that never come: enough for a scheduler on a busy machine to answer in."""
CODE = "from tests.traces.scoring.corpora import {0}; {0}({1!r})"


@contextmanager
def process(name: str, argument: object) -> Iterator[subprocess.Popen[str]]:
    """Start a process that prints its address; kill it at the end."""
    command = [sys.executable, "-c", CODE.format(name, argument)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def address(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline().strip()


@pytest.fixture(scope="module")
def nobody() -> Iterator[str]:
    """A scheduler without workers."""
    with LocalCluster(n_workers=0, **LOOPBACK) as found:  # type: ignore[no-untyped-call]
        yield found.scheduler_address


def command(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["trace", "score", *map(str, arguments), *SAME])


def test_a_worker_of_our_own_cluster_that_is_killed_is_brought_back_and_counted(tmp_path: Path) -> None:
    notes, data = tmp_path / "notes", tmp_path / "data"
    notes.mkdir()
    data.mkdir()
    corpus(data)
    tasks = [(piece,) for piece in pieces(sources([str(data / "d-*")]))]
    failures = FailureCounts()
    done = list(dask(tasks, partial(dying_once, request=REQUEST, folder=str(notes)), failures, workers=1))
    assert sorted(one.key for some in done for one in some) == sorted(piece.key for (piece,) in tasks)
    assert (failures.workers, failures.given_up) == (1, 0)


def test_nobody_else_on_the_machine_can_talk_to_our_own_cluster(nobody: str, tmp_path: Path) -> None:
    """Neither without TLS, nor with another certificate; at no port of the scheduler, its nanny or its worker."""
    stranger = tmp_path / "stranger.pem"
    keys = Security.temporary()  # type: ignore[no-untyped-call]
    stranger.write_text(keys.tls_client_cert + keys.tls_client_key)
    before = listening()  # what other tests of this process have left open is none of the cluster's
    results = dask(NUMBERS, slowly, FailureCounts(), workers=1)
    next(results)
    ours = listening() - before
    host, _, port = nobody.removeprefix("tcp://").partition(":")
    open_to_all = (host, int(port))
    assert answers(open_to_all, patience=10), "a cluster without TLS greets whoever connects"
    assert open_to_all in before
    assert len(ours) >= 3, "a scheduler, a nanny, a worker"
    assert {ip for ip, _ in ours} == {"127.0.0.1"}
    assert [place for place in ours if answers(place) or answers(place, stranger)] == []
    assert len(list(results)) == len(NUMBERS) - 1, "and the run goes on"


def listening() -> set[tuple[str, int]]:
    """The places at which this process and those that it started wait for connections."""
    here = psutil.Process()
    return {
        (connection.laddr.ip, connection.laddr.port)
        for process in (here, *here.children(recursive=True))
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def answers(place: tuple[str, int], certificate: Path | None = None, patience: float = 0.5) -> bool:
    """Whether a server says anything to a stranger who connects, without TLS or with a certificate of their own."""
    try:
        with socket.create_connection(place, timeout=patience) as plain:
            if certificate is None:
                return bool(plain.recv(1))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.load_cert_chain(certificate)
            with context.wrap_socket(plain) as secure:
                return bool(secure.recv(1))
    except OSError:  # a timeout, a refusal or an alert
        return False


def test_a_cluster_without_workers_is_waited_for_as_long_as_was_asked(tmp_path: Path, nobody: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    corpus(data)
    how = ("--engine", "dask", "--scheduler", nobody, "--timeout", TIMEOUT)
    result = command(data / "*", "-o", tmp_path / "x.jsonl", *how)
    assert result.exit_code == 3
    assert result.stderr == (
        f"Error: the scheduler at {nobody} has had no worker for {TIMEOUT} s; "
        "nothing was finished yet; repeat the command to start again\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_once_all_workers_are_gone_the_run_ends_and_goes_on_later_from_what_was_done(
    tmp_path: Path, nobody: str
) -> None:
    data, out = tmp_path / "data", tmp_path / "x.jsonl"
    data.mkdir()
    wanted = corpus(data)
    failures = FailureCounts()
    journal = Journal(tmp_path / "x.jsonl.part", REQUEST)
    with process("worker", nobody) as worker:

        def engine(tasks: Iterable[Task], work: Work) -> Iterator[list[PieceResult]]:
            five = partial(stopping, folder=str(tmp_path), after=5)
            for number, done in enumerate(dask(tasks, five, failures, scheduler=nobody, timeout=TIMEOUT)):
                if number == 4:
                    worker.kill()
                yield done

        address(worker)
        with pytest.raises(NoWorkers, match=f"has had no worker for {TIMEOUT} s"):
            list(score(pieces(sources([str(data / "*")])), REQUEST, engine, journal, batch=1))
    kept = len(journal)
    journal.close()
    assert kept == 5
    assert failures.workers == 1
    again = command(data / "*", "-o", out, "--workers", 1)
    assert "60 documents in 15 files, 0 with errors; 5 pieces reused" in again.stderr
    assert [json.loads(line)["trace_id"] for line in out.read_text().splitlines()] == wanted


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (signal.SIGKILL, "no scheduler answers at {}: "),
        (signal.SIGSTOP, "the scheduler at {} has not answered for 4 s"),
    ],
    ids=["killed", "stopped"],
)
def test_a_scheduler_that_is_gone_ends_the_run(how: signal.Signals, said: str) -> None:
    with process("home", 0) as scheduler:
        there = address(scheduler)
        results = dask(NUMBERS, slowly, FailureCounts(), scheduler=there, timeout=TIMEOUT)
        next(results)
        scheduler.send_signal(how)
        with pytest.raises(NoWorkers, match=said.format(there)):
            list(results)


def test_a_scheduler_that_comes_back_in_time_is_handed_what_is_left(capfd: pytest.CaptureFixture[str]) -> None:
    failures = FailureCounts()
    with process("home", 0) as first:
        there = address(first)
        results = dask(NUMBERS, slowly, failures, scheduler=there)
        done = next(results)
        first.kill()
        first.wait()
        with process("home", int(there.rpartition(":")[2])) as second:
            assert address(second) == there
            done += [one for some in results for one in some]
    assert sorted(one.key for one in done) == sorted(piece.key for (piece,) in NUMBERS)
    assert 0 < failures.retried < 10
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("there", ["tcp://127.0.0.1:1", "tpc://127.0.0.1:1", "nowhere"])
def test_an_address_where_nobody_answers_is_told(there: str) -> None:
    with pytest.raises(NoWorkers, match=f"no scheduler answers at {there}: "):
        list(dask([], slowly, FailureCounts(), scheduler=there, timeout=0.2))


def test_a_worker_with_another_survey_scores_nothing(
    tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("survey.traces.scoring.cluster.__version__", "0.0.0")
    with pytest.raises(NoWorkers) as error:
        list(dask(NUMBERS, partial(score_task, request=Request()), FailureCounts(), scheduler=cluster))
    assert f"ImportError: it has version {__version__} of the survey, expected 0.0.0 as here" in str(error.value)


def test_a_worker_without_the_survey_is_the_fault_of_no_document_and_lives_on(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ModuleType("only_here")
    exec("def work(task): return []", here.__dict__)
    failures = FailureCounts()
    with monkeypatch.context() as patch, pytest.raises(NoWorkers) as error:
        patch.setitem(sys.modules, "only_here", here)
        list(dask(NUMBERS, here.work, failures, scheduler=cluster))
    assert str(error.value) == (
        f"a worker of the scheduler at {cluster} cannot score: ModuleNotFoundError: No module named 'only_here' "
        "(is the same version of the survey installed on every worker?)"
    )
    assert failures.workers == 0


def test_what_goes_wrong_with_the_work_itself_is_an_error_of_its_pieces(tmp_path: Path, cluster: str) -> None:
    corpus(tmp_path)
    tasks = [tuple(pieces(sources([str(tmp_path / "d-*")])))]
    [done] = dask(
        tasks, partial(dying_once, request=REQUEST, folder="/nowhere/at/all"), FailureCounts(), scheduler=cluster
    )
    assert [json.loads(one.data)["errors"] for one in done] == [1] * 12
    assert b"FileNotFoundError" in done[0].data
