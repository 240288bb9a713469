"""A build that can be killed: it works beside the published folder and beside what other builds keep."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from survey.atomic import FULL, own_folder
from survey.site.publishing.staging import Busy, beside


class NotBuilt(Exception):
    """A build cannot begin; says why."""


class Building:
    """One build, from before its first file until its folder stands in its place.

    ``site`` and ``cache`` are the folders to write to meanwhile; what is put on ``steps`` is done when it ends.
    """

    def __init__(self, site: str, cache: str = "", *, in_place: bool) -> None:
        """Make both folders; ``in_place`` (a server's site, which nobody else sees) only that of what is kept.

        Raises:
            NotBuilt: if another build of the same folder is under way, or the folder cannot be written.

        """
        self.place, self.site, self.cache = site, site, cache
        self.steps = ExitStack()
        try:
            if not in_place:
                self.site = str(self.steps.enter_context(beside(Path(os.path.relpath(site)))))
            if cache:
                self.cache = str(self.steps.enter_context(own_copy(Path(cache))))
        except (Busy, OSError) as error:
            raise NotBuilt(self.dropped(error) or str(error)) from None

    def done(self) -> None:
        """Put everything into its place."""
        self.steps.close()

    def dropped(self, error: BaseException) -> str:
        """Leave everything as it was. A file that could not be written is told in a line, anything else not at all."""
        self.steps.__exit__(type(error), error, None)
        if not isinstance(error, OSError):
            return ""
        place = error.filename2 if error.errno in FULL else error.filename  # the second of a copy is written
        shown = os.path.relpath(str(place or self.site).replace(self.site, self.place))
        return f"{shown}: {(error.strerror or str(error)).lower()}; the site that was there is as it was"


@contextmanager
def own_copy(shared: Path) -> Iterator[Path]:
    """A copy of the folder in which earlier builds left what they rendered, to be changed at will.

    Its files take their places there when the block ends. Other builds see whole files
    only, and so does the next one if this one is killed.
    """
    shared.mkdir(parents=True, exist_ok=True)
    with own_folder("rendering-", shared.parent) as own:
        for path in shared.glob("*.json"):
            if data := _whole(path):
                (own / path.name).write_bytes(data)
        yield own
        for path in shared.glob("*.json"):
            if not (own / path.name).exists():
                path.unlink(missing_ok=True)
        for path in own.glob("*.json"):
            path.replace(shared / path.name)


def _whole(path: Path) -> bytes:
    """What a file holds; nothing if it is half a file, or another build has taken it away."""
    try:
        data = path.read_bytes()
        json.loads(data)
    except (OSError, ValueError):
        return b""
    return data
