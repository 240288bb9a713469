"""A memory limit for a process."""

from __future__ import annotations

import resource
from pathlib import Path


def bounded_memory(megabytes: int) -> None:
    """Limit the additional memory of this process; a larger allocation raises ``MemoryError``.

    The limit applies to address space. Libraries reserve much of it without using it, so it counts from what is
    reserved at the start.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
