"""The services on this machine, and a client that notes how long it would have slept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from survey.literature.scout.asking import Client
from tests.literature.scout.server import Server, serving

TODAY = date(2026, 3, 20)
AGENT = "survey-tests (mailto:reader@example.org)"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def slept() -> list[float]:
    """The pauses of every client of a test, in seconds."""
    return []


@pytest.fixture
def run(tmp_path: Path, slept: list[float]) -> Callable[..., Client]:
    """A new run: a client that finds what the runs before it kept."""

    def started(today: date = TODAY, pause: float = 3.0) -> Client:
        return Client(tmp_path / "kept", today, AGENT, pause=pause, sleep=slept.append)

    return started


@pytest.fixture
def client(run: Callable[..., Client]) -> Client:
    return run()
