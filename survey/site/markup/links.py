"""Addresses: every link of the site is relative to its page."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlencode
from uuid import NAMESPACE_URL, uuid5

from survey.literature.bibtex import address_of


def url(source: str, target: str) -> str:
    """Return the address of a page or file relative to a page (both as paths below docs/).

    >>> url("read/credit.md", "entries/c3.md")
    '../../entries/c3/'
    >>> url("index.md", "data/pool.bib")
    'data/pool.bib'
    """
    path, hash_, anchor = target.partition("#")
    here, there = _places(source), _places(path)
    shared = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        shared += 1
    relative = "/".join((*[".."] * (len(here) - shared), *there[shared:])) or "."
    if address(path).endswith("/") or not address(path):
        relative += "/"
    return f"{relative}{hash_}{anchor}"


@lru_cache(maxsize=1 << 17)  # a large page links to the same thousands again and again
def _places(path: str) -> tuple[str, ...]:
    """Return the folders and the name of the published address of a file."""
    return tuple(address(path).rstrip("/").split("/")) if address(path) else ()


@lru_cache(maxsize=1 << 17)
def address(path: str) -> str:
    """Return the published address of a file: pages become folders.

    >>> address("read/credit.md"), address("notebooks/credit.ipynb"), address("data/pool.bib")
    ('read/credit/', 'notebooks/credit/', 'data/pool.bib')
    """
    folder, name = posixpath.split(path)
    if not name.endswith(".md") and not (folder == "notebooks" and name.endswith(".ipynb")):
        return path
    stem = posixpath.splitext(path)[0]
    if stem == "index" or stem.endswith("/index"):
        return stem.removesuffix("index")
    return f"{stem}/"


def entry_page(key: str) -> str:
    """Return the path of the page of an entry.

    >>> entry_page("chen2026word"), entry_page("Araz:2026img")
    ('entries/chen2026word.md', 'entries/Araz.2026img.md')
    """
    return f"entries/{address_of(key)}.md"


def urn(survey: str, path: str) -> str:
    """Return a name for a page or file of a survey whose site has no address: the title and the path make it unique.

    >>> urn("On bread", "feed.atom")
    'urn:uuid:7bc1dcc0-c3fc-533f-948b-db6388318987'
    """
    return f"urn:uuid:{uuid5(NAMESPACE_URL, chr(10).join((survey, path)))}"


def filtered(page: str, chosen: Mapping[str, str]) -> str:
    """Return the address of the table of all entries with filters set: cells by axis.

    >>> filtered("measure/credit-by-decision.md", {"credit": "message", "decision": "stop: learned"})
    '../../explore/?credit=message&decision=stop:+learned'
    """
    return f"{url(page, 'explore/index.md')}?{urlencode(chosen, safe=':')}"


def anchor(row: str, column: str) -> str:
    """Return the anchor of a cell on the page of its pair of axes.

    >>> anchor("shared", "stop: learned")
    'shared--stop-learned'
    """
    return f"{row}--{column}".replace(": ", "-")
