"""Corpora to score, and work functions that kill their worker, in a module that workers can import."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from survey.traces import Trace
from survey.traces.files import to_json_line
from survey.traces.files.writing import write
from survey.traces.scoring import (
    FailureCounts,
    Journal,
    PieceResult,
    Request,
    Source,
    pieces,
    processes,
    score,
    score_task,
    sources,
)
from survey.traces.scoring.cluster import LOOPBACK
from survey.traces.scoring.processes import Work
from survey.traces.scoring.work import Task
from survey.traces.simulate import Setting, simulate

REQUEST = Request(measures=("wall_s", "steps", "cost_usd"), families=("R1", "R2"), salt="salt")


@lru_cache
def run(seed: int) -> Trace:
    return simulate(Setting("centralized", agents=3, steps=4, seed=seed)).trace.with_head(trace_id=f"run-{seed:04}")


def runs(count: int, first: int = 0) -> list[Trace]:
    return [run(seed) for seed in range(first, first + count)]


def corpus(folder: Path) -> list[str]:
    """Write files in every packing, one of them with many traces; return the trace ids in file order."""
    write(runs(4), folder / "a.jsonl.gz")
    write(runs(4, 4), folder / "b.jsonl.zst")
    write(runs(40, 8), folder / "c.jsonl")
    for place in range(48, 60):
        write(runs(1, place), folder / f"d-{place}.json")
    return [f"run-{place:04}" for place in range(60)]


def source(path: Path) -> Source:
    size = path.stat().st_size
    return Source(path.name, str(path), size, str(size))


def log_of(traces: Iterable[Trace]) -> bytes:
    return b"".join(to_json_line(trace) + b"\n" for trace in traces)


def half_a_gzip(traces: list[Trace]) -> bytes:
    whole = gzip.compress(log_of(traces))
    return whole[: len(whole) // 2]


def noting(task: Task, request: Request, folder: str) -> list[PieceResult]:
    """Score a task, and append one byte to the note of each piece."""
    done = score_task(task, request)
    for piece in task:
        with (Path(folder) / Path(piece.source.name).name).open("ab") as note:
            note.write(b".")
    return done


def dying_once(task: Task, request: Request, folder: str) -> list[PieceResult]:
    """Die at the first attempt at the piece "d-50.json"."""
    mark = Path(folder) / "died"
    if any(piece.source.name.endswith("d-50.json") for piece in task) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return noting(task, request, folder)


def dying_always(task: Task, request: Request, folder: str) -> list[PieceResult]:
    """Die at every attempt at the piece "d-50.json"."""
    if any(piece.source.name.endswith("d-50.json") for piece in task):
        os.kill(os.getpid(), signal.SIGKILL)
    return noting(task, request, folder)


def long_rows(task: Task) -> list[PieceResult]:
    """Return results much longer than the buffer of a pipe."""
    return [PieceResult(piece.key, 1, 0, b"x" * 3_000_000) for piece in task]


def killed_in_the_middle(pattern: str, journal: str, after: int) -> None:
    """Start a run with two workers, and kill it after this number of results."""

    def engine(tasks: Iterable[Task], work: Work) -> Iterator[list[PieceResult]]:
        for number, done in enumerate(processes(tasks, work, 2, FailureCounts())):
            if number == after:
                os.kill(os.getpid(), signal.SIGKILL)
            yield done

    kept = Journal(Path(journal), REQUEST)
    for _ in score(pieces(sources([pattern])), REQUEST, engine, kept, batch=1):
        pass


def slowly(task: Task) -> list[PieceResult]:
    """Score slowly, so that a test has time to kill a process."""
    time.sleep(0.1)
    return score_task(task, REQUEST)


def stopping(task: Task, folder: str, after: int) -> list[PieceResult]:
    """Score this many tasks, and then none any more: whoever waits, waits until this process is killed."""
    done = Path(folder) / "done"
    with done.open("ab") as note:
        note.write(b".")
    if done.stat().st_size > after:
        time.sleep(600)
    return score_task(task, REQUEST)


def home(port: int) -> None:
    """Run a scheduler with a worker, both in this process, until the input ends."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", scheduler_port=port, **LOOPBACK
    ) as found:  # type: ignore[no-untyped-call]
        print(found.scheduler_address, flush=True)
        sys.stdin.read()


def worker(scheduler: str) -> None:
    """Run a worker that nobody restarts, until the input ends."""
    from distributed import Worker

    async def serve() -> None:
        async with Worker(scheduler, nthreads=1, host="127.0.0.1", dashboard_address=None) as found:
            print(found.address, flush=True)
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(serve())
