"""A cache between builds: a folder of the project in which each result is stored under a hash of its dependencies.

A cached result is never out of date: everything it depends on is part of its name. A damaged file is
recomputed.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import msgpack

from survey.atomic import atomic_write

PACKAGE = Path(__file__).parents[1]

T = TypeVar("T")

DIGEST_SIZE = hashlib.sha256().digest_size


class Cache:
    """A folder of results that are slow to compute; without a folder each is computed again.

    As a context manager it removes unused results when the block ends without an exception.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.partial = False
        """Whether what is not used in this block may still be: then nothing is removed when it ends."""
        self._used: set[str] = set()
        self._computing: list[set[str]] = []
        """What each result that is being computed has used so far, the outermost first."""

    def __enter__(self) -> Self:
        self.partial = False
        self._used.clear()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.folder is None or kind is not None or self.partial:
            return
        for path in self.folder.glob("[0-9a-f]*"):
            if path.name not in self._used:
                path.unlink(missing_ok=True)

    def find(self, dependencies: Iterable[str]) -> Any:
        """Return the cached result for these dependencies; None if there is none."""
        name = _name(dependencies)
        found = _read(self.folder / name) if self.folder else None
        if found is None:
            return None
        self._use(name, *found[0])
        return found[1]

    def keep(self, dependencies: Iterable[str], result: Any) -> None:
        """Store a result that was computed elsewhere."""
        if self.folder:
            name = _name(dependencies)
            self._write(self.folder / name, ([], result))
            self._use(name)

    def get(self, dependencies: Iterable[str], compute: Callable[[], T]) -> T:
        """Return the cached result for these dependencies, or compute and store it: text, bytes, or a dict of them."""
        if self.folder is None:
            return compute()
        path = self.folder / _name(dependencies)
        found = _read(path)
        if found is None:
            used = set[str]()
            self._computing.append(used)
            try:
                result = compute()
            finally:
                self._computing.pop()
            found = sorted(used), result
            self._write(path, found)
        self._use(path.name, *found[0])
        return found[1]

    def _use(self, *names: str) -> None:
        self._used.update(names)
        for used in self._computing:
            used.update(names)

    def _write(self, path: Path, found: tuple[list[str], Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, durable=False) as stream:  # another build may read it
            stream.write(_with_digest(found))

    def touch(self, dependencies: Iterable[str]) -> None:
        """Keep a cached result that is not read."""
        self._use(_name(dependencies))

    def has(self, dependencies: Iterable[str]) -> bool:
        """Return whether a result for these dependencies is cached, to avoid recomputing it."""
        return self.folder is not None and (self.folder / _name(dependencies)).exists()


def _name(dependencies: Iterable[str]) -> str:
    return digest(json.dumps(list(dependencies)))


def _read(path: Path) -> tuple[list[str], Any] | None:
    """Return the names of the results that a result was computed from, and itself; None if absent or damaged."""
    with suppress(OSError):
        data = memoryview(path.read_bytes())
        if data[:DIGEST_SIZE] == hashlib.sha256(data[DIGEST_SIZE:]).digest():
            names, result = msgpack.decode(data[DIGEST_SIZE:])
            return names, result
    return None


def _with_digest(found: tuple[list[str], Any]) -> bytes:
    data = msgpack.encode(found)
    return hashlib.sha256(data).digest() + data


@cache
def code_fingerprint(room: str = "") -> str:
    """Return a fingerprint of the package's files, the Python version and the versions of all installed packages.

    With a room, such as ``site/theme``, only the files below it count.
    """
    files = (path for path in files_below(PACKAGE / room) if path.suffix != ".pyc")
    return fingerprint(files, room, platform.python_version(), *installed(), below=PACKAGE)


@cache
def installed() -> list[str]:
    """Return the name and version of every installed package, as the names of their folders tell them."""
    places = [Path(place) for place in sys.path if place]
    return sorted({path.name for place in places if place.is_dir() for path in place.glob("*.dist-info")})


def fingerprint(files: Iterable[Path], *more: str, below: Path | None = None) -> str:
    """Return a fingerprint of the names and bytes of files, and of further texts.

    Files below a folder are named from there, so that a project can be copied with its cache.
    """
    named = {str(path.relative_to(below) if below else path): path for path in files}
    sums = [(name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in named.items()]
    return digest(json.dumps([sums, more]))


def files_below(folder: Path) -> list[Path]:
    """Return every file below a folder, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def digest(text: str | bytes) -> str:
    """Return the SHA-256 of a text in UTF-8, or of bytes."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()
