"""Fuzz targets, and the outcomes of inputs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated

HERE = Path(__file__).parent.parent
SEEDS = HERE / "seeds"
ROOT = HERE.parent.parent

Files = Mapping[str, bytes]
"""An input: files by their names in a folder, mostly a single one."""


class Outcome(StrEnum):
    """The outcome of an input. Any exception except ``Lost`` is a crash."""

    ACCEPTED = "accepted"
    """All of it is in the result, without a message."""
    REPORTED = "reported"
    """It was refused or accepted in part, with a message."""


class Lost(AssertionError):
    """Part of the input is neither in the result nor in a message."""


@dataclass(frozen=True)
class Target:
    """A fuzz target: an entry point of the project."""

    name: str
    kind: str
    """The syntax of its inputs, for mutations."""
    seeds: Callable[[], list[Files]]
    run: Callable[[Files, Path], Outcome]
    """Runs the target on an input, whose files are in the folder.

    Raises ``Lost``, and any exception of the code under test.
    """
    prepare: Callable[[Path], None] = lambda _: None
    """Writes the other files of the folder beforehand."""
    more: tuple[str, ...] = ()
    """Patterns of files in a user's folder that can be seeds."""
    mutate: Callable[[Files, Sequence[bytes], str, Random], Files] | None = None

    def further(self, folder: Path) -> list[Files]:
        """Return the seeds for this target in a folder."""
        found = sorted(path for pattern in self.more for path in folder.rglob(pattern) if path.is_file())
        name = next(iter(self.seeds()[0]))
        return [{name: path.read_bytes()} for path in found]

    def made(self, seeds: Sequence[Files], chance: Random) -> Files:
        """Return an input: one of the seeds, mutated."""
        seed = chance.choice(seeds)
        others = [data for other in seeds for data in other.values()]
        if self.mutate:
            return self.mutate(seed, others, self.kind, chance)
        name = chance.choice(sorted(seed))
        return {**seed, name: mutated(seed[name], others, self.kind, chance)}


def write_files(files: Files, folder: Path) -> None:
    """Write the files of an input."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def clear(folder: Path) -> None:
    """Empty a folder."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def files_below(folder: Path, pattern: str = "**/*") -> Files:
    """Return the files of a folder by their names in it."""
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
