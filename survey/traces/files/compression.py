"""Gzip and Zstandard decompression, with detection by magic number and protection against bombs.

A few kilobytes can decompress to gigabytes. Logs shrink by a factor of ten to fifty; a file that
expands by a factor of hundreds is a decompression bomb and is refused.
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
"""Decompressed size that is always allowed: a small file of blanks does no harm."""

PIECE = 1 << 20

RATIO = 250
"""Maximum ratio of decompressed to compressed size beyond that."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class DecompressionError(ValueError):
    """Raised for a compressed file that cannot be decompressed."""


def opened(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream of the decompressed bytes of a stream, compressed or not; it need not be seekable."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    start = buffered.peek(4)
    if start.startswith(GZIP):
        counted = _Counted(buffered)
        return cast(IO[bytes], SizeLimited(gzip.GzipFile(fileobj=cast(IO[bytes], counted)), lambda: counted.number))
    if start.startswith(ZSTD):
        counted = _Counted(buffered)
        return cast(IO[bytes], SizeLimited(zstd.ZstdFile(cast(IO[bytes], counted)), lambda: counted.number))
    return buffered


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.number = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.number += len(data)
        return data


class SizeLimited:
    """A decompressed stream with a limit relative to the compressed size.

    Raises ``DecompressionError`` once the output is far larger than that of any real text.
    """

    def __init__(self, stream: Any, taken: Callable[[], int]) -> None:
        self._stream, self._taken, self._given = stream, taken, 0

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes, or everything."""
        if size < 0:
            return b"".join(iter(lambda: self.read(PIECE), b""))
        data: bytes = self._stream.read(size)
        self._given += len(data)
        if self._given > max(LARGE, RATIO * self._taken()):
            raise DecompressionError(
                f"it unpacks to more than {RATIO} times its size, as no genuine log does (if it is genuine, unpack it)"
            )
        return data


def decompressed(data: bytes, name: str) -> bytes:
    """Return the decompressed bytes of a file, compressed or not. Raises ``DecompressionError``."""
    try:
        return opened(io.BytesIO(data)).read() if data.startswith((GZIP, ZSTD)) else data
    except (OSError, EOFError, zlib.error, zstd.ZstdError, DecompressionError) as error:
        raise DecompressionError(f"{name}: cannot be unpacked ({error})") from None
