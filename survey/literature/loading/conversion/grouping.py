"""The first axis of a new survey: made from keywords, groups, sections, arXiv classes or types of a file."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from survey.literature.bibtex import readable
from survey.literature.loading.conversion.foreign import Draft
from survey.literature.loading.conversion.history import day_in
from survey.literature.taxonomy import Absence

MOST = 40
"""The most values of the axis: rarer keywords stay in their field."""

LONGEST = 60
"""The most letters of a keyword or heading: what is longer is a sentence."""

ENOUGH = 0.25
"""The share of entries that must have a keyword, for the keywords to be the axis."""

DAY = re.compile(
    r"(?i)(?<!\d)(?:19|20)\d\d(?!\d)|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[\s\d,]+$"
)
"""A remark that tells a day or year, in whatever form: no heading."""

Words = Callable[[Sequence[Draft]], Iterator[tuple[str, str]]]
"""Yields keys of entries, each with a word."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """An axis made from a file: its words, and the values of each entry."""

    id: str
    label: str
    definition: str
    several: bool
    """Whether an entry can have several values."""

    labels: Mapping[str, str]
    """The label of each value, by its id, the most frequent first."""

    tags: Mapping[str, tuple[str, ...]]
    """The values of each entry, by its key."""

    left: int
    """How many different words are too rare to be a value."""


def grouping(drafts: Sequence[Draft]) -> Grouping:
    """Return the first way to group entries that enough of them have; the type of entry is one that all have."""
    for id, label, definition, several, words_of in WAYS:
        words: dict[str, list[str]] = {draft.key: [] for draft in drafts}
        for key, word in dict.fromkeys(words_of(drafts)):
            words[key].append(word)
        counted = Counter(word for found in words.values() for word in found)
        covered = sum(map(bool, words.values()))
        groups = len(counted) > 1 and (id != "section" or 2 * len(counted) <= covered)
        if (covered >= ENOUGH * len(drafts) and groups) or id == "kind":
            return _grouping(id, label, definition, several, words, counted)
    raise AssertionError("every entry has a type")


def _grouping(
    id: str, label: str, definition: str, several: bool, words: Mapping[str, list[str]], counted: Counter[str]
) -> Grouping:
    spelt: dict[str, Counter[str]] = {}
    for word, number in counted.items():
        if slug := _slug(word):
            spelt.setdefault(slug, Counter())[word] += number
    least = 2 if len(words) >= 50 and several else 1
    ranked = sorted(spelt, key=lambda slug: (-spelt[slug].total(), slug))
    values = [slug for slug in ranked if spelt[slug].total() >= least][:MOST]
    labels = {slug: min(spelt[slug], key=lambda word: (-spelt[slug][word], word)) for slug in values}
    tags = {
        key: tuple(slug for slug in dict.fromkeys(map(_slug, found)) if slug in labels) for key, found in words.items()
    }
    return Grouping(id, label, definition, several, labels, tags, len(ranked) - len(values))


def _slug(word: str) -> str:
    """Return a word as an id; empty if nothing of it can stand in one."""
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    reserved = {*Absence, "not-coded", "index", "readme"}
    return f"is-{slug}" if slug in reserved else slug


def _keywords(*fields: str) -> Words:
    def words(drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
        for draft in drafts:
            for field in fields:
                for word in map(str.strip, re.split("[;,]", readable(draft.text(field)))):
                    if 1 < len(word) <= LONGEST:
                        yield draft.key, word

    return words


def _sections(drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
    """Yield the heading above each entry: the last remark that is no day, if it is short and no sentence."""
    heading = ""
    for draft in drafts:
        if draft.remark and not (day_in(draft.remark) or DAY.search(draft.remark)):
            heading = draft.remark if len(draft.remark) <= LONGEST and draft.remark[-1] not in ".,;:!?" else ""
        if heading:
            yield draft.key, heading


def _classes(drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
    return ((draft.key, draft.text("primaryclass")) for draft in drafts if draft.text("primaryclass"))


def _kinds(drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
    return ((draft.key, draft.text("original-type") or draft.type) for draft in drafts)


WAYS: Final = (
    ("keyword", "Keyword", "The keywords that the entry carries.", True, _keywords("keywords", "keyword", "tags")),
    ("group", "Group", "The groups of the reference manager in which the entry is.", True, _keywords("groups")),
    ("section", "Section", "The section of the file in which the entry stands.", False, _sections),
    ("class", "arXiv class", "The primary class on arXiv.", False, _classes),
    ("kind", "Kind of work", "The type of the entry.", False, _kinds),
)  # fmt: skip
