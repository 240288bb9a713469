"""Traces into files: one document, or one on each line; packed if the name asks for it."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

import msgspec

from survey import garbage_collection
from survey.atomic import whole
from survey.traces.model import Trace

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def dumped(trace: Trace) -> bytes:
    """The trace as one line of JSON."""
    with garbage_collection.paused():  # all that is made here is needed here
        events = [event if event.other is None else event.to_json() for event in trace]  # most are written as they are
        edges = [edge.to_json() for edge in trace.edges]
        return msgspec.json.encode({**trace.head, "events": events, "edges": edges})


def packed_for(name: str, stream: IO[bytes]) -> IO[bytes]:
    """A stream that packs what is written to it if the name ends in .gz or .zst.

    The same content gives the same bytes: no time and no name goes into the file.
    """
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=stream, mode="wb", mtime=0, filename="")  # type: ignore[return-value]
    if name.endswith(".zst"):
        return zstd.ZstdFile(stream, "wb")  # type: ignore[return-value]
    return stream


@contextmanager
def packed_whole(path: Path | str) -> Iterator[IO[bytes]]:
    """A stream to a file, packed if its name says so, that takes its place when the block ends without an error."""
    with whole(path) as plain:
        stream = packed_for(str(path), plain)
        with nullcontext() if stream is plain else stream:
            yield stream


def write(traces: Iterable[Trace], path: Path | str) -> int:
    """Write traces to a file, whole or not at all, one on each line; their number."""
    number = 0
    with packed_whole(path) as stream:
        for trace in traces:
            stream.write(dumped(trace) + b"\n")
            number += 1
    return number
