"""Corpora to score, and workers that die over them. The functions stand in a module that workers can import."""

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
from survey.traces.files import dumped
from survey.traces.files.writing import write
from survey.traces.scoring import Asked, Deaths, Done, Journal, Source, pieces, processes, score, scored, sources
from survey.traces.scoring.cluster import LOOPBACK
from survey.traces.scoring.processes import Work
from survey.traces.scoring.work import Task
from survey.traces.simulate import Setting, simulate

ASKED = Asked(measures=("wall_s", "steps", "cost_usd"), families=("R1", "R2"))


@lru_cache
def run(seed: int) -> Trace:
    return simulate(Setting("centralized", agents=3, steps=4, seed=seed)).trace.with_head(trace_id=f"run-{seed:04}")


def runs(count: int, first: int = 0) -> list[Trace]:
    return [run(seed) for seed in range(first, first + count)]


def corpus(folder: Path) -> list[str]:
    """Files of every packing, one of them with many traces; gives the ids in the order of the files."""
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
    return b"".join(dumped(trace) + b"\n" for trace in traces)


def half_a_gzip(traces: list[Trace]) -> bytes:
    whole = gzip.compress(log_of(traces))
    return whole[: len(whole) // 2]


def noting(task: Task, asked: Asked, folder: str) -> list[Done]:
    """Score, and leave a note of each piece that was done: one byte for each time."""
    done = scored(task, asked)
    for piece in task:
        with (Path(folder) / Path(piece.source.name).name).open("ab") as note:
            note.write(b".")
    return done


def dying_once(task: Task, asked: Asked, folder: str) -> list[Done]:
    """Die over the piece "d-50.json" the first time it is tried."""
    mark = Path(folder) / "died"
    if any(piece.source.name.endswith("d-50.json") for piece in task) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return noting(task, asked, folder)


def dying_always(task: Task, asked: Asked, folder: str) -> list[Done]:
    """Die over the piece "d-50.json" whenever it is tried."""
    if any(piece.source.name.endswith("d-50.json") for piece in task):
        os.kill(os.getpid(), signal.SIGKILL)
    return noting(task, asked, folder)


def long_rows(task: Task) -> list[Done]:
    """Results that are much longer than a pipe holds."""
    return [Done(piece.key, 1, 0, b"x" * 3_000_000) for piece in task]


def killed_in_the_middle(pattern: str, journal: str, after: int) -> None:
    """A run with two workers that is killed as soon as so many pieces have come back."""

    def engine(tasks: Iterable[Task], work: Work) -> Iterator[list[Done]]:
        for number, done in enumerate(processes(tasks, work, 2, Deaths())):
            if number == after:
                os.kill(os.getpid(), signal.SIGKILL)
            yield done

    kept = Journal(Path(journal), ASKED)
    for _ in score(pieces(sources([pattern])), ASKED, engine, kept, batch=1):
        pass


def slowly(task: Task) -> list[Done]:
    """Score, and take so long over it that there is time to kill somebody."""
    time.sleep(0.1)
    return scored(task, ASKED)


def home(port: int) -> None:
    """A scheduler with a worker, both in this process, until the input ends."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", scheduler_port=port, **LOOPBACK
    ) as found:  # type: ignore[no-untyped-call]
        print(found.scheduler_address, flush=True)
        sys.stdin.read()


def worker(scheduler: str) -> None:
    """A worker that nobody brings back, until the input ends."""
    from distributed import Worker

    async def serve() -> None:
        async with Worker(scheduler, nthreads=1, host="127.0.0.1", dashboard_address=None) as found:
            print(found.address, flush=True)
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(serve())
