"""What one worker takes at a time: a file, or some of the documents of a long one."""

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

CUT = 1 << 20
"""Bytes from which on a file is cut. It is the same for any number of workers, so that all find the same."""
MOST_LINES = 1 << 23
"""Behind so many lines a file is not cut any more: a piece is read behind as many empty lines."""
BLOCK = 1 << 20
BOUNDARY = re.compile(rb'\}[ \t\r]*\n(?=\{\s{0,100}"(?:' + "|".join(schema()["properties"]).encode() + rb')")')
"""Between two documents, and never in one: no object follows another without a comma, and no text has a bare
line break. It is also where the reader goes on behind a broken document."""
OVERLAP = 256


class Changed(OSError):
    """A file that is not what it was when the run began."""


@dataclass(frozen=True)
class Piece:
    """Documents that lie together in one file."""

    source: Source
    start: int
    end: int
    line: int = 1
    """Of the file, at which it starts."""

    @cached_property
    def key(self) -> str:
        """A short name that no other piece has, nor the same piece of a file that has changed."""
        said = repr((self.source.name, self.source.address, self.source.version, self.start, self.end))
        return blake2b(said.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()

    @property
    def size(self) -> int:
        """In bytes, as the file holds them."""
        return self.end - self.start

    @property
    def place(self) -> str:
        """Where it begins."""
        return self.source.name if self.whole else f"{self.source.name}:{self.line}"

    @property
    def whole(self) -> bool:
        """Whether it is all of its file."""
        return self.start == 0 and self.end == self.source.size


def pieces(found: Iterable[Source], cut: int = CUT) -> Iterator[Piece]:
    """All pieces of the files, in their order. Only a plain local file is cut: nothing else is quick to look into."""
    for source in found:
        if source.size <= cut * 3 // 2 or not source.local or _packed(source):
            yield Piece(source, 0, source.size)
        else:
            yield from _cut(source, cut)


def _packed(source: Source) -> bool:
    try:
        with Path(source.address).open("rb") as stream:
            return stream.read(4).startswith((GZIP, ZSTD))
    except OSError:  # whoever scores it will say so
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
    """The first place from ``at`` on where a document begins."""
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
    """The documents of a piece, each at its place in the file. Raises ``OSError`` where it cannot be read."""
    with _opened(piece) as stream:
        yield from readings(stream, piece.source.name, limit=limit)


@contextmanager
def _opened(piece: Piece) -> Iterator[IO[bytes]]:
    if is_address(piece.source.address):
        with import_module("fsspec").open(piece.source.address, "rb") as stream:
            yield io.BufferedReader(_Part(stream, None))
        return
    with Path(piece.source.address).open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        if size != piece.source.size:
            raise Changed(f"the file has changed: found {size} bytes, expected {piece.source.size} as at the start")
        stream.seek(piece.start)
        yield io.BufferedReader(_Part(stream, piece.size, piece.line - 1))


class _Part(io.RawIOBase):
    """Some bytes of a stream, behind as many empty lines as the file has before them."""

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
