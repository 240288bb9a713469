"""The garbage collector of Python, while much is made and nothing is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Pause it: a million new objects make it look through all of them again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@contextmanager
def aside() -> Iterator[None]:
    """Set all that is there now aside, where it does not look, until the block ends."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
