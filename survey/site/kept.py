"""What took long to make, kept between builds in a folder of the project, each under what it was made of.

What is kept is never out of date: whatever it depends on is part of its name, and one that was
damaged on the disk is made anew. A process builds one site at a time.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, TypeVar

from msgspec import msgpack

from survey.whole import whole

PACKAGE = Path(__file__).parent.parent

T = TypeVar("T")

SEAL = hashlib.sha256().digest_size

_folder: Path | None = None
_used: set[str] = set()


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Keep things in a folder for as long as the block lasts; what it did not ask for is dropped when it ends well."""
    global _folder
    _folder = folder
    _used.clear()
    try:
        yield
        for path in folder.glob("[0-9a-f]*"):
            if path.name not in _used:
                path.unlink(missing_ok=True)
    finally:
        _folder = None


def made(made_of: Iterable[str], make: Callable[[], T]) -> T:
    """What ``make`` gives, or gave when it was made of the same: a text, bytes, or a dictionary of them."""
    folder = _folder
    if folder is None:
        return make()
    path = folder / _name(made_of)
    before = frozenset(_used)
    found = _found(path)
    if found is None:
        thing = make()
        found = sorted(_used - before), thing
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path, lasting=False) as stream:  # another build may read it
            stream.write(_sealed(found))
    _used.update(found[0], {path.name})
    return found[1]


def has(made_of: Iterable[str]) -> bool:
    """Whether there is something that was made of this, so that nobody need begin to make it."""
    return _folder is not None and (_folder / _name(made_of)).exists()


def _name(made_of: Iterable[str]) -> str:
    return _digest(json.dumps(list(made_of)))


def _found(path: Path) -> tuple[list[str], Any] | None:
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
