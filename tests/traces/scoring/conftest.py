"""A cluster of two workers, each a real process."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import dask
import pytest
from distributed import LocalCluster

from survey.traces.scoring.cluster import LOOPBACK


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The address of the scheduler. Workers that die are brought back, so that one cluster is enough for all."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **LOOPBACK) as found,  # type: ignore[no-untyped-call]
    ):
        yield found.scheduler_address


@pytest.fixture(autouse=True, scope="module")
def _sockets() -> Iterator[None]:
    """Take away what distributed leaves behind of a scheduler that was killed, before another test is blamed for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
