"""Agreement between readings: how far two codings of the same entries agree.

Raw agreement, Cohen's kappa (1960) and Krippendorff's alpha (nominal, 2011), each with a bootstrap interval. On a
ranked axis the first values are compared; on a set the entire sets, where each distinct set is a category, in addition
to the mean Jaccard index. Numeric axes are not compared. The pool's own tags are also a reading, with the id ``pool``.
They were made with knowledge of the codings, so their agreement with a coding is not independent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.agreement.reliability import Category, Estimate, reliability
from survey.literature.pool import NOT_CODED, Adjudication, Coding, Judgement, Pool, cells, compared_values
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Axis, Shape

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

POOL = "pool"
"""The id of the pool's own tags as a reading."""

OWN = (
    "The current tags of this pool (the date is that of the snapshot). They were made with knowledge of "
    "every coding, so their agreement with one of them does not validate it."
)

ABSENCE: Category = ("",)
"""The category of all words for absence, where these count together."""

SIDES = {"both": (True, True), "first only": (True, False), "second only": (False, True), "neither": (False, False)}
"""Which of two readers named a word, on a set."""


class Absences(StrEnum):
    """How "not applicable", "none" and "does not say" are compared.

    Together, they are one category, since some readers use one word for all three. Apart, each is a category.
    Left out, only entries count to which both readers gave a value.
    """

    TOGETHER = "together"
    APART = "apart"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An entry that two readers code differently: both sides, and the adjudication if there is one."""

    key: str
    axis: str
    first: Judgement
    second: Judgement
    adjudication: Adjudication | None = None

    @property
    def ranking(self) -> bool:
        """Whether they differ in rank only: the first value of one is also a value of the other."""
        one, other = ([tag.word for tag in side.tags] for side in (self.first, self.second))
        return one[0] in other or other[0] in one


@dataclass(frozen=True)
class Agreement:
    """How far two readings agree on one axis.

    The readers agree on ``alike`` of ``n`` entries. ``confusion`` counts all shared entries: a row per word of the
    first reader, a column per word of the second; on a set, for each word, whether both, one or neither named it.
    """

    first: str
    second: str
    axis: Axis
    n: int
    alike: int
    raw: Estimate
    kappa: Estimate
    alpha: Estimate
    jaccard: Estimate | None
    confusion: pd.DataFrame
    disagreements: tuple[Disagreement, ...]

    def confusions(self) -> list[tuple[str, str, list[Disagreement]]]:
        """Return the confusions, most frequent first: the values of the two readings, and the disagreements."""
        found: dict[tuple[str, str], list[Disagreement]] = defaultdict(list)
        for d in self.disagreements:
            one, other = ("; ".join(compared_values(side.tags, self.axis)) for side in (d.first, d.second))
            found[one, other].append(d)
        return sorted(((a, b, some) for (a, b), some in found.items()), key=lambda c: -len(c[2]))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two readings that share axes and entries; ``blind`` counts the entries that one reader coded blind."""

    first: str
    second: str
    axes: tuple[str, ...]
    entries: int
    blind: int
    blind_axes: tuple[str, ...]
    """The axes on which one of them coded any entry blind."""

    @property
    def independent(self) -> bool:
        """Whether neither reading is the pool's own, which was made with knowledge of the others."""
        return POOL not in (self.first, self.second)


def reading(pool: Pool, id: str) -> Coding:
    """Return a coding by its id; for ``pool`` the pool's own tags as a coding.

    Raises:
        ValueError: if there is no such coding.

    """
    if id == POOL:
        return pool.once(_own)
    if id not in pool.codings:
        raise ValueError(f"there is no coding {quoted(id)} {expected(id, [*pool.codings, POOL])}")
    return pool.codings[id]


def _own(pool: Pool) -> Coding:
    why = {axis.id: axis.why for axis in pool.taxonomy.on("entry")}
    judgements = (
        Judgement(entry.key, axis, tags, {"why": entry.text(why[axis])})
        for entry in pool
        for axis, tags in entry.tags.items()
    )
    return Coding(POOL, "this pool", pool.day, OWN, tuple(judgements))


def reading_pairs(pool: Pool) -> tuple[Pair, ...]:
    """Return every pair of comparable readings: codings by one codebook, then the pool with each coding."""
    pairs = (_pair(pool, reading(pool, POOL), coding) for coding in pool.codings.values())
    return (*coding_pairs(pool), *(pair for pair in pairs if pair.axes))


