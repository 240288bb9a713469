"""The journal of finished pieces, from which a run that was killed resumes.

The first line of the file holds the request. Then each piece follows, in order of completion: a line with its
key, the number of its rows and bytes and a checksum, then its rows. An incomplete piece at the end, left by a
kill, is truncated when the file is opened again.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import IO

from survey import __version__
from survey.traces.scoring.rows import Request
from survey.traces.scoring.work import PieceResult

FORMAT = "survey-scores-1"
NO_JOURNAL = "not a journal of scores; move it away, or name another output"


class JournalConflict(ValueError):
    """A journal of a different request, or one that another run is writing."""


@dataclass(frozen=True, slots=True)
class Location:
    """The position of the rows of a piece in the journal."""

    at: int
    size: int
    rows: int
    bad: int


class Journal:
    """The rows of each piece, by its key. Without a path the journal lasts as long as the process."""

    def __init__(self, path: Path | None, request: Request, *, restart: bool = False) -> None:
        """Open or create the journal. Raises ``JournalConflict`` instead of mixing or losing results."""
        self.path = path
        self.request = request if request.salt is not None else replace(request, salt=token_hex(16))
        """The request; its salt, if none was given, is that of the run that is resumed."""
        self._locations: dict[str, Location] = {}
        self._file: IO[bytes] = tempfile.TemporaryFile() if path is None else _locked(path)  # noqa: SIM115
        try:
            if restart:
                self._file.truncate(0)
            self._resume(request)
        except BaseException:
            self._file.close()
            raise
        self.resumed = len(self._locations)

    def __contains__(self, key: str) -> bool:
        return key in self._locations

    def __len__(self) -> int:
        return len(self._locations)

    def __getitem__(self, key: str) -> Location:
        return self._locations[key]

    def add(self, done: PieceResult) -> None:
        """Append a piece, unless it is already stored."""
        if done.key in self._locations:
            return
        note = {"piece": done.key, "rows": done.rows, "bad": done.bad, "size": len(done.data)}
        line = json.dumps({**note, "crc": zlib.crc32(done.data)}).encode() + b"\n"
        at = self._file.seek(0, os.SEEK_END)
        self._file.write(line + done.data)
        self._file.flush()
        self._locations[done.key] = Location(at + len(line), len(done.data), done.rows, done.bad)

    def rows(self, keys: Iterable[str]) -> Iterator[bytes]:
        """Yield the rows of these pieces, in this order: one or more complete lines at a time."""
        for key in keys:
            location = self._locations[key]
            self._file.seek(location.at)
            yield self._file.read(location.size)

    def close(self, *, done: bool = False) -> None:
        """Close the journal; delete its file if the run is done or nothing is stored."""
        if self.path is not None and (done or not self._locations):
            self.path.unlink(missing_ok=True)
        self._file.close()

    def _resume(self, request: Request) -> None:
        self._file.seek(0)
        first = self._file.readline()
        if not first.endswith(b"\n"):  # empty, or an incomplete line
            if first and not first.startswith(b'{"journal": "'[: len(first)]):
                raise JournalConflict(f"{self.path} is {NO_JOURNAL}")
            self._file.truncate(0)
            self._file.seek(0)
            head = {"journal": FORMAT, "version": __version__, "request": self.request.to_json()}
            self._file.write(json.dumps(head).encode() + b"\n")
            self._file.flush()
            return
        self._compare(first, request)
        end = self._file.tell()
        while location := self._next():
            end = self._file.tell()
            self._locations[location[0]] = location[1]
        self._file.truncate(end)

    def _compare(self, first: bytes, request: Request) -> None:
        try:
            found = json.loads(first)
            there = {"version": found["version"], **found["request"]}
        except (ValueError, KeyError, TypeError):
            raise JournalConflict(f"{self.path} is {NO_JOURNAL}") from None
        if request.salt is None:
            self.request = replace(request, salt=there.get("salt"))
        wanted = {"version": __version__, **self.request.to_json()}
        other = [name for name in wanted if there.get(name) != wanted[name]]
        if found["journal"] != FORMAT or other:
            raise JournalConflict(
                f"{self.path} belongs to a run with different settings ({', '.join(other) or 'its format'}); "
                "repeat its settings to resume it, or give --restart to discard it"
            )

    def _next(self) -> tuple[str, Location] | None:
        """Return the next piece; None at the end of the file or at an incomplete piece."""
        try:
            line = self._file.readline()
            note = json.loads(line)
            at = self._file.tell()
            data = self._file.read(note["size"])
            if line.endswith(b"\n") and len(data) == note["size"] and zlib.crc32(data) == note["crc"]:
                return note["piece"], Location(at, len(data), note["rows"], note["bad"])
        except (ValueError, KeyError, TypeError):
            pass
        return None


def _locked(path: Path) -> IO[bytes]:
    """Open the file with an exclusive lock."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            with suppress(ImportError):  # there are no such locks on Windows
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise JournalConflict(f"another run is writing {path}; wait for it, or name another output") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # the run that held it has finished and deleted it
