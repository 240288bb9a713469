"""A bound on what a process may come to hold."""

from __future__ import annotations

import resource
from pathlib import Path


def bounded_memory(megabytes: int) -> None:
    """Let this process take no more than so much memory beyond what it has now; asked for more, it raises.

    Address space is what a process can be bound in. Libraries reserve a lot of it that they never
    use, so the bound is counted from what is reserved at the start.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
