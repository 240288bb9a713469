"""What a server computes in the background, and a note on every page that says so."""

from __future__ import annotations

import importlib
import logging
import time
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.livereload import LiveReloadServer

from survey.plurals import plural

TO_COME = """\
# Being computed

This page is being computed. It appears here by itself.
"""

NOTE = (
    '<div role="status" style="position: fixed; inset: auto 0 0 0; z-index: 9; padding: .4rem 1rem; '
    'font: .7rem sans-serif; color: #fff; background: #444">{}</div>'
)
BUSY = (
    "Being computed in the background: {}. Some pages still show their former figures, or are missing. "
    "This page reloads by itself."
)
FAILED = "The last build failed: the terminal says why. This page is from the build before."

PATIENCE = 15.0
"""Seconds after which results are shown although others are to come: each time the site is built again."""


class Background:
    """The notebooks and the pages that a server computes in the background.

    When something has ended it writes a file into ``folder``, which the server watches: it then builds the site again.
    """

    def __init__(self, log: logging.Logger) -> None:
        self.log = log
        self.folder: Path | None = None
        self.failed = False
        """Whether pages could not be computed: the next build computes all itself, and shows where it fails."""
        self.broken = False
        """Whether the last build failed."""
        self.runs: Any = None
        self.worker: Any = None
        self.left = ""
        """Which pages are left to compute."""
        self.shown = 0.0

    def follow(self, build: Any) -> None:
        """Compute what a build has left for later."""
        self.failed, self.left, self.shown = False, "", time.monotonic()
        if self.runs:
            self.runs.begin()
        if build.later:
            if self.worker is None:
                worker = importlib.import_module("survey.site.publishing.serving.worker").Worker
                self.worker = worker(build.cache.folder, self._report, self._pages_ended)
            self.left = plural(len(build.later.families), "kind of pages", "kinds of pages")
            self.log.info(f"Computing in the background: {self.left}")
            self.worker.ask(build, build.later)

    def stop(self) -> None:
        """End the worker, if there is one."""
        if self.worker:
            self.worker.stop()
        self.worker, self.left = None, ""

    def attach(self, server: LiveReloadServer) -> None:
        """Let a server show notes, and the pages of the last build until the next one is there."""
        inject, build = server._inject_js_into_html, server.builder

        def build_beside() -> None:
            wanted, server._wanted_epoch = server._wanted_epoch, server._visible_epoch
            try:
                build()
            except BaseException:
                self.broken = True
                raise
            self.broken, server._wanted_epoch = False, wanted

        server._inject_js_into_html = lambda page, epoch: inject(self.noted(page), epoch)  # type: ignore[method-assign]
        server.builder = build_beside

    def noted(self, page: bytes) -> bytes:
        """Return a page with a note on what is left to compute, or on a build that failed."""
        notebooks = self.runs.waiting if self.runs else 0
        busy = ", ".join(filter(None, [self.left, f"{notebooks} notebooks" if notebooks else ""]))
        note = FAILED if self.broken else BUSY.format(busy) if busy else ""
        if not note:
            return page
        before, body, after = page.rpartition(b"</body>")
        return before + NOTE.format(escape(note)).encode() + body + after

    def run_ended(self) -> None:
        """Show the results of a notebook, unless others are about to end."""
        self._ended()

    def _report(self, left: str) -> None:
        self.left = left

    def _pages_ended(self, error: str) -> None:
        self.failed, self.left = bool(error), ""
        if error:
            self.log.warning(f"Computing in the background failed: {error}")
        self._ended()

    def _ended(self) -> None:
        is_all = not self.left and not (self.runs and self.runs.waiting)
        if self.folder and (is_all or time.monotonic() > self.shown + PATIENCE):
            self.shown = time.monotonic()
            (self.folder / "done").touch()
