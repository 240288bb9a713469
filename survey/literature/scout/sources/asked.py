"""What a source is asked, and what a source is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol, TypeVar

import msgspec

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for. Each source takes of it what it can answer."""

    since: date
    until: date
    classes: tuple[str, ...] = ()
    """arXiv's classes."""

    queries: tuple[str, ...] = ()
    """Words to search for, one query each."""

    cited: tuple[str, ...] = ()
    """arXiv ids and DOIs of works of which we want those that cite them."""

    venues: tuple[str, ...] = ()
    """Ids of venues at OpenReview, such as "ICLR.cc/2026/Conference"."""

    pages: tuple[str, ...] = field(default=())
    """Addresses of feeds, and of bibliographies in BibTeX."""


class Source(Protocol):
    """A service, or a kind of file, that shows works."""

    name: str

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield what the source shows. Raises ``OutOfReach`` if it gives no usable answer."""
        ...


def answer(
    client: Client,
    source: str,
    address: str,
    query: Mapping[str, str],
    shape: type[T],
    *,
    headers: Mapping[str, str] | None = None,
    secret: Mapping[str, str] | None = None,
) -> T:
    """Ask a service and return its JSON answer as the shape that it documents.

    An answer of another shape is not kept: it may be a page for browsers that the service gives for a while.

    Raises:
        OutOfReach: if there is no answer, or one of another shape.

    """
    body = client.get(source, address, query, headers, secret)
    try:
        return decoded(source, body, shape)
    except OutOfReach:
        client.forget(source, address, query)
        raise


def decoded(source: str, body: bytes, shape: type[T]) -> T:
    """Return a JSON answer as the shape that the service documents. Raises ``OutOfReach`` if it has another."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OutOfReach(source, f"answered in a form that we do not know ({error})") from None


def day(text: str | None) -> date | None:
    """Return the day of a date or time as services write them; None if it is not a whole day.

    >>> day("2026-03-10T17:59:01Z"), day("2026-03"), day(None)
    (datetime.date(2026, 3, 10), None, None)
    """
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def one_line(text: str | None) -> str:
    """Return a text without line breaks and runs of blanks."""
    return " ".join((text or "").split())


def parts(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield the items in parts of a size."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
