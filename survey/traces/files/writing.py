"""Writer for trace files: JSON Lines, compressed if the file name says so."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

import msgspec

from survey import garbage_collection
from survey.traces.model import Trace

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def to_json_line(trace: Trace) -> bytes:
    """Return the trace as one line of JSON, without the line break."""
    with garbage_collection.paused():  # none of these objects is garbage yet
        events = [event if event.other is None else event.to_json() for event in trace]  # most need no conversion
        edges = [edge.to_json() for edge in trace.edges]
        return msgspec.json.encode({**trace.head, "events": events, "edges": edges})


def _compressing(name: str, stream: IO[bytes]) -> IO[bytes]:
    """Return a stream that compresses what is written to it if the name ends in .gz or .zst.

    Equal content gives equal bytes: the file contains no time and no name.
    """
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=stream, mode="wb", mtime=0, filename="")  # type: ignore[return-value]
    if name.endswith(".zst"):
        return zstd.ZstdFile(stream, "wb")  # type: ignore[return-value]
    return stream


@contextmanager
def write_compressed(path: Path | str) -> Iterator[IO[bytes]]:
    """Open a file for atomic writing, compressed if its name says so; an error in the block discards it."""
    from survey.atomic import atomic_write

    with atomic_write(path) as plain:
        stream = _compressing(str(path), plain)
        with nullcontext() if stream is plain else stream:
            yield stream


def write(traces: Iterable[Trace], path: Path | str) -> int:
    """Write traces to a file atomically, one per line, and return their number."""
    number = 0
    with write_compressed(path) as stream:
        for trace in traces:
            stream.write(to_json_line(trace) + b"\n")
            number += 1
    return number
