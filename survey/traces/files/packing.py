"""Gzip and Zstandard, told by their first bytes.

A few kilobytes can be made to unpack to gigabytes. Logs shrink by a factor of ten to fifty; what
unpacks to hundreds of times its size was made to fill a memory, and is refused.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LARGE = 1 << 24
"""So much may be unpacked of anything: a small file of nothing but blanks does no harm."""

PIECE = 1 << 20

RATIO = 250
"""Beyond that, what comes out may be so many times as large as what went in."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class BadPacking(ValueError):
    """A packed file that cannot be unpacked."""


def opened(stream: IO[bytes]) -> IO[bytes]:
    """A stream of the plain bytes behind a stream that may be packed; it need not be seekable."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    start = buffered.peek(4)
    if start.startswith(GZIP):
        counted = _Counted(buffered)
        return cast(IO[bytes], Measured(gzip.GzipFile(fileobj=cast(IO[bytes], counted)), lambda: counted.number))
    if start.startswith(ZSTD):
        counted = _Counted(buffered)
        return cast(IO[bytes], Measured(zstd.ZstdFile(cast(IO[bytes], counted)), lambda: counted.number))
    return buffered


class _Counted:
    """A stream that counts what is read of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.number = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.number += len(data)
        return data


class Measured:
    """What comes out of a packing, held against what went in.

    Raises ``BadPacking`` once far more comes out than any text would give.
    """

    def __init__(self, stream: Any, taken: Callable[[], int]) -> None:
        self._stream, self._taken, self._given = stream, taken, 0

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all that there are."""
        if size < 0:
            return b"".join(iter(lambda: self.read(PIECE), b""))
        data: bytes = self._stream.read(size)
        self._given += len(data)
        if self._given > max(LARGE, RATIO * self._taken()):
            raise BadPacking(
                f"it unpacks to more than {RATIO} times its size, as no log does (if it is right, unpack it by hand)"
            )
        return data


def unpacked(data: bytes, name: str) -> bytes:
    """The plain bytes of a file that may be packed."""
    try:
        return opened(io.BytesIO(data)).read() if data.startswith((GZIP, ZSTD)) else data
    except (OSError, EOFError, zlib.error, zstd.ZstdError, BadPacking) as error:
        raise BadPacking(f"{name}: cannot be unpacked ({error})") from None
