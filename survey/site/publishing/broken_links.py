"""Links of hand-written pages to files that the site does not have, found before any page is rendered.

MkDocs warns of them while it renders. A strict build that will fail for one then has rendered everything in vain.
"""

from __future__ import annotations

import logging
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from urllib.parse import unquote, urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LINK = re.compile(
    r"\]\([ \t]*<?([^)\s>]+)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+)|\b(?:href|src)=[\"']([^\"'\n]+)", re.MULTILINE
)
"""What may be the target of a link, in a text, in a list of references, and in HTML."""

LOGGER = logging.getLogger("mkdocs.structure.pages")


def broken_links(texts: Mapping[File, str], files: Files, config: MkDocsConfig) -> list[str]:
    """Return a problem for each link of these pages of which MkDocs will warn when it renders them.

    Only a page with a target that no file has is rendered for this, and MkDocs has the last word on it: a link in code
    or in a comment is none.
    """
    docs, problems = os.path.relpath(config.docs_dir), []
    for file, text in texts.items():
        suspects = {url: target for url, target in _targets(file, text) if files.get_file_from_path(target) is None}
        told = _told(file, text, files, config) if suspects else []
        for url, target in suspects.items():
            if any(f" '{url}'" in message for message in told):
                line = file.content_string[: file.content_string.find(url)].count("\n") + 1
                problems.append(
                    f'{docs}/{file.src_uri}:{line}: "{url}" leads to no file of the site (found no {target})'
                )
    return problems


def _targets(file: File, text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be a relative link to a file, with the path to which it leads."""
    for match in LINK.finditer(text):
        url = match[match.lastindex or 0]
        try:
            parts = urlsplit(url)
        except ValueError:
            continue
        if parts.path and not (parts.scheme or parts.netloc or url.startswith(("/", "\\"))):
            yield url, posixpath.normpath(posixpath.join(posixpath.dirname(file.src_uri), unquote(parts.path)))


def _told(file: File, text: str, files: Files, config: MkDocsConfig) -> list[str]:
    """Return the warnings that MkDocs gives when it renders a page; nothing else comes of the page."""
    page = Page(None, copy(file), config)
    page.markdown = text
    with _warnings() as told:
        page.render(config, files)
    return told


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect the warnings that a build would be told, and tell none of them."""
    told: list[str] = []

    def collect(record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            told.append(record.getMessage())
        return False

    LOGGER.addFilter(collect)
    try:
        yield told
    finally:
        LOGGER.removeFilter(collect)
