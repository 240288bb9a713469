"""What was scored already, kept so that a run which was killed can be taken up.

The file begins with a line that says what was asked. Then, for each piece in the order in which they came
back, a line with its key, the number of its rows and bytes and a checksum, and then the rows. Whatever a
kill left unfinished at the end is cut off when the file is opened again.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from survey import __version__
from survey.traces.scoring.rows import Asked
from survey.traces.scoring.work import Done

FORMAT = "survey-scores-1"


class OtherJournal(ValueError):
    """A journal that answers another question, or that another run is writing."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Where the rows of a piece stand."""

    at: int
    size: int
    rows: int
    bad: int


class Journal:
    """The rows of each piece by its key. Without a path it lives as long as the process."""

    def __init__(self, path: Path | None, asked: Asked, *, anew: bool = False) -> None:
        """Open or begin it. Raises ``OtherJournal`` rather than mix or lose anything."""
        self.path = path
        self._noted: dict[str, Noted] = {}
        head = {"journal": FORMAT, "version": __version__, "asked": asked.to_json()}
        self._file: IO[bytes] = tempfile.TemporaryFile() if path is None else _locked(path)  # noqa: SIM115
        try:
            if anew:
                self._file.truncate(0)
            self._take_up(head)
        except BaseException:
            self._file.close()
            raise
        self.resumed = len(self._noted)

    def __contains__(self, key: str) -> bool:
        return key in self._noted

    def __len__(self) -> int:
        return len(self._noted)

    def __getitem__(self, key: str) -> Noted:
        return self._noted[key]

    def add(self, done: Done) -> None:
        """Note a piece, unless it is there."""
        if done.key in self._noted:
            return
        note = {"piece": done.key, "rows": done.rows, "bad": done.bad, "size": len(done.data)}
        line = json.dumps({**note, "crc": zlib.crc32(done.data)}).encode() + b"\n"
        at = self._file.seek(0, os.SEEK_END)
        self._file.write(line + done.data)
        self._file.flush()
        self._noted[done.key] = Noted(at + len(line), len(done.data), done.rows, done.bad)

    def rows(self, keys: Iterable[str]) -> Iterator[bytes]:
        """The rows of these pieces, in this order: one or many whole lines at a time."""
        for key in keys:
            noted = self._noted[key]
            self._file.seek(noted.at)
            yield self._file.read(noted.size)

    def close(self, *, done: bool = False) -> None:
        """Let go of it; one that is done, or has nothing in it, is taken away."""
        if self.path is not None and (done or not self._noted):
            self.path.unlink(missing_ok=True)
        self._file.close()

    def _take_up(self, head: dict[str, Any]) -> None:
        self._file.seek(0)
        first = self._file.readline()
        if not first.endswith(b"\n"):  # nothing, or a line that was never finished
            if first and not first.startswith(b'{"journal": "'[: len(first)]):
                raise OtherJournal(f"{self.path} is no journal of scores; move it away, or name another output")
            self._file.truncate(0)
            self._file.seek(0)
            self._file.write(json.dumps(head).encode() + b"\n")
            self._file.flush()
            return
        self._compare(first, head)
        end = self._file.tell()
        while noted := self._next():
            end = self._file.tell()
            self._noted[noted[0]] = noted[1]
        self._file.truncate(end)

    def _compare(self, first: bytes, head: dict[str, Any]) -> None:
        try:
            found = json.loads(first)
            there = {"version": found["version"], **found["asked"]}
        except (ValueError, KeyError, TypeError):
            raise OtherJournal(f"{self.path} is no journal of scores; move it away, or name another output") from None
        wanted = {"version": head["version"], **head["asked"]}
        other = [name for name in wanted if there.get(name) != wanted[name]]
        if found["journal"] != FORMAT or other:
            raise OtherJournal(
                f"{self.path} is of a run that was asked for something else ({', '.join(other) or 'its format'}); "
                "ask for the same to go on with it, or give --anew to begin anew"
            )

    def _next(self) -> tuple[str, Noted] | None:
        """The next piece; None where the file ends, or where a kill cut it off."""
        try:
            line = self._file.readline()
            note = json.loads(line)
            at = self._file.tell()
            data = self._file.read(note["size"])
            if line.endswith(b"\n") and len(data) == note["size"] and zlib.crc32(data) == note["crc"]:
                return note["piece"], Noted(at, len(data), note["rows"], note["bad"])
        except (ValueError, KeyError, TypeError):
            pass
        return None


def _locked(path: Path) -> IO[bytes]:
    """The file, open for this run alone."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            with suppress(ImportError):  # there are no such locks on Windows
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise OtherJournal(f"another run is writing {path}; wait for it, or name another output") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # the run that had it was done and took it away
