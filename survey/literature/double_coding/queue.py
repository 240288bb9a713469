"""What to read next: the pairs of entry and axis whose second reading is most likely to change the result of claims.

A claim that can be turned by ``n`` second readings adds to each pivotal pair the chance that one reading moves it,
divided by ``n``. The chance is estimated from the pairs of that axis that were read twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from survey.literature.double_coding.flips import Flip, flips
from survey.literature.double_coding.readings import (
    PairId,
    Reliability,
    Tags,
    coded_axes,
    derived_axes,
    read_fewer_than,
    readings,
    reliabilities,
    same,
)
from survey.literature.double_coding.standing import Bearing, bearings
from survey.literature.pool import Pool, compared_values, format_tags
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Axis, Shape


@dataclass(frozen=True, slots=True)
class Stake:
    """What a pair means for a claim: how few readings turn the claim, and the chance that this one moves the pair."""

    claim: str
    changes: int
    chance: float

    @property
    def weight(self) -> float:
        """The part of the claim in the weight of the pair."""
        return self.chance / self.changes


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pair that was read fewer than two times, with the claims that its second reading could turn."""

    key: str
    axis: str
    tags: str
    readings: int
    disagreement: float
    measured: bool
    stakes: tuple[Stake, ...]

    @property
    def weight(self) -> float:
        """The sum over its claims; pairs come in this order."""
        return sum(stake.weight for stake in self.stakes)


@dataclass(frozen=True)
class Queue:
    """All waiting pairs, the most important first, and what turns each claim."""

    waiting: tuple[Waiting, ...]
    flips: tuple[Flip, ...]
    reliabilities: tuple[Reliability, ...]
    twice: int
    """The number of pairs that were read twice or more often."""


def queue(pool: Pool, axes: Collection[str] = (), keys: Collection[str] = ()) -> Queue:
    """Return what to read next on some axes (default: all coded ones) of some entries (default: all).

    Without claims, the pairs of the least reliable axes come first.

    Raises:
        ValueError: if there is no such axis.

    """
    wanted = asked_axes(pool, axes)
    read = readings(pool)
    once = frozenset(read_fewer_than(read))
    follows = _following(pool, once)
    found = flips(pool, once | follows.keys())
    reliable = reliabilities(pool, read)
    known = reliabilities(pool, readings(pool, derived_axes(pool))) | reliable
    stakes: dict[PairId, list[Stake]] = {}
    for flip in found:
        for pair, chance in _chances(pool, flip, known).items():
            assert flip.changes is not None
            for part in follows.get(pair, [pair]):
                stakes.setdefault(part, []).append(Stake(flip.claim.id, flip.changes, chance))
    waiting = [
        Waiting(
            key, axis, format_tags(pool[key].tags.get(axis, ())), len(read[key, axis]),
            reliable[axis].disagreement, reliable[axis].measured,
            tuple(sorted(stakes.get((key, axis), ()), key=lambda stake: -stake.weight)),
        )
        for key, axis in read
        if (key, axis) in once and axis in wanted and (not keys or key in keys)
    ]  # fmt: skip
    waiting.sort(key=lambda row: (-row.weight, -row.disagreement))
    found = tuple(replace(flip, moves=_on_parts(flip, follows)) for flip in found)
    return Queue(tuple(waiting), found, tuple(reliable[axis] for axis in wanted), len(read) - len(once))


def _following(pool: Pool, once: Collection[PairId]) -> dict[PairId, list[PairId]]:
    """Return the pairs on derived axes that a second reading can change, each with its parts that were read once.

    What a claim has at stake on such a pair, it has on each of these parts.
    """
    parts = {
        (entry.key, axis.id): [(entry.key, part) for part in axis.parts if (entry.key, part) in once]
        for axis in derived_axes(pool)
        for entry in pool
    }
    return {pair: some for pair, some in parts.items() if some}


def _on_parts(flip: Flip, follows: Mapping[PairId, list[PairId]]) -> dict[PairId, frozenset[Bearing]]:
    """Return the pivotal pairs of a claim with the parts to be read in place of what follows from them."""
    moves: dict[PairId, frozenset[Bearing]] = {}
    for pair, targets in flip.moves.items():
        for part in follows.get(pair, [pair]):
            moves[part] = moves.get(part, frozenset()) | targets
    return moves


def asked_axes(pool: Pool, axes: Collection[str]) -> tuple[str, ...]:
    """Return the axes that were asked for, in the order of the taxonomy; all coded ones if none was.

    Raises:
        ValueError: if one of them is not an axis to be read.

    """
    known = [axis.id for axis in coded_axes(pool)]
    for axis in axes:
        if axis not in known:
            raise ValueError(f"there is no axis {quoted(axis)} to be read {expected(axis, known)}")
    return tuple(axis for axis in known if not axes or axis in axes)


def _chances(pool: Pool, flip: Flip, reliable: dict[str, Reliability]) -> dict[PairId, float]:
    """Return for each pivotal pair the chance that a second reading moves it as the claim would need.

    It is the share of the readings beside a first one like this pair's that would move it. One reading more is added,
    so that few readings are not taken for certainty: it differs as often as readings on the axis do, and then says
    what the other readings on the axis say.
    """
    known: dict[tuple[str, tuple[str, ...], Bearing, frozenset[Bearing]], float] = {}
    chances = {}
    bearing = bearings(flip.claim)
    for (key, id), targets in flip.moves.items():
        axis = pool.taxonomy[id]
        tags = pool[key].tags.get(id, ())
        here = bearing(axis, tags)
        alike = (id, _like(tags, axis), here, targets)
        if alike not in known:
            both = reliable[id].compared
            beside = [
                bearing(axis, second) in targets
                for first, second in both
                if _like(first, axis) == alike[1] and bearing(axis, first) == here
            ]
            others = [bearing(axis, read) in targets for read, _ in both if not same(read, tags, axis)]
            share = sum(others) / len(others) if others else float(not both)
            known[alike] = (sum(beside) + reliable[id].disagreement * share) / (len(beside) + 1)
        chances[key, id] = known[alike]
    return chances


def _like(tags: Tags, axis: Axis) -> tuple[str, ...]:
    """Return what makes two tags the same kind of first reading: the first value; sets are too various to ask that."""
    return () if axis.shape in (Shape.SET, Shape.QUANTITY) or not tags else compared_values(tags, axis)
