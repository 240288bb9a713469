"""A campaign: many inputs on every target, within limits of time and memory, each reproducible from its number."""

from __future__ import annotations

import json
import multiprocessing
import resource
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.memory import bounded_memory
from tests.fuzz.targets import TARGETS, Files, Lost, Target
from tests.fuzz.targets.target import write_files

SECONDS = 10
"""CPU time limit of an input. Inputs are small, so that only superlinear growth takes this long."""

MEGABYTES = 500
"""The memory that a process may allocate in addition to that at its start."""

PIECE = 2_000
"""The number of inputs of a process before it reports."""


class Hang(BaseException):
    """An input that takes too long; no ``except Exception`` catches this."""


@dataclass
class Tally:
    """The outcomes of the inputs of one target."""

    target: str
    inputs: int = 0
    accepted: int = 0
    reported: int = 0
    crashes: int = 0
    lost: int = 0
    hangs: int = 0
    memory: int = 0
    """Inputs that exceeded the memory limit."""
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_input: int = 0
    peak_megabytes: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    """Failures, by the number of the input."""

    @property
    def bad(self) -> int:
        """The number of failing inputs."""
        return self.crashes + self.lost + self.hangs + self.memory

    def add(self, other: Tally) -> None:
        """Add the tally of another piece."""
        for name in ("inputs", "accepted", "reported", "crashes", "lost", "hangs", "memory", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.slowest > self.slowest:
            self.slowest, self.slowest_input = other.slowest, other.slowest_input
        self.peak_megabytes = max(self.peak_megabytes, other.peak_megabytes)
        self.failures |= other.failures


def input_of(target: Target, seeds: Sequence[Files], seed: int, number: int) -> Files:
    """Return the input with a number: first the seeds themselves, then mutations of them."""
    if number < len(seeds):
        return seeds[number]
    return target.made(seeds, Random(f"{seed}/{target.name}/{number}"))


def run_inputs(
    target: Target, seeds: Sequence[Files], seed: int, numbers: range, folder: Path, failing: Path | None
) -> Tally:
    """Run the inputs with these numbers on a target, one after the other."""
    tally = Tally(target.name)
    for number in numbers:
        files = input_of(target, seeds, seed, number)
        began = time.process_time()
        kind, words = outcome(target, files, folder)
        took = time.process_time() - began
        tally.inputs += 1
        tally.seconds += took
        setattr(tally, kind, getattr(tally, kind) + 1)
        if took > tally.slowest:
            tally.slowest, tally.slowest_input = took, number
        if words:
            tally.failures[str(number)] = words
            if failing:
                write_files({f"{target.name}/{number}/{name}": data for name, data in files.items()}, failing)
    tally.peak_megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return tally


def outcome(target: Target, files: Files, folder: Path) -> tuple[str, str]:
    """Return the outcome of an input, with the failure if there is one."""
    try:
        with _bounded():
            return str(target.run(files, folder)), ""
    except Lost as error:
        return "lost", str(error)
    except Hang:
        return "hangs", f"takes more than {SECONDS} seconds"
    except MemoryError:
        return "memory", "runs out of memory"
    except BaseException as error:  # any other exception is a crash
        if isinstance(error, KeyboardInterrupt):
            raise
        ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "/survey/" in frame.filename]
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
        return "crashes", f"{type(error).__name__} at {where}: {str(error)[:200]}"


@contextmanager
def _bounded() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ---------------------------------------------------------------- processes


def _work(pipe: Connection, name: str, extra: Path | None, seed: int, numbers: range, failing: Path | None) -> None:
    """Run a piece of the inputs of one target, in its own folder, with a memory limit."""
    bounded_memory(MEGABYTES)
    target = TARGETS[name]
    seeds = [*target.seeds(), *(target.further(extra) if extra else [])]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        target.prepare(folder)
        pipe.send(run_inputs(target, seeds, seed, numbers, folder, failing))


def _piece(name: str, extra: Path | None, seed: int, numbers: range, failing: Path | None) -> Tally:
    """Return the tally of a piece; a process that dies, or ignores its alarm, counts as a failing input."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, name, extra, seed, numbers, failing))
    process.start()
    there.close()
    try:
        if here.poll(SECONDS * 20 + len(numbers)):
            found: Tally = here.recv()
            process.join()
            return found
    except EOFError:
        pass
    hung = process.is_alive()
    process.kill()
    process.join()
    died = f"a process hung in {numbers}" if hung else f"a process died in {numbers} ({process.exitcode})"
    return Tally(name, len(numbers), hangs=int(hung), crashes=int(not hung), failures={str(numbers): died})


def _task(task: tuple[str, Path | None, int, range, Path | None]) -> Tally:
    return _piece(*task)


def campaign(
    shares: dict[str, int], seed: int, extra: Path | None = None, failing: Path | None = None, jobs: int = 1
) -> Iterator[Tally]:
    """Run the given number of inputs on each target, and yield the tally of each."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for name, inputs in shares.items():
            pieces = [range(start, min(start + PIECE, inputs)) for start in range(0, inputs, PIECE)]
            tally = Tally(name)
            for part in pool.map(_task, [(name, extra, seed, piece, failing) for piece in pieces]):
                tally.add(part)
            yield tally


WEIGHTS = {
    "packed traces": 12, "run of a notebook": 8, "trace": 8, "who-and-when": 8, "contribution": 6,
    "page of a notebook": 6, "marble": 5, "claude-code": 4, "codex": 4, "copilot": 4, "gemini": 4, "inspect": 4,
    "opentelemetry": 4, "any log": 3, "atif": 3, "langfuse": 3, "langsmith": 3, "mlflow": 3, "openai-agents": 3,
    "weave": 3, "another copy": 2, "claude-code-team": 2, "inspect archive": 2, "notebook": 2, "taxonomy.toml": 2,
    "traces in lines": 2, "traces written for others": 2,
}  # fmt: skip
"""Weights that give all targets about the same time: cheap inputs get more runs. Other targets have weight 1."""


def shares(inputs: int, targets: Sequence[str]) -> dict[str, int]:
    """Return the number of inputs of each target."""
    weights = {name: WEIGHTS.get(name, 1) for name in targets}
    return {name: max(1, inputs * weight // sum(weights.values())) for name, weight in weights.items()}


def line(tally: Tally) -> str:
    """Return a line with the figures of a target."""
    return (
        f"{tally.target:26} {tally.inputs:>9,} {tally.accepted:>9,} {tally.reported:>9,} {tally.lost:>5} {tally.crashes:>7} "
        f"{tally.hangs:>5} {tally.memory:>6} {tally.slowest:>8.2f} s {tally.peak_megabytes:>6} MB"
    )


HEAD = f"{'target':26} {'inputs':>9} {'accepted':>9} {'reported':>9} {'lost':>5} {'crashes':>7} {'hangs':>5} {'memory':>6} {'slowest':>10} {'peak':>9}"


def record(tallies: Sequence[Tally], seed: int) -> str:
    """Return the campaign as one line of JSON."""
    total = Counter[str]()
    for tally in tallies:
        total.update(
            {
                name: getattr(tally, name)
                for name in ("inputs", "accepted", "reported", "crashes", "lost", "hangs", "memory")
            }
        )
    return json.dumps({"seed": seed, "bounds": {"seconds": SECONDS, "megabytes": MEGABYTES}, "total": total,
                       "targets": [asdict(tally) for tally in tallies]})  # fmt: skip
