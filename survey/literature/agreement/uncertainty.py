"""Counts with their uncertainty: an interval for misclassification, and how many of the entries were read twice.

``double_reading`` states the method and its assumptions. An interval takes two codings of an axis, of which one was
made blind to the other. The pool's own tags are no second reading: they were set with every coding in view. Where an
entry was adjudicated, or the pool departs from the first coding, its tag is settled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from survey.literature.agreement.double_reading import Answers, bounds, distribution
from survey.literature.agreement.readings import ReadingCounts
from survey.literature.agreement.sources import Keys, Sources, sources
from survey.literature.pool import NOT_CODED, Pool, cells, counted
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Absence

Select = Callable[[Pool], Collection[str]]
"""Which entries of a pool count, by key; it is also asked of the pool with the tags of each reader."""

ABSENT = "readers do not use the words for absence alike, and some have only one of them"


@dataclass(frozen=True, slots=True)
class Figure:
    """A count of ``of`` entries as coded, its interval, and the readings behind the entries that count.

    Without an interval, ``low`` and ``high`` are None and ``reason`` says why.
    """

    count: int
    of: int
    readings: ReadingCounts
    low: int | None = None
    high: int | None = None
    reason: str = ""

    @property
    def shares(self) -> tuple[float, float | None, float | None]:
        """The count and its interval as shares."""
        whole = self.of or 1
        low, high = (None if end is None else end / whole for end in (self.low, self.high))
        return self.count / whole, low, high


class Uncertainty:
    """The intervals of a pool; what they share is computed once."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._versions: dict[str, Pool] = {"": pool}
        self._indexes: dict[tuple[str, str], Mapping[str, Keys]] = {}
        self._found: dict[tuple[str, ...], Sources | str] = {}
        self._crossed: dict[tuple[frozenset[tuple[str, str]], Keys | None], Figure] = {}

    def value(self, axis: str, cell: str) -> Figure:
        """Return the count of a cell of an axis (``shared``, or with a qualifier ``spawn: learned``).

        Raises:
            ValueError: if there is no such axis of entries, or no such cell.

        """
        return self.crossed({axis: cell})

    def crossed(self, asked: Mapping[str, str], within: Collection[str] | None = None) -> Figure:
        """Return the count of the entries that are in a cell of each axis; ``within`` limits them to some keys.

        Raises:
            ValueError: as for ``value``.

        """
        for name, cell in asked.items():
            known = {axis.id: axis for axis in self.pool.taxonomy.on("entry")}
            if name not in known:
                raise ValueError(f"there is no axis {quoted(name)} of entries {expected(name, known)}")
            if cell not in cells(known[name]):
                raise ValueError(f"{quoted(cell)} is not a value of {name} {expected(cell, cells(known[name]))}")

        def select(version: Pool) -> Keys:
            name = next(name for name, known in self._versions.items() if known is version)
            return frozenset.intersection(*(self._index(name, axis).get(cell, Keys()) for axis, cell in asked.items()))

        absent = any(cell in (*Absence, NOT_CODED) for cell in asked.values())
        place = frozenset(asked.items()), None if within is None else Keys(within)
        if place not in self._crossed:
            self._crossed[place] = self.figure(tuple(asked), select, within, ABSENT if absent else "")
        return self._crossed[place]

    def figure(
        self, axes: tuple[str, ...], select: Select, within: Collection[str] | None = None, reason: str = ""
    ) -> Figure:
        """Return the count of the entries that ``select`` takes, which depends on these axes alone.

        ``within`` are the keys of the entries that are asked, by default all. With a ``reason`` there is no interval.
        """
        asked = self._keys if within is None else self._keys & Keys(within)
        chosen = Keys(select(self.pool)) & asked
        readings = self.readings(axes, chosen)
        sources = self.sources(axes)
        if reason or isinstance(sources, str):
            return Figure(len(chosen), len(asked), readings, reason=reason or str(sources))
        first, second = (Keys(select(self._version(id))) & asked for id in (sources.first, sources.second))
        low, high = bounds(distribution(self._answers(axes, sources, asked, chosen, first, second)))
        return Figure(len(chosen), len(asked), readings, low, high)

    def readings(self, axes: tuple[str, ...], keys: Collection[str]) -> ReadingCounts:
        """Return how often entries were read on these axes: twice if two codings have all of them."""
        twice = [key for key in keys if all(self._coders.get((key, axis), 0) > 1 for axis in axes)]
        settled = sum(any((key, axis) in self.pool.adjudications for axis in axes) for key in twice)
        return ReadingCounts(len(keys) - len(twice), len(twice), settled)

    def sources(self, axes: tuple[str, ...]) -> Sources | str:
        """Return the two codings to estimate from, or why there are none."""
        if axes not in self._found:
            self._found[axes] = sources(self.pool, axes)
        return self._found[axes]

    # ------------------------------------------------------------------ parts

    @cached_property
    def _keys(self) -> Keys:
        return Keys(entry.key for entry in self.pool)

    @cached_property
    def _coders(self) -> Mapping[tuple[str, str], int]:
        coders: dict[tuple[str, str], int] = defaultdict(int)
        for coding in self.pool.codings.values():
            for judgement in coding.judgements:
                coders[judgement.key, judgement.axis] += 1
        return coders

    def _version(self, coding: str) -> Pool:
        if coding not in self._versions:
            self._versions[coding] = self.pool.recoded(coding)
        return self._versions[coding]

    def _index(self, version: str, axis: str) -> Mapping[str, Keys]:
        """Return the keys of the entries in each cell of an axis, as coded by a reader."""
        if (version, axis) not in self._indexes:
            found = defaultdict(set)
            for entry in self._version(version):
                for cell in counted(entry, self.pool.taxonomy[axis]):
                    found[cell].add(entry.key)
            self._indexes[version, axis] = {cell: Keys(keys) for cell, keys in found.items()}
        return self._indexes[version, axis]

    def _answers(
        self, axes: tuple[str, ...], sources: Sources, asked: Keys, chosen: Keys, first: Keys, second: Keys
    ) -> Answers:
        twice, once = sources.keys & asked, asked - sources.keys
        differ = (first ^ second) & twice
        settled = {key for key in twice if (key in chosen) != (key in first)}
        settled |= {key for key in differ if self._settled(key, axes, sources)}
        return Answers(
            both=len(first & second & twice),
            first_only=len(first & twice - second),
            second_only=len(second & twice - first),
            neither=len(twice - first - second),
            stands=len(first & second & twice - settled) + len(chosen & settled),
            open=len(differ - settled),
            once_yes=len(chosen & once),
            once_no=len(once - chosen),
        )

    def _settled(self, key: str, axes: tuple[str, ...], sources: Sources) -> bool:
        """Return whether every axis on which the two codings of an entry differ is adjudicated."""
        return all(
            (key, axis) in self.pool.adjudications or self._cells(sources.first, axis, key) == self._cells(
                sources.second, axis, key
            )
            for axis in axes
        )  # fmt: skip

    def _cells(self, version: str, axis: str, key: str) -> set[str]:
        return {cell for cell, keys in self._index(version, axis).items() if key in keys}


