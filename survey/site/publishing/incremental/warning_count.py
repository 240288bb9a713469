"""A count of the warnings of a build: a page that was made with a warning must be made again by the next build."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from mkdocs.utils import CountHandler


class Warnings(logging.Handler):
    """Counts the warnings of MkDocs and its plugins."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count."""
        self.count += 1

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count warnings until the block ends, even those that ``mkdocs --quiet`` does not show."""
        logger = logging.getLogger("mkdocs")
        level, shown = logger.level, {handler: handler.level for handler in logger.handlers}
        if level > logging.WARNING:
            for handler in shown:
                if not isinstance(handler, CountHandler):
                    handler.setLevel(max(handler.level, level))
            logger.setLevel(logging.WARNING)
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.setLevel(level)
            for handler, before in shown.items():
                handler.setLevel(before)
