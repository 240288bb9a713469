"""The queue of tasks for a dask scheduler: tasks submitted, tasks to submit, and the wait for workers."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

from survey.traces.scoring.pieces import Piece
from survey.traces.scoring.processes import FailureCounts, NoWorkers
from survey.traces.scoring.work import PieceResult, Task, failed_piece

AHEAD, LEAST_AHEAD = 4, 32
"""Tasks submitted ahead: for each thread, and at least this many, for a cluster that grows."""
PAUSE, ASK, ANSWER = 0.02, 1.0, 5.0
"""Seconds between two polls for results, between two queries to the scheduler, and for its answer."""


class SchedulerLost(Exception):
    """The scheduler has cancelled the tasks, or is no longer reachable."""


def _opener() -> Callable[[bytes], bytes]:
    """Return a function that unpickles and runs a task on the worker.

    dask serialises a function that no module exports by value. A function of this module would instead fail
    when a worker without the survey reads its messages, and end worker after worker; here it fails in the task.
    """

    def opened(packed: bytes) -> bytes:
        return pickle.dumps(pickle.loads(packed)())

    return opened


class TaskQueue:
    """Submits tasks to a scheduler, and to its successor if it is lost, until all have results."""

    def __init__(
        self,
        distributed: Any,
        tasks: Iterable[Task],
        work: Callable[[Task], list[PieceResult] | str],
        failures: FailureCounts,
        timeout: float,
        name: str,
    ) -> None:
        self.distributed, self.work, self.failures, self.timeout, self.name = distributed, work, failures, timeout, name
        self.pending, self.retries, self.isolated = iter(tasks), deque[Task](), deque[Piece]()
        self.running: dict[Any, Task] = {}
        self.tried_isolated: set[str] = set()
        self.run, self.numbers = uuid4().hex[:8], count()
        self.completed = 0
        """Number of tasks with a result."""

    def results(self, client: Any) -> Iterator[list[PieceResult]]:
        """Yield the results of all tasks. Raises ``SchedulerLost``, and ``NoWorkers`` after the timeout."""
        self.client, self.ahead = client, LEAST_AHEAD
        self.finished = self.distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self.next_question, self.missing_since = 0.0, float("inf")
        self.departures: deque[dict[str, Any]] = deque()
        client.subscribe_topic("all", lambda event: self.departures.append(event[1]))  # from another thread
        try:
            while self._submit():
                for future, result in self._collect():
                    done = self._outcome(future, result)
                    task = self.running.pop(future)
                    self.completed += 1
                    yield from self._killed(task) if done is None else [done]
        finally:
            self._count_deaths()
            if client.status == "running":
                client.unsubscribe_topic("all")

    def requeue(self) -> None:
        """Put the tasks of a lost scheduler back into the queue."""
        self.retries.extend(self.running.values())
        self.failures.retried += sum(map(len, self.running.values()))
        self.running.clear()

    def _submit(self) -> bool:
        """Keep the scheduler supplied; return whether any task is running."""
        while len(self.running) < self.ahead and (task := self._next()) is not None:
            key = f"survey-score-{self.run}-{next(self.numbers)}"
            packed = pickle.dumps(partial(self.work, task))
            future = self.client.submit(_opener(), packed, key=key, pure=False)
            self.running[future] = task
            self.finished.add(future)
        return bool(self.running)

    def _next(self) -> Task | None:
        if self.retries:
            return self.retries.popleft()
        if (task := next(self.pending, None)) is not None:
            return task
        if self.isolated and not self.running:
            piece = self.isolated.popleft()
            self.tried_isolated.add(piece.key)
            return (piece,)
        return None

    def _collect(self) -> list[tuple[Any, Any]]:
        """Wait for at least one finished task; return all that finished."""
        while not (found := self.finished.next_batch(block=False)):
            if any(future.cancelled() for future in self.running):
                raise SchedulerLost
            self._check_workers()
            time.sleep(PAUSE)
        self.missing_since = float("inf")
        self._count_deaths()
        return list(found)

    def _check_workers(self) -> None:
        now = time.monotonic()
        if now < self.next_question:
            return
        threads = self._threads()
        self.next_question = time.monotonic() + min(ASK, self.timeout / 4)
        if threads:
            self.missing_since = float("inf")
            self.ahead = max(LEAST_AHEAD, AHEAD * threads)
            return
        self.missing_since = min(self.missing_since, now)
        if time.monotonic() - self.missing_since >= self.timeout:
            trouble = "has not answered" if threads is None else "has had no worker"
            raise NoWorkers(f"{self.name} {trouble} for {self.timeout:g} s")

    def _threads(self) -> int | None:
        """Return the number of threads of all workers; None if the scheduler does not answer."""
        try:
            about = self.client.sync(
                self.client.scheduler.identity, n_workers=0, callback_timeout=min(ANSWER, self.timeout)
            )
        except OSError:  # a timeout is one
            return None
        return int(about["total_threads"])

    def _outcome(self, future: Any, result: Any) -> list[PieceResult] | None:
        """Return the results of a task; None if it killed its workers."""
        if future.cancelled():
            raise SchedulerLost
        if future.status != "error":
            reply: list[PieceResult] | str = pickle.loads(result)
            if isinstance(reply, str):
                return [failed_piece(piece, f"cannot be scored: {reply}") for piece in self.running[future]]
            return reply
        error = result[1]
        if isinstance(error, self.distributed.KilledWorker):
            return None
        raise NoWorkers(
            f"a worker of {self.name} cannot score: {type(error).__name__}: {error} "
            "(is the same version of the survey installed on every worker?)"
        )

    def _killed(self, task: Task) -> Iterator[list[PieceResult]]:
        """Retry the pieces of a task in isolation; report a piece that was already isolated as failed."""
        if task[0].key not in self.tried_isolated:
            self.isolated.extend(task)
            return
        self.failures.given_up += 1
        self.failures.retried -= 1  # it was not assigned again after its last worker died
        yield [failed_piece(task[0], "cannot be scored: workers died of it repeatedly (too little memory?)")]

    def _count_deaths(self) -> None:
        """Count workers that left unexpectedly, and the pieces that they held."""
        ours = {future.key: task for future, task in self.running.items()}
        while self.departures:
            event = self.departures.popleft()
            if event.get("action") == "remove-worker" and not event.get("expected"):
                self.failures.workers += 1
                held = {*event.get("processing-tasks", ()), *event.get("lost-computed-tasks", ())}
                self.failures.retried += sum(len(ours[key]) for key in held & ours.keys())
