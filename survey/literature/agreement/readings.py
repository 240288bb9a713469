"""Who has read what: how reliable the coding of an axis is, and how often the entries of a cell were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

from survey.literature.agreement.pairs import Agreement, Pair, agreement, coding_pairs
from survey.literature.pool import Pool
from survey.literature.taxonomy import Axis


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far two independent readers agree on an axis; ``found`` is None if no two have read it.

    Of several pairs of readers, the one with the most entries that one of them read blind on this axis. ``blind`` tells
    whether only these entries are compared: agreement of readers who knew each other's tags shows little.
    """

    axis: Axis
    found: Agreement | None
    blind: bool

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None if it is not known or not defined."""
        return None if self.found is None or isnan(self.found.kappa.value) else self.found.kappa.value


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """How many entries were read once, how many at least twice, and how many of these have an adjudicated tag."""

    once: int
    twice: int
    adjudicated: int

    @property
    def entries(self) -> int:
        """The number of entries."""
        return self.once + self.twice


class Readings:
    """The readings of a pool, for questions about many axes and cells."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._pairs: tuple[Pair, ...] | None = None
        self._axes: dict[str, Reliability] = {}
        self._codings = Counter((j.key, j.axis) for coding in pool.codings.values() for j in coding.judgements)

    def reliability(self, axis: str) -> Reliability:
        """Return how reliable the coding of an axis is."""
        if axis not in self._axes:
            self._axes[axis] = self._reliability(axis)
        return self._axes[axis]

    def lower(self, *axes: str) -> Reliability:
        """Return the reliability of the least reliable of some axes: one that nobody has read twice comes first."""
        every = [self.reliability(axis) for axis in axes]
        return min(every, key=lambda one: (one.kappa is not None, one.kappa or 0.0))

    def counts(self, keys: Iterable[str], *axes: str) -> ReadingCounts:
        """Return how often some entries were read on all of these axes; one axis read once makes it once.

        The tags of the pool count as a reading only where there is no other: they were made with knowledge of all.
        """
        keys = tuple(keys)
        times = [min(max(1, self._codings[key, axis]) for axis in axes) for key in keys]
        settled = sum(any((key, axis) in self.pool.adjudications for axis in axes) for key in keys)
        return ReadingCounts(sum(n == 1 for n in times), sum(n > 1 for n in times), settled)

    def _reliability(self, axis: str) -> Reliability:
        if self._pairs is None:
            self._pairs = coding_pairs(self.pool)
        found = []
        for pair in self._pairs:
            if axis in pair.axes:
                blind = axis in pair.blind_axes
                compared = agreement(self.pool, pair.first, pair.second, axis, blind_only=blind)
                found.append(Reliability(self.pool.taxonomy[axis], compared, blind))
        return max(
            found,
            key=lambda one: (one.blind, one.found.n if one.found else 0),
            default=Reliability(self.pool.taxonomy[axis], None, False),
        )
