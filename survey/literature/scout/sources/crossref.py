"""Crossref: works whose record resembles given words, and the facts of single works.

A record has titles, authors, venue, days as lists of numbers, and, where the publisher gives them, an abstract in
JATS and its relations to other works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

import msgspec

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, answer, one_line
from survey.literature.scout.sources.feeds import plain
from survey.plurals import plural

PAGE = 200
"""Records in one answer. 1,000 are allowed, but each may list hundreds of references."""

MOST = 1000
"""How many works are taken for one query: those that resemble it most. The others often share one word with it."""

KINDS = {"journal-article": "article", "proceedings-article": "inproceedings", "book-chapter": "incollection"}
"""The types of entries for types of records; others have no venue that styles ask for."""

HEADING = re.compile(r"<(jats:)?title>\s*abstract\s*</(jats:)?title>", re.IGNORECASE)
WITHDRAWN = frozenset({"retraction", "withdrawal", "removal", "partial_retraction"})


class _Date(msgspec.Struct, frozen=True, rename="kebab"):
    date_parts: list[list[int | None]] = []


class _Author(msgspec.Struct, frozen=True):
    given: str | None = None
    family: str | None = None
    name: str | None = None
    """Of an institution."""


class _Related(msgspec.Struct, frozen=True, rename="kebab"):
    id: str = ""
    id_type: str = ""


class _Relation(msgspec.Struct, frozen=True, rename="kebab"):
    has_preprint: list[_Related] = []
    is_preprint_of: list[_Related] = []


class _Update(msgspec.Struct, frozen=True):
    type: str = ""


class _Work(msgspec.Struct, frozen=True, rename="kebab"):
    doi: str = msgspec.field(name="DOI")
    issued: _Date
    title: list[str] | None = None
    """Missing or empty for records that are no works, such as parts of works."""

    subtitle: list[str] | None = None
    author: list[_Author] | None = None
    abstract: str | None = None
    container_title: list[str] | None = None
    posted: _Date | None = None
    published_online: _Date | None = None
    published_print: _Date | None = None
    type: str | None = None
    relation: Any = None
    updated_by: list[_Update] | None = None
    url: str | None = msgspec.field(default=None, name="URL")


class _Found(msgspec.Struct, frozen=True, rename="kebab"):
    total_results: int
    items: list[_Work]


class _Page(msgspec.Struct, frozen=True):
    message: _Found


class _One(msgspec.Struct, frozen=True):
    message: _Work


class Crossref:
    """Crossref's API.

    It is paged by number: a cursor ends five minutes after its last use, so that a run that was cut off could not go
    on from kept answers.
    """

    name = "crossref"

    def __init__(self, address: str = "https://api.crossref.org/works", most: int = MOST) -> None:
        self.address, self.most = address, most

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works of the time that is asked for which resemble a query most, one query after another."""
        for words in asked.queries:
            for page in self._pages(client, words, f"from-pub-date:{asked.since},until-pub-date:{asked.until}"):
                yield from (_candidate(work, self.name) for work in page.items if _title(work))

    def facts(self, client: Client, dois: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these DOIs; nothing for one that Crossref does not know, such as those of arXiv."""
        for doi in (doi for text in dois if (doi := identifiers(text)[1])):
            try:
                work = answer(client, self.name, f"{self.address}/{quote(doi, safe='')}", {}, _One).message
            except OutOfReach as error:
                if error.status != 404:
                    raise
                continue
            if _title(work):
                yield _candidate(work, self.name)

    def _pages(self, client: Client, words: str, filtered: str) -> Iterator[_Found]:
        given = 0
        while given < self.most:
            rows = min(PAGE, self.most - given)
            query = {"query.bibliographic": words, "filter": filtered, "rows": str(rows), "offset": str(given)}
            page = answer(client, self.name, self.address, query, _Page).message
            yield page
            given += len(page.items)
            if given >= page.total_results:
                return
            if not page.items:
                client.forget(self.name, self.address, query)
                raise OutOfReach(self.name, f'gave {given} of {plural(page.total_results, "work")} for "{words}"')


def _title(work: _Work) -> str:
    """Return title and subtitle, as other sources have them."""
    title, subtitle = (plain(next(iter(texts or ()), "")) for texts in (work.title, work.subtitle))
    return f"{title}: {subtitle}" if title and subtitle and subtitle not in title else title


def _candidate(work: _Work, source: str) -> Candidate:
    doi = identifiers(work.doi)
    days = filter(None, map(_day, (work.posted, work.published_online, work.published_print, work.issued)))
    named = [one for one in work.author or () if one.family or one.name]
    names = (f"{one.given or ''} {one.family}" if one.family else one.name for one in named)
    venue = plain(next(iter(work.container_title or ()), ""))
    return Candidate(
        title=_title(work),
        authors=tuple(name for text in names if (name := one_line(text))),
        abstract=plain(HEADING.sub("", work.abstract or "")),
        arxiv=identifiers(*_related(work))[0] or doi[0],
        doi=doi[1],
        announced=min(days, default=None),
        venue=venue,
        links=(work.url,) if work.url else (),
        withdrawn=any(update.type in WITHDRAWN for update in work.updated_by or ()),
        sources=(source,),
        parted=tuple(map(_parted, named)),
        kind=KINDS.get(work.type or "", "") if venue else "",
        published=_published(work.issued),
    )


def _parted(author: _Author) -> str:
    """Return a name as BibTeX sorts it. One without a first name is that of an institution."""
    if not author.family or not author.given:
        return f"{{{one_line(author.family or author.name)}}}"
    return f"{one_line(author.family)}, {one_line(author.given)}"


def _published(found: _Date) -> str:
    """Return a date as far as it is known."""
    parts = next(iter(found.date_parts), [])
    return "-".join(f"{part:02}" for part in parts if part)


def _related(work: _Work) -> Iterator[str]:
    """Yield the ids of the same work elsewhere. Publishers write relations freely: what we cannot read is left out."""
    try:
        relation = msgspec.convert(work.relation or {}, _Relation)
    except msgspec.ValidationError:
        return
    for one in (*relation.has_preprint, *relation.is_preprint_of):
        if one.id_type in ("doi", "arxiv"):
            yield one.id


def _day(found: _Date | None) -> date | None:
    """Return a day of which year, month and day are known."""
    try:
        year, month, number = (part for part in (found.date_parts if found else [[]])[0] if part)
        return date(year, month, number)
    except (IndexError, ValueError):
        return None
