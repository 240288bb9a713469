"""A campaign: many inputs at every door, each within bounds of time and memory, each made anew from its number."""

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

from tests.fuzz.doors import DOORS, Door, Files, Lost
from tests.fuzz.doors.door import laid_out
from tests.fuzz.memory import bounded_memory

SECONDS = 10
"""Of the processor, that an input may take. They are small: what takes this long grows faster than its input."""

MEGABYTES = 500
"""What a process may come to hold beyond what it holds at its start."""

PIECE = 2_000
"""How many inputs a process takes before it reports."""


class Hang(BaseException):
    """An input that takes too long; no ``except Exception`` may keep it."""


@dataclass
class Tally:
    """What became of the inputs of one door."""

    door: str
    inputs: int = 0
    whole: int = 0
    said: int = 0
    crashes: int = 0
    lost: int = 0
    hangs: int = 0
    memory: int = 0
    """Inputs that ran into the bound of memory."""
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_input: int = 0
    peak_megabytes: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    """By the number of an input, what went wrong with it."""

    @property
    def bad(self) -> int:
        """How many inputs were not well received."""
        return self.crashes + self.lost + self.hangs + self.memory

    def add(self, other: Tally) -> None:
        """Take in the tally of another piece."""
        for name in ("inputs", "whole", "said", "crashes", "lost", "hangs", "memory", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.slowest > self.slowest:
            self.slowest, self.slowest_input = other.slowest, other.slowest_input
        self.peak_megabytes = max(self.peak_megabytes, other.peak_megabytes)
        self.failures |= other.failures


def input_of(door: Door, seeds: Sequence[Files], seed: int, number: int) -> Files:
    """The input of a number: the seeds themselves first, then mutations of them."""
    if number < len(seeds):
        return seeds[number]
    return door.made(seeds, Random(f"{seed}/{door.name}/{number}"))


def tried(door: Door, seeds: Sequence[Files], seed: int, numbers: range, folder: Path, failing: Path | None) -> Tally:
    """Give the inputs of some numbers in at a door, one after the other."""
    tally = Tally(door.name)
    for number in numbers:
        files = input_of(door, seeds, seed, number)
        began = time.process_time()
        kind, words = outcome(door, files, folder)
        took = time.process_time() - began
        tally.inputs += 1
        tally.seconds += took
        setattr(tally, kind, getattr(tally, kind) + 1)
        if took > tally.slowest:
            tally.slowest, tally.slowest_input = took, number
        if words:
            tally.failures[str(number)] = words
            if failing:
                laid_out({f"{door.name}/{number}/{name}": data for name, data in files.items()}, failing)
    tally.peak_megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return tally


def outcome(door: Door, files: Files, folder: Path) -> tuple[str, str]:
    """How an input was received, and what went wrong with it."""
    try:
        with _bounded():
            return str(door.receive(files, folder)), ""
    except Lost as error:
        return "lost", str(error)
    except Hang:
        return "hangs", f"takes more than {SECONDS} seconds"
    except MemoryError:
        return "memory", "runs out of memory"
    except BaseException as error:  # whatever else comes out of a door is a crash
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
    """A process: a piece of the inputs of one door, in a folder of its own, under a bound of memory."""
    bounded_memory(MEGABYTES)
    door = DOORS[name]
    seeds = [*door.seeds(), *(door.further(extra) if extra else [])]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        door.prepare(folder)
        pipe.send(tried(door, seeds, seed, numbers, folder, failing))


def _piece(name: str, extra: Path | None, seed: int, numbers: range, failing: Path | None) -> Tally:
    """The tally of a piece; a process that dies, or hears no alarm, is a failure of one of its inputs."""
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
    died = f"a process went on and on in {numbers}" if hung else f"a process died in {numbers} ({process.exitcode})"
    return Tally(name, len(numbers), hangs=int(hung), crashes=int(not hung), failures={str(numbers): died})


def _task(task: tuple[str, Path | None, int, range, Path | None]) -> Tally:
    return _piece(*task)


def campaign(
    shares: dict[str, int], seed: int, extra: Path | None = None, failing: Path | None = None, jobs: int = 1
) -> Iterator[Tally]:
    """So many inputs at each door; the tally of a door when it is through."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for name, inputs in shares.items():
            pieces = [range(start, min(start + PIECE, inputs)) for start in range(0, inputs, PIECE)]
            tally = Tally(name)
            for part in pool.map(_task, [(name, extra, seed, piece, failing) for piece in pieces]):
                tally.add(part)
            yield tally


WEIGHTS = {
    "packed traces": 12, "trace": 8, "who-and-when": 8, "run of a notebook": 8, "contribution": 6, "page of a notebook": 6,
    "marble": 5, "claude-code": 4, "opentelemetry": 4, "inspect": 4, "codex": 4, "atif": 3, "any log": 3,
    "claude-code-team": 2, "inspect archive": 2, "traces in lines": 2, "traces written for others": 2,
    "taxonomy.toml": 2, "another copy": 2, "notebook": 2,
}  # fmt: skip
"""Each door takes about as much time: where an input costs little there are more of them. All others one share each."""


def shares(inputs: int, doors: Sequence[str]) -> dict[str, int]:
    """How many inputs each door takes."""
    weights = {name: WEIGHTS.get(name, 1) for name in doors}
    return {name: max(1, inputs * weight // sum(weights.values())) for name, weight in weights.items()}


def line(tally: Tally) -> str:
    """A line of figures about a door."""
    return (
        f"{tally.door:26} {tally.inputs:>9,} {tally.whole:>9,} {tally.said:>9,} {tally.lost:>5} {tally.crashes:>7} "
        f"{tally.hangs:>5} {tally.memory:>6} {tally.slowest:>8.2f} s {tally.peak_megabytes:>6} MB"
    )


HEAD = f"{'door':26} {'inputs':>9} {'whole':>9} {'said':>9} {'lost':>5} {'crashes':>7} {'hangs':>5} {'memory':>6} {'slowest':>10} {'peak':>9}"


def record(tallies: Sequence[Tally], seed: int) -> str:
    """The campaign as one line of JSON."""
    total = Counter[str]()
    for tally in tallies:
        total.update(
            {name: getattr(tally, name) for name in ("inputs", "whole", "said", "crashes", "lost", "hangs", "memory")}
        )
    return json.dumps({"seed": seed, "bounds": {"seconds": SECONDS, "megabytes": MEGABYTES}, "total": total,
                       "doors": [asdict(tally) for tally in tallies]})  # fmt: skip
