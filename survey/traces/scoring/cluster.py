"""Work spread over machines by dask: a cluster that is there, or one of processes on this machine."""

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
from survey.traces.scoring.corpus import INSTALL
from survey.traces.scoring.processes import TRIES, Deaths, NoWorkers, Work
from survey.traces.scoring.scheduling import Gone, Handout
from survey.traces.scoring.work import Done, Task

PATIENCE = 60.0
"""Seconds for which a cluster may be without a worker, or a scheduler without an answer."""
LOOPBACK: Mapping[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": None,
    "scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
}
"""Nothing of our own cluster listens beyond this machine, nor at a port that a second one would want too."""
GOODBYE = 5
"""Seconds that a scheduler has to hear that the work is over."""


def dask(
    tasks: Iterable[Task],
    work: Work,
    deaths: Deaths,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    patience: float = PATIENCE,
) -> Iterator[list[Done]]:
    """Have tasks done by the workers of a scheduler; without one, by a cluster of processes on this machine.

    dask itself has another worker do what one that died had in hand. What it gives up, because workers died of
    it again and again, is handed out once more, piece by piece and with nothing beside it: a piece that brings
    down its workers even so is told as lost. A scheduler that goes and comes back is handed anew what it had.

    Raises ``NoWorkers`` if there is no scheduler, or no worker, for as long as the patience lasts.
    """
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise NoWorkers(f"the engine dask needs dask and distributed ({INSTALL})") from None
    there = f"the scheduler at {scheduler}" if scheduler else "the cluster on this machine"
    hand = Handout(distributed, tasks, partial(handed, work=work, version=__version__), deaths, patience, there)
    in_vain = 0
    while in_vain < TRIES:
        before = hand.back
        with _client(distributed, scheduler, workers, patience) as client:
            try:
                yield from hand.results(client)
                return
            except Gone:
                hand.take_back()
        in_vain = 0 if hand.back > before else in_vain + 1
    raise NoWorkers(f"{there} was lost {TRIES} times before it had brought back anything")


def handed(task: Task, work: Work, version: str) -> list[Done] | str:
    """What a worker of a cluster does: the work, or the words of what went wrong with it.

    So whatever else a worker raises is the fault of the worker and not of the documents: no row must tell of it.
    """
    if version != __version__:
        raise ImportError(f"it has version {__version__} of the survey, expected {version} as here")
    try:
        return work(task)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@contextmanager
def _client(distributed: Any, scheduler: str | None, workers: int | None, patience: float) -> Iterator[Any]:
    """Of the scheduler, or of a cluster made for the purpose, whose nannies bring back workers that are killed."""
    with _quiet(), ExitStack() as stack:
        try:
            there = scheduler or stack.enter_context(_local(distributed, workers))
            client = distributed.Client(there, timeout=patience, set_as_default=False)
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            if scheduler:
                raise NoWorkers(f"no scheduler answers at {scheduler}: {reason}") from None
            raise NoWorkers(f"no cluster can be started on this machine: {reason}") from None
        stack.callback(_let_go, client)
        yield client


@contextmanager
def _local(distributed: Any, workers: int | None) -> Iterator[Any]:
    config = import_module("dask").config
    settings = {
        "distributed.scheduler.allowed-failures": TRIES - 1,  # when so many workers have died, a task is given up
        "distributed.scheduler.http.routes": [],
    }
    preload = [*config.get("distributed.worker.preload", []), __name__]
    with (
        config.set(settings),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, preload=preload, **LOOPBACK
        ) as local,
    ):
        yield local


def dask_setup(worker: Any) -> None:
    """What dask calls in each worker of our own cluster as it starts: Ctrl-C is the parent's to deal with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker.state_machine").setLevel(logging.ERROR)  # and so is what is broken off


def dask_teardown(worker: Any) -> None:
    """And as it closes: whoever leaves the work in the middle does not wait for what a worker has in hand."""
    last = threading.Timer(GOODBYE / 10, os._exit, [0])
    last.daemon = True
    last.start()


def _let_go(client: Any) -> None:
    """Close a client, whether or not its scheduler still answers."""
    with suppress(OSError):
        client.close(timeout=GOODBYE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask from telling step by step how it does without a worker: our verdict counts them, our error is one.

    What its nannies have to say is let through, as that a worker has no memory left.
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
