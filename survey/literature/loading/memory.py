"""A memory for a process that reads the same folder again and again, such as a server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from survey.literature.bibtex import Known
from survey.literature.pool import Checked
from survey.literature.taxonomy import Taxonomy

T = TypeVar("T")


class Memory:
    """What was read from files, which is read again only if the files, or what else it depends on, have changed."""

    def __init__(self) -> None:
        self.blocks: Known = {}
        self.checked: Checked = {}
        self.taxonomy: Taxonomy | None = None
        """The taxonomy against which entries were checked."""
        self._parts: dict[tuple[str, str], tuple[tuple[object, ...], Any]] = {}

    def get(self, read: Callable[..., T], path: Path, *given: object, beside: Path | None = None) -> T:
        """Return ``read(path, *given)``, which reads this file or folder, and perhaps one beside it."""
        now = (_content(path), _content(beside) if beside else "", *given)
        name = read.__qualname__, str(path)
        last = self._parts.get(name)
        if last is None or last[0] != now:
            last = self._parts[name] = now, read(path, *given)
        found: T = last[1]
        return found


def _content(path: Path) -> str:
    """Return a digest of a file, or of all files of a folder with their names; empty if there is neither."""
    digest = hashlib.sha256()
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                digest.update(f"{file}\0".encode())
                if file.is_file():
                    digest.update(file.read_bytes())
        else:
            digest.update(path.read_bytes())
    except OSError:
        return ""
    return digest.hexdigest()
