"""OpenReview: the works of venues.

A note has title, authors, abstract and venue, each as {"value": ...}, and its days in milliseconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TypeVar

import msgspec

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.sources.asked import Asked, answer, one_line
from survey.plurals import plural

PAGE = 1000
"""Notes in one answer: the maximum."""


class _Text(msgspec.Struct, frozen=True):
    value: str | None = None


class _Title(msgspec.Struct, frozen=True):
    value: str


class _Names(msgspec.Struct, frozen=True):
    value: list[str] | None = None


class _Content(msgspec.Struct, frozen=True):
    title: _Title
    authors: _Names = _Names()
    """Missing while a work is anonymous."""

    abstract: _Text = _Text()
    venue: _Text = _Text()
    venueid: _Text = _Text()


class _Note(msgspec.Struct, frozen=True):
    id: str
    content: _Content
    cdate: int | None = None
    odate: int | None = None
    pdate: int | None = None
    ddate: int | None = None


class _Page(msgspec.Struct, frozen=True):
    notes: list[_Note]
    count: int


class _Some(msgspec.Struct, frozen=True):
    notes: list[_Note]


P = TypeVar("P", _Page, _Some)


class OpenReview:
    """OpenReview's API, version 2. It turns away those who have no token of a login."""

    name = "openreview"

    def __init__(self, address: str = "https://api2.openreview.net/notes", token: str = "") -> None:
        self.address, self.token = address, token

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield every work of the venues, whatever its day: a work can be read long before a venue takes it."""
        for venue in asked.venues:
            given = 0
            while True:
                query = {"content.venueid": venue, "limit": str(PAGE), "offset": str(given)}
                page = self._page(client, query, _Page)
                yield from (_candidate(note, self.name) for note in page.notes)
                given += len(page.notes)
                if given >= page.count:
                    break
                if not page.notes:
                    client.forget(self.name, self.address, query)
                    raise OutOfReach(self.name, f"gave {given} of {plural(page.count, 'work')} of {venue}")

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these ids, as in openreview.net/forum?id=ID."""
        for id in ids:
            yield from (_candidate(note, self.name) for note in self._page(client, {"id": id}, _Some).notes)

    def _page(self, client: Client, query: dict[str, str], shape: type[P]) -> P:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else None
        try:
            return answer(client, self.name, self.address, query, shape, headers=headers)
        except OutOfReach as error:
            if error.status not in (401, 403):
                raise
            wanted = "a token that is still valid" if self.token else "the token of a login"
            raise OutOfReach(self.name, f"{error.why} (it wants {wanted})", error.status) from None


def _candidate(note: _Note, source: str) -> Candidate:
    content = note.content
    venue = content.venueid.value or ""
    return Candidate(
        title=one_line(content.title.value),
        authors=tuple(name for author in content.authors.value or () if (name := one_line(author))),
        abstract=one_line(content.abstract.value),
        submitted=_day(note.cdate),
        announced=_day(note.odate or note.pdate),
        venue=one_line(content.venue.value),
        links=(f"https://openreview.net/forum?id={note.id}",),
        withdrawn="withdrawn" in venue.lower() or note.ddate is not None,
        sources=(source,),
    )


def _day(milliseconds: int | None) -> date | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date() if milliseconds else None
