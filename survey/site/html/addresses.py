"""Addresses: every link of the site is relative to its page."""

from __future__ import annotations

import posixpath
from functools import lru_cache


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
