"""Run a benchmark in a separate process, to measure its memory and to start cold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def run_isolated(module: str, *arguments: str | Path) -> Any:
    """Run a benchmark module with arguments; return the JSON of its last line of output."""
    result = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, check=True, cwd=ROOT)
    return json.loads(result.stdout.splitlines()[-1])


def peak_memory() -> float:
    """Return the peak memory of this process in MiB; ``ru_maxrss`` would include that of its parent."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
