"""Conditions under which nothing can be written, made without a mount or another user."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

Full = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def full() -> Full:
    """A disk on which no file has room for more than so many bytes; the system then says "File too large"."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))

    return limited
