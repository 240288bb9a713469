"""Measure in a process of its own, so that its memory can be told and nothing is warm."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def apart(module: str, *arguments: str | Path) -> Any:
    """What a benchmark module, run with these arguments, prints last, which is JSON."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


def peak() -> float:
    """The most memory this process had, in MiB; ``ru_maxrss`` would also count what its parent had."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
