"""What a process has read of a folder, so that it reads again only what has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from survey.literature.bibtex import Known
from survey.literature.pool import Checked
from survey.literature.taxonomy import Taxonomy

T = TypeVar("T")

FOLDERS = 4
"""How many folders a process remembers: one that compares surveys reads a few."""


class Memory:
    """What was read from one folder: it is read again only if the files, or what else it depends on, have changed."""

    def __init__(self) -> None:
        self.blocks: Known = {}
        self.checked: Checked = {}
        self.taxonomy: Taxonomy | None = None
        """The taxonomy against which entries were checked."""
        self._parts: dict[tuple[str, str], tuple[tuple[object, ...], Any]] = {}

    @classmethod
    def of(cls, folder: Path) -> Memory:
        """Return the memory that this process has of a folder, by the path under which problems name it."""
        return _memory(folder, folder.absolute())

    def get(self, read: Callable[..., T], path: Path, *given: object, beside: Path | None = None) -> T:
        """Return ``read(path, *given)``, which reads this file or folder, and perhaps one beside it."""
        now = (_content(path), _content(beside) if beside else "", *given)
        name = read.__qualname__, str(path)
        last = self._parts.get(name)
        if last is None or last[0] != now:
            last = self._parts[name] = now, read(path, *given)
        found: T = last[1]
        return found


@lru_cache(maxsize=FOLDERS)
def _memory(shown: Path, folder: Path) -> Memory:
    return Memory()


def _content(path: Path) -> str:
    """Return a digest of a file, or of all files of a folder with their names, and of why one cannot be read."""
    digest = hashlib.sha256()
    try:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
    except OSError as error:
        return str(error)
    for file in files:
        digest.update(f"{file}\0".encode())
        try:
            digest.update(b"" if file.is_dir() else file.read_bytes())
        except OSError as error:
            digest.update(str(error).encode())
    return digest.hexdigest()
