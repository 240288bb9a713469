"""Semantic Scholar: works whose title or abstract has given words.

A work has title, abstract, authors, venue, day, and its ids elsewhere, among them those of arXiv and Crossref.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

import msgspec

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, answer, day, one_line

KINDS = {"JournalArticle": "article", "Conference": "inproceedings"}
"""The types of entries for types of publications."""

FIELDS = "title,abstract,authors,externalIds,publicationDate,venue,url"


class _Author(msgspec.Struct, frozen=True):
    name: str | None = None


class _Ids(msgspec.Struct, frozen=True):
    arxiv: str | None = msgspec.field(default=None, name="ArXiv")
    doi: str | None = msgspec.field(default=None, name="DOI")


class _Paper(msgspec.Struct, frozen=True, rename="camel"):
    title: str | None
    abstract: str | None
    authors: list[_Author] | None
    external_ids: _Ids | None
    publication_date: str | None
    venue: str | None = None
    url: str | None = None
    publication_types: list[str] | None = None


class _Page(msgspec.Struct, frozen=True):
    total: int
    data: list[_Paper]
    token: str | None = None


class SemanticScholar:
    """Semantic Scholar's bulk search. Without a key all the world shares one allowance, which is often used up."""

    name = "semantic-scholar"

    def __init__(
        self,
        address: str = "https://api.semanticscholar.org/graph/v1/paper/search/bulk",
        key: str = "",
        paper: str = "https://api.semanticscholar.org/graph/v1/paper",
    ) -> None:
        self.address, self.key, self.paper = address, key, paper

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works that match a query and appeared in the time that is asked for, one query after another."""
        for words in asked.queries:
            query = {"query": words, "publicationDateOrYear": f"{asked.since}:{asked.until}", "fields": FIELDS}
            for page in self._pages(client, query):
                yield from (_candidate(paper, self.name) for paper in page.data if one_line(paper.title))

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these arXiv ids, DOIs or ids of its own; nothing for one that it does not know."""
        headers = {"x-api-key": self.key} if self.key else None
        for id in ids:
            arxiv, doi = identifiers(id)
            name = f"ARXIV:{arxiv}" if arxiv else f"DOI:{doi}" if doi else id
            address = f"{self.paper}/{quote(name, safe=':')}"
            try:
                query = {"fields": f"{FIELDS},publicationTypes"}
                paper = answer(client, self.name, address, query, _Paper, headers=headers)
            except OutOfReach as error:
                if error.status != 404:
                    raise
                continue
            if one_line(paper.title):
                yield _candidate(paper, self.name)

    def _pages(self, client: Client, query: dict[str, str]) -> Iterator[_Page]:
        headers = {"x-api-key": self.key} if self.key else None
        seen: set[str] = set()
        while True:
            page = answer(client, self.name, self.address, query, _Page, headers=headers)
            yield page
            if not page.token:
                return
            if page.token in seen or not page.data:
                client.forget(self.name, self.address, query)
                raise OutOfReach(self.name, "pages in a circle")
            seen.add(page.token)
            query = {**query, "token": page.token}


def _candidate(paper: _Paper, source: str) -> Candidate:
    ids = paper.external_ids or _Ids()
    arxiv, doi = identifiers(ids.arxiv or "", ids.doi or "")
    venue = "" if paper.venue == "arXiv.org" else one_line(paper.venue)
    kinds = (KINDS[name] for name in paper.publication_types or () if name in KINDS)
    return Candidate(
        title=one_line(paper.title),
        authors=tuple(name for author in paper.authors or () if (name := one_line(author.name))),
        abstract=one_line(paper.abstract),
        arxiv=arxiv,
        doi=doi,
        announced=day(paper.publication_date),
        venue=venue,
        links=(paper.url,) if paper.url else (),
        sources=(source,),
        kind=next(kinds, "") if venue else "",
        published=(paper.publication_date or "")[:7],
    )
