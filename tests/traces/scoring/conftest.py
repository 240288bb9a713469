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
    """The address of the scheduler. Workers that die are restarted, so that one cluster is enough for all tests."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **LOOPBACK) as found,  # type: ignore[no-untyped-call]
    ):
        yield found.scheduler_address


@pytest.fixture(autouse=True, scope="module")
def _sockets() -> Iterator[None]:
    """Close the sockets of a killed scheduler, before another test is blamed for them."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
