"""Files written whole or not at all, and nothing left over from runs that were killed.

What is unfinished has a name of its own beside its place and is locked for as long as its process lives. A
process that is killed cannot clean up after itself; the next run that writes there does it.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import IO

if sys.platform == "win32":  # there a file that is open can be neither moved nor deleted

    def _lock(descriptor: int) -> None:
        """Nothing: such locks do not exist."""
else:
    from fcntl import LOCK_EX, LOCK_NB, flock

    def _lock(descriptor: int) -> None:
        """Lock what is open, or raise at once."""
        flock(descriptor, LOCK_EX | LOCK_NB)


UNFINISHED = ".survey-unfinished-"
"""How the names of unfinished files begin."""

FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
"""Errors that only writing meets; the system does not say with which file."""

SWEPT = (BlockingIOError, FileNotFoundError)
"""What is met when another run swept something between its being made and being locked."""


@contextmanager
def whole(path: Path | str, *, lasting: bool = True) -> Iterator[IO[bytes]]:
    """A stream to a file that takes its place when the block ends; if it raises, what was there stays.

    A link is followed, and a file that was there keeps its permissions. What is no file
    (a pipe, a device, an open stream) cannot be replaced and is written to. What need not
    ``last`` through a failure of the machine, as a cache, is not waited for.

    Raises:
        OSError: if it cannot be written, with ``path`` as its file name.

    """
    path, ours = Path(path), True
    try:
        with _opened(path, lasting) as stream:
            ours = False
            yield stream
            ours = True
    except OSError as error:
        if ours or (error.filename is None and error.errno in FULL):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


@contextmanager
def _opened(path: Path, lasting: bool) -> Iterator[IO[bytes]]:
    place = Path(os.path.realpath(path))
    if _is_stream(path) or (place.exists() and not place.is_file()):
        with path.open("wb") as stream:
            yield stream
        return
    sweep(place.parent)
    mode = place.stat().st_mode & 0o777 if place.exists() else None
    descriptor, beside = _made(place.parent, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if lasting:
                os.fsync(descriptor)
            if mode is not None:
                beside.chmod(mode)
            if sys.platform == "win32":
                stream.close()
            beside.replace(place)  # while it is locked, or another run could take it for left over
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def write_whole(path: Path | str, data: bytes) -> None:
    """Write a file whole or not at all, as ``whole`` does."""
    with whole(path) as stream:
        stream.write(data)


def sweep(folder: Path, prefix: str = UNFINISHED) -> None:
    """Take away what killed runs left in a folder; what a living process has in hand is locked and stays."""
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError):  # it is in use, or somebody else's, or gone already
            if os.name != "posix":
                left.unlink()
                continue
            descriptor = locked(left)
            try:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(descriptor)


@contextmanager
def own_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A temporary folder. Those of the same prefix that killed runs left are taken away first."""
    parent = parent or Path(gettempdir())
    sweep(parent, prefix)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        try:
            descriptor = locked(folder)
            break
        except SWEPT:
            continue
        except OSError:  # a file system without locks; nothing is ever swept there
            descriptor = -1
            break
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def locked(path: Path) -> int:
    """A descriptor that keeps a file or folder locked until it is closed, by whatever end.

    Raises:
        BlockingIOError: if a living process has it.
        FileNotFoundError: if it is gone.

    """
    if os.name != "posix":
        return -1
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _lock(descriptor)
        if not os.path.samestat(os.fstat(descriptor), path.stat()):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _made(folder: Path, mode: int) -> tuple[int, Path]:
    """A new file, open and locked, and where it is."""
    while True:
        name = folder / f"{UNFINISHED}{secrets.token_hex(4)}"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            _lock(descriptor)
            if os.path.samestat(os.fstat(descriptor), name.stat()):
                return descriptor, name
        except SWEPT:
            pass
        except OSError:  # a file system without locks; nothing is ever swept there
            return descriptor, name
        os.close(descriptor)


def _is_stream(path: Path) -> bool:
    """Whether it is a name of something that this process has open, as /dev/stdout: not a place of its own."""
    return os.path.abspath(path).startswith(("/dev/", "/proc/"))  # noqa: PTH100 - links are not to be followed
