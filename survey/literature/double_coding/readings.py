"""How often each tag was read, and how far second readings depart from first ones.

A *pair* is an entry and an axis. Its readings are the codings that have it, and the pool's own tag, unless the pool
took it over from one of these codings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from survey.literature.pool import Entry, Pool, compared_values
from survey.literature.pool.tags import Tag
from survey.literature.taxonomy import Axis

POOL = "pool"
"""The id of the pool's own tags as a reading."""

PairId = tuple[str, str]
"""The key of an entry and the id of an axis."""

Tags = tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One reader's tags on a pair; ``blind`` is "yes", "no", or empty where the coding does not say."""

    by: str
    tags: Tags
    blind: str = ""
    codebook: str = ""


def coded_axes(pool: Pool) -> tuple[Axis, ...]:
    """Return the axes that readers judge: those of entries that describe a work, and do not follow from others."""
    return tuple(axis for axis in pool.taxonomy if axis.coded)


def derived_axes(pool: Pool) -> tuple[Axis, ...]:
    """Return the axes of entries that follow from parts, which readers judge."""
    return tuple(axis for axis in pool.taxonomy if axis.steps)


def readings(pool: Pool, axes: Collection[Axis] = ()) -> dict[PairId, tuple[Reading, ...]]:
    """Return every reading of every pair of the pool on some axes (default: those that readers judge).

    Pairs that nobody read have none.
    """
    axes = axes or coded_axes(pool)
    found: dict[PairId, list[Reading]] = defaultdict(list)
    for coding in pool.codings.values():
        for judgement in coding.judgements:
            reading = Reading(coding.id, judgement.tags, judgement.notes.get("blind", ""), coding.codebook)
            found[judgement.key, judgement.axis].append(reading)
    sources = {coding.id for coding in pool.codings.values() if coding.taken_over}
    for entry in pool:
        for axis in axes:
            pair = entry.key, axis.id
            tags = own_tags(pool, entry, axis.id)
            if tags and sources.isdisjoint(reading.by for reading in found[pair]):
                found[pair].insert(0, Reading(POOL, tags))
    return {(e.key, axis.id): tuple(found[e.key, axis.id]) for e in pool for axis in axes}


def own_tags(pool: Pool, entry: Entry, axis: str) -> Tags:
    """Return the pool's first reading of a pair: its tags, or those that an adjudication replaced."""
    decided = pool.adjudications.get((entry.key, axis))
    return (decided and decided.was) or entry.tags.get(axis, ())


def same(one: Tags, other: Tags, axis: Axis) -> bool:
    """Return whether two readings agree; the words for absence count as one, since some readers use one for all."""
    if not one or not other:
        return one == other
    if one[0].absent and other[0].absent:
        return True
    return compared_values(one, axis) == compared_values(other, axis)


@dataclass(frozen=True)
class Reliability:
    """What is known of an axis from the pairs that were read twice.

    ``compared`` holds two readings of one pair, in either order; ``disagreement`` is the share that differs. On an axis
    that nobody read twice it is that of the worst axis that was (1 if there is none), and ``measured`` is false.
    """

    axis: str
    compared: tuple[tuple[Tags, Tags], ...]
    disagreement: float
    measured: bool


def reliabilities(pool: Pool, read: Mapping[PairId, tuple[Reading, ...]]) -> dict[str, Reliability]:
    """Return the reliability of every axis of some readings.

    Readings by different codebooks are not compared. Where an axis has comparisons with a blind reading, only these
    count: a reader who has seen a tag agrees with it more often.
    """
    compared: dict[str, tuple[tuple[Tags, Tags], ...]] = {}
    rates: dict[str, float] = {}
    for axis in (pool.taxonomy[id] for id in dict.fromkeys(id for _, id in read)):
        every = [
            (one, other)
            for (_, on), some in read.items()
            if on == axis.id
            for one, other in permutations(some, 2)
            if one.codebook == other.codebook
        ]
        chosen = [both for both in every if {side.blind for side in both} - {""} == {"yes"}] or every
        compared[axis.id] = tuple((one.tags, other.tags) for one, other in chosen)
        if chosen:
            rates[axis.id] = sum(not same(one.tags, other.tags, axis) for one, other in chosen) / len(chosen)
    worst = max(rates.values(), default=1.0)
    return {id: Reliability(id, some, rates.get(id, worst), id in rates) for id, some in compared.items()}


def read_fewer_than(read: Mapping[PairId, tuple[Reading, ...]], times: int = 2) -> Iterator[PairId]:
    """Yield the pairs that were read fewer times than this."""
    return (pair for pair, some in read.items() if len(some) < times)
