"""Semantic Scholar: works whose title or abstract has given words.

A work has title, abstract, authors, venue, day, and its ids elsewhere, among them those of arXiv and Crossref.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import Asked, answer, day, one_line

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


class _Page(msgspec.Struct, frozen=True):
    total: int
    data: list[_Paper]
    token: str | None = None


class SemanticScholar:
    """Semantic Scholar's bulk search. Without a key all the world shares one allowance, which is often used up."""

    name = "semantic-scholar"

    def __init__(
        self, address: str = "https://api.semanticscholar.org/graph/v1/paper/search/bulk", key: str = ""
    ) -> None:
        self.address, self.key = address, key

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield the works that match a query and appeared in the time that is asked for, one query after another."""
        for words in asked.queries:
            query = {"query": words, "publicationDateOrYear": f"{asked.since}:{asked.until}", "fields": FIELDS}
            for page in self._pages(client, query):
                yield from (_candidate(paper, self.name) for paper in page.data if one_line(paper.title))

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
    return Candidate(
        title=one_line(paper.title),
        authors=tuple(name for author in paper.authors or () if (name := one_line(author.name))),
        abstract=one_line(paper.abstract),
        arxiv=arxiv,
        doi=doi,
        announced=day(paper.publication_date),
        venue="" if paper.venue == "arXiv.org" else one_line(paper.venue),
        links=(paper.url,) if paper.url else (),
        sources=(source,),
    )
