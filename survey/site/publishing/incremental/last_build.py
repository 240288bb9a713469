"""The last build of a site: its files that are still right are linked into the next one, and not written again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import msgpack

from survey.atomic import atomic_write

State = tuple[str, int, int]
"""What a file was made of, its size, and when it was written."""


@dataclass(frozen=True)
class LastBuild:
    """The files that the last build left in the folder of a site, and what else it left to the next."""

    site: str
    files: Mapping[str, State] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, site: str, record: Path) -> LastBuild:
        """Return what the last build has recorded; nothing if it was of another folder, or cannot be read."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            found = msgpack.decode(record.read_bytes())
            if found["site"] == site:
                return cls(site, {path: tuple(state) for path, state in found["files"].items()}, found["about"])
        return cls(site)

    def write(self, record: Path) -> None:
        """Record this for the next build."""
        with atomic_write(record, durable=False) as stream:
            stream.write(msgpack.encode({"site": self.site, "files": self.files, "about": self.about}))


class SiteFiles:
    """The files of one build of a site, written to ``folder`` or linked there from where the last build left them.

    A file of the last build is used only if nobody has touched it since. With ``stay`` it stays where it is: what is
    written to ``folder`` joins it.
    """

    def __init__(self, last: LastBuild, folder: str, *, stay: bool = False) -> None:
        self.last, self.folder, self.stay = last, Path(folder), stay
        self._made_of: dict[str, str] = {}
        self._folders: set[Path] = set()

    def put(self, path: str, made_of: str, content: Callable[[], str | bytes]) -> None:
        """Put a file into the folder; its content is asked for only if the last build did not leave it."""
        self.note(path, made_of)
        target, left = self.folder / path, Path(self.last.site, path)
        is_left = path in self.last.files and self.last.files[path] == _state(left, made_of)
        if is_left and self.stay:
            return
        if target.parent not in self._folders:
            self._folders.add(target.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
        if is_left:
            with suppress(OSError):  # a file system without links
                with suppress(FileExistsError):  # a build that writes where the last one did
                    target.hardlink_to(left)
                return
        data = content()
        target.write_bytes(data.encode() if isinstance(data, str) else data)

    def note(self, path: str, made_of: str) -> None:
        """Note what a file is made of that somebody else writes."""
        self._made_of[path] = made_of

    def left(self, about: Mapping[str, Any]) -> LastBuild:
        """Return what this build leaves to the next."""
        states = {path: _state(self.folder / path, names) for path, names in self._made_of.items()}
        if self.stay:
            states = {path: state or self.last.files.get(path) for path, state in states.items()}
            about = {**about, "others": self._others()}
        return LastBuild(self.last.site, {path: state for path, state in states.items() if state}, about)

    def gone(self) -> list[str]:
        """Return the files of the last build that this one does not have."""
        before = {*self.last.files, *self.last.about.get("others", ())}
        return sorted(before - self._made_of.keys() - {*self._others()})

    def _others(self) -> list[str]:
        """Return the files in the folder that somebody else wrote."""
        written = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())
        return sorted(path for path in written if path not in self._made_of)


def _state(path: Path, made_of: str) -> State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return made_of, found.st_size, found.st_mtime_ns
