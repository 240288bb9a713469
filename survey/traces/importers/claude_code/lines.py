"""A log of JSON Lines that is read along once, and again where one of its records is asked for.

A session may be longer than the memory. What stays of a record is where it stands; most of its bytes are results of
tools, of which a trace holds a hash.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO, Any, NamedTuple

import msgspec

from survey.traces.files import GZIP, ZSTD, BadPacking, unpacked
from survey.traces.importers.log import BadLog, Log

BOM = b"\xef\xbb\xbf"
"""What some programs write before the first line."""

AT_ONCE = 1 << 18
"""Bytes that are read at a time; with the usual 8 kB, less than two records, lines took four times as long."""

_decoded = msgspec.json.Decoder().decode


class Line(NamedTuple):
    """A line, and where in the log it stands."""

    number: int
    start: int
    size: int
    fields: Any


class Lines:
    """The records of a log file. A packed one, and one from standard input, is kept in memory as it is."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept = log.data
        self.unreadable = 0
        """Lines found to be no JSON object; an importer records them as lost."""

    def __iter__(self) -> Iterator[Line]:
        """The objects in file order, as ``Log.records`` gives them. Raises ``BadLog`` where nothing can be unpacked."""
        self.unreadable = 0
        for line in self.values():
            if isinstance(line.fields, dict):
                yield line
            else:
                self.unreadable += 1

    def values(self) -> Iterator[Line]:
        """What stands on each line that is not blank; ``None`` where that is no JSON."""
        start = 0
        with self._opened() as stream:
            for number, line in enumerate(stream, 1):
                value = _value(line.removeprefix(BOM) if number == 1 else line)
                if value is not msgspec.UNSET:
                    yield Line(number, start, len(line), value)
                start += len(line)

    def again(self, start: int, size: int) -> Mapping[str, Any]:
        """The object that stands there. Raises ``BadLog`` where the file is no longer the one that was read."""
        if self._kept is not None:
            line = self._kept[start : start + size]
        else:
            with self._log.path.open("rb", buffering=0) as stream:
                stream.seek(start)
                line = stream.read(size)
        value = _value(line.removeprefix(BOM) if not start else line)
        if not isinstance(value, dict):
            raise BadLog(f"{self._log.path.name}: changed while it was read (expected a log that only grows)")
        return value

    def _opened(self) -> IO[bytes]:
        if self._kept is None:
            stream = io.BufferedReader(self._log.path.open("rb", buffering=0), AT_ONCE)
            if not stream.peek(4).startswith((GZIP, ZSTD)):
                return stream
            with stream:
                self._kept = stream.read()
        try:
            self._kept = unpacked(self._kept, self._log.path.name)
        except BadPacking as error:
            raise BadLog(str(error)) from None
        return io.BytesIO(self._kept)


def opening(log: Log, number: int = 20) -> list[Mapping[str, Any]]:
    """What ``log.opening`` gives, and of a log of JSON Lines not a line more is read."""
    if log.is_folder:
        return []
    values = (line.fields for line in Lines(log).values())
    first = next(values, None)
    if not isinstance(first, dict):
        return log.opening(number)
    return [first, *islice((value for value in values if isinstance(value, dict)), number - 1)]


def _value(line: bytes) -> Any:
    """What stands on a line: what ``json.loads`` makes of its text, ``None`` of what is no JSON, ``UNSET`` of blanks.

    Whatever msgspec takes it takes as ``json.loads`` does, in half the time; it refuses more (``NaN``, numbers
    beyond a float, halves of surrogate pairs, bytes that are no UTF-8), which logs hold.
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
