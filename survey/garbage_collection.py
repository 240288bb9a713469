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


@contextmanager
def frozen() -> Iterator[None]:
    """Exclude all existing objects from collection until the block ends."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
