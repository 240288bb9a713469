"""A folder that is made beside its place and takes that place in one step: whoever reads it never finds half of it."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from survey.atomic import locked

CHANGE_PLACES, HERE = 2, -100
"""What Linux calls RENAME_EXCHANGE and AT_FDCWD."""


class Busy(Exception):
    """Another run is making the same folder."""


@contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A new folder to fill; when the block ends it stands in ``place``, and if it raises, what was there stays.

    What a killed run left is taken away first. Hidden files of the old folder (a .git, say) come along. Where
    nothing can be put into its place, as for the root of a container's volume or the folder in which a shell
    stands, the place itself is given.

    Raises:
        Busy: if another run is making the same folder.
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
        _put(work, real)
    finally:
        _clear(work, real)
        if lock >= 0:
            os.close(lock)


def _can_be_made(work: Path, real: Path) -> bool:
    """Whether there is a folder to work in. Raises if ``real`` cannot be written to either."""
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
        with suppress(FileNotFoundError):  # the run that had it was done and took it away
            work.mkdir(exist_ok=True)
            (work / "lock").touch()
            try:
                return locked(work / "lock")
            except BlockingIOError:
                number = (work / "lock").read_text() or "unknown"
                raise Busy(
                    f"{place} is being made by another run (process {number}): wait for it, or name another folder"
                ) from None
            except FileNotFoundError:
                continue
            except OSError:  # a file system without locks
                return -1


def _clear(work: Path, real: Path) -> None:
    """Take the folder away, the lock last: whoever comes next must find nothing of this run."""
    _take_over(work, real)
    with suppress(OSError):
        (work / "lock").unlink()
        work.rmdir()  # unless somebody has come already


def _take_over(work: Path, real: Path) -> None:
    """Take away what is unfinished; of a run that ended while it changed the folders, keep what was there before."""
    if (work / "other").is_dir():
        if not real.exists():
            (work / "other").rename(real)
        else:
            _bring_hidden(work / "other", real)
    for part in ("new", "other"):
        shutil.rmtree(work / part, ignore_errors=True)


def _put(work: Path, real: Path) -> None:
    """Put ``new`` into its place; what was there is ``other`` from then on."""
    new, other = work / "new", work / "other"
    if not real.exists():
        new.rename(real)
        return
    shutil.copymode(real, new)
    new.rename(other)
    if not _changed_places(other, real):
        other.rename(new)
        real.rename(other)
        new.rename(real)
    _bring_hidden(other, real)


def _changed_places(one: Path, two: Path) -> bool:
    """Whether two folders changed places in one step, which not every system and file system can do."""
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
