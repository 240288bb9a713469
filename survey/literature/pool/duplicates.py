"""Detection of duplicates: by identifier, by key, or by title.

A shared identifier is proof, whatever else differs. A shared title is not. Two works with different identifiers of the
same kind (two DOIs, or two arXiv ids) are therefore suspected only if both title and first author are identical.
Nearly identical titles count only between works that share an author and have no distinguishing identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain
from urllib.parse import urlsplit

from survey.literature.bibtex import address_of
from survey.literature.pool.entries import Entry
from survey.literature.problems import Problem

NEAR = 0.92
"""Minimum similarity of nearly identical titles: twice the shared letters, divided by the letters of both."""

RARE = 3
"""Number of rarest words by which titles are grouped: only titles that share one of them are compared."""

WINDOW = 24
"""Maximum number of neighbours, among the titles that share a word, with which a title is compared."""

WORD = re.compile(r"[^\W_]+")
ROMAN = frozenset({"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"})

ARXIV = re.compile(
    r"(?:(?:https?://)?(?:www\.)?arxiv\.org/(?:abs|pdf|html)/|10\.48550/arxiv\.)?"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?=[./])(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?/?"
)
"""An arXiv id in lower case: alone, in an address, or as the DOI that arXiv gives it."""

DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/.+)")


def arxiv_id(text: str) -> str:
    """Return the arXiv id in an eprint, a URL or a DOI, without version or subject class; empty if there is none.

    >>> arxiv_id("2603.06859"), arxiv_id("https://arxiv.org/pdf/2603.06859v2"), arxiv_id("10.48550/arXiv.2603.06859")
    ('2603.06859', '2603.06859', '2603.06859')
    >>> arxiv_id("math.GT/0309136"), arxiv_id("https://example.org/2603.06859")
    ('math/0309136', '')
    """
    match = ARXIV.fullmatch(text.lower())
    return re.sub(r"\.[a-z]{2}/", "/", match[1]) if match else ""


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title without case, accents and punctuation.

    >>> title_words("Größe & Gestalt: a Re-Test")
    ('grosse', 'gestalt', 'a', 're', 'test')
    """
    if not title.isascii():
        title = "".join(c for c in unicodedata.normalize("NFKD", title) if not unicodedata.combining(c))
    return tuple(WORD.findall(title.casefold()))


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An entry that seems to be the same work as an earlier one, or uses its key."""

    entry: Entry
    first: Entry
    field: str
    """The field that shows it."""

    message: str
    sure: bool = False
    """Whether both have the same identifier."""


def check_duplicates(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield a problem for every entry that seems to be the same work as an earlier one, or uses its key or address."""
    for found in duplicates(entries):
        entry = found.entry
        written = entry.block.fields.get(found.field)
        line = written.line if written else entry.block.line
        yield Problem(entry.path, line, found.message, entry.key, found.field)


def duplicates(entries: Iterable[Entry]) -> Iterator[Duplicate]:
    """Yield every entry that seems to be the same work as an earlier one, or uses its key or address."""
    works = [_Work(entry) for entry in entries]
    seen: dict[tuple[str, str], _Work] = {}
    titles: defaultdict[str, list[_Work]] = defaultdict(list)
    for work in works:
        reported = None
        for name, (field, mark) in work.identifiers.items():
            first = seen.setdefault((name, mark), work)
            if first is not work and first is not reported:
                yield _duplicate(work, first, field, f"the same {name} as {{}}: is it the same work?", sure=True)
                reported = first
        alike = titles[work.squashed] if work.squashed else []
        for first in alike[:WINDOW]:
            if first is reported:
                break
            if not first.has_other_identifiers(work) or first.people[:1] == work.people[:1]:
                yield _duplicate(work, first, "title", "the same title as {}: is it the same work?")
                break
        alike.append(work)
        first = seen.setdefault(("key", address_of(work.entry.key).lower()), work)
        if first is not work and first.entry.path != work.entry.path:
            # within one file, repeated keys are reported where the file is read
            alike_in = "key" if first.entry.key.lower() == work.entry.key.lower() else "address"
            yield _duplicate(work, first, "key", f"the same {alike_in} as {{}}: is it the same work?")
    yield from _similar_titles(works)


