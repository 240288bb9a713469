"""Staging folders: built next to their target and moved there in one step, so that no reader sees an incomplete one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from survey.atomic import open_locked

CHANGE_PLACES, HERE = 2, -100
"""The Linux constants RENAME_EXCHANGE and AT_FDCWD."""


class Busy(Exception):
    """Another run is writing the same folder."""


@contextmanager
def staged_folder(place: Path, gone: Callable[[], Iterable[str]] | None = None) -> Iterator[Path]:
    """Yield a new folder that replaces ``place`` when the block ends; if the block raises, the old folder stays.

    With ``gone`` the files of the new folder are moved into the old one instead, and the files that it names are
    removed from there: quicker where few files change, but a reader may see some of them before the others.

    The remains of a killed run are removed first. Hidden files of the old folder, such as a .git, are kept.
    A folder that cannot be replaced, such as the root of a container's volume or the current folder of a
    shell, is yielded itself.

    Raises:
        Busy: if another run is writing the same folder.
        OSError: if it cannot be written, with ``place`` as its file name.

    """
    real = Path(os.path.realpath(place))
    work = real.with_name(f".{real.name}.building")
    if real.exists() and not real.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    if os.path.ismount(real) or Path.cwd().is_relative_to(real) or not _can_be_made(work, real):
        yield real
        return
    lock = _lock(work, place)
    try:
        _take_over(work, real)
        (work / "lock").write_text(str(os.getpid()))
        (work / "new").mkdir()
        yield work / "new"
        if gone and real.exists():
            _merge(work / "new", real, gone())
        else:
            _put(work, real)
    finally:
        _clear(work, real)
        if lock >= 0:
            os.close(lock)


def _can_be_made(work: Path, real: Path) -> bool:
    """Create the staging folder; return whether that worked. Raises if ``real`` cannot be written either."""
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir(exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(real)) from None
    except OSError as error:
        if real.is_dir() and os.access(real, os.W_OK):
            return False
        raise OSError(error.errno, error.strerror, str(real)) from None
    return True


def _lock(work: Path, place: Path) -> int:
    while True:
        with suppress(FileNotFoundError):  # the run that held it has finished and removed it
            work.mkdir(exist_ok=True)
            (work / "lock").touch()
            try:
                return open_locked(work / "lock")
            except BlockingIOError:
                number = (work / "lock").read_text() or "unknown"
                raise Busy(
                    f"{place} is being written by another run (process {number}): wait for it, or name another folder"
                ) from None
            except FileNotFoundError:
                continue
            except OSError:  # a file system without locks
                return -1


def _clear(work: Path, real: Path) -> None:
    """Remove the staging folder, the lock last: the next run must find nothing of this one."""
    _take_over(work, real)
    with suppress(OSError):
        (work / "lock").unlink()
        work.rmdir()  # fails if another run has started already


def _take_over(work: Path, real: Path) -> None:
    """Remove what is unfinished; if a run was killed while it exchanged the folders, restore the old one."""
    if (work / "other").is_dir():
        if not real.exists():
            (work / "other").rename(real)
        else:
            _bring_hidden(work / "other", real)
    for part in ("new", "other"):
        shutil.rmtree(work / part, ignore_errors=True)


def _put(work: Path, real: Path) -> None:
    """Move ``new`` to its target; the old folder becomes ``other``."""
    new, other = work / "new", work / "other"
    if not real.exists():
        new.rename(real)
        return
    shutil.copymode(real, new)
    new.rename(other)
    if not _exchanged(other, real):
        other.rename(new)
        real.rename(other)
        new.rename(real)
    _bring_hidden(other, real)


def _merge(new: Path, real: Path, gone: Iterable[str]) -> None:
    for path in sorted(new.rglob("*")):
        target = real / path.relative_to(new)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            path.replace(target)
    for name in gone:
        (real / name).unlink(missing_ok=True)


def _exchanged(one: Path, two: Path) -> bool:
    """Exchange two folders in one step; return False if the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    try:
        call = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(call(HERE, os.fsencode(one), HERE, os.fsencode(two), CHANGE_PLACES) == 0)


def _bring_hidden(old: Path, new: Path) -> None:
    for path in old.iterdir():
        if path.name.startswith(".") and not os.path.lexists(new / path.name):
            path.rename(new / path.name)
