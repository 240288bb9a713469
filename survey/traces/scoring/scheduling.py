"""What is with a scheduler, what is still to be handed to it, and how long nobody has been there to do it."""

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
from survey.traces.scoring.processes import Deaths, NoWorkers
from survey.traces.scoring.work import Done, Task, lost

AHEAD, LEAST_AHEAD = 4, 32
"""Tasks that are with the scheduler: for each thread, and at least, for a cluster that grows."""
PAUSE, ASK, ANSWER = 0.02, 1.0, 5.0
"""Seconds between two looks at what has come back, between two questions to the scheduler, and for its answer."""


class Gone(Exception):
    """A scheduler that has let go of the work, or cannot be reached any more."""


def _opener() -> Callable[[bytes], bytes]:
    """What is sent along with packed work, to open it where it has arrived.

    dask sends a function that has no name in any module whole. One that is to be found in ours would end each
    worker without the survey, one after the other, as it reads its post; so it is an error of the task.
    """

    def opened(packed: bytes) -> bytes:
        return pickle.dumps(pickle.loads(packed)())

    return opened


class Handout:
    """Hands tasks to one scheduler after the other, until all have come back."""

    def __init__(
        self,
        distributed: Any,
        tasks: Iterable[Task],
        work: Callable[[Task], list[Done] | str],
        deaths: Deaths,
        patience: float,
        there: str,
    ) -> None:
        self.distributed, self.work, self.deaths, self.patience, self.there = distributed, work, deaths, patience, there
        self.left, self.again, self.alone = iter(tasks), deque[Task](), deque[Piece]()
        self.going: dict[Any, Task] = {}
        self.tried_alone: set[str] = set()
        self.run, self.numbers = uuid4().hex[:8], count()
        self.back = 0
        """Tasks that came back."""

    def results(self, client: Any) -> Iterator[list[Done]]:
        """Of all tasks. Raises ``Gone``, and ``NoWorkers`` once the patience is at its end."""
        self.client, self.ahead = client, LEAST_AHEAD
        self.finished = self.distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self.next_question, self.missing_since = 0.0, float("inf")
        self.farewells: deque[dict[str, Any]] = deque()
        client.subscribe_topic("all", lambda event: self.farewells.append(event[1]))  # from another thread
        try:
            while self._hand_out():
                for future, result in self._come_back():
                    done = self._outcome(future, result)
                    task = self.going.pop(future)
                    self.back += 1
                    yield from self._killed(task) if done is None else [done]
        finally:
            self._count_deaths()
            if client.status == "running":
                client.unsubscribe_topic("all")

    def take_back(self) -> None:
        """What was with a scheduler that is gone is handed to the next."""
        self.again.extend(self.going.values())
        self.deaths.again += sum(map(len, self.going.values()))
        self.going.clear()

    def _hand_out(self) -> bool:
        """Keep the scheduler supplied; whether there is anything to wait for."""
        while len(self.going) < self.ahead and (task := self._next()) is not None:
            key = f"survey-score-{self.run}-{next(self.numbers)}"
            packed = pickle.dumps(partial(self.work, task))
            future = self.client.submit(_opener(), packed, key=key, pure=False)
            self.going[future] = task
            self.finished.add(future)
        return bool(self.going)

    def _next(self) -> Task | None:
        if self.again:
            return self.again.popleft()
        if (task := next(self.left, None)) is not None:
            return task
        if self.alone and not self.going:
            piece = self.alone.popleft()
            self.tried_alone.add(piece.key)
            return (piece,)
        return None

    def _come_back(self) -> list[tuple[Any, Any]]:
        """At least one task with what came of it."""
        while not (found := self.finished.next_batch(block=False)):
            if any(future.cancelled() for future in self.going):
                raise Gone
            self._look_for_workers()
            time.sleep(PAUSE)
        self.missing_since = float("inf")
        self._count_deaths()
        return list(found)

    def _look_for_workers(self) -> None:
        now = time.monotonic()
        if now < self.next_question:
            return
        threads = self._threads()
        self.next_question = time.monotonic() + min(ASK, self.patience / 4)
        if threads:
            self.missing_since = float("inf")
            self.ahead = max(LEAST_AHEAD, AHEAD * threads)
            return
        self.missing_since = min(self.missing_since, now)
        if time.monotonic() - self.missing_since >= self.patience:
            trouble = "has not answered" if threads is None else "has had no worker"
            raise NoWorkers(f"{self.there} {trouble} for {self.patience:g} s")

    def _threads(self) -> int | None:
        """Of all workers; None if the scheduler does not say."""
        try:
            about = self.client.sync(
                self.client.scheduler.identity, n_workers=0, callback_timeout=min(ANSWER, self.patience)
            )
        except OSError:  # a timeout is one
            return None
        return int(about["total_threads"])

    def _outcome(self, future: Any, result: Any) -> list[Done] | None:
        """What came of a task; None if its workers died of it."""
        if future.cancelled():
            raise Gone
        if future.status != "error":
            said: list[Done] | str = pickle.loads(result)
            if isinstance(said, str):
                return [lost(piece, f"cannot be scored: {said}") for piece in self.going[future]]
            return said
        error = result[1]
        if isinstance(error, self.distributed.KilledWorker):
            return None
        raise NoWorkers(
            f"a worker of {self.there} cannot score: {type(error).__name__}: {error} "
            "(is the same survey installed wherever there are workers?)"
        )

    def _killed(self, task: Task) -> Iterator[list[Done]]:
        """Later, alone; and if it was alone, never again."""
        if task[0].key not in self.tried_alone:
            self.alone.extend(task)
            return
        self.deaths.given_up += 1
        self.deaths.again -= 1  # since its last worker died it was not
        yield [lost(task[0], "cannot be scored: workers died of it again and again (too little memory?)")]

    def _count_deaths(self) -> None:
        """Of workers that did not say goodbye, and of ours what they had with them."""
        ours = {future.key: task for future, task in self.going.items()}
        while self.farewells:
            event = self.farewells.popleft()
            if event.get("action") == "remove-worker" and not event.get("expected"):
                self.deaths.workers += 1
                held = {*event.get("processing-tasks", ()), *event.get("lost-computed-tasks", ())}
                self.deaths.again += sum(len(ours[key]) for key in held & ours.keys())
