"""A cache between builds: in a folder of the project, each thing under what it was made of.

What is cached is never out of date: whatever it depends on is part of its name, and one that was damaged on
the disk is made anew.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import msgpack

from survey.atomic import whole

PACKAGE = Path(__file__).parents[1]

T = TypeVar("T")

SEAL = hashlib.sha256().digest_size


class Cache:
    """A folder of things that took long to make; without a folder each is made anew.

    Used as a context, it drops what nobody asked for when the block ends well.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._used: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.folder is None or kind is not None:
            return
        for path in self.folder.glob("[0-9a-f]*"):
            if path.name not in self._used:
                path.unlink(missing_ok=True)

    def get(self, made_of: Iterable[str], make: Callable[[], T]) -> T:
        """What ``make`` gives, or gave when it was made of the same: a text, bytes, or a dictionary of them."""
        if self.folder is None:
            return make()
        path = self.folder / _name(made_of)
        before = frozenset(self._used)
        found = _read(path)
        if found is None:
            thing = make()
            found = sorted(self._used - before), thing
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole(path, lasting=False) as stream:  # another build may read it
                stream.write(_sealed(found))
        self._used.update(found[0], {path.name})
        return found[1]

    def has(self, made_of: Iterable[str]) -> bool:
        """Whether there is something that was made of this, so that nobody need begin to make it."""
        return self.folder is not None and (self.folder / _name(made_of)).exists()


def _name(made_of: Iterable[str]) -> str:
    return _digest(json.dumps(list(made_of)))


def _read(path: Path) -> tuple[list[str], Any] | None:
    """The names of what a thing was made with, and itself; None if it is not there, or damaged."""
    with suppress(OSError):
        data = memoryview(path.read_bytes())
        if data[:SEAL] == hashlib.sha256(data[SEAL:]).digest():
            names, thing = msgpack.decode(data[SEAL:])
            return names, thing
    return None


def _sealed(found: tuple[list[str], Any]) -> bytes:
    data = msgpack.encode(found)
    return hashlib.sha256(data).digest() + data


@cache
def code() -> str:
    """What would differ if a line of the package did, or the version of anything that it runs on."""
    files = (path for path in sorted(PACKAGE.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    installed = sorted(f"{found.name} {found.version}" for found in distributions())
    return content_of(files, platform.python_version(), *installed)


def content_of(files: Iterable[Path], *more: str) -> str:
    """What would differ if a name or a byte of the files did."""
    sums = [(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
    return _digest(json.dumps([sums, more]))


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8")).hexdigest()
