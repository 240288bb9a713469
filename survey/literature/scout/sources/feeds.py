"""Feeds: Atom and RSS, with what arXiv adds to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from email.utils import parsedate_to_datetime
from html import unescape
from xml.etree import ElementTree

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, day, one_line

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
DUBLIN = "{http://purl.org/dc/elements/1.1/}"

VERSION = re.compile(r"v([0-9]+)$")
WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
NO_ABSTRACT = re.compile(
    r"this (?:article|manuscript|paper|submission|work) (?:has been|is|was) withdrawn", re.IGNORECASE
)
"""What stands in place of the abstract of a work that was withdrawn."""

CLASS = re.compile(r"[a-z][a-z-]+(?:\.[A-Za-z][A-Za-z-]+)?")
"""A class of arXiv, which lists those of the ACM and the AMS beside them."""

ABSTRACT = re.compile(r"^(?:arXiv:\S+\s+Announce Type:\s*\S+\s+)?Abstract:\s*")
TAG = re.compile(r"</?[A-Za-z][^<>]*+>|<!--[^<>]*+-->")
NEW = ("", "new", "cross")
"""What arXiv's feed says of works that are announced, and not replaced."""


class Feeds:
    """Feeds of companies, projects and venues."""

    name = "feeds"

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the items of every feed that appeared in the time that is asked for.

        Raises:
            OutOfReach: after all others, if some feeds give no usable answer.

        """
        broken: list[str] = []
        for address in asked.pages:
            try:
                items = self._items(client, address)
            except OutOfReach as error:
                broken.append(error.why if address in error.why else f"{address} {error.why}")
                continue
            for found in items:
                if not found.first_seen or asked.since <= found.first_seen <= asked.until:
                    yield found
        if broken:
            raise OutOfReach(self.name, "; ".join(broken))

    def _items(self, client: Client, address: str) -> list[Candidate]:
        """Return the items of a feed. An answer that is no feed is not kept."""
        body = client.get(self.name, address)
        try:
            return list(read_feed(body, self.name))
        except OutOfReach:
            client.forget(self.name, address)
            raise


def read_feed(body: bytes, source: str) -> Iterator[Candidate]:
    """Yield the items of an Atom or RSS feed that have a title.

    Raises:
        OutOfReach: if it is neither.

    """
    root = tree(body, source)
    if root.tag == f"{ATOM}feed":
        yield from (_atom(item, source) for item in root.iter(f"{ATOM}entry") if _text(item, f"{ATOM}title"))
    elif root.tag == "rss" or root.tag.endswith("}RDF"):
        items = (item for item in root.iter() if item.tag.rpartition("}")[2] == "item")
        for item in items:
            if _any(item, "title") and _text(item, f"{ARXIV}announce_type") in NEW:
                yield _rss(item, source)
    else:
        raise OutOfReach(source, f"gave neither Atom nor RSS, but <{root.tag.rpartition('}')[2]}>")


class _NoDocumentType(ElementTree.TreeBuilder):
    """Refuses a document type, in whatever encoding, before anything that it declares can expand."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Raise ``OutOfReach``. The parser calls this at a document type."""
        page = " (a page for browsers?)" if name.lower() == "html" else ""
        raise OutOfReach(self.source, f"gave XML with a document type, which no feed needs{page}")


def tree(body: bytes, source: str) -> ElementTree.Element:
    """Return the root of an XML answer. Feeds need no document type; one that has it could expand without end."""
    try:
        return ElementTree.fromstring(body, ElementTree.XMLParser(target=_NoDocumentType(source)))
    except (
        ElementTree.ParseError,
        LookupError,
        ValueError,
    ) as error:  # the last two: an encoding that Python does not have
        raise OutOfReach(source, f"gave no well-formed XML ({error})") from None


def _text(item: ElementTree.Element, name: str) -> str:
    return one_line(item.findtext(name))


def _any(item: ElementTree.Element, name: str) -> str:
    """Return the text of an element, whatever version of RSS its name is from."""
    return one_line(next((one.text for one in item if one.tag.rpartition("}")[2] == name and one.text), ""))


def _shown(item: ElementTree.Element, name: str) -> str:
    """Return the text of an element of Atom, which says whether it is HTML. In plain text a < may be a smaller-than."""
    found = item.find(name)
    if found is None:
        return ""
    kind = found.get("type", "text")
    return plain("".join(found.itertext())) if kind in ("html", "xhtml") else one_line(found.text)


def _atom(item: ElementTree.Element, source: str) -> Candidate:
    links = [link.get("href", "") for link in item.iter(f"{ATOM}link") if link.get("rel", "alternate") == "alternate"]
    name = _text(item, f"{ATOM}id")
    arxiv, doi = identifiers(*links, name.replace("http://", "https://"), _text(item, f"{ARXIV}doi"))
    doi = identifiers(_text(item, f"{ARXIV}doi"))[1] or doi
    version = VERSION.search(name) if arxiv else None
    primary = item.find(f"{ARXIV}primary_category")
    classes = [primary.get("term", "")] if primary is not None else []
    classes += [one.get("term", "") for one in item.iter(f"{ATOM}category")] if arxiv else []
    first = day(_text(item, f"{ATOM}published"))
    summary = _shown(item, f"{ATOM}summary")
    comment = _text(item, f"{ARXIV}comment")
    return Candidate(
        title=_shown(item, f"{ATOM}title"),
        authors=tuple(_text(author, f"{ATOM}name") for author in item.iter(f"{ATOM}author")),
        abstract=summary,
        arxiv=arxiv,
        doi=doi,
        classes=tuple(dict.fromkeys(filter(CLASS.fullmatch, classes))),
        submitted=first if arxiv else None,
        announced=None if arxiv else first,
        version=int(version[1]) if version else None,
        venue=_text(item, f"{ARXIV}journal_ref"),
        links=tuple(dict.fromkeys(link for link in links if link.startswith(("http://", "https://")))),
        withdrawn=bool(WITHDRAWN.search(comment) or NO_ABSTRACT.match(summary)),
        sources=(source,),
    )


def _rss(item: ElementTree.Element, source: str) -> Candidate:
    link, name = _any(item, "link"), _any(item, "guid").replace("oai:arXiv.org:", "")
    arxiv, doi = identifiers(link, name)
    version = VERSION.search(name) if arxiv else None
    text = _any(item, "description")
    authors = [one_line(one.text) for one in item.iter(f"{DUBLIN}creator")]
    classes = tuple(one_line(one.text) for one in item.iter("category")) if arxiv else ()
    return Candidate(
        title=_any(item, "title") if arxiv else plain(_any(item, "title")),
        authors=tuple(name for line in authors for name in re.split(r",\s+", line) if name),
        abstract=ABSTRACT.sub("", text) if arxiv else plain(text),  # arXiv writes no HTML, but < in formulas
        arxiv=arxiv,
        doi=doi,
        classes=classes,
        announced=_day(item),
        version=int(version[1]) if version else None,
        links=(link,) if link.startswith(("http://", "https://")) else (),
        sources=(source,),
    )


def _day(item: ElementTree.Element) -> date | None:
    """Return the day of an item of RSS, in the form of mail or, in version 1.0, of ISO 8601."""
    try:
        return parsedate_to_datetime(_any(item, "pubDate")).date()
    except ValueError:
        return day(_any(item, "date"))


def plain(text: str) -> str:
    """Return HTML as one line of text."""
    return one_line(unescape(TAG.sub(" ", text)))
