"""Tags as written in a field: ``shared; verifier``, ``stop: learned``, ``agents: 100``, ``na``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Absence, Axis, Shape


@dataclass(frozen=True, slots=True)
class Tag:
    """One value of an entry on one axis.

    ``word`` is a value of the axis or a word for absence; ``qualifier`` (learned, designed) is set where the axis has
    qualifiers; ``number`` is set on quantities.
    """

    axis: str
    word: str
    qualifier: str = ""
    number: int | None = None

    @property
    def absent(self) -> bool:
        """Whether this is a word for absence."""
        return self.word in ABSENT

    def __str__(self) -> str:
        detail = self.qualifier if self.number is None else str(self.number)
        return f"{self.word}: {detail}" if detail else self.word


Parsed = dict[tuple[str, str], tuple[tuple[Tag, ...], list[str]]]
"""What ``parse_tags`` gave, by axis and text: the same few tags occur thousands of times."""

ABSENT = frozenset(Absence)

OPEN = (Shape.RANKED, Shape.SET)
"""Shapes of axes on which ``unknown`` may follow values: there is more, and what was read does not say what."""


def derived_tags(axis: Axis, tags: Mapping[str, tuple[Tag, ...]]) -> tuple[Tag, ...]:
    """Return the tags of a derived axis that follow from the tags on its parts; none if nothing follows."""
    words = {part: [tag.word for tag in tags.get(part, ())] for part in axis.parts}
    return tuple(Tag(axis.id, word) for word in axis.derived(words))


def parse_tags(text: str, axis: Axis) -> tuple[tuple[Tag, ...], list[str]]:
    """Return the valid tags in a field, and its problems."""
    parts = [part.strip() for part in text.split(";")]
    if not text.strip():
        return (), [f"is empty {expected('', axis.words)}"]
    problems = ['has nothing between two ";"'] if "" in parts else []
    tags: list[Tag] = []
    for part in filter(None, parts):
        tag, problem = _tag(part, axis)
        if problem:
            problems.append(problem)
        elif tag and any(tag.word == other.word for other in tags):
            problems.append(f"names {quoted(tag.word)} twice")
        elif tag:
            tags.append(tag)
    problems += _together(tags, axis)
    return tuple(tags), problems


def parse_once(text: str, axis: Axis, parsed: Parsed) -> tuple[tuple[Tag, ...], list[str]]:
    """Return what ``parse_tags`` gives, from ``parsed`` if it was asked before."""
    written = axis.id, text
    if written not in parsed:
        parsed[written] = parse_tags(text, axis)
    return parsed[written]


def format_tags(tags: tuple[Tag, ...]) -> str:
    """Return the tags as text for a BibTeX field; ``parse_tags`` reads them back."""
    return "; ".join(map(str, tags))


def _tag(part: str, axis: Axis) -> tuple[Tag | None, str]:
    word, colon, detail = (piece.strip() for piece in part.partition(":"))
    if word not in axis.words:
        return None, f"{quoted(word)} is not a value of {axis.id} {expected(word, axis.words)}"
    if word in ABSENT:
        return (None, f'{quoted(part)}: "{word}" stands alone') if colon else (Tag(axis.id, word), "")
    if axis.shape is Shape.QUANTITY:
        if not (detail.isascii() and detail.isdigit() and 0 < len(detail) < 13 and int(detail)):
            return None, f'{quoted(part)}: expected a whole number above 0, as in "{word}: 100"'
        return Tag(axis.id, word, number=int(detail)), ""
    if axis.qualifiers:
        if detail not in axis.qualifiers:
            return None, f"{quoted(part)} does not say how {expected(detail, axis.qualifiers)}"
        return Tag(axis.id, word, qualifier=detail), ""
    if colon:
        return None, f"{quoted(part)}: values of {axis.id} take nothing after a colon"
    return Tag(axis.id, word), ""


def _together(tags: list[Tag], axis: Axis) -> Iterator[str]:
    if len(tags) > 1 and axis.shape is Shape.ONE:
        yield f"has {len(tags)} values, expected one: {quoted(format_tags(tuple(tags)))}"
    for place, tag in enumerate(tags):
        if tag.absent and len(tags) > 1 and not (tag.word == Absence.UNKNOWN and place and axis.shape in OPEN):
            yield f'"{tag.word}" cannot stand beside a value: {quoted(format_tags(tuple(tags)))}'
            return
