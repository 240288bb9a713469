"""References: what a person gives to name a work, which is an arXiv id, a DOI or the address of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from survey.literature.scout.candidates import identifiers

VERSION = re.compile(r"v([1-9][0-9]{0,2})(?:\.pdf)?/?$")
INSIDE = re.compile(r"/(10\.[0-9]{4,9}/[^?#\s\"<>{}\\]+)")
"""A DOI in the address of a publisher's page."""

BEHIND = re.compile(r"/(?:full|pdf|epdf|abstract|meta)$|\.pdf$")
"""What publishers write behind a DOI."""

PAPER = re.compile(r"/(?:paper|arxiv)/(?:[^/]+/)?([0-9a-f]{40})/?")
RECORD = re.compile(r"/rec/((?:conf|journals|books|phd|series)/[A-Za-z0-9._/-]+?)(?:\.html|\.bib|\.xml)?/?")
ANTHOLOGY = re.compile(r"/((?:[0-9]{4}\.[a-z0-9_-]+-?[a-z0-9_-]*\.[0-9]+)|[A-Z][0-9]{2}-[0-9]{4})(?:\.pdf|\.bib)?/?")


@dataclass(frozen=True, slots=True)
class Reference:
    """A work as somebody names it: its arXiv id, else its DOI, and the address if that was given."""

    arxiv: str = ""
    version: str = ""
    """The version of the preprint that was named, if one was."""

    doi: str = ""
    url: str = ""

    def questions(self) -> Iterator[tuple[str, str]]:
        """Yield which source to ask, and for what, the one that knows best first."""
        host, path, query = _parted(self.url)
        if host == "openreview.net" and (found := re.search(r"(?:^|&)id=([\w-]+)", query)):
            yield "openreview", found[1]
        if host == "aclanthology.org" and (found := ANTHOLOGY.fullmatch(path)):
            yield "acl", found[1]
        if host in ("dblp.org", "dblp.uni-trier.de") and (found := RECORD.fullmatch(path)):
            yield "dblp", found[1]
        if host == "semanticscholar.org" and (found := PAPER.fullmatch(path)):
            yield "semantic-scholar", found[1]
        if self.arxiv:
            yield "arxiv", f"{self.arxiv}v{self.version}" if self.version else self.arxiv
        if self.doi:
            yield "crossref", self.doi
        if id := self.arxiv or self.doi:
            yield "openalex", id
            yield "semantic-scholar", id
        if self.url and not self.arxiv:
            yield "the page", self.url


def reference(text: str) -> Reference | None:
    """Return what a text refers to; None if it is neither an arXiv id, a DOI nor a web address.

    >>> reference("https://arxiv.org/pdf/2603.06859v2.pdf")
    Reference(arxiv='2603.06859', version='2', doi='', url='')
    >>> reference("https://dl.acm.org/doi/pdf/10.1145/3589334.3645400").doi, reference("c3-2026")
    ('10.1145/3589334.3645400', None)
    """
    text = re.sub(r"^arxiv:\s*", "", text.strip(), flags=re.IGNORECASE)
    arxiv, doi = identifiers(text.partition("?")[0].partition("#")[0])
    if arxiv:
        version = VERSION.search(text)
        return Reference(arxiv, version[1] if version else "")
    if doi:
        return Reference(doi=doi)
    host, path, _ = _parted(text)
    if not host:
        return None
    inside = INSIDE.search(unquote(path))
    found = identifiers(BEHIND.sub("", inside[1])) if inside else ("", "")
    return Reference(arxiv=found[0], doi=found[1], url=text)


def _parted(url: str) -> tuple[str, str, str]:
    """Return host, path and query of a web address; empty texts if it is none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "", "", ""
    if parts.scheme not in ("http", "https") or "." not in host or re.search(r'[\s"<>\\^`{}]', url):
        return "", "", ""
    return host.removeprefix("www."), parts.path, parts.query
