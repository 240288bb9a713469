"""Gzip and Zstandard decompression, with detection by magic number and protection against bombs.

A few kilobytes can decompress to gigabytes, and to JSON whose values need many times as much memory. Logs shrink
by a factor of ten to fifty, and need about four times their size as values; input that expands by a factor of
hundreds is a decompression bomb and is refused. All files of an import share one ``Budget``.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
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

ROOM = 1 << 27
"""Memory for values that is always allowed."""

ROOM_RATIO = 2 * RATIO
"""Maximum ratio of the memory for values to the compressed size beyond that; a log of 300 turns, which repeats all
earlier messages in each, reaches 280."""

VALUES = {b"{": 200, b"[": 64, b",": 32, b"\n": 32}
"""Bytes of memory for the values of a JSON text, by the signs in it: objects, lists, and what is in them."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class DecompressionError(ValueError):
    """Raised for a compressed file that cannot be decompressed."""


@dataclass
class Use:
    """What was read of a compressed file, and what came of it."""

    packed: int = 0
    unpacked: int = 0
    room: int = 0
    """Estimated memory for the values, if it is JSON."""


class Budget:
    """The limits of one import: those of a single file, but for all its compressed files together."""

    def __init__(self) -> None:
        self._files: dict[str, Use] = {}
        self._total = Use()

    def start(self, name: str) -> None:
        """Begin to read a file, perhaps again: what it took before is given back."""
        self._add(self._files.pop(name, Use()), -1)

    def take(self, name: str, use: Use) -> None:
        """Add what was read of a file. Raises ``DecompressionError`` if that is too much."""
        own = self._files.setdefault(name, Use())
        for part in vars(use):
            setattr(own, part, getattr(own, part) + getattr(use, part))
        self._add(use, 1)
        total = self._total
        try:
            if total.unpacked > max(LARGE, RATIO * total.packed):
                raise DecompressionError(
                    f"it unpacks to more than {RATIO} times its size, as no genuine log does "
                    "(if it is genuine, unpack it)"
                )
            if total.room > (limit := max(ROOM, ROOM_RATIO * total.packed)):
                raise DecompressionError(
                    f"{total.packed:,} bytes unpack to values that need more than {limit >> 20:,} MB of memory, as no "
                    "genuine log does (if it is genuine, unpack it)"
                )
        except DecompressionError:
            self.start(name)  # nothing of it is kept
            raise

    def _add(self, use: Use, sign: int) -> None:
        for part, amount in vars(use).items():
            setattr(self._total, part, getattr(self._total, part) + sign * amount)


def opened(stream: IO[bytes], name: str = "", budget: Budget | None = None) -> IO[bytes]:
    """Return a stream of the decompressed bytes of a stream, compressed or not; it need not be seekable.

    Files of the same import are opened with the same budget, and their names.
    """
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    start = buffered.peek(4)
    if start.startswith(GZIP):
        counted = _Counted(buffered)
        unpacked: Any = gzip.GzipFile(fileobj=cast(IO[bytes], counted))
    elif start.startswith(ZSTD):
        counted = _Counted(buffered)
        unpacked = zstd.ZstdFile(cast(IO[bytes], counted))
    else:
        return buffered
    return cast(IO[bytes], SizeLimited(unpacked, lambda: counted.number, name, budget))


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.number = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.number += len(data)
        return data


class SizeLimited:
    """A decompressed stream within a budget, which grows with the compressed size.

    Raises ``DecompressionError`` once the output, or the memory for its values, is far larger than that of any log.
    """

    def __init__(self, stream: Any, taken: Callable[[], int], name: str = "", budget: Budget | None = None) -> None:
        self._stream, self._taken, self._known = stream, taken, 0
        self._name, self._budget = name, budget or Budget()
        self._budget.start(name)

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes, or everything."""
        if size < 0:
            return b"".join(iter(lambda: self.read(PIECE), b""))
        data: bytes = self._stream.read(size)
        packed = self._taken() - self._known
        self._known += packed
        room = sum(memory * data.count(sign) for sign, memory in VALUES.items())
        self._budget.take(self._name, Use(packed, len(data), room))
        return data


def decompressed(data: bytes, name: str, budget: Budget | None = None) -> bytes:
    """Return the decompressed bytes of a file, compressed or not. Raises ``DecompressionError``."""
    try:
        return opened(io.BytesIO(data), name, budget).read() if data.startswith((GZIP, ZSTD)) else data
    except (OSError, EOFError, zlib.error, zstd.ZstdError, DecompressionError) as error:
        raise DecompressionError(f"{name}: cannot be unpacked ({error})") from None
