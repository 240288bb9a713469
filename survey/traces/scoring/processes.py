"""Work spread over processes of this machine; one that dies costs what it had in hand, which another does again.

Each process has a pipe of its own. In ``ProcessPoolExecutor`` all share one for their results: when one dies,
the work of all is gone and nobody can say whose task it was; and one that is killed while it sends a result
too long for the pipe leaves the pool waiting for the rest (with Python 3.11.7, no answer within 25 s in three
tries of three; one killed before it sends is noticed at once).
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

from survey.traces.scoring.work import Done, Task, lost

TRIES = 3
"""How often a piece may kill the process that works on it and on nothing else; and a process may fail to start."""
CONTEXT = multiprocessing.get_context("spawn")
"""A fork would copy the locks of whoever calls, held or not."""

Work = Callable[[Task], list[Done]]


@dataclass
class Deaths:
    """What went wrong with workers, counted."""

    workers: int = 0
    again: int = 0
    """Pieces that were handed out again."""
    given_up: int = 0
    """Pieces that nobody came back with."""


class NoWorkers(RuntimeError):
    """Nobody is there to work."""


def processes(tasks: Iterable[Task], work: Work, workers: int, deaths: Deaths) -> Iterator[list[Done]]:
    """Have tasks done by so many processes, in any order; with one worker in this process itself."""
    if workers == 1:
        yield from map(work, tasks)
    else:
        yield from Crew(tasks, work, workers, deaths).results()


class _Worker:
    """A process, and what it has in hand."""

    def __init__(self, work: Work) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()  # so that its death is the end of the pipe
        self.started = False
        self.task: Task | None = None

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class Crew:
    """All workers, and what is left to do."""

    def __init__(self, tasks: Iterable[Task], work: Work, size: int, deaths: Deaths) -> None:
        self.left, self.again = iter(tasks), deque[Task]()
        self.work, self.size, self.deaths = work, size, deaths
        self.tries, self.false_starts = Counter[str](), 0
        self.workers: dict[Any, _Worker] = {}

    def results(self) -> Iterator[list[Done]]:
        """Until nothing is left. Raises ``NoWorkers`` if no process can be started."""
        self.again.extend(islice(self.left, self.size))
        self.size = len(self.again)  # of more processes than tasks the rest would start for nothing
        try:
            for _ in range(self.size):
                self._hire()
            while busy := [pipe for pipe, one in self.workers.items() if one.task or not one.started]:
                for pipe in wait(busy):
                    done = self._heard(self.workers[pipe])
                    if done is not None:
                        yield done
                if not any(one.task for one in self.workers.values()) and not self._more():
                    return
        finally:
            for worker in self.workers.values():
                worker.end()

    def _hire(self) -> None:
        worker = _Worker(self.work)
        self.workers[worker.pipe] = worker

    def _more(self) -> bool:
        if not self.again and (task := next(self.left, None)) is not None:
            self.again.append(task)
        return bool(self.again)

    def _heard(self, worker: _Worker) -> list[Done] | None:
        """What a worker came back with; None if it has only begun, or died and will have a successor."""
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            return self._died(worker)
        task, worker.task, worker.started = worker.task, None, True
        self._hand(worker)
        if task is None:
            return None
        if isinstance(said, str):
            return [lost(piece, f"cannot be scored: {said}") for piece in task]
        found: list[Done] = said
        return found

    def _hand(self, worker: _Worker) -> None:
        if self._more():
            worker.task = self.again.popleft()
            with suppress(OSError):  # it has died, as its pipe will tell
                worker.pipe.send(worker.task)

    def _died(self, worker: _Worker) -> list[Done] | None:
        del self.workers[worker.pipe]
        worker.end()
        self.deaths.workers += 1
        self.false_starts += not worker.started
        if self.false_starts >= TRIES * self.size:
            raise NoWorkers(f"{self.false_starts} worker processes ended before they could begin")
        given_up = None
        if worker.task and len(worker.task) == 1:
            [piece] = worker.task
            self.tries[piece.key] += 1
            if self.tries[piece.key] == TRIES:
                self.deaths.given_up += 1
                given_up = [lost(piece, f"cannot be scored: {TRIES} workers died of it (too little memory?)")]
        if worker.task and given_up is None:
            self.deaths.again += len(worker.task)
            self.again.extend((piece,) for piece in worker.task)
        self._hire()
        return given_up


def _serve(pipe: Connection, work: Work) -> None:
    """What a worker does until its parent closes the pipe, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to deal with
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            task = pipe.recv()
            try:
                done: list[Done] | str = work(task)
            except Exception as error:
                done = f"{type(error).__name__}: {error}"
            pipe.send(done)
