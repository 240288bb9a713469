"""Staged builds: a build that can be killed at any moment without damaging the published site."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from survey.atomic import DISK_FULL
from survey.site.publishing.staging import Busy, staged_folder


class NotBuilt(Exception):
    """A build cannot start; the message says why."""


class StagedBuild:
    """One build, from before its first file until its folder is published.

    ``site`` is the staging folder to write to; callbacks on ``steps`` run when the build ends.
    """

    def __init__(self, site: str, *, in_place: bool, gone: Callable[[], Iterable[str]] | None = None) -> None:
        """Create the staging folder; ``in_place`` (a build of changes alone) uses the site's own.

        With ``gone`` the staging folder needs to have only the files that changed (``staged_folder``).

        Raises:
            NotBuilt: if another build of the same folder is under way, or the folder cannot be written.

        """
        self.place, self.site = site, site
        self.steps = ExitStack()
        try:
            if not in_place:
                self.site = str(self.steps.enter_context(staged_folder(Path(os.path.relpath(site)), gone)))
        except (Busy, OSError) as error:
            raise NotBuilt(self.abort(error) or str(error)) from None

    def publish(self) -> None:
        """Publish the staged site."""
        self.steps.close()

    def abort(self, error: BaseException) -> str:
        """Discard the staged folder. Return a one-line message for an ``OSError``, else an empty text."""
        self.steps.__exit__(type(error), error, None)
        if not isinstance(error, OSError):
            return ""
        place = error.filename2 if error.errno in DISK_FULL else error.filename  # the second of a copy is written
        shown = os.path.relpath(str(place or self.site).replace(self.site, self.place))
        return f"{shown}: {(error.strerror or str(error)).lower()}; the previous site is unchanged"