def coding_pairs(pool: Pool) -> tuple[Pair, ...]:
    """Return every pair of comparable codings, which were made by one codebook, without the pool's own tags."""
    both = combinations(pool.codings.values(), 2)
    pairs = (_pair(pool, one, other) for one, other in both if one.codebook == other.codebook)
    return tuple(pair for pair in pairs if pair.axes)


def agreement(
    pool: Pool,
    first: str,
    second: str,
    axis: str,
    blind_only: bool = False,
    absences: Absences = Absences.TOGETHER,
) -> Agreement:
    """Return the agreement of two readings (ids of codings, or ``pool``) on an axis.

    ``blind_only`` keeps the entries that one reader coded without seeing the other's tags.

    Raises:
        ValueError: if there is no such reading or axis, if the axis is numeric, or if the two readings share no
            entry on it.

    """
    asked = _comparable(pool, axis)
    shared = {
        key: sides
        for key, sides in _shared(pool, reading(pool, first), reading(pool, second), axis).items()
        if _blind(sides) or not blind_only
    }
    if not shared:
        blind = " that was read blind" if blind_only else ""
        raise ValueError(f"{first} and {second} share no entry on {axis}{blind}")
    categories = {key: _categories(sides, asked, absences) for key, sides in shared.items()}
    counted = {key: pair for key, pair in categories.items() if absences != Absences.LEFT_OUT or ABSENCE not in pair}
    overlap = _jaccard if asked.shape is Shape.SET else None
    figures = reliability([*counted.values()], overlap)
    return Agreement(
        first, second, asked, len(counted), sum(a == b for a, b in counted.values()), *figures,
        confusion=_confusion(shared, asked),
        disagreements=tuple(
            Disagreement(key, axis, *shared[key], pool.adjudications.get((key, axis)))
            for key, (a, b) in counted.items() if a != b
        ),
    )  # fmt: skip


# ------------------------------------------------------------- shared entries


def _axes(pool: Pool) -> dict[str, Axis]:
    return {axis.id: axis for axis in pool.taxonomy.on("entry") if axis.shape is not Shape.QUANTITY}


def _comparable(pool: Pool, axis: str) -> Axis:
    axes = _axes(pool)
    if axis in pool.taxonomy.axes and axis not in axes:
        raise ValueError(f"{axis} cannot be compared: it is numeric, or not an axis of entries")
    if axis not in axes:
        raise ValueError(f"there is no axis {quoted(axis)} {expected(axis, axes)}")
    return axes[axis]


def _shared(pool: Pool, one: Coding, other: Coding, axis: str) -> dict[str, tuple[Judgement, Judgement]]:
    """Return the judgements of two readers on an axis, for every entry of the pool that both coded."""
    first, second = one.on(axis), other.on(axis)
    return {e.key: (first[e.key], second[e.key]) for e in pool if e.key in first and e.key in second}


def _blind(sides: Iterable[Judgement]) -> bool:
    return {side.notes.get("blind", "") for side in sides} - {""} == {"yes"}


def _pair(pool: Pool, one: Coding, other: Coding) -> Pair:
    shared = {axis: found for axis in _axes(pool) if (found := _shared(pool, one, other, axis))}
    blind = {axis: {key for key, sides in found.items() if _blind(sides)} for axis, found in shared.items()}
    return Pair(
        one.id, other.id, axes=tuple(shared), entries=len(set().union(*shared.values())),
        blind=len(set().union(*blind.values())), blind_axes=tuple(axis for axis, keys in blind.items() if keys),
    )  # fmt: skip


def _categories(sides: tuple[Judgement, Judgement], axis: Axis, absences: Absences) -> tuple[Category, Category]:
    one, other = (
        ABSENCE if side.tags[0].absent and absences != Absences.APART else compared_values(side.tags, axis)
        for side in sides
    )
    return one, other


def _confusion(shared: Mapping[str, tuple[Judgement, Judgement]], axis: Axis) -> pd.DataFrame:
    words = [cell for cell in cells(axis) if cell != NOT_CODED]
    compared = [tuple(compared_values(side.tags, axis) for side in sides) for sides in shared.values()]
    if axis.shape is Shape.SET:
        table = [
            [sum(((word in a), (word in b)) == side for a, b in compared) for side in SIDES.values()] for word in words
        ]
        return pd.DataFrame(table, index=pd.Index(words), columns=pd.Index(SIDES))
    pairs = Counter((a[0], b[0]) for a, b in compared)
    return pd.DataFrame([[pairs[a, b] for b in words] for a in words], index=pd.Index(words), columns=pd.Index(words))


def _jaccard(first: Category, second: Category) -> float:
    return len({*first} & {*second}) / len({*first} | {*second})
