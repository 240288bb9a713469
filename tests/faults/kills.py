"""A command killed again and again: after each kill all is as before or as after, and the next run succeeds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from tests.faults.doors import Door, environment

MARK = "SURVEY_FAULTS"
"""A variable by which the processes that a command has started are known."""

LATE = 0.6
"""Every second kill falls into the rest of a run's duration: a run reads and computes for long and writes briefly."""

Snapshot = dict[str, str]


@dataclass
class Tally:
    """What came of the kills of one command."""

    kills: int = 0
    before: int = 0
    """Kills after which the earlier output stood."""
    after: int = 0
    """Kills after which the new output stood."""
    left: int = 0
    """Kills that left something unfinished behind, for the next run to take away."""
    early: int = 0
    """Runs that were over before they were to be killed; they do not count."""
    usual: float = 0.0
    faults: list[str] = field(default_factory=list)


def campaign(door: Door, folder: Path, seed: int, kills: int) -> Tally:
    """Kill a command so often, in a new folder, and run it to its end after each kill or chain of kills."""
    rng = random.Random(seed)
    tally, whole, paths = Tally(), dict[str, Snapshot](), dict[str, set[str]]()
    folder.mkdir(parents=True)
    door.prepare(folder)
    for variant in "bab":  # the first run of all has more to do, and leaves what every later one finds
        if door.fresh:
            remove(folder / door.output)
        said, tally.usual = run(door, folder, variant)
        assert not said, said
        whole[variant], paths[variant] = snapshot(folder / door.output), set(everything(folder))
    assert whole["a"] != whole["b"]
    stands, wanted = "b", "a"
    while tally.kills < kills:
        if door.fresh:
            remove(folder / door.output)
        moment = tally.usual * (LATE + (1 - LATE) * rng.random() if tally.kills % 2 else rng.random())
        if not killed(door, folder, wanted, moment):
            tally.early += 1
            stands, wanted = wanted, stands
            continue
        tally.kills += 1
        earlier: Snapshot = {} if door.fresh else whole[stands]
        found = snapshot(folder / door.output)
        tally.before += found == earlier
        tally.after += found == whole[wanted]
        tally.left += bool(set(everything(folder)) - paths["a"] - paths["b"])
        place = f"kill {tally.kills} at {moment:.3f} s"
        if found not in (earlier, whole[wanted]):
            tally.faults.append(f"{place}: the output is neither the earlier one nor the new one")
        if tally.kills % door.chain and tally.kills < kills:
            continue
        if door.fresh:
            remove(folder / door.output)
        said, tally.usual = run(door, folder, wanted)
        if said:
            tally.faults.append(f"{place}: the next run fails: {said}")
        elif snapshot(folder / door.output) != whole[wanted]:
            tally.faults.append(f"{place}: the next run gives other bytes")
        if left := set(everything(folder)) - paths[wanted]:
            tally.faults.append(f"{place}: the next run leaves {', '.join(sorted(left)[:5])}")
        stands, wanted = wanted, stands
    return tally


def run(door: Door, folder: Path, variant: str) -> tuple[str, float]:
    """Run a command to its end; what it says if it fails, and how long it took, which changes with the machine's load."""
    start = time.monotonic()
    result = subprocess.run(
        door.command(folder, variant), cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=600
    )
    said = result.stderr[-500:] or f"exit status {result.returncode}" if result.returncode else ""
    return said, time.monotonic() - start


def killed(door: Door, folder: Path, variant: str, moment: float) -> bool:
    """Kill a command at a moment of its life; whether it was still alive. Whom it has started goes, too, by itself."""
    mark = uuid4().hex
    process = subprocess.Popen(
        door.command(folder, variant), cwd=folder, env=environment(folder) | {MARK: mark},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while list(living(mark)):
        assert time.monotonic() < deadline, "processes outlive the command that was killed"
        time.sleep(0.05)
    return process.returncode == -signal.SIGKILL


def living(mark: str) -> Iterator[int]:
    """The processes that carry a mark."""
    own = f"{MARK}={mark}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if own in place.read_bytes().split(b"\0"):
                yield int(place.parent.name)
        except OSError:  # it has just ended, or is not ours
            continue


def snapshot(place: Path) -> Snapshot:
    """The bytes of a file, or of every file of a folder; nothing if it is not there."""
    found = {"": place} if place.is_file() else {str(p.relative_to(place)): p for p in place.rglob("*") if p.is_file()}
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in found.items()}


def everything(folder: Path) -> Iterator[str]:
    """Every path below a folder, outputs included, but not what a shell of Python keeps of its history."""
    for path, folders, names in os.walk(folder):
        for name in (*folders, *names):
            shown = os.path.relpath(os.path.join(path, name), folder)  # noqa: PTH118
            if not shown.startswith(os.path.join(".cache", "ipython")):  # noqa: PTH118
                yield shown


def remove(place: Path) -> None:
    """Take away a folder as a person does."""
    subprocess.run(["rm", "-rf", str(place)], check=True)
