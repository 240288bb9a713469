"""Simulated write failures, without a mount or another user."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

Full = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def full() -> Full:
    """Limit the size of every file; the system then reports "File too large"."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))

    return limited
