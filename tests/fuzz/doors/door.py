"""What a way in is, and what it means to be well received there."""

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
LOGS = ROOT / "tests" / "traces" / "importers" / "logs"

Files = Mapping[str, bytes]
"""An input: the files of a folder by their names in it, most often a single one."""


class Received(StrEnum):
    """How an input was received. Whatever is raised besides is a crash."""

    WHOLE = "whole"
    """All of it is in the result, and nothing was said."""
    SAID = "said"
    """It was refused, or received in part, and a message says so."""


class Lost(AssertionError):
    """Something of the input is neither in the result nor in a message."""


@dataclass(frozen=True)
class Door:
    """A way into the project."""

    name: str
    kind: str
    """The form of its inputs, which mutations know."""
    seeds: Callable[[], list[Files]]
    receive: Callable[[Files, Path], Received]
    """Gives an input in at the door; the folder holds its files, and nothing else that matters.

    Raises ``Lost``, and whatever the code behind the door raises.
    """
    prepare: Callable[[Path], None] = lambda _: None
    """Lays out beforehand what the folder holds besides the input."""
    more: tuple[str, ...] = ()
    """Names of files in a folder of one's own that can be seeds as well."""
    mutate: Callable[[Files, Sequence[bytes], str, Random], Files] | None = None

    def further(self, folder: Path) -> list[Files]:
        """The seeds for this door in a folder."""
        found = sorted(path for pattern in self.more for path in folder.rglob(pattern) if path.is_file())
        name = next(iter(self.seeds()[0]))
        return [{name: path.read_bytes()} for path in found]

    def made(self, seeds: Sequence[Files], chance: Random) -> Files:
        """An input: one of the seeds, mutated."""
        seed = chance.choice(seeds)
        others = [data for other in seeds for data in other.values()]
        if self.mutate:
            return self.mutate(seed, others, self.kind, chance)
        name = chance.choice(sorted(seed))
        return {**seed, name: mutated(seed[name], others, self.kind, chance)}


def laid_out(files: Files, folder: Path) -> None:
    """Write the files of an input."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def emptied(folder: Path) -> None:
    """Take away what an input left behind."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def files_below(folder: Path, pattern: str = "**/*") -> Files:
    """The files of a folder by their names in it."""
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
