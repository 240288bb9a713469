"""Score a corpus of simulated traces on all cores, against the same corpus on one core; report on 10,000 runs and on 500."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from survey.traces import Trace
from survey.traces.files.writing import to_json_line, write
from survey.traces.scoring import FailureCounts, Journal, Request, pieces, processes, score, sources
from survey.traces.simulate import Setting, simulate

SIZE = int(os.environ.get("TRACES", "2000"))
"""The number of traces; the aim of the project is 100,000."""
KINDS = 200
"""The number of distinct traces; simulation takes time, and repeated traces measure the same."""

FEW, MANY = 500, 10_000
"""The numbers of runs to report on."""
LIMIT = 256
"""MiB of memory that a report may take."""


def run() -> Iterator[str]:
    """Yield the speed-up of all cores, and its share of a linear speed-up."""
    cores = os.cpu_count() or 1
    yield f"score {SIZE:,} simulated traces on {cores} cores, against one"
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "runs.jsonl"
        some = [simulate(Setting(agents=4, steps=12, seed=seed)).trace for seed in range(KINDS)]
        write((some[place % KINDS] for place in range(SIZE)), path)
        one, rows = _taken(path, 1)
        all_, same = _taken(path, cores)
        size = path.stat().st_size
    times = one / all_
    yield (
        f"  {size / 1e6:.0f} MB: {times:.2f} times as fast, {times / cores:.0%} of linear "
        f"({one:.1f} s to {all_:.1f} s, worker start-up included; {one / SIZE * 1e3:.1f} ms a trace); "
        f"the rows are {'the same' if rows == same else 'NOT the same'}"
    )
    yield from _reports(some)


def _reports(some: Sequence[Trace]) -> Iterator[str]:
    """Yield the time of a run in a report on many, against one on few, and the memory of the former."""
    yield f"report on {MANY:,} simulated runs in files of their own, against {FEW:,}"
    with tempfile.TemporaryDirectory() as name:
        few, many = (_reported(Path(name), some, number) for number in (FEW, MANY))
    yield (
        f"  {many[0] / few[0]:.2f} times the time a run ({few[0] * 1e3:.1f} ms to {many[0] * 1e3:.1f} ms); "
        f"{many[1] / LIMIT:.2f} times {LIMIT} MiB ({few[1]:.0f} MiB to {many[1]:.0f} MiB)"
    )


def _reported(place: Path, some: Sequence[Trace], number: int) -> tuple[float, float]:
    """Return the seconds a run that a report takes, and the peak memory of its largest process in MiB."""
    folder = place / str(number)
    folder.mkdir()
    lines = [to_json_line(trace) for trace in some]
    for run in range(number):
        (folder / f"{run:05}.json").write_bytes(lines[run % len(lines)])
    command: list[str | Path] = [sys.executable, "-m", "survey", "trace", "report"]
    command += [folder, "-o", place / f"{number}.html", "--no-pages"]
    start = perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"the report has failed: {status}")
    return (perf_counter() - start) / number, usage.ru_maxrss / 1024


def _taken(path: Path, workers: int) -> tuple[float, bytes]:
    request = Request()
    journal = Journal(None, request)
    start = perf_counter()
    found = score(
        pieces(sources([str(path)])), request, partial(processes, workers=workers, failures=FailureCounts()), journal
    )
    keys = [key for own in found for key in own]
    taken = perf_counter() - start
    rows = b"".join(journal.rows(keys))
    journal.close()
    return taken, rows


if __name__ == "__main__":
    for line in run():
        print(line)
