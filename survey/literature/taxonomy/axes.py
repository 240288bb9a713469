"""The vocabulary: axes and their values, as ``taxonomy.toml`` has them.

Nothing here knows a single value. The code knows how tags are written (the
shapes of an axis, the three words for absence); which axes exist and what
stands on them is data.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""An axis or value id: lower case, digits, single hyphens."""

FAMILY_ID = re.compile(r"[A-Z]+[0-9]+")
"""A family id or a value's short code: ``R6``, ``E1``, ``O5``."""


def _empty() -> Any:
    """The default of a mapping that nobody can change."""
    return dataclasses.field(default_factory=lambda: MappingProxyType({}), repr=False)


class Shape(StrEnum):
    """How many tags an axis takes, and of which kind."""

    ONE = "one"
    RANKED = "ranked"
    SET = "set"
    QUANTITY = "quantity"


class Absence(StrEnum):
    """Three ways of not having a value. They are never merged."""

    NA = "na"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the vocabulary with its meaning: the common part of values, families, qualifiers."""

    id: str
    labels: Mapping[str, str]
    definition: str = ""

    @property
    def label(self) -> str:
        """The English label."""
        return self.labels["en"]


@dataclass(frozen=True, slots=True)
class Value(Term):
    """A value of an axis, with the rule by which a reader decides for it."""

    code: str = ""
    family: str = ""
    rule: str = ""
    positive: str = ""
    negative: str = ""
    unit: str = ""
    first: bool = False
    """Whether works of this kind are read before the rest."""


@dataclass(frozen=True, slots=True)
class Axis(Term):
    """One question asked of every entry (or of every excluded record)."""

    field: str = ""
    shape: Shape = Shape.ONE
    on: str = "entry"
    required: bool = False
    evidence: bool = True
    main: bool = False
    ordered: bool = False
    values: Mapping[str, Value] = _empty()
    families: Mapping[str, Term] = _empty()
    qualifiers: Mapping[str, Term] = _empty()
    absences: tuple[Absence, ...] = ()

    @property
    def why(self) -> str:
        """The field that holds the evidence for this axis."""
        return f"why-{self.id}"

    @property
    def words(self) -> tuple[str, ...]:
        """Everything a tag of this axis may be: its values, then its words for absence."""
        return (*self.values, *self.absences)

    @property
    def value_cells(self) -> tuple[str, ...]:
        """Everything that an entry can be counted under, words of absence aside.

        Where the axis asks how, ``spawn: learned`` and ``spawn: designed`` are two.
        """
        return tuple(f"{value}: {how}" for value in self.values for how in self.qualifiers) or tuple(self.values)

    def resolve(self, name: str) -> tuple[str, ...]:
        """The words that a name stands for: a value or absence, a code, or a whole family.

        On the axis of rewards, ``R6`` stands for ``debate`` and ``verifier``.
        """
        if name in self.words:
            return (name,)
        return tuple(v.id for v in self.values.values() if name in (v.code, v.family) and name)

    def named(self, word: str) -> Term:
        """The value with this id; for a word of absence a bare term."""
        return self.values.get(word) or Term(word, {"en": word})


@dataclass(frozen=True, slots=True)
class Rule:
    """What cannot be by definition: with ``when`` on one axis, ``only`` these on another."""

    when: Mapping[str, tuple[str, ...]]
    only: Mapping[str, tuple[str, ...]]
    because: str


@dataclass(frozen=True, slots=True)
class Impossible:
    """Cells that no entry can stand in, since the definitions of their values exclude each other."""

    cells: Mapping[str, tuple[str, ...]]
    why: str


@dataclass(frozen=True, slots=True)
class GapSettings:
    """What the analysis of gaps looks at besides every pair of main axes.

    ``foundations`` and ``strict`` are filters as ``Pool.where`` takes them: the works of the time
    before, and the entries that stand the strict reading.
    """

    triples: tuple[tuple[str, str, str], ...] = ()
    foundations: tuple[tuple[str, str], ...] = ()
    strict: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """All axes, in the order of the file. ``taxonomy["reward"]`` is an axis."""

    title: str
    languages: tuple[str, ...]
    axes: Mapping[str, Axis]
    absences: Mapping[Absence, Term]
    rules: tuple[Rule, ...] = ()
    max_bytes: int = 0
    impossible: tuple[Impossible, ...] = ()
    gaps: GapSettings = GapSettings()

    def __getitem__(self, axis: str) -> Axis:
        return self.axes[axis]

    def __iter__(self) -> Iterator[Axis]:
        return iter(self.axes.values())

    def on(self, what: str) -> tuple[Axis, ...]:
        """The axes of entries, or those of excluded records."""
        return tuple(axis for axis in self if axis.on == what)

    @property
    def main(self) -> tuple[Axis, ...]:
        """The axes of entries that are set against each other."""
        return tuple(axis for axis in self.on("entry") if axis.main)

    def excluded(self, cells: Mapping[str, str]) -> str:
        """Why no entry can stand in all these cells at once, a cell per axis; empty if one can.

        Told by the impossible cells, and by the rules that speak of these axes alone.
        """
        for impossible in self.impossible:
            if all(cells.get(axis) in wrong for axis, wrong in impossible.cells.items()):
                return impossible.why
        words = {axis: cell.partition(": ")[0] for axis, cell in cells.items()}
        for rule in self.rules:
            applies = all(words.get(axis) in asked for axis, asked in rule.when.items())
            if applies and any(words[axis] not in only for axis, only in rule.only.items() if axis in words):
                return rule.because
        return ""

    def label(self, axis: str, word: str, language: str = "en") -> str:
        """The label of a value or of a word for absence."""
        if word in self.axes[axis].values:
            return self.axes[axis].values[word].labels[language]
        return self.absences[Absence(word)].labels[language]
