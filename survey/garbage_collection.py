"""Control of Python's garbage collector while many objects are created and none is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Pause collection: with a million new objects, the collector traverses all of them again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


MANY = 10_000
"""How many objects that are kept are worth moving."""


def settle(kept: int) -> None:
    """Move all objects to the oldest generation, if so many are kept that visiting them takes time.

    Else the next collection of the young visits whatever was made during a pause: with a long trace, every event and
    every edge, to find no garbage.
    """
    if kept >= MANY and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@contextmanager
def frozen() -> Iterator[None]:
    """Exclude all existing objects from collection until the block ends."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
