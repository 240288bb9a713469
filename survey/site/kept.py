"""What took long to make, kept between builds in a folder of the project, each under what it was made of.

A kept text is never out of date: whatever it depends on is part of its name, and one that was
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

from survey.whole import whole

PACKAGE = Path(__file__).parent.parent

_folder: Path | None = None
_used: set[str] = set()


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Keep texts in a folder for as long as the block lasts; what it did not ask for is dropped when it ends well."""
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


def text(made_of: Iterable[str], make: Callable[[], str]) -> str:
    """What ``make`` gives, or gave when it was made of the same."""
    folder = _folder
    if folder is None:
        return make()
    path = folder / _name(made_of)
    before = frozenset(_used)
    found = _found(path)
    if found is None:
        made = make()
        found = _used - before, made
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path, lasting=False) as stream:  # another build may read it
            stream.write(_sealed(*found).encode("utf-8"))
    _used.update(found[0], {path.name})
    return found[1]


def has(made_of: Iterable[str]) -> bool:
    """Whether there is a text that was made of this, so that nobody need begin to make it."""
    return _folder is not None and (_folder / _name(made_of)).exists()


def _name(made_of: Iterable[str]) -> str:
    return _digest(json.dumps(list(made_of)))


def _found(path: Path) -> tuple[Iterable[str], str] | None:
    """The names of the texts that a text was made with, and itself; None if it is not there, or damaged."""
    with suppress(OSError, UnicodeDecodeError, ValueError):
        digest, rest = path.read_bytes().decode("utf-8").split("\n", 1)
        if digest == _digest(rest):
            names, made = rest.split("\n", 1)
            return names.split(), made
    return None


def _sealed(names: Iterable[str], made: str) -> str:
    rest = f"{' '.join(sorted(names))}\n{made}"
    return f"{_digest(rest)}\n{rest}"


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
