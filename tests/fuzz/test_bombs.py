"""What is large on purpose is received within bounds: no process is filled, none goes on and on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.fuzz.bombs import BOMBS

ALL = [(door, name) for door, (bombs, _) in BOMBS.items() for name in bombs]


@pytest.fixture(scope="module")
def received() -> dict[tuple[str, str], tuple[str, str]]:
    """How every bomb was received, by a process of their own that may hold little."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.bombs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {(door, name): (kind, words) for door, name, kind, words in lines}


@pytest.mark.parametrize(("door", "name"), ALL, ids=[f"{name} at {door}" for door, name in ALL])
def test_it_is_received_or_refused_in_time_and_in_little_memory(
    received: dict[tuple[str, str], tuple[str, str]], door: str, name: str
) -> None:
    kind, words = received[door, name]
    assert kind in ("whole", "said"), words
