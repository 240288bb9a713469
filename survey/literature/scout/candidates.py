"""Candidates: works as sources show them, and which of them are the same work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import msgspec

from survey.atomic import write_atomically
from survey.literature.pool import DOI, arxiv_id, title_words
from survey.literature.problems import InvalidSurvey, Problem

LEAST_LETTERS = 20
"""Titles with fewer letters are shared by different works ("Technical report")."""

RESOLVER = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
"""What stands before a DOI."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A work as a source shows it. What the source does not say is empty."""

    title: str
    authors: tuple[str, ...] = ()
    """Names in the order in which one says them: "Ada Lovelace"."""

    abstract: str = ""
    arxiv: str = ""
    """The arXiv id, without a version."""

    doi: str = ""
    classes: tuple[str, ...] = ()
    """arXiv's classes, the primary one first."""

    submitted: date | None = None
    """The day of version 1."""

    announced: date | None = None
    """The day on which it could first be read; for a preprint that of its first listing."""

    version: int | None = None
    """The version of which title, authors and abstract are."""

    venue: str = ""
    links: tuple[str, ...] = ()
    withdrawn: bool = False
    sources: tuple[str, ...] = ()
    parted: tuple[str, ...] = ()
    """The authors again, as BibTeX sorts them, where the source tells last names from others: "Lovelace, Ada"."""

    kind: str = ""
    """The type of entry that the venue asks for, such as article; empty for a preprint, and where it is not known."""

    published: str = ""
    """When it was published, by its venue if it has one: YYYY, YYYY-MM or YYYY-MM-DD."""

    @property
    def id(self) -> str:
        """What the work is called in ``screened.csv``: its arXiv id, else its DOI, address or title."""
        if self.arxiv:
            return f"arxiv:{self.arxiv}"
        if self.doi:
            return f"doi:{self.doi.lower()}"
        return self.links[0] if self.links else f"title:{self.letters}"

    @property
    def letters(self) -> str:
        """The title as one compares it."""
        return "".join(title_words(self.title))

    @property
    def first_seen(self) -> date | None:
        """The day on which it could be read, as far as a source says."""
        return self.announced or self.submitted

    @property
    def marks(self) -> tuple[str, ...]:
        """What makes two candidates the same work, the surest first."""
        letters = self.letters
        marks = (self.arxiv and f"arxiv:{self.arxiv}", self.doi and f"doi:{self.doi.lower()}",
                 len(letters) >= LEAST_LETTERS and f"title:{letters}")  # fmt: skip
        return tuple(mark for mark in marks if mark)


def identifiers(*texts: str) -> tuple[str, str]:
    """Return the arXiv id and the DOI that addresses and identifiers hold; empty where there is none.

    >>> identifiers("https://doi.org/10.48550/arXiv.2603.06859", "10.1609/aaai.v40i38.40487")
    ('2603.06859', '10.1609/aaai.v40i38.40487')
    """
    bare = [RESOLVER.sub("", text.strip()) for text in texts]
    arxiv = next(filter(None, map(arxiv_id, bare)), "")
    dois = (match[1] for text in bare if not arxiv_id(text) and (match := DOI.fullmatch(text.lower())))
    return arxiv, next(dois, "")


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return each work once, in the order in which the works first occur.

    Works are the same that share an arXiv id, a DOI, or a long title; two arXiv ids are always two works. The facts
    are those of the latest version, with what it lacks from the others; days are the earliest that any source says.
    """
    every = list(candidates)
    groups: list[list[int]] = []
    """Which candidates are one work, by their places."""
    places: dict[str, int] = {}
    """In which group each mark is."""
    for number, candidate in enumerate(every):
        joined: list[int] = []
        members = [number]
        for place in dict.fromkeys(places[mark] for mark in candidate.marks if mark in places):  # the surest first
            if _may_be_one(every[member] for member in (*members, *groups[place])):
                members += groups[place]
                groups[place] = []
                joined.append(place)
        if not joined:
            joined.append(len(groups))
            groups.append([])
        first = min(joined)
        groups[first] = sorted(members)
        for mark in (mark for member in members for mark in every[member].marks):
            if mark not in places or not groups[places[mark]]:
                places[mark] = first
    return [_merged([every[member] for member in group]) for group in groups if group]


def _may_be_one(candidates: Iterable[Candidate]) -> bool:
    return len({candidate.arxiv for candidate in candidates if candidate.arxiv}) < 2


def _merged(group: Sequence[Candidate]) -> Candidate:
    if len(group) == 1:
        return group[0]
    latest = sorted(group, key=lambda candidate: -(candidate.version or 0))

    def days(name: str) -> date | None:
        return min((day for one in group if (day := getattr(one, name))), default=None)

    def every(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for one in group for word in getattr(one, name)))

    def best(name: str) -> str:
        return next((text for one in latest if (text := getattr(one, name))), "")

    doi = best("doi")
    others = (f"https://doi.org/{one.doi}" for one in group if one.doi.lower() != doi.lower() and one.doi)
    named = next((one for one in latest if one.authors), latest[0])
    taken = next((one for one in latest if one.kind), None)
    return Candidate(
        title=best("title"),
        authors=named.authors,
        parted=named.parted,
        abstract=best("abstract"),
        arxiv=best("arxiv"),
        doi=doi,
        classes=every("classes"),
        submitted=days("submitted"),
        announced=days("announced"),
        version=latest[0].version,
        venue=taken.venue if taken else best("venue"),
        kind=best("kind"),
        published=taken.published if taken else best("published"),
        links=tuple(dict.fromkeys((*every("links"), *others))),  # a preprint and its publication have a DOI each
        withdrawn=any(one.withdrawn for one in group),
        sources=every("sources"),
    )


def read_candidates(path: Path) -> Iterator[Candidate]:
    """Yield the candidates of a listing in JSON lines.

    Raises:
        InvalidSurvey: at the first line that is not a candidate.

    """
    decoder = msgspec.json.Decoder(Candidate)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise InvalidSurvey([Problem(str(path), number, f"not a candidate: {error}")]) from None


def write_candidates(path: Path, candidates: Iterable[Candidate]) -> None:
    """Write a listing in JSON lines, whole or not at all."""
    write_atomically(path, msgspec.json.Encoder().encode_lines(list(candidates)))