@dataclass(eq=False)
class _Work:
    """An entry with the properties by which it is compared."""

    entry: Entry

    @cached_property
    def identifiers(self) -> dict[str, tuple[str, str]]:
        """DOI and arXiv id, each with its field."""
        found: dict[str, tuple[str, str]] = {}
        for field in ("doi", "eprint", "url"):
            text = self.entry.text(field)
            if arxiv := arxiv_id(text):
                found.setdefault("eprint", (field, arxiv))
            elif field == "eprint" and text:
                found["eprint"] = (field, text.lower())
            elif field != "eprint" and (doi := DOI.fullmatch(text.lower())):
                found.setdefault("doi", (field, doi[1]))
        return found

    @cached_property
    def words(self) -> tuple[str, ...]:
        return title_words(self.entry.title)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def squashed(self) -> str:
        return "".join(self.words)

    @cached_property
    def numbers(self) -> list[str]:
        """The numbers that distinguish parts and versions of a series."""
        return sorted(word for word in self.words if word in ROMAN or not word.isalpha())

    @cached_property
    def people(self) -> tuple[str, ...]:
        try:
            return tuple(f"{name.last} {name.given[:1]}".casefold() for name in self.entry.authors)
        except ValueError:  # reported where the field is read
            return ()

    @cached_property
    def site(self) -> tuple[str, str]:
        """The host of the URL, and the rest of it."""
        try:
            parts = urlsplit(self.entry.text("url").lower())
        except ValueError:
            return "", ""
        return parts.netloc.removeprefix("www."), f"{parts.path.rstrip('/')}?{parts.query}"

    def has_other_identifiers(self, other: _Work) -> bool:
        """Return whether both works have an identifier of the same kind, with different values."""
        mine, theirs = self.identifiers, other.identifiers
        return any(mine[kind][1] != theirs[kind][1] for kind in mine.keys() & theirs.keys())

    def on_one_site_with(self, other: _Work) -> bool:
        """Return whether two works without identifiers are different pages of the same site, hence different works."""
        return not (self.identifiers or other.identifiers) and (
            self.site[0] == other.site[0] != "" and self.site != other.site
        )


def _similar_titles(works: list[_Work]) -> Iterator[Duplicate]:
    common = Counter(chain.from_iterable(work.vocabulary for work in works))
    sharing: defaultdict[str, list[int]] = defaultdict(list)
    for place, work in enumerate(works):
        for word in sorted(work.vocabulary, key=lambda word: (common[word], word))[:RARE]:
            sharing[word].append(place)
    near: dict[int, int] = {}
    for places in sharing.values():
        places.sort(key=lambda place: works[place].squashed)
        for position, place in enumerate(places):
            for neighbour in places[position + 1 : position + 1 + WINDOW]:
                if _comparable(works[place], works[neighbour]):
                    one, other = sorted((place, neighbour))
                    if one < near.get(other, other) and _near(works[one], works[other]):
                        near[other] = one
    for other, one in near.items():
        message = (
            "nearly the same title as {}, and an author in common: if it is the same work, "
            "keep one of them; if not, give both what tells them apart (a doi, or an eprint)"
        )
        yield _duplicate(works[other], works[one], "title", message)


def _comparable(one: _Work, other: _Work) -> bool:
    """Return whether two titles are worth comparing letter by letter: a cheap test that rules out most pairs."""
    if not one.identifiers.keys().isdisjoint(other.identifiers.keys()):
        return False
    a, b = len(one.squashed), len(other.squashed)
    if 2 * min(a, b) < NEAR * (a + b):
        return False
    fewer = min(len(one.vocabulary), len(other.vocabulary))
    return 2 * len(one.vocabulary & other.vocabulary) >= fewer and one.numbers == other.numbers


def _near(one: _Work, other: _Work) -> bool:
    """Return whether two works have nearly the same title, share an author, and cannot be distinguished."""
    letters = SequenceMatcher(None, one.squashed, other.squashed, autojunk=False)
    if one.squashed == other.squashed or letters.quick_ratio() < NEAR or letters.ratio() < NEAR:
        return False
    return not set(one.people).isdisjoint(other.people) and not one.on_one_site_with(other)


def _duplicate(work: _Work, first: _Work, field: str, message: str, sure: bool = False) -> Duplicate:
    before = first.entry
    where = f"{before.key} ({before.path}:{before.block.line})"
    return Duplicate(work.entry, before, field, message.format(where), sure)
