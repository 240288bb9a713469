"""Links of hand-written pages that lead to nothing, found before any page is rendered.

MkDocs warns of them while it renders. A strict build that will fail for one then has rendered everything in vain.
"""

from __future__ import annotations

import logging
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LINK = re.compile(
    r"\]\([ \t]*<?([^)\s>]+)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+)|\b(?:href|src)=[\"']([^\"'\n]+)", re.MULTILINE
)
"""What may be the target of a link, in a text, in a list of references, and in HTML."""

HEADING = re.compile(r"^#{1,6}[ \t]++([^\n]++)$", re.MULTILINE)
IDENTIFIER = re.compile(r"\bid=[\"']([^\"'\n]+)|\{[^{}\n]*#([^{}\s]+)")
"""Identifiers that a text gives to its parts, in HTML and in lists of attributes."""

FROM_CODE = re.compile(r"^::: ", re.MULTILINE)
"""A page with parts that another plugin makes: only that plugin knows its anchors."""

LOGGER = logging.getLogger("mkdocs.structure.pages")

Source = Callable[[File], str | None]
"""What gives the text of a page, or nothing for one that is no text."""


class Target(NamedTuple):
    """What may be a relative link, and where it leads."""

    url: str
    path: str
    anchor: str


def broken_links(texts: Mapping[File, str], source: Source, files: Files, config: MkDocsConfig) -> list[str]:
    """Return a problem for each link of these pages of which MkDocs will warn when it renders them.

    Only a page with a suspect is rendered for this, and the page to which an anchor seems to be missing, and MkDocs has
    the last word: a link in code or in a comment is none.
    """
    return list(_Links(files, config, source).broken(texts))


class _Links:
    def __init__(self, files: Files, config: MkDocsConfig, source: Source) -> None:
        self.files, self.config, self.source = files, config, source
        self.docs = os.path.relpath(config.docs_dir)
        self.anchors = config.validation.links.anchors >= logging.WARNING
        self.named: dict[File, set[str]] = {}
        self.pages: dict[File, tuple[Page, list[str]]] = {}

    def broken(self, texts: Mapping[File, str]) -> Iterator[str]:
        for file, text in texts.items():
            for target in dict.fromkeys(_targets(file, text)):
                to = file if target.path == file.src_uri else self.files.get_file_from_path(target.path)
                if to is None:
                    if any(f" '{target.url}'" in message for message in self._rendered(file, text)[1]):
                        yield self._told(file, target.url, f"no file of the site (found no {target.path})")
                elif target.anchor and self.anchors and self._lacks(file, text, to, target):
                    yield self._told(file, target.url, f'no part of {to.src_uri} (found no "{target.anchor}" in it)')

    def _told(self, file: File, url: str, leads: str) -> str:
        line = file.content_string[: file.content_string.find(url)].count("\n") + 1
        return f'{self.docs}/{file.src_uri}:{line}: "{url}" leads to {leads}'

    def _lacks(self, file: File, text: str, to: File, target: Target) -> bool:
        """Return whether MkDocs finds a link to an anchor, and no such anchor on that page."""
        there = text if to is file else self.source(to) if to.is_documentation_page() else None
        if there is None or FROM_CODE.search(there):
            return False
        if to not in self.named:
            self.named[to] = {name for found in IDENTIFIER.findall(there) for name in found}
            self.named[to] |= {_slug(heading) for heading in HEADING.findall(there)}
        if target.anchor in self.named[to]:
            return False
        links = self._rendered(file, text)[0].links_to_anchors or {}
        asked = {anchor for other, anchors in links.items() if other.src_uri == to.src_uri for anchor in anchors}
        return target.anchor in asked and target.anchor not in (self._rendered(to, there)[0].present_anchor_ids or ())

    def _rendered(self, file: File, text: str) -> tuple[Page, list[str]]:
        """Return a page as MkDocs renders it, with the warnings that it gives; nothing else comes of it."""
        if file not in self.pages:
            page = Page(None, copy(file), self.config)
            page.markdown = text
            with _warnings() as told:
                page.render(self.config, self.files)
            self.pages[file] = page, told
        return self.pages[file]


def _slug(heading: str) -> str:
    """Return the identifier that most headings get; MkDocs knows those of the others.

    >>> _slug("How *time* is measured: a drawing")
    'how-time-is-measured-a-drawing'
    """
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _targets(file: File, text: str) -> Iterator[Target]:
    """Yield what may be relative links to files and to parts of pages."""
    for match in LINK.finditer(text):
        url = match[match.lastindex or 0]
        try:
            parts = urlsplit(url)
        except ValueError:
            continue
        if parts.scheme or parts.netloc or url.startswith(("/", "\\")) or not (parts.path or parts.fragment):
            continue
        folder = posixpath.dirname(file.src_uri)
        path = posixpath.normpath(posixpath.join(folder, unquote(parts.path))) if parts.path else file.src_uri
        yield Target(url, path, parts.fragment)


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
