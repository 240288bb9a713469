"""A log of JSON Lines that is streamed once, with random access to its records afterwards.

A session may exceed the memory, so only the position of a record is stored; most of its bytes are tool results,
of which a trace holds a hash.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO, Any, NamedTuple

import msgspec

from survey.traces.files import GZIP, ZSTD
from survey.traces.importers.log import BadLog, Log

BOM = b"\xef\xbb\xbf"
"""The byte order mark that some programs write before the first line."""

AT_ONCE = 1 << 18
"""The size of the read buffer in bytes; with the usual 8 kB, less than two records, lines took four times as long."""

_decoded = msgspec.json.Decoder().decode


class Line(NamedTuple):
    """A line and its position in the log."""

    number: int
    start: int
    size: int
    fields: Any


class Lines:
    """The records of a log file. A packed file, and standard input, is held in memory."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._data = log.data
        self.unreadable = 0
        """Number of lines that are not JSON objects; an importer reports them as lost."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the objects in file order, like ``Log.records``. Raises ``BadLog`` if the file cannot be unpacked."""
        self.unreadable = 0
        for line in self.values():
            if isinstance(line.fields, dict):
                yield line
            else:
                self.unreadable += 1

    def values(self) -> Iterator[Line]:
        """Yield the value of each line that is not blank; ``None`` if it is not JSON."""
        start = 0
        with self._opened() as stream:
            for number, line in enumerate(stream, 1):
                value = _value(line.removeprefix(BOM) if number == 1 else line)
                if value is not msgspec.UNSET:
                    yield Line(number, start, len(line), value)
                start += len(line)

    def again(self, start: int, size: int) -> Mapping[str, Any]:
        """Read the object at a position again. Raises ``BadLog`` if the file has changed."""
        if self._data is not None:
            line = self._data[start : start + size]
        else:
            with self._log.path.open("rb", buffering=0) as stream:
                stream.seek(start)
                line = stream.read(size)
        value = _value(line.removeprefix(BOM) if not start else line)
        if not isinstance(value, dict):
            raise BadLog(f"{self._log.path.name}: changed while it was read (expected a log that only grows)")
        return value

    def _opened(self) -> IO[bytes]:
        if self._data is None:
            stream = io.BufferedReader(self._log.path.open("rb", buffering=0), AT_ONCE)
            if not stream.peek(4).startswith((GZIP, ZSTD)):
                return stream
            with stream:
                self._data = stream.read()
        self._data = self._log.unpacked(self._data)
        return io.BytesIO(self._data)


def opening(log: Log, number: int = 20) -> list[Mapping[str, Any]]:
    """Return the same as ``log.opening``, but read no more lines of a JSON Lines log than needed."""
    if log.is_folder:
        return []
    values = (line.fields for line in Lines(log).values())
    first = next(values, None)
    if not isinstance(first, dict):
        return log.opening(number)
    return [first, *islice((value for value in values if isinstance(value, dict)), number - 1)]


def _value(line: bytes) -> Any:
    """Return the value of a line as ``json.loads`` does; ``None`` if it is not JSON, ``UNSET`` if it is blank.

    msgspec decodes what it accepts like ``json.loads``, in half the time; it rejects more (``NaN``, numbers beyond
    a float, halves of surrogate pairs, invalid UTF-8), which occurs in logs.
    """
    try:
        return _decoded(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        text = line.decode("utf-8", "replace")
    if not text.strip():
        return msgspec.UNSET
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
