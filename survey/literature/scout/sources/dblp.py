"""DBLP: works of computer science whose record has given words.

A record has title, authors, venue, year and DOI, but neither an abstract nor a day. Numbers are given as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

import msgspec
from msgspec.structs import replace

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, answer
from survey.literature.scout.sources.feeds import plain
from survey.literature.scout.sources.files import record
from survey.plurals import plural

PAGE = 1000
"""Records in one answer: the maximum."""

NAMESAKE = re.compile(r" [0-9]{4}$")
"""A number that tells people of one name apart."""

PREPRINTS = "CoRR"
"""How DBLP calls arXiv among the venues."""


class _Author(msgspec.Struct, frozen=True):
    text: str


class _Authors(msgspec.Struct, frozen=True):
    author: list[_Author] | _Author


class _Info(msgspec.Struct, frozen=True):
    title: str
    year: str
    authors: _Authors | None = None
    venue: list[str] | str | None = None
    doi: str | None = None
    ee: list[str] | str | None = None
    url: str | None = None


class _Hit(msgspec.Struct, frozen=True):
    info: _Info


class _Hits(msgspec.Struct, frozen=True):
    total: str = msgspec.field(name="@total")
    hit: list[_Hit] = []
    """Missing if there is none."""


class _Result(msgspec.Struct, frozen=True):
    hits: _Hits


class _Page(msgspec.Struct, frozen=True):
    result: _Result


class Dblp:
    """DBLP's search for publications."""

    name = "dblp"

    def __init__(
        self, address: str = "https://dblp.org/search/publ/api", records: str = "https://dblp.org/rec"
    ) -> None:
        self.address, self.records = address, records

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works that match a query and are of the years that are asked for, one query after another."""
        for words in asked.queries:
            given = 0
            while True:
                query = {"q": words, "format": "json", "h": str(PAGE), "f": str(given), "c": "0"}
                hits = answer(client, self.name, self.address, query, _Page).result.hits
                for hit in hits.hit:
                    if asked.since.year <= self._number(hit.info.year) <= asked.until.year:
                        yield _candidate(hit.info, self.name)
                given += len(hits.hit)
                total = self._number(hits.total)
                if given >= total:
                    break
                if not hits.hit:
                    client.forget(self.name, self.address, query)
                    raise OutOfReach(
                        self.name, f'gave {given} of {plural(total, "work")} for "{words}": ask for more words'
                    )

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these keys, such as conf/nips/Muster26; nothing for one that DBLP does not have."""
        for id in ids:
            for found in record(client, self.name, f"{self.records}/{id}.bib"):
                authors = tuple(NAMESAKE.sub("", name) for name in found.authors)
                parted = found.parted if authors == found.authors else ()  # a number was taken for a last name
                found = replace(found, title=found.title.removesuffix("."), authors=authors, parted=parted)
                yield replace(found, venue="", kind="") if found.venue == PREPRINTS else found

    def _number(self, text: str) -> int:
        if not text.isdecimal():
            raise OutOfReach(self.name, f'answered in a form that we do not know ("{text}" for a number)')
        return int(text)


def _candidate(info: _Info, source: str) -> Candidate:
    authors = info.authors.author if info.authors else []
    names = authors if isinstance(authors, list) else [authors]
    places = [text for text in (*_list(info.ee), info.url) if text]
    arxiv, doi = identifiers(info.doi or "", *places)
    return Candidate(
        title=plain(info.title).removesuffix("."),
        authors=tuple(NAMESAKE.sub("", unescape(name.text)) for name in names),
        arxiv=arxiv,
        doi=doi,
        venue=", ".join(unescape(venue) for venue in _list(info.venue) if venue != PREPRINTS),
        links=tuple(dict.fromkeys(places)),
        sources=(source,),
    )


def _list(value: list[str] | str | None) -> list[str]:
    return value if isinstance(value, list) else [value] if value else []
