"""Two pools for the tests of related work: one to compute by hand, and the published snapshot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from survey.literature import Pool, load
from tests.literature.gaps.four import FOUR

PUBLISHED = date(2026, 5, 4)


@pytest.fixture
def four(folder: Callable[..., Path]) -> Pool:
    """Four entries whose tables can be worked out by hand."""
    return load(folder(FOUR))


@pytest.fixture(scope="module")
def then(pool: Pool) -> Pool:
    """The published snapshot, whose numbers no later entry changes."""
    return pool.as_of(PUBLISHED)
