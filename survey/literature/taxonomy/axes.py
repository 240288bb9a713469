"""The vocabulary: axes and their values, from ``taxonomy.toml``.

The code defines how tags are written (the shapes of an axis, the three words for absence). Which axes and values exist
is data.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from survey.literature.taxonomy.settings import Settings

ID = re.compile(r"(?!(?:index|readme)$)[a-z0-9]+(-[a-z0-9]+)*")
"""An id of an axis, a value or a claim: lower case, digits, single hyphens; and no name of a list of pages."""

ID_SHAPE = "lower case, digits, single hyphens; not index or readme"

FAMILY_ID = re.compile(r"[A-Z]+[0-9]+")
"""A family id or a value's short code: ``R6``, ``E1``, ``O5``."""


def _empty() -> Any:
    """Return an immutable empty mapping as a default."""
    return dataclasses.field(default_factory=lambda: MappingProxyType({}), repr=False)


HUES: Final = ("slate", "rust", "teal", "violet", "green", "ochre", "crimson")
"""The hues of the palette, which axes take in this order."""


class Shape(StrEnum):
    """How many tags an axis takes, and of which type."""

    ONE = "one"
    RANKED = "ranked"
    SET = "set"
    QUANTITY = "quantity"


class Absence(StrEnum):
    """The three words for absence. They are never merged."""

    NA = "na"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the vocabulary with its meaning: the common part of values, families, qualifiers."""

    id: str
    labels: Mapping[str, str]
    definition: str = ""
    also: tuple[str, ...] = dataclasses.field(default=(), kw_only=True)
    """Other names under which readers look for it."""

    @property
    def label(self) -> str:
        """The English label."""
        return self.labels["en"]


@dataclass(frozen=True, slots=True)
class Value(Term):
    """A value of an axis, with the decision rule for readers."""

    code: str = ""
    family: str = ""
    rule: str = ""
    positive: str = ""
    negative: str = ""
    unit: str = ""
    first: bool = False
    """Whether works with this value come first in reading order."""
    since: str = ""
    """The day of the codebook that brought the value; codings before it could not name it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rule of a derived axis: a word that follows where every condition holds.

    A condition holds if the entry has one of the words on the axis.
    """

    gives: str
    when: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Axis(Term):
    """One question answered for every entry (or for every excluded record).

    An axis with ``steps`` is derived: its tags follow from those on other axes, its parts, and are not written down.
    """

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
    steps: tuple[Step, ...] = ()
    part_of: str = ""
    """The derived axis to whose question this one belongs: its evidence is also the evidence for this one."""
    hue: str = ""
    """The hue in which it is drawn; a main axis without one takes the next of ``HUES``."""
    core: bool = False
    """Whether its values say how close a work is to the argument, the closest first: such works are named first."""

    @property
    def why(self) -> str:
        """The field that holds the evidence for this axis."""
        return f"why-{self.part_of or self.id}"

    @property
    def coded(self) -> bool:
        """Whether readers judge it: it says something of the work, and does not follow from other axes."""
        return self.on == "entry" and (self.evidence or bool(self.part_of)) and not self.steps

    @property
    def parts(self) -> tuple[str, ...]:
        """The axes from which this one is derived, in the order in which its steps name them."""
        return tuple(dict.fromkeys(axis for step in self.steps for axis, _ in step.when))

    def derived(self, words: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """Return what follows from the words of an entry on other axes: of each step that holds its word, in order.

        A word for absence follows only where no value does, except "does not say" beside values of an axis that
        takes several. An axis with one value takes the first.
        """
        found = dict.fromkeys(
            step.gives for step in self.steps if all(set(asked) & set(words.get(axis, ())) for axis, asked in step.when)
        )
        values = [word for word in found if word in self.values]
        if self.shape is Shape.ONE:
            return tuple([*values, *found][:1])
        missing = [word for word in found if word not in self.values]
        if values:
            return (*values, *([Absence.UNKNOWN] if Absence.UNKNOWN in missing else []))
        return tuple(missing[:1])

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that a tag of this axis may be: its values, then its words for absence."""
        return (*self.values, *self.absences)

    @property
    def value_cells(self) -> tuple[str, ...]:
        """Every cell of the axis except words for absence.

        With qualifiers, ``spawn: learned`` and ``spawn: designed`` are two cells.
        """
        return tuple(f"{value}: {how}" for value in self.values for how in self.qualifiers) or tuple(self.values)

    def resolve(self, name: str) -> tuple[str, ...]:
        """Return the words that a name stands for: a value or absence, a code, or a family.

        On the axis of rewards, ``R6`` stands for ``debate`` and ``verifier``.
        """
        if name in self.words:
            return (name,)
        return tuple(v.id for v in self.values.values() if name in (v.code, v.family) and name)

    def named(self, word: str) -> Term:
        """Return the value with this id; for a word for absence a bare term."""
        return self.values.get(word) or Term(word, {"en": word})


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint by definition: with ``when`` on one axis, ``only`` these values on another."""

    when: Mapping[str, tuple[str, ...]]
    only: Mapping[str, tuple[str, ...]]
    because: str


@dataclass(frozen=True, slots=True)
class Impossible:
    """Cells that must stay empty, since the definitions of their values exclude each other."""

    cells: Mapping[str, tuple[str, ...]]
    why: str


@dataclass(frozen=True, slots=True)
class GapSettings:
    """Settings of the gap analysis beyond the pairs of main axes.

    ``foundations`` and ``strict`` are filters for ``Pool.where``: works from before the field of the survey, which
    ``foundations_label`` names, and the entries that pass the strict reading. ``selective`` are values of excluded
    records: those that were left out for being less central than others, and not for failing a criterion.
    """

    triples: tuple[tuple[str, str, str], ...] = ()
    foundations: tuple[tuple[str, str], ...] = ()
    strict: tuple[tuple[str, str], ...] = ()
    selective: tuple[tuple[str, str], ...] = ()
    foundations_label: str = "foundations"


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
    settings: Settings = dataclasses.field(default_factory=Settings)

    def __getitem__(self, axis: str) -> Axis:
        return self.axes[axis]

    def __iter__(self) -> Iterator[Axis]:
        return iter(self.axes.values())

    def on(self, what: str) -> tuple[Axis, ...]:
        """Return the axes of entries, or those of excluded records."""
        return tuple(axis for axis in self if axis.on == what)

    def field_of(self, axis: str) -> str:
        """Return the field of an axis; of a derived one that of its first part, since its own is not written."""
        parts = self.axes[axis].parts
        return self.axes[parts[0] if parts else axis].field

    @property
    def main(self) -> tuple[Axis, ...]:
        """The axes of entries that are cross-tabulated."""
        return tuple(axis for axis in self.on("entry") if axis.main)

    @property
    def evidence(self) -> str:
        """For which tags there is evidence: "every tag", "some tags" or "". Fields on the reading ask for none."""
        axes = [axis for axis in self.on("entry") if axis.field not in ("read", "confidence")]
        held = [bool(axis.evidence or axis.part_of) for axis in axes]
        return "every tag" if all(held) else "some tags" if any(held) else ""

    @property
    def core(self) -> Axis | None:
        """The axis whose values say how close a work is to the argument of the survey, if it has one."""
        return next((axis for axis in self.on("entry") if axis.core), None)

    def excluded(self, cells: Mapping[str, str]) -> str:
        """Return why no entry can be in all these cells, one per axis, at once; empty if one can.

        Uses the impossible cells, and the rules on these axes alone.
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
        """Return the label of a value or of a word for absence."""
        if word in self.axes[axis].values:
            return self.axes[axis].values[word].labels[language]
        return self.absences[Absence(word)].labels[language]
