"""Import survey.traces, against the import of msgspec and json alone; and the size of the base installation."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from survey.extras import PROJECT
from survey.site.publishing.bill_of_materials import dependency_closure
from tests.conftest import ROOT

PEER, OURS = "import msgspec, json", "import survey.traces"
WINGS = {OURS: "survey.traces", "import survey.literature": "survey.literature", "import survey.cli": "survey.cli"}
ROUNDS = 15
MOST = 60
"""Megabytes that the base installation may take."""


def run() -> Iterator[str]:
    """One line for each wing and one for the size."""
    yield f"import, against `{PEER}`: processor time of whole processes less bare Python, the least of {ROUNDS}"
    fastest = _fastest(["pass", PEER, *WINGS])
    peer = fastest[PEER] - fastest["pass"]
    for program, name in WINGS.items():
        ours = fastest[program] - fastest["pass"]
        yield f"  {name}: {ours / peer:.2f} times ({1000 * ours:.0f} ms to {1000 * peer:.0f} ms)"
    sizes = {name: _size(name) for name in dependency_closure()}
    large = sorted(sizes, key=lambda name: -sizes[name])[:3]
    told = ", ".join(f"{name} {sizes[name]:.1f}" for name in large)
    yield (
        f"  base installation: {sum(sizes.values()) / MOST:.2f} times {MOST} MB "
        f"({sum(sizes.values()):.1f} MB in {len(sizes)} packages, of which {told})"
    )


def _fastest(programs: list[str]) -> dict[str, float]:
    """Processor seconds of the fastest run of each program; programs take turns, so that a busy moment hits all."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {program: [] for program in programs}
    for _ in range(ROUNDS + 1):  # in the first, modules are compiled
        for program, own in seconds.items():
            process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=environment)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            if status:
                raise RuntimeError(f"{program} failed")
            own.append(used.ru_utime + used.ru_stime)
    return {program: min(own[1:]) for program, own in seconds.items()}


def _size(name: str) -> float:
    """Megabytes of the files of a package, compiled modules included; those of the survey are where it is developed."""
    files = [Path(str(file.locate())) for file in distribution(name).files or ()]
    if name == PROJECT:
        files = [*(ROOT / "survey").rglob("*")]
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6
