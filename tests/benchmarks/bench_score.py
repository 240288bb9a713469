"""Score a corpus of simulated traces on all cores, against the same corpus on one core."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

from survey.traces.files.writing import write
from survey.traces.scoring import FailureCounts, Journal, Request, pieces, processes, score, sources
from survey.traces.simulate import Setting, simulate

SIZE = int(os.environ.get("TRACES", "2000"))
"""The number of traces; the aim of the project is 100,000."""
KINDS = 200
"""The number of distinct traces; simulation takes time, and repeated traces measure the same."""


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
