"""The smallest number of second readings that could turn a claim, and the pairs that belong to such a smallest set.

A *change* is another value on one axis of one entry. Every value that the axis admits counts as possible, plausible or
not: the number says how few readings would suffice, not that they are likely. A claim is turned if its test, as the
pool is coded, gives the other result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from survey.literature.double_coding.readings import PairId
from survey.literature.double_coding.smallest import Choice, Group, smallest
from survey.literature.double_coding.standing import Bearing, bearings, claim_axes, possible_bearings
from survey.literature.pool import Claim, Entry, Pool
from survey.plurals import plural

Profile = tuple[tuple[str, Bearing, bool], ...]
"""For each axis of a claim: what the tags of an entry do there, and whether a second reading may change them."""


@dataclass(frozen=True)
class Flip:
    """How few changes turn a claim. ``changes`` is None if none can, or if the claim is ``left_out``, with the reason.

    ``moves`` are the pivotal pairs, each with the bearings that its tags would have to get.
    """

    claim: Claim
    holds: bool
    changes: int | None = None
    moves: Mapping[PairId, frozenset[Bearing]] = field(default_factory=dict)
    left_out: str = ""


@dataclass(frozen=True)
class Goal:
    """A sum over the entries that must rise by ``need`` for a test to turn; ``rival`` is a value that may lead."""

    inside: int
    counted: int
    against: int
    need: int
    rival: str = ""

    def worth(self, bearings: Collection[Bearing]) -> int:
        """Return what an entry adds to the sum."""
        within = all(b.within for b in bearings)
        chosen = within and all(b.counted for b in bearings)
        other = any(b.first == self.rival for b in bearings) if self.rival else all(b.against for b in bearings)
        return self.inside * within + self.counted * chosen + self.against * other


def flip(pool: Pool, claim: Claim, changeable: Collection[PairId]) -> Flip:
    """Return how few changes of the changeable pairs turn a claim, on the day on which it is judged."""
    if reason := _left_out(pool, claim):
        return Flip(claim, False, left_out=reason)
    axes = claim_axes(claim, pool.taxonomy)
    if claim.snapshot and pool.claims.readings and pool.claims.readings.day:
        pool = pool.as_of(min(pool.day, pool.claims.readings.day))
    profiles: dict[Profile, list[Entry]] = defaultdict(list)
    bearing = bearings(claim)
    for entry in pool:
        tags = ((axis, entry.tags.get(axis.id, ())) for axis in axes)
        profile = tuple((a.id, bearing(a, some), (entry.key, a.id) in changeable) for a, some in tags)
        profiles[profile].append(entry)
    values = pool.taxonomy[claim.leads].values if claim.leads else ()
    holds, goals = _goals(claim, profiles, len(pool), values)
    if not goals:
        return Flip(claim, holds, left_out="several values are ahead of it")
    possible = {axis.id: possible_bearings(claim, axis) for axis in axes}
    best: int | None = None
    moves: dict[PairId, set[Bearing]] = {}
    for goal in goals:
        groups = [Group(len(some), _choices(profile, goal, possible)) for profile, some in profiles.items()]
        changes, chosen = smallest(groups, goal.need)
        if changes is None or (best is not None and changes > best):
            continue
        if best is None or changes < best:
            best, moves = changes, {}
        for place, choices in chosen.items():
            entries = list(profiles.values())[place]
            for axis, to in (move for choice in choices for way in choice.ways for move in way):
                for entry in entries:
                    moves.setdefault((entry.key, axis), set()).add(to)
    return Flip(claim, holds, best, {pair: frozenset(to) for pair, to in moves.items()})


def every_pair(pool: Pool) -> frozenset[PairId]:
    """Return every entry with every axis on which it is coded: what could have been read otherwise."""
    return frozenset((entry.key, axis) for entry in pool for axis in entry.tags)


def smallest_change(found: Flip, named: int = 6) -> str:
    """Return how few tags, read otherwise, would turn a claim, and of which works; why there is no such number."""
    if found.left_out:
        return f"not computed: {found.left_out}"
    if found.changes is None:
        return "no change of tags would do"
    works = sorted({key for key, _ in found.moves})
    many = "one tag" if found.changes == 1 else plural(found.changes, "tag")
    if len(works) == found.changes or len(works) <= named:
        return f"{many}, of {', '.join(works)}" if len(works) <= named else f"{many}, of all that count"
    return f"{many}, of any of {plural(len(works), 'work')}"


def _left_out(pool: Pool, claim: Claim) -> str:
    if not claim.axes or any(pool.taxonomy[axis].on == "record" for axis in claim.axes):
        return "it does not depend on tags of entries"
    if claim.largest:
        return "it is about one number, not about how many entries have a value"
    if claim.leads is not None and tuple(claim.count) != (claim.leads,):
        return "its leading value is not counted on one axis alone"
    if claim.test not in TESTS:
        return f"its test ({claim.test}) is not one that this analysis knows"
    return ""


TESTS = (
    "is", "at-least", "at-most", "share-at-least", "share-at-most", "share-above", "share-below", "more-than", "leads",
)  # fmt: skip


def _goals(
    claim: Claim, profiles: Mapping[Profile, Sequence[Entry]], size: int, values: Collection[str]
) -> tuple[bool, list[Goal]]:
    """Return whether a claim passes its test, and the sums of which any one has to rise for the other result."""
    known = {profile: [b for _, b, _ in profile] for profile in profiles}

    def total(inside: int, counted: int, against: int, rival: str = "") -> int:
        goal = Goal(inside, counted, against, 0, rival)
        return sum(len(some) * goal.worth(known[profile]) for profile, some in profiles.items())

    varies = bool(claim.of) or claim.applicable
    number, of = total(0, 1, 0), total(1, 0, 0) if varies else size
    match claim.test:
        case "is":
            n = int(claim.operand)
            if number == n:
                return True, [Goal(0, 1, 0, 1), Goal(0, -1, 0, 1)]
            return False, [Goal(0, 1 if number < n else -1, 0, abs(n - number))]
        case "at-least" | "at-most" as test:
            sign, n = (1 if test == "at-least" else -1), int(claim.operand)
            return _linear(0, sign, 0, sign * (number - n))
        case "share-at-least" | "share-at-most" as test:
            part, whole = _parts(claim.operand, test == "share-at-least")
            if varies:
                # a share of nothing passes no test: scaled up, the sum falls below zero when nothing is left inside
                scale = size + 1
                margin = scale * (whole * of + part * number) + of - 1
                return _linear(scale * whole + 1, scale * part, 0, margin)
            return _linear(0, part, 0, whole * of + part * number)
        case "share-above" | "share-below" as test:
            part, whole = _parts(claim.operand, test == "share-above")
            return _linear(whole if varies else 0, part, 0, whole * of + part * number - 1)
        case "more-than":
            return _linear(0, 1, -1, number - total(0, 0, 1) - 1)
    leading = {b[0].first for b in known.values() if b[0].counted}
    rivals = {value: total(0, 0, 1, value) for value in values if value not in leading}  # no words for absence
    ahead = {word: found for word, found in rivals.items() if found >= number}
    if not ahead:
        return True, [Goal(0, -1, 1, number - found, word) for word, found in rivals.items()]
    # with several rivals ahead no single sum says that all are overtaken
    return False, [Goal(0, 1, -1, found - number + 1, word) for word, found in ahead.items()] if len(ahead) == 1 else []


def _parts(share: Fraction, lower: bool) -> tuple[int, int]:
    """Return what an entry adds to the margin of a share if it counts, and if it belongs to the population."""
    sign = 1 if lower else -1
    return sign * share.denominator, -sign * share.numerator


def _linear(inside: int, counted: int, against: int, margin: int) -> tuple[bool, list[Goal]]:
    """Return the goal of a test that holds while a sum, now at ``margin``, is not negative."""
    if margin >= 0:
        return True, [Goal(-inside, -counted, -against, margin + 1)]
    return False, [Goal(inside, counted, against, -margin)]


def _choices(profile: Profile, goal: Goal, possible: Mapping[str, frozenset[Bearing]]) -> tuple[Choice, ...]:
    """Return what changing an entry can add to the sum: for each cost and gain, the ways to get it."""
    now = goal.worth([b for _, b, _ in profile])
    ways: dict[tuple[int, int], set[tuple[tuple[str, Bearing], ...]]] = defaultdict(set)
    for others in product(*(sorted({b, *possible[axis]}, key=repr) if free else [b] for axis, b, free in profile)):
        way = tuple((axis, to) for (axis, b, _), to in zip(profile, others, strict=True) if to != b)
        gain = goal.worth(others) - now
        if gain > 0:
            ways[len(way), gain].add(way)
    return tuple(Choice(cost, gain, tuple(sorted(some, key=repr))) for (cost, gain), some in sorted(ways.items()))


def flips(pool: Pool, changeable: Collection[PairId]) -> tuple[Flip, ...]:
    """Return the flip of every claim, in the order of the file."""
    return tuple(flip(pool, claim, changeable) for claim in pool.claims)
