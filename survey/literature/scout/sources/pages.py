"""Pages of works: what a page says of its work in citation tags, as publishers and preprint servers write them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import day, one_line

PREFIX = "citation_"
VENUES = {"conference_title": "inproceedings", "journal_title": "article", "inbook_title": "incollection"}
"""The types of entries for the tags that name a venue."""

META = re.compile(rb"<meta\b[^<>]{1,20000}>", re.IGNORECASE)
LONGEST = 2_000_000
"""Bytes of a page that are read: its tags stand at its beginning."""

DATES = ("publication_date", "date", "online_date", "cover_date", "year")
DATE = re.compile(r"([0-9]{4})(?:[-/]([0-9]{1,2}))?(?:[-/]([0-9]{1,2}))?")


class Pages:
    """Pages anywhere, read for the tags that Google Scholar asks of them (``citation_title`` and its like)."""

    name = "the page"

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works of the pages at these addresses; nothing for one that names no work in its tags."""
        for address in ids:
            try:
                body = client.get(self.name, address)
            except OutOfReach as error:
                if error.status != 404:
                    raise
                continue
            tags = _Tags()
            for tag in META.findall(body[:LONGEST]):  # the parser is slow on what is no HTML, such as a PDF
                tags.feed(tag.decode("utf-8", "replace"))
            if tags.found["title"]:
                yield _candidate(tags.found, address, self.name)


class _Tags(HTMLParser):
    """Collects the citation tags of a page, each with all its values."""

    def __init__(self) -> None:
        super().__init__()
        self.found: defaultdict[str, list[str]] = defaultdict(list)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the value of a meta tag that describes the work."""
        values = {name: value or "" for name, value in attrs}
        name = values.get("name", "").lower()
        if tag == "meta" and name.startswith(PREFIX) and (text := one_line(values.get("content"))):
            self.found[name.removeprefix(PREFIX)].append(text)


def _candidate(tags: defaultdict[str, list[str]], address: str, source: str) -> Candidate:
    def first(*names: str) -> str:
        return next((tags[name][0] for name in names if tags[name]), "")

    kind = next((VENUES[name] for name in VENUES if tags[name]), "")
    names = tags["author"] or [name for line in tags["authors"] for name in line.split(";") if name.strip()]
    parted = all("," in name for name in names)
    published = _published(first(*DATES))
    arxiv, doi = identifiers(first("arxiv_id"), first("doi"), address)
    return Candidate(
        title=first("title"),
        authors=tuple(" ".join(map(one_line, reversed(name.split(",", 1)))) for name in names),
        abstract=first("abstract"),
        arxiv=arxiv,
        doi=identifiers(first("doi"))[1] or doi,
        announced=day(published),
        venue=first(*VENUES),
        links=(address,),
        sources=(source,),
        parted=tuple(map(one_line, names)) if parted else (),
        kind=kind,
        published=published,
    )


def _published(text: str) -> str:
    """Return a date as far as a tag says it, however it parts the numbers.

    >>> _published("2026/3/9"), _published("2026"), _published("March 2026")
    ('2026-03-09', '2026', '')
    """
    match = DATE.match(text)
    return "-".join(f"{int(part):02}" for part in match.groups() if part) if match else ""
