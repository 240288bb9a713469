"""Credit 512 rollouts by agent, Shapley, against reading them: what a training step would wait for.

The rollouts are simulated, of all six topologies, with about 250 events and six agents each. Reading includes the
checks of the file. The aim is no more than ten times the time of reading.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from time import process_time

from survey.traces import readings_of
from survey.traces.credit import advantages, assign
from survey.traces.files.writing import write
from survey.traces.simulate import TOPOLOGIES, Setting, simulate

ROLLOUTS = int(os.environ.get("ROLLOUTS", "512"))
STEPS = 40
"""Turns of work that give about 250 events."""
ROUNDS = 3
"""The fastest round counts, since interference only slows a run down."""


def run() -> Iterator[str]:
    """Yield the ratio of the times, and what the arrays for training add."""
    settings = (
        Setting(topology, agents=6, steps=STEPS, seed=seed) for seed, topology in product(range(99), TOPOLOGIES)
    )
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rollouts.jsonl"
        write((simulate(setting).trace for setting in islice(settings, ROLLOUTS)), path)
        size = path.stat().st_size
        rounds = [_taken(path) for _ in range(ROUNDS)]
    read, credited, arrays = (min(times) for times in zip(*(times for times, _ in rounds), strict=True))
    events = rounds[0][1] / ROLLOUTS
    yield f"credit {ROLLOUTS} rollouts of {events:.0f} events by agent (Shapley), against reading them"
    yield (
        f"  {size / 1e6:.0f} MB: {credited / read:.2f} times the time of reading ({credited:.1f} s to {read:.1f} s); "
        f"with advantages per turn {(credited + arrays) / read:.2f} times"
    )


def _taken(path: Path) -> tuple[tuple[float, float, float], int]:
    """Return the processor times of reading, crediting and writing arrays, and the number of events."""
    start = process_time()
    traces = [reading.trace for reading in readings_of(path) if reading.trace]
    read, start = process_time() - start, process_time()
    credits = assign(traces, "agent", "shapley")
    credited, start = process_time() - start, process_time()
    for trace, own in zip(traces, credits, strict=True):
        advantages(own, trace, per_token=False)
    return (read, credited, process_time() - start), sum(map(len, traces))


if __name__ == "__main__":
    for line in run():
        print(line)
