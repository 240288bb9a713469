"""The engine of local processes. When a process dies, another repeats its current task.

Each process has its own pipe. In ``ProcessPoolExecutor`` all share one for their results: when one dies, the
work of all is lost and the failing task is unknown. A process killed while it sends a result longer than the
pipe leaves the pool waiting for the rest (with Python 3.11.7, no answer within 25 s in three tries of three;
one killed before it sends is noticed at once).
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any

from survey.traces.scoring.work import PieceResult, Task, failed_piece

TRIES = 3
"""How often a piece may kill a process that works on it alone, and how often each process may fail to start."""
CONTEXT = multiprocessing.get_context("spawn")
"""A fork would copy the locks of the caller, held or not."""

Work = Callable[[Task], list[PieceResult]]


@dataclass
class FailureCounts:
    """Counts of failures of workers."""

    workers: int = 0
    """Workers that died."""
    retried: int = 0
    """Pieces that were assigned again."""
    given_up: int = 0
    """Pieces that no worker could finish."""


class NoWorkers(RuntimeError):
    """No worker is available."""


def processes(tasks: Iterable[Task], work: Work, workers: int, failures: FailureCounts) -> Iterator[list[PieceResult]]:
    """Run tasks on this number of processes, in any order; one worker means the calling process itself."""
    if workers == 1:
        yield from map(work, tasks)
    else:
        yield from WorkerPool(tasks, work, workers, failures).results()


class _Worker:
    """A process and its current task."""

    def __init__(self, work: Work) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()  # its death then ends the pipe
        self.started = False
        self.task: Task | None = None

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class WorkerPool:
    """All workers, and the tasks that are left."""

    def __init__(self, tasks: Iterable[Task], work: Work, size: int, failures: FailureCounts) -> None:
        self.pending, self.retries = iter(tasks), deque[Task]()
        self.work, self.size, self.failures = work, size, failures
        self.tries, self.false_starts = Counter[str](), 0
        self.workers: dict[Any, _Worker] = {}

    def results(self) -> Iterator[list[PieceResult]]:
        """Yield the results of all tasks. Raises ``NoWorkers`` if no process can be started."""
        self.retries.extend(islice(self.pending, self.size))
        self.size = len(self.retries)  # no more processes than tasks
        try:
            for _ in range(self.size):
                self._start_worker()
            while busy := [pipe for pipe, one in self.workers.items() if one.task or not one.started]:
                for pipe in wait(busy):
                    done = self._receive(self.workers[pipe])
                    if done is not None:
                        yield done
                if not any(one.task for one in self.workers.values()) and not self._has_task():
                    return
        finally:
            for worker in self.workers.values():
                worker.end()

    def _start_worker(self) -> None:
        worker = _Worker(self.work)
        self.workers[worker.pipe] = worker

    def _has_task(self) -> bool:
        if not self.retries and (task := next(self.pending, None)) is not None:
            self.retries.append(task)
        return bool(self.retries)

    def _receive(self, worker: _Worker) -> list[PieceResult] | None:
        """Return the result of a worker; None if it has just started, or died and is replaced."""
        try:
            reply = worker.pipe.recv()
        except (EOFError, OSError):
            return self._died(worker)
        task, worker.task, worker.started = worker.task, None, True
        self._assign(worker)
        if task is None:
            return None
        if isinstance(reply, str):
            return [failed_piece(piece, f"cannot be scored: {reply}") for piece in task]
        found: list[PieceResult] = reply
        return found

    def _assign(self, worker: _Worker) -> None:
        if self._has_task():
            worker.task = self.retries.popleft()
            with suppress(OSError):  # it has died; its pipe will report this
                worker.pipe.send(worker.task)

    def _died(self, worker: _Worker) -> list[PieceResult] | None:
        del self.workers[worker.pipe]
        worker.end()
        self.failures.workers += 1
        self.false_starts += not worker.started
        if self.false_starts >= TRIES * self.size:
            raise NoWorkers(f"{self.false_starts} worker processes ended before they could start")
        given_up = None
        if worker.task and len(worker.task) == 1:
            [piece] = worker.task
            self.tries[piece.key] += 1
            if self.tries[piece.key] == TRIES:
                self.failures.given_up += 1
                given_up = [failed_piece(piece, f"cannot be scored: {TRIES} workers died of it (too little memory?)")]
        if worker.task and given_up is None:
            self.failures.retried += len(worker.task)
            self.retries.extend((piece,) for piece in worker.task)
        self._start_worker()
        return given_up


def _serve(pipe: Connection, work: Work) -> None:
    """Serve tasks in a worker until its parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            task = pipe.recv()
            try:
                done: list[PieceResult] | str = work(task)
            except Exception as error:
                done = f"{type(error).__name__}: {error}"
            pipe.send(done)
