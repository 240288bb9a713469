"""Claims, distribution tables and variants as data: what each counts, and what the number must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec

from survey.literature.problems import expected, quoted

TESTS = (
    "is", "at-least", "at-most", "share-at-least", "share-at-most", "share-above", "share-below", "more-than", "leads",
)  # fmt: skip
"""The tests of a claim; each claim has exactly one."""

Condition = str | list[str]
"""One value, or several of which at least one must match."""


Filter = dict[str, Condition]


class All(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several values on the same axis, all of which must match."""

    all: list[str]


Count = Annotated[int, msgspec.Meta(ge=0)]


Share = (
    Annotated[float, msgspec.Meta(ge=0, le=1)] | Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,9}/[1-9][0-9]{0,8}$")]
)
"""A decimal, which is taken as it is written, or a fraction such as "1/3"."""


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A countable sentence, how it is counted, and its limits.

    ``count`` selects entries; the claim holds if their number passes the test. ``strict`` narrows the selection to
    its strict reading; ``of`` is the population of a share, and ``applicable`` leaves out of it the entries to which a
    counted axis does not apply. ``published`` is the number that was published, and ``dissent`` names
    each entry for which our coding departs from it, with the reason.
    """

    id: str = ""
    sentence: str
    source: str = ""
    chapters: tuple[str, ...] = ()
    count: dict[str, str | list[str] | All] = {}
    of: dict[str, str | list[str] | All] = {}
    applicable: bool = False
    primary: bool = False
    largest: str = ""
    is_: Count | None = msgspec.field(default=None, name="is")
    at_least: Count | None = None
    at_most: Count | None = None
    share_at_least: Share | None = None
    share_at_most: Share | None = None
    share_above: Share | None = None
    share_below: Share | None = None
    more_than: dict[str, str | list[str] | All] | None = None
    leads: str | None = None
    strict: dict[str, str | list[str] | All] = {}
    published: Count | None = None
    published_strict: Count | None = None
    dissent: dict[str, str] = {}
    snapshot: bool = False
    limit: str
    changes: str
    path: str = ""
    line: int = 1

    @property
    def test(self) -> str:
        """The name of the claim's test."""
        return next(name for name in TESTS if self._operand(name) is not None)

    @property
    def operand(self) -> Any:
        """The value that the test compares the number with; a share is an exact fraction."""
        value = self._operand(self.test)
        return Fraction(str(value)) if self.is_share else value

    @property
    def is_share(self) -> bool:
        """Whether the test is one of a share."""
        return self.test.startswith("share-")

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis that the broad reading depends on."""
        axes = [*self.count, *self.of, *(self.more_than or ()), *([self.leads] if self.leads else [])]
        return tuple(dict.fromkeys(axes))

    def _operand(self, name: str) -> Any:
        return getattr(self, {"is": "is_"}.get(name, name.replace("-", "_")))


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A distribution: the number of entries in ``within`` per primary value of an axis.

    ``counts`` are the published numbers, if there are any.
    """

    id: str = ""
    axis: str
    title: str
    within: dict[str, str | list[str] | All] = {}
    counts: dict[str, int] = {}
    path: str = ""
    line: int = 1


class Readings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The codings beside the pool by which claims are judged: the published one, and that of a second reader.

    Each may be missing. ``day`` is that of the published numbers: without it nothing was published before. ``names``
    says how these readings are called, as nouns that follow "in the".
    """

    published: str = ""
    second: str = ""
    day: date | None = None
    names: dict[str, str] = {}


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Another way of counting, under which conclusions are tested again.

    ``keep`` counts only entries that match, ``types`` only those of a BibTeX type with a venue other than arXiv,
    ``reading`` uses another reading, ``denominator`` counts shares among the entries to which the axis applies, or
    among all, ``readmit`` counts excluded records again (``at-worst``: as if each contradicted the claim),
    ``leave-one-out`` removes one entry after the other. ``rankings`` selects, per axis, the entries to rank where a
    reading defines none.
    """

    id: str = ""
    label: str
    says: str
    keep: dict[str, str | list[str] | All] = {}
    types: tuple[str, ...] = ()
    reading: str = ""
    denominator: Literal["", "applicable", "all"] = ""
    readmit: tuple[str, ...] = ()
    at_worst: bool = False
    leave_one_out: bool = False
    rankings: dict[str, dict[str, str | list[str] | All]] = {}
    path: str = ""
    line: int = 1


class Claims(msgspec.Struct, frozen=True):
    """The contents of ``claims.toml``."""

    readings: Readings | None = None
    claims: tuple[Claim, ...] = ()
    tables: tuple[Table, ...] = ()
    variants: tuple[Variant, ...] = ()

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, id: str) -> Claim:
        for claim in self.claims:
            if claim.id == id:
                return claim
        raise KeyError(f"there is no claim {quoted(id)} {expected(id, [c.id for c in self.claims])}")


def conditions(condition: Any) -> list[str]:
    """Return every value that a condition names."""
    if isinstance(condition, str):
        return [condition]
    return list(condition.all if isinstance(condition, All) else condition)


def pairs(filter: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a filter in the form that ``Pool.where`` takes.

    >>> pairs({"grain": ["rye", "wheat"], "tools": All(["oven", "stone"])})
    [('grain', 'rye,wheat'), ('tools', 'oven'), ('tools', 'stone')]
    """
    out = []
    for axis, condition in filter.items():
        if isinstance(condition, All):
            out += [(axis, value) for value in condition.all]
        else:
            out.append((axis, ",".join(conditions(condition))))
    return out
