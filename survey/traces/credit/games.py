"""Cooperative games: what every coalition of units is worth, each asked about once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from survey.extras import late
from survey.traces.credit.removal import Falls
from survey.traces.credit.units import parts
from survey.traces.credit.values import Value
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.replay import without

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")

LIMIT = 20
"""With more units than this, 2^n coalitions are too many to ask about one by one."""

BITS = bytes.maketrans(b"01", b"\0\1")
"""Makes of written bits such that ``compress`` takes: of a thousand units, five times as fast as shifting for each."""

DIGITS = bytes.maketrans(b"\0\1", b"01")
"""Makes of a row of a matrix bits that are written."""

Coalitions: TypeAlias = "NDArray[np.bool_]"
"""Coalitions as rows: who is there."""

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much."""


def silent(done: int, whole: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Game:
    """Units and the worth of each coalition of them.

    >>> game = Game(("a", "b"), lambda present: float(len(present)) ** 2)
    >>> game(["a", "b"]) - game(["a"])
    3.0
    """

    units: tuple[str, ...]
    value: Callable[[frozenset[str]], float]
    kind: str = "agent"
    fall: Sequence[int] = ()
    """For each unit, as bits, the units that are gone whenever it is gone, itself among them. Coalitions that
    come to the same are then asked about once. Empty if nothing is known of the kind."""
    at_once: Callable[[Coalitions], NDArray[np.float64]] | None = None
    """The worth of many coalitions, a row for each with a column for each unit: for a value that is a network or a
    product of matrices. Where it is given it is asked in place of ``value``, and about a coalition more than once."""
    known: dict[int, float] = field(default_factory=dict, repr=False, compare=False)
    """The worth of the coalitions asked about so far, by their bits."""

    def __post_init__(self) -> None:
        if len(set(self.units)) < len(self.units):
            raise ValueError("a unit is there twice")

    def __call__(self, present: Iterable[str]) -> float:
        """The worth of a coalition."""
        bits = {unit: 1 << place for place, unit in enumerate(self.units)}
        return self.worth(sum(bits[unit] for unit in set(present)))

    @property
    def whole(self) -> int:
        """The coalition of all."""
        return (1 << len(self.units)) - 1

    def worth(self, coalition: int) -> float:
        """The worth of a coalition given as bits, the first unit being the lowest."""
        for place, gone in enumerate(self.fall):
            if not coalition >> place & 1:
                coalition &= ~gone
        if coalition not in self.known:
            there = f"{coalition:b}"[::-1].encode().translate(BITS)
            if self.at_once:
                row = np.frombuffer(there.ljust(len(self.units), b"\0")[: len(self.units)], dtype=bool)
                return float(self.worths(row[None])[0])
            present = frozenset(compress(self.units, there))
            worth = float(self.value(present))
            if not math.isfinite(worth):
                raise NotMeasurable(f"needs a number for every coalition: that of {sorted(present)} is worth {worth}")
            self.known[coalition] = worth
        return self.known[coalition]

    def worths(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """The worth of each of many coalitions."""
        if self.at_once is None:
            return np.array([self.worth(int(row[::-1].tobytes().translate(DIGITS) or b"0", 2)) for row in coalitions])
        present = coalitions.copy()
        for place, gone in enumerate(self.fall):
            falling = np.array([gone >> other & 1 for other in range(len(self.units))], dtype=bool)
            present[~present[:, place]] &= ~falling
        found = np.asarray(self.at_once(present), dtype=float)
        if found.shape != (len(present),) or not np.isfinite(found).all():
            raise NotMeasurable(f"needs a number for every coalition: {len(present)} were asked about")
        return found

    def table(self, progress: Progress = silent) -> NDArray[np.float64]:
        """The worth of all 2^n coalitions, in the order of their bits."""
        number = len(self.units)
        if number > LIMIT:
            raise NotMeasurable(f"{number} units have 2^{number} coalitions, too many for exact values: draw samples")
        every = np.arange(1 << number, dtype=np.int64)
        same = every.copy()
        for place, gone in enumerate(self.fall):
            same[every >> place & 1 == 0] &= ~gone
        distinct, which = np.unique(same, return_inverse=True)
        if self.at_once:
            return self.worths((distinct[:, None] >> np.arange(number) & 1).astype(bool))[which]
        worths = np.empty(len(distinct))
        for done, coalition in enumerate(distinct.tolist()):
            worths[done] = self.worth(coalition)
            progress(done + 1, len(distinct))
        return worths[which]


def game_of(trace: Trace, kind: str, value: Value) -> Game:
    """The game in which absent units are taken out of a record, and what is left is worth ``value``.

    The whole coalition is the trace as it is. What falls with what is worked out once for each unit: if taking
    ``a`` out takes ``b`` out, coalitions without ``a`` are worth the same with ``b`` and without, exactly.
    """
    pieces = parts(trace, kind)
    names = tuple(pieces)

    def worth(present: frozenset[str]) -> float:
        absent = [id for unit, ids in pieces.items() if unit not in present for id in ids]
        return value(without(trace, *absent) if absent else trace)

    return Game(names, worth, kind, _falls(trace, pieces))


class Played(Protocol):
    """What knows the units of a run and the worth of each coalition, as a simulation does."""

    def units(self, kind: Any) -> list[str]:
        """The units of a kind."""

    def value(self, present: Any, *kinds: Any) -> float:
        """The worth of a coalition of units of these kinds."""


def game_played(run: Played, kind: str) -> Game:
    """The game behind a simulated run (``survey.traces.simulate``): no record is cut, the team plays on without.

    Its Shapley values are the truth that estimates from the record alone can be measured against.
    """
    word = kind.replace("-", "_")
    return Game(tuple(run.units(word)), lambda present: run.value(present, word), kind)


def _falls(trace: Trace, pieces: dict[str, tuple[str, ...]]) -> list[int]:
    falls, found = Falls(trace), []
    for unit, ids in pieces.items():
        events, agents = falls.with_(ids)
        gone = events | agents
        with_it = (other == unit or gone.issuperset(own) for other, own in pieces.items())
        found.append(sum(1 << place for place, goes in enumerate(with_it) if goes))
    return found
