"""The kinds of evidence for disclosed numbers, and what their page says, from ``scale.toml``."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import Shape, Taxonomy, read_toml

TABLES = ("page", "kind")

HEADER = re.compile(r"\s*\[\[\s*kind\s*\]\]")


class EvidenceKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of evidence: which entries have it, and what it does and does not show."""

    id: str
    label: str
    where: dict[str, str]
    says: str


class Curves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Curves behind the works, from a table of a notebook: a row per curve, a column per size."""

    table: str
    notebook: str
    title: str
    says: str
    """What they are, after a sentence on the works."""
    note: str = ""


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two quantities against each other, for the works that disclose both."""

    quantities: tuple[str, str]
    axes: tuple[str, str]
    heading: str
    disclosed: str
    """What such a work discloses, in words."""
    note: str = ""
    curves: Curves | None = None


class Chapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page of the survey that gives the source of each number."""

    page: str
    """Its file in ``docs/``."""
    title: str


class ScalePage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page on disclosed numbers says of itself; where it says nothing, the axis speaks for it."""

    title: str = ""
    heading: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    """What a reader must know of the kinds of evidence."""

    measures: dict[str, str] = {}
    """The measure of a trace report that states a quantity."""

    pair: Pair | None = None
    sources: Chapter | None = None


def read_scale_page(path: Path, taxonomy: Taxonomy) -> tuple[ScalePage, list[Problem]]:
    """Return what a file says of the page, and what is wrong there; nothing is said if there is no file."""
    try:
        data, text = read_toml(path, str(path)) if os.path.lexists(path) else ({}, "")
        page = msgspec.convert(data.get("page", {}), ScalePage)
        wrong = _unknown_quantities(page, taxonomy)
    except InvalidSurvey:
        return ScalePage(), []  # the reader of the kinds reports it
    except msgspec.ValidationError as error:
        page, wrong = ScalePage(), [str(error)[0].lower() + str(error)[1:]]
    line = next((n for n, row in enumerate(text.split("\n"), 1) if row.strip() == "[page]"), 1)
    return page, [Problem(str(path), line, message, field="page") for message in wrong]


def _unknown_quantities(page: ScalePage, taxonomy: Taxonomy) -> list[str]:
    """Return what is wrong with the quantities that a page names: they are values of axes of numbers."""
    known = [word for axis in taxonomy.axes.values() if axis.shape is Shape.QUANTITY for word in axis.values]
    named = [("page.measures", word) for word in page.measures]
    named += [("page.pair", word) for word in (page.pair.quantities if page.pair else ())]
    return [
        f"{where}: {quoted(word)} is not a quantity {expected(word, known)}"
        for where, word in named
        if word not in known
    ]


def read_evidence_kinds(path: Path, taxonomy: Taxonomy) -> tuple[tuple[EvidenceKind, ...], list[Problem]]:
    """Return the kinds of evidence of a file, in order, and all its problems; none if there is no file."""
    if not os.path.lexists(path):
        return (), []
    try:
        data, text = read_toml(path, str(path))
    except InvalidSurvey as error:
        return (), list(error.problems)
    problems = [
        Problem(str(path), 1, f"{quoted(name)} is not a table of this file {expected(name, TABLES)}")
        for name in data
        if name not in TABLES
    ]
    tables = data.get("kind", [])
    if not isinstance(tables, list):
        return (), [
            *problems,
            Problem(str(path), 1, "found something else, expected tables like [[kind]]", field="kind"),
        ]
    # an inline list has no header lines for its tables
    starts = [number for number, line in enumerate(text.split("\n"), 1) if HEADER.match(line)]
    lines = starts if len(starts) == len(tables) else [1] * len(tables)
    kinds: list[EvidenceKind] = []
    for line, table in zip(lines, tables, strict=True):
        try:
            kind = msgspec.convert(table, EvidenceKind)
        except msgspec.ValidationError as error:
            problems.append(Problem(str(path), line, str(error)[0].lower() + str(error)[1:]))
            continue
        problems += [Problem(str(path), line, message, kind.id) for message in _wrong(kind, taxonomy)]
        kinds.append(kind)
    return tuple(kinds), problems


def _wrong(kind: EvidenceKind, taxonomy: Taxonomy) -> list[str]:
    messages = []
    for axis, value in kind.where.items():
        if axis not in taxonomy.axes:
            messages.append(f"where: there is no axis {quoted(axis)} {expected(axis, taxonomy.axes)}")
        elif value not in taxonomy[axis].words:
            words = taxonomy[axis].words
            messages.append(f"where: {quoted(value)} is not a value of {axis} {expected(value, words)}")
    return messages
