"""OpenAlex: works that cite given works, and the facts of single works.

A work has title, authors, venue, day, DOI, an abstract as the places of its words, and the addresses where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TypeVar

import msgspec

from survey.literature.pool import arxiv_id
from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, answer, day, parts
from survey.literature.scout.sources.feeds import plain
from survey.plurals import plural

KINDS = {"journal": "article", "conference": "inproceedings"}
"""The types of entries for types of venues."""

PAGE = 100
"""Works in one answer: the maximum."""

MOST = 10_000
"""How many works OpenAlex pages through by number."""

AT_ONCE = 50
"""Ids in one filter: OpenAlex allows 100, and addresses of some length."""

FIELDS = (
    "id", "doi", "title", "publication_date", "authorships", "abstract_inverted_index", "primary_location",
    "locations", "is_retracted",
)  # fmt: skip


class _Name(msgspec.Struct, frozen=True):
    display_name: str | None = None
    type: str | None = None


class _Authorship(msgspec.Struct, frozen=True):
    author: _Name


class _Location(msgspec.Struct, frozen=True):
    landing_page_url: str | None = None
    pdf_url: str | None = None
    source: _Name | None = None


class _Work(msgspec.Struct, frozen=True):
    id: str
    doi: str | None
    title: str | None
    publication_date: str | None
    authorships: list[_Authorship]
    locations: list[_Location]
    abstract_inverted_index: dict[str, list[int]] | None = None
    primary_location: _Location | None = None
    is_retracted: bool | None = None


class _Known(msgspec.Struct, frozen=True):
    id: str


class _Meta(msgspec.Struct, frozen=True):
    count: int
    next_cursor: str | None = None


class _Works(msgspec.Struct, frozen=True):
    meta: _Meta
    results: list[_Work]


class _Ids(msgspec.Struct, frozen=True):
    meta: _Meta
    results: list[_Known]


A = TypeVar("A", _Works, _Ids)


class OpenAlex:
    """OpenAlex's API. It gives 10,000 works for one question, and more to those who have a key."""

    name = "openalex"

    def __init__(self, address: str = "https://api.openalex.org/works", key: str = "") -> None:
        self.address, self.key = address, key

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works of the time that is asked for which cite one of the cited works."""
        if not asked.cited:
            return
        known = [work.id.rpartition("/")[2] for some in parts(asked.cited, AT_ONCE) for work in self._ids(client, some)]
        if not known:
            raise OutOfReach(
                self.name, f"knows none of {plural(len(asked.cited), 'work')} of which it should say who cites them"
            )
        time = f"from_publication_date:{asked.since},to_publication_date:{asked.until}"
        for some in parts(list(dict.fromkeys(known)), AT_ONCE):
            yield from self._works(client, f"cites:{'|'.join(some)},{time}")

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these DOIs or arXiv ids; nothing for one that OpenAlex does not know."""
        for some in parts(ids, AT_ONCE):
            yield from self._works(client, f"doi:{'|'.join(map(_doi, some))}")

    def _ids(self, client: Client, works: Sequence[str]) -> Iterator[_Known]:
        for page in self._pages(client, {"filter": f"doi:{'|'.join(map(_doi, works))}", "select": "id"}, _Ids):
            yield from page.results

    def _works(self, client: Client, filtered: str) -> Iterator[Candidate]:
        for page in self._pages(client, {"filter": filtered, "select": ",".join(FIELDS)}, _Works):
            yield from (_candidate(work, self.name) for work in page.results if plain(work.title or ""))

    def _pages(self, client: Client, query: Mapping[str, str], shape: type[A]) -> Iterator[A]:
        """Yield every page: by cursor with a key, and by number without, since cursors are for those with a key."""
        given, number, cursor = 0, 1, "*"
        while True:
            place = {"cursor": cursor} if self.key else {"page": str(number)}
            asked = {**query, "per_page": str(PAGE), **place}
            secret = {"api_key": self.key} if self.key else None
            page = answer(client, self.name, self.address, asked, shape, secret=secret)
            if not self.key and page.meta.count > MOST:
                raise OutOfReach(self.name, f"has {page.meta.count} works: ask for fewer days, or with a key")
            yield page
            given, number, cursor = given + len(page.results), number + 1, page.meta.next_cursor or ""
            if given >= page.meta.count:
                return
            if not page.results or (self.key and not cursor):
                client.forget(self.name, self.address, asked)
                raise OutOfReach(self.name, f"gave {given} of {plural(page.meta.count, 'work')}")


def _doi(text: str) -> str:
    """Return the DOI of a work, which arXiv gives each of its own."""
    arxiv = arxiv_id(text)
    return f"10.48550/arXiv.{arxiv}" if arxiv else identifiers(text)[1] or text


def _candidate(work: _Work, source: str) -> Candidate:
    addresses = [text for place in work.locations for text in (place.landing_page_url, place.pdf_url) if text]
    arxiv, doi = identifiers(*filter(None, [work.doi]), *addresses)
    journal = work.primary_location.source if work.primary_location else None
    links = (place.landing_page_url for place in work.locations)
    return Candidate(
        title=plain(work.title or ""),
        authors=tuple(one.author.display_name for one in work.authorships if one.author.display_name),
        abstract=_text(work.abstract_inverted_index or {}),
        arxiv=arxiv,
        doi=doi,
        announced=_day(work.publication_date),
        venue=(journal.display_name or "") if journal and journal.type != "repository" else "",
        links=tuple(dict.fromkeys(link for link in links if link)),
        withdrawn=bool(work.is_retracted),
        sources=(source,),
        kind=KINDS.get(journal.type or "", "") if journal and journal.display_name else "",
        published=(work.publication_date or "")[:4],
    )


def _text(words: Mapping[str, Iterable[int]]) -> str:
    """Return a text that is given as the places of its words.

    >>> _text({"a": [0, 2], "b": [1]})
    'a b a'
    """
    return plain(
        " ".join(word for _, word in sorted((place, word) for word, found in words.items() for place in found))
    )


def _day(text: str | None) -> date | None:
    """Return a day of publication. The first of a month may stand for a month, or a year, of which no day is known."""
    found = day(text)
    return found if found and found.day > 1 else None
