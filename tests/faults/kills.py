"""Repeated kills of a command: each leaves the old or the new output, and the next run succeeds."""

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

from tests.faults.scenarios import Scenario, environment

MARK = "SURVEY_FAULTS"
"""The environment variable that marks the processes of a command."""

LATE = 0.6
"""Every second kill falls after this share of the run, because a run writes only briefly, at its end."""

Snapshot = dict[str, str]


@dataclass
class Tally:
    """The outcomes of the kills of one command."""

    kills: int = 0
    before: int = 0
    """Kills that left the earlier output."""
    after: int = 0
    """Kills that left the new output."""
    left: int = 0
    """Kills that left unfinished files, for the next run to remove."""
    early: int = 0
    """Runs that ended before the kill; they do not count."""
    usual: float = 0.0
    faults: list[str] = field(default_factory=list)


def campaign(scenario: Scenario, folder: Path, seed: int, kills: int) -> Tally:
    """Kill a command repeatedly in a new folder, and run it to its end after each kill or chain of kills."""
    rng = random.Random(seed)
    tally, whole, paths = Tally(), dict[str, Snapshot](), dict[str, set[str]]()
    folder.mkdir(parents=True)
    scenario.prepare(folder)
    for variant in "bab":  # the very first run does more, and leaves caches for later ones
        if scenario.fresh:
            remove(folder / scenario.output)
        said, tally.usual = run(scenario, folder, variant)
        assert not said, said
        whole[variant], paths[variant] = snapshot(folder / scenario.output), set(everything(folder))
    assert whole["a"] != whole["b"]
    stands, wanted = "b", "a"
    while tally.kills < kills:
        if scenario.fresh:
            remove(folder / scenario.output)
        moment = tally.usual * (LATE + (1 - LATE) * rng.random() if tally.kills % 2 else rng.random())
        if not killed(scenario, folder, wanted, moment):
            tally.early += 1
            stands, wanted = wanted, stands
            continue
        tally.kills += 1
        earlier: Snapshot = {} if scenario.fresh else whole[stands]
        found = snapshot(folder / scenario.output)
        tally.before += found == earlier
        tally.after += found == whole[wanted]
        tally.left += bool(set(everything(folder)) - paths["a"] - paths["b"])
        place = f"kill {tally.kills} at {moment:.3f} s"
        if found not in (earlier, whole[wanted]):
            tally.faults.append(f"{place}: the output is neither the earlier one nor the new one")
        if tally.kills % scenario.chain and tally.kills < kills:
            continue
        if scenario.fresh:
            remove(folder / scenario.output)
        said, tally.usual = run(scenario, folder, wanted)
        if said:
            tally.faults.append(f"{place}: the next run fails: {said}")
        elif snapshot(folder / scenario.output) != whole[wanted]:
            tally.faults.append(f"{place}: the next run writes other bytes")
        if left := set(everything(folder)) - paths[wanted]:
            tally.faults.append(f"{place}: the next run leaves {', '.join(sorted(left)[:5])}")
        stands, wanted = wanted, stands
    return tally


def run(scenario: Scenario, folder: Path, variant: str) -> tuple[str, float]:
    """Run a command to its end; return its error message, if any, and its duration, which depends on the load."""
    start = time.monotonic()
    result = subprocess.run(
        scenario.command(folder, variant),
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=600,
    )
    said = result.stderr[-500:] or f"exit status {result.returncode}" if result.returncode else ""
    return said, time.monotonic() - start


def killed(scenario: Scenario, folder: Path, variant: str, moment: float) -> bool:
    """Kill a command after ``moment`` seconds; return whether it was alive. Its child processes must end by themselves."""
    mark = uuid4().hex
    process = subprocess.Popen(
        scenario.command(folder, variant), cwd=folder, env=environment(folder) | {MARK: mark},
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
    """Yield the processes that carry a mark."""
    own = f"{MARK}={mark}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if own in place.read_bytes().split(b"\0"):
                yield int(place.parent.name)
        except OSError:  # it has just ended, or is not ours
            continue


def snapshot(place: Path) -> Snapshot:
    """Return a hash of a file, or of every file of a folder; empty if it does not exist."""
    found = {"": place} if place.is_file() else {str(p.relative_to(place)): p for p in place.rglob("*") if p.is_file()}
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in found.items()}


def everything(folder: Path) -> Iterator[str]:
    """Yield every path below a folder, outputs included."""
    for path, folders, names in os.walk(folder):
        for name in (*folders, *names):
            yield os.path.relpath(os.path.join(path, name), folder)  # noqa: PTH118


def remove(place: Path) -> None:
    """Remove a folder as a user does."""
    subprocess.run(["rm", "-rf", str(place)], check=True)
