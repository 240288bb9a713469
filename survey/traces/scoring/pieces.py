"""Pieces, the units of work: a whole file, or consecutive documents of a long file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from survey.traces.files import GZIP, ZSTD, Reading, readings
from survey.traces.model import schema
from survey.traces.scoring.corpus import Source, is_address

PIECE_SIZE = 1 << 20
"""The target size of a piece in bytes. It does not depend on the number of workers, so that the rows do not."""
MOST_LINES = 1 << 23
"""A file is not split beyond this line: a reader is fed as many empty lines before a piece, to count lines."""
BLOCK = 1 << 20
BOUNDARY = re.compile(rb'\}[ \t\r]*\n(?=\{\s{0,100}"(?:' + "|".join(schema()["properties"]).encode() + rb')")')
"""The boundary between two documents. It never occurs inside one: within a document a comma separates objects,
and no string has a bare line break. The reader also resumes here after a broken document."""
OVERLAP = 256


class FileChanged(OSError):
    """A file that has changed since the start of the run."""


@dataclass(frozen=True)
class Piece:
    """Consecutive documents of one file."""

    source: Source
    start: int
    end: int
    line: int = 1
    """The line of the file at which the piece starts."""

    @cached_property
    def key(self) -> str:
        """A short unique name; it changes when the file changes."""
        fingerprint = repr((self.source.name, self.source.address, self.source.version, self.start, self.end))
        return blake2b(fingerprint.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()

    @property
    def size(self) -> int:
        """The size in bytes, packed if the file is packed."""
        return self.end - self.start

    @property
    def place(self) -> str:
        """The file name, with a line number unless the piece is the whole file."""
        return self.source.name if self.whole else f"{self.source.name}:{self.line}"

    @property
    def whole(self) -> bool:
        """Whether the piece is its whole file."""
        return self.start == 0 and self.end == self.source.size


def pieces(found: Iterable[Source], cut: int = PIECE_SIZE) -> Iterator[Piece]:
    """Yield all pieces of the files, in order. Only a plain local file is split: others allow no cheap seeking."""
    for source in found:
        if source.size <= cut * 3 // 2 or not source.local or _packed(source):
            yield Piece(source, 0, source.size)
        else:
            yield from _cut(source, cut)


def _packed(source: Source) -> bool:
    try:
        with Path(source.address).open("rb") as stream:
            return stream.read(4).startswith((GZIP, ZSTD))
    except OSError:  # scoring the file reports the error
        return True


def _cut(source: Source, cut: int) -> Iterator[Piece]:
    start, line = 0, 1
    with Path(source.address).open("rb") as stream:
        while source.size - start > cut * 3 // 2 and line < MOST_LINES:
            end = _boundary(stream, start + cut, source.size)
            if end is None:
                break
            yield Piece(source, start, end, line)
            line += _lines(stream, start, end)
            start = end
    yield Piece(source, start, source.size, line)


def _boundary(stream: IO[bytes], at: int, size: int) -> int | None:
    """Return the first position from ``at`` on at which a document starts."""
    while at < size:
        stream.seek(at)
        block = stream.read(BLOCK + OVERLAP)
        if match := BOUNDARY.search(block):
            return at + match.end()
        at += BLOCK
    return None


def _lines(stream: IO[bytes], start: int, end: int) -> int:
    stream.seek(start)
    found = 0
    while start < end and (block := stream.read(min(BLOCK, end - start))):
        found, start = found + block.count(b"\n"), start + len(block)
    return found


def readings_in(piece: Piece, limit: int) -> Iterator[Reading]:
    """Yield the documents of a piece, with their places in the file. Raises ``OSError`` if it cannot be read."""
    with _opened(piece) as stream:
        yield from readings(stream, piece.source.name, limit=limit)


def opening(piece: Piece) -> bytes:
    """Return the content of the file of a piece or, if it is split, its first lines."""
    whole = Piece(piece.source, 0, piece.source.size)
    with _opened(whole) as stream:
        return stream.read() if piece.whole else stream.read(BLOCK).rpartition(b"\n")[0]


@contextmanager
def _opened(piece: Piece) -> Iterator[IO[bytes]]:
    if is_address(piece.source.address):
        with import_module("fsspec").open(piece.source.address, "rb") as stream:
            yield io.BufferedReader(_Part(stream, None))
        return
    with Path(piece.source.address).open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        if size != piece.source.size:
            raise FileChanged(f"the file has changed: found {size} bytes, expected {piece.source.size} as at the start")
        stream.seek(piece.start)
        yield io.BufferedReader(_Part(stream, piece.size, piece.line - 1))


class _Part(io.RawIOBase):
    """A section of a stream, preceded by as many empty lines as precede it in the file."""

    def __init__(self, stream: IO[bytes], size: int | None, before: int = 0) -> None:
        self._stream, self._left, self._before = stream, size, before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._before:
            data = b"\n" * min(self._before, len(buffer))
            self._before -= len(data)
        else:
            data = self._stream.read(len(buffer) if self._left is None else min(self._left, len(buffer)))
            self._left = None if self._left is None else self._left - len(data)
        buffer[: len(data)] = data
        return len(data)
