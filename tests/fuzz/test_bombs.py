"""Oversized inputs stay within the limits of time and memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.fuzz.bombs import BOMBS

ALL = [(target, name) for target, (bombs, _) in BOMBS.items() for name in bombs]


@pytest.fixture(scope="module")
def received() -> dict[tuple[str, str], tuple[str, str]]:
    """The outcome of every oversized input, in a process with a memory limit."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.bombs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {(target, name): (kind, words) for target, name, kind, words in lines}


@pytest.mark.parametrize(("target", "name"), ALL, ids=[f"{name} at {target}" for target, name in ALL])
def test_an_oversized_input_is_accepted_or_refused_within_the_limits(
    received: dict[tuple[str, str], tuple[str, str]], target: str, name: str
) -> None:
    kind, words = received[target, name]
    assert kind in ("accepted", "reported"), words
