"""Atomic writes of files, and temporary folders, with cleanup after killed processes.

Unfinished files have a temporary name in the target's folder and stay locked while their process lives. A killed
process cannot clean up after itself; the next run that writes there does.
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

if sys.platform == "win32":  # Windows can neither move nor delete an open file

    def _lock(descriptor: int) -> None:
        """Do nothing: Windows has no such locks."""
else:
    from fcntl import LOCK_EX, LOCK_NB, flock

    def _lock(descriptor: int) -> None:
        """Lock an open file; raise immediately if another process holds the lock."""
        flock(descriptor, LOCK_EX | LOCK_NB)


UNFINISHED = ".survey-unfinished-"
"""Prefix of the names of unfinished files."""

DISK_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
"""Errors that only writing raises; the system does not name the file."""

RACE_ERRORS = (BlockingIOError, FileNotFoundError)
"""Raised when another run removes a file between its creation and its locking."""


@contextmanager
def atomic_write(path: Path | str, *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Open a stream whose content replaces the file when the block ends. If the block raises, the old file stays.

    Links are followed, and an existing file keeps its permissions. A target that is not a regular file (a pipe, a
    device, an open stream) cannot be replaced and is written to directly. If ``durable`` is false, as for a cache,
    the write does not wait for the disk and may be lost in a system crash.

    Raises:
        OSError: if the file cannot be written, with ``path`` as its file name.

    """
    path, in_block = Path(path), False
    try:
        with _temporary_file(path, durable) as stream:
            in_block = True
            yield stream
            in_block = False
    except OSError as error:
        if not in_block or (error.filename is None and error.errno in DISK_FULL):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


@contextmanager
def _temporary_file(path: Path, durable: bool) -> Iterator[IO[bytes]]:
    target = Path(os.path.realpath(path))
    if _is_stream(path) or (target.exists() and not target.is_file()):
        with path.open("wb") as stream:
            yield stream
        return
    remove_stale(target.parent)
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    descriptor, temporary = _create_locked(target.parent, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(descriptor)
            if mode is not None:
                temporary.chmod(mode)
            if sys.platform == "win32":
                stream.close()
            temporary.replace(target)  # while it is locked: otherwise another run could remove it as stale
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_atomically(path: Path | str, data: bytes) -> None:
    """Write a file completely or not at all, with ``atomic_write``."""
    with atomic_write(path) as stream:
        stream.write(data)


def remove_stale(folder: Path, prefix: str = UNFINISHED) -> None:
    """Remove the unfinished files and folders of killed runs; those of live processes are locked and stay."""
    for stale in folder.glob(f"{prefix}*"):
        with suppress(OSError):  # in use, owned by another user, or already gone
            if os.name != "posix":
                stale.unlink()
                continue
            descriptor = open_locked(stale)
            try:
                shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
            finally:
                os.close(descriptor)


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Create a temporary folder and remove it at the end; first remove stale ones with the same prefix."""
    parent = parent or Path(gettempdir())
    remove_stale(parent, prefix)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        try:
            descriptor = open_locked(folder)
            break
        except RACE_ERRORS:
            continue
        except OSError:  # a file system without locks, where nothing is removed as stale
            descriptor = -1
            break
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def open_locked(path: Path) -> int:
    """Return a descriptor that keeps a file or folder locked until it is closed or the process ends.

    Raises:
        BlockingIOError: if a live process holds the lock.
        FileNotFoundError: if the path no longer exists.

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


def _create_locked(folder: Path, mode: int) -> tuple[int, Path]:
    """Create and lock a file; return its descriptor and path."""
    while True:
        name = folder / f"{UNFINISHED}{secrets.token_hex(4)}"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            _lock(descriptor)
            if os.path.samestat(os.fstat(descriptor), name.stat()):
                return descriptor, name
        except RACE_ERRORS:
            pass
        except OSError:  # a file system without locks, where nothing is removed as stale
            return descriptor, name
        os.close(descriptor)


def _is_stream(path: Path) -> bool:
    """Return whether a path names an open stream of this process, such as /dev/stdout."""
    return os.path.abspath(path).startswith(("/dev/", "/proc/"))  # noqa: PTH100 - links must not be followed
