"""The dask engine: distribute tasks over a running cluster, or over a local cluster of processes.

Whoever can talk to a scheduler or a worker of dask can run code as its owner. The local cluster therefore talks
TLS under a certificate made for it alone and held in memory: no other user of the machine has the key.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

from survey import __version__
from survey.extras import needed
from survey.traces.scoring.processes import TRIES, FailureCounts, NoWorkers, Work
from survey.traces.scoring.scheduling import SchedulerLost, TaskQueue
from survey.traces.scoring.work import PieceResult, Task

TIMEOUT = 60.0
"""Seconds to wait for a worker of a cluster, or for an answer of its scheduler."""
LOOPBACK: Mapping[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": None,
    "scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
}
"""The local cluster listens on this machine only, and at no fixed port that a second cluster would need."""
CLOSE_TIMEOUT = 5
"""Seconds to wait for a scheduler when a client closes."""


def dask(
    tasks: Iterable[Task],
    work: Work,
    failures: FailureCounts,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    timeout: float = TIMEOUT,
) -> Iterator[list[PieceResult]]:
    """Run tasks on the workers of a scheduler; without a scheduler, on a local cluster of processes.

    dask reassigns the task of a worker that died. A task that dask gives up, because it killed worker after
    worker, is submitted once more piece by piece, with no other task running; a piece that still kills its
    workers is reported as failed. A scheduler that disappears and returns receives its unfinished tasks again.

    Raises ``NoWorkers`` if no scheduler or no worker is available within ``timeout`` seconds, and
    ``ModuleNotFoundError`` if dask, or for a local cluster cryptography, is not installed.
    """
    distributed = needed("distributed")
    there = f"the scheduler at {scheduler}" if scheduler else "the cluster on this machine"
    queue = TaskQueue(distributed, tasks, partial(run_task, work=work, version=__version__), failures, timeout, there)
    fruitless = 0
    while fruitless < TRIES:
        before = queue.completed
        with _client(distributed, scheduler, workers, timeout) as client:
            try:
                yield from queue.results(client)
                return
            except SchedulerLost:
                queue.requeue()
        fruitless = 0 if queue.completed > before else fruitless + 1
    raise NoWorkers(f"{there} was lost {TRIES} times before it returned any result")


def run_task(task: Task, work: Work, version: str) -> list[PieceResult] | str:
    """Run one task on a worker of a cluster; return its results, or the error message of the work.

    Any other exception is therefore a fault of the worker and not of the documents, and appears in no row.
    """
    if version != __version__:
        raise ImportError(f"it has version {__version__} of the survey, expected {version} as here")
    try:
        return work(task)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@contextmanager
def _client(distributed: Any, scheduler: str | None, workers: int | None, timeout: float) -> Iterator[Any]:
    """Connect to the scheduler, or to a new local cluster whose nannies restart workers that are killed."""
    with _quiet(), ExitStack() as stack:
        try:
            there = scheduler or stack.enter_context(_local(distributed, workers))
            client = distributed.Client(there, timeout=timeout, set_as_default=False)
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            if scheduler:
                raise NoWorkers(f"no scheduler answers at {scheduler}: {reason}") from None
            raise NoWorkers(f"no cluster can be started on this machine: {reason}") from None
        stack.callback(_close, client)
        yield client


@contextmanager
def _local(distributed: Any, workers: int | None) -> Iterator[Any]:
    config = import_module("dask").config
    needed("cryptography")
    settings = {
        "distributed.scheduler.allowed-failures": TRIES - 1,  # a task that kills more workers is given up
        "distributed.scheduler.http.routes": [],
    }
    preload = [*config.get("distributed.worker.preload", []), __name__]
    with (
        config.set(settings),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            preload=preload,
            security=distributed.Security.temporary(),
            **LOOPBACK,
        ) as local,
    ):
        yield local


def dask_setup(worker: Any) -> None:
    """Configure a worker of the local cluster as it starts (called by dask): the parent handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker.state_machine").setLevel(logging.ERROR)  # so are interrupted tasks


def dask_teardown(worker: Any) -> None:
    """End a worker of the local cluster as it closes (called by dask), without waiting for its current task."""
    last = threading.Timer(CLOSE_TIMEOUT / 10, os._exit, [0])
    last.daemon = True
    last.start()


def _close(client: Any) -> None:
    """Close a client, even if its scheduler no longer answers."""
    with suppress(OSError):
        client.close(timeout=CLOSE_TIMEOUT)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence dask's log messages about lost workers: the summary counts them, and the error is reported once.

    Messages of its nannies pass, such as that a worker has run out of memory.
    """
    logs = [logging.getLogger(f"distributed.{part}") for part in ("client", "scheduler", "core")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)
