"""Staged builds: a build that can be killed at any moment without damaging the published site or the caches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from survey.atomic import DISK_FULL, temporary_folder
from survey.site.publishing.staging import Busy, staged_folder


class NotBuilt(Exception):
    """A build cannot start; the message says why."""


class StagedBuild:
    """One build, from before its first file until its folder is published.

    ``site`` and ``cache`` are the staging folders to write to; callbacks on ``steps`` run when the build ends.
    """

    def __init__(self, site: str, cache: str = "", *, in_place: bool) -> None:
        """Create both staging folders; ``in_place`` (a server's site, which nobody else sees) only that of the cache.

        Raises:
            NotBuilt: if another build of the same folder is under way, or the folder cannot be written.

        """
        self.place, self.site, self.cache = site, site, cache
        self.steps = ExitStack()
        try:
            if not in_place:
                self.site = str(self.steps.enter_context(staged_folder(Path(os.path.relpath(site)))))
            if cache:
                self.cache = str(self.steps.enter_context(private_copy(Path(cache))))
        except (Busy, OSError) as error:
            raise NotBuilt(self.abort(error) or str(error)) from None

    def publish(self) -> None:
        """Publish the staged site and cache."""
        self.steps.close()

    def abort(self, error: BaseException) -> str:
        """Discard the staged folders. Return a one-line message for an ``OSError``, else an empty text."""
        self.steps.__exit__(type(error), error, None)
        if not isinstance(error, OSError):
            return ""
        place = error.filename2 if error.errno in DISK_FULL else error.filename  # the second of a copy is written
        shown = os.path.relpath(str(place or self.site).replace(self.site, self.place))
        return f"{shown}: {(error.strerror or str(error)).lower()}; the previous site is unchanged"


@contextmanager
def private_copy(shared: Path) -> Iterator[Path]:
    """Yield a private copy of the cache folder of earlier builds.

    Its files replace those of the cache when the block ends. Other builds see only complete
    files, and so does the next one if this one is killed.
    """
    shared.mkdir(parents=True, exist_ok=True)
    with temporary_folder("rendering-", shared.parent) as own:
        for path in shared.glob("*.json"):
            if data := _complete(path):
                (own / path.name).write_bytes(data)
        yield own
        for path in shared.glob("*.json"):
            if not (own / path.name).exists():
                path.unlink(missing_ok=True)
        for path in own.glob("*.json"):
            path.replace(shared / path.name)


def _complete(path: Path) -> bytes:
    """Return the content of a file; empty if it is incomplete or another build has removed it."""
    try:
        data = path.read_bytes()
        json.loads(data)
    except (OSError, ValueError):
        return b""
    return data
