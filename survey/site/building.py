"""A build that can be killed: it works beside the published folder and beside what other builds keep."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.utils import CountHandler

from survey.site.beside import Busy, beside
from survey.whole import FULL, own_folder

NOTEBOOKS = "mkdocs-jupyter"
"""The plugin that keeps rendered notebooks, which it writes in place and reads unchecked."""


class Building:
    """One build, from before its first file until its folder stands in its place."""

    def __init__(self, config: MkDocsConfig, *, in_place: bool) -> None:
        """Lead MkDocs to folders of its own; ``in_place`` (a server's, which nobody else sees) only for what is kept.

        Raises:
            PluginError: if another build of the same folder is under way.
            OSError: if the folder cannot be written.

        """
        self.config, self.site = config, config.site_dir
        self.steps = ExitStack()
        try:
            if not in_place:
                config.site_dir = str(self.steps.enter_context(beside(Path(os.path.relpath(self.site)))))
            if NOTEBOOKS in config.plugins:
                options: Any = config.plugins[NOTEBOOKS].config
                self.steps.callback(options.__setitem__, "cache_dir", options["cache_dir"])
                options["cache_dir"] = str(self.steps.enter_context(kept(Path(options["cache_dir"]))))
        except (Busy, OSError) as error:
            self.dropped(error)
            raise PluginError(str(error)) from None

    def done(self) -> None:
        """Put everything into its place; if MkDocs is about to give up over warnings, leave that to ``dropped``."""
        if not (self.config.strict and _warned()):
            self.config.site_dir = self.site
            self.steps.close()

    def dropped(self, error: BaseException) -> None:
        """Leave everything as it was. A file that cannot be written is told in a line.

        Raises:
            PluginError: if ``error`` comes from the system.

        """
        new, self.config.site_dir = self.config.site_dir, self.site
        self.steps.__exit__(type(error), error, None)
        if isinstance(error, OSError):
            place = error.filename2 if error.errno in FULL else error.filename  # the second of a copy is written
            shown = os.path.relpath(str(place or new).replace(new, self.site))
            reason = (error.strerror or str(error)).lower()
            raise PluginError(f"{shown}: {reason}; the site that was there is as it was") from None


def _warned() -> bool:
    """Whether MkDocs has counted warnings, which it does when they are errors to it."""
    handlers = logging.getLogger("mkdocs").handlers
    return any(isinstance(handler, CountHandler) and handler.get_counts() for handler in handlers)


@contextmanager
def kept(shared: Path) -> Iterator[Path]:
    """A folder with what earlier builds kept, to be changed at will; it is kept in turn when the block ends.

    Other builds see whole files only, and so does the next one if this one is killed.
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