def interval(pool: Pool, axis: str, value: str) -> Figure:
    """Return the count of a value with its interval for misclassification. Raises ValueError as ``Uncertainty``."""
    return Uncertainty(pool).value(axis, value)


def cell_interval(pool: Pool, rows: str, row: str, columns: str, column: str) -> Figure:
    """Return the count of a cell of a cross-tabulation, likewise."""
    return Uncertainty(pool).crossed({rows: row, columns: column})


def readings_of(pool: Pool, axis: str, keys: Collection[str]) -> ReadingCounts:
    """Return how many of these entries were read once and twice on an axis, and how many were adjudicated."""
    return Uncertainty(pool).readings((axis,), keys)


def near_threshold(holds: Callable[..., bool], *figures: Figure) -> bool | None:
    """Return whether a test of one or more counts changes its answer within their intervals.

    ``holds`` takes a number per figure. None if a figure has no interval.

    >>> read = ReadingCounts(40, 0, 0)
    >>> hybrid, shared = (Figure(n, 40, read, low, high) for n, low, high in [(15, 8, 19), (10, 9, 12)])
    >>> near_threshold(lambda n: n >= 8, hybrid), near_threshold(lambda n, m: n > m, hybrid, shared)
    (False, True)
    """
    ranges = []
    for figure in figures:
        if figure.low is None or figure.high is None:
            return None
        ranges.append(range(figure.low, figure.high + 1))
    stated = holds(*(figure.count for figure in figures))
    return any(holds(*numbers) != stated for numbers in product(*ranges))
