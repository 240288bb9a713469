"""Real logs, if their folder exists next to the checkout."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

REAL = Path(os.environ.get("REAL_TRACES", Path(__file__).parents[3] / "shared" / "traces" / "real"))


@pytest.fixture(scope="session")
def real() -> Callable[[str], Path]:
    """Return a real log by its path in that folder; skip the test if the folder is missing."""

    def path(name: str) -> Path:
        if not REAL.is_dir():
            pytest.skip("the folder of real logs is not beside the checkout (REAL_TRACES names it)")
        return REAL / name

    return path
