"""Cooperative games: the worth of every coalition of units, each evaluated once."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from survey.extras import lazy
from survey.traces.credit.units import parts
from survey.traces.credit.values import Value
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Event, Trace
from survey.traces.replay import CAUSES, Replay, replay, without

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

LIMIT = 20
"""With more units than this, 2^n coalitions are too many to evaluate."""

BITS = bytes.maketrans(b"01", b"\0\1")
"""Translates binary digits to selectors for ``compress``: five times as fast as bit shifts for 1,000 units."""

DIGITS = bytes.maketrans(b"\0\1", b"01")
"""Translates a row of a boolean matrix to binary digits."""

Coalitions: TypeAlias = "NDArray[np.bool_]"
"""Coalitions as rows of membership flags."""

Progress = Callable[[int, int], None]
"""Callback for progress: (done, total)."""


def no_progress(done: int, whole: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Game:
    """A cooperative game: units, and the worth of each coalition.

    >>> game = Game(("a", "b"), lambda present: float(len(present)) ** 2)
    >>> game(["a", "b"]) - game(["a"])
    3.0
    """

    units: tuple[str, ...]
    value: Callable[[frozenset[str]], float]
    kind: str = "agent"
    dependents: Sequence[int] = ()
    """For each unit, as bits, the units removed whenever it is removed, including itself. Equivalent
    coalitions are then evaluated once. Empty if no dependencies are known."""
    batch_value: Callable[[Coalitions], NDArray[np.float64]] | None = None
    """The worth of many coalitions, with a row per coalition and a column per unit, for values computed in batches
    (a network, a matrix product). If given, it replaces ``value``, and coalitions may be evaluated repeatedly."""
    known: dict[int, float] = field(default_factory=dict, repr=False, compare=False)
    """The worth of the coalitions evaluated so far, by their bits."""

    def __post_init__(self) -> None:
        if len(set(self.units)) < len(self.units):
            raise ValueError("the units contain a duplicate")

    def __call__(self, present: Iterable[str]) -> float:
        """Return the worth of a coalition."""
        bits = {unit: 1 << place for place, unit in enumerate(self.units)}
        return self.worth(sum(bits[unit] for unit in set(present)))

    @property
    def grand_coalition(self) -> int:
        """The coalition of all units, as bits."""
        return (1 << len(self.units)) - 1

    def worth(self, coalition: int) -> float:
        """Return the worth of a coalition given as bits, with the first unit as the lowest bit."""
        for place, gone in enumerate(self.dependents):
            if not coalition >> place & 1:
                coalition &= ~gone
        if coalition not in self.known:
            there = f"{coalition:b}"[::-1].encode().translate(BITS)
            if self.batch_value:
                row = np.frombuffer(there.ljust(len(self.units), b"\0")[: len(self.units)], dtype=bool)
                return float(self.worths(row[None])[0])
            present = frozenset(compress(self.units, there))
            worth = float(self.value(present))
            if not math.isfinite(worth):
                raise NotMeasurable(
                    f"needs a finite number for every coalition: the worth of {sorted(present)} is {worth}"
                )
            self.known[coalition] = worth
        return self.known[coalition]

    def worths(self, coalitions: Coalitions) -> NDArray[np.float64]:
        """Return the worth of each of many coalitions."""
        if self.batch_value is None:
            return np.array([self.worth(int(row[::-1].tobytes().translate(DIGITS) or b"0", 2)) for row in coalitions])
        present = coalitions.copy()
        for place, gone in enumerate(self.dependents):
            falling = np.array([gone >> other & 1 for other in range(len(self.units))], dtype=bool)
            present[~present[:, place]] &= ~falling
        found = np.asarray(self.batch_value(present), dtype=float)
        if found.shape != (len(present),):
            raise NotMeasurable(f"needs a number for every coalition: found {found.shape} for {len(present)}")
        if (wrong := np.flatnonzero(~np.isfinite(found))).size:
            shown = sorted(compress(self.units, present[wrong[0]]))
            raise NotMeasurable(f"needs a finite number for every coalition: the worth of {shown} is {found[wrong[0]]}")
        return found

    def table(self, progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the worth of all 2^n coalitions, in the order of their bits."""
        number = len(self.units)
        if number > LIMIT:
            raise NotMeasurable(f"{number} units have 2^{number} coalitions, too many for exact values: draw samples")
        every = np.arange(1 << number, dtype=np.int64)
        same = every.copy()
        for place, gone in enumerate(self.dependents):
            same[every >> place & 1 == 0] &= ~gone
        distinct, which = np.unique(same, return_inverse=True)
        if self.batch_value:
            return self.worths((distinct[:, None] >> np.arange(number) & 1).astype(bool))[which]
        worths = np.empty(len(distinct))
        for done, coalition in enumerate(distinct.tolist()):
            worths[done] = self.worth(coalition)
            progress(done + 1, len(distinct))
        return worths[which]


def game_of(trace: Trace, kind: str, value: Value) -> Game:
    """Return the game in which absent units are removed from the trace, and ``value`` is the worth of the rest.

    The grand coalition is the unchanged trace. Dependents are computed once for each unit: if removing ``a``
    removes ``b``, coalitions without ``a`` are worth exactly the same with and without ``b``.
    """
    pieces = parts(trace, kind)
    names = tuple(pieces)

    def worth(present: frozenset[str]) -> float:
        absent = [id for unit, ids in pieces.items() if unit not in present for id in ids]
        return value(without(trace, *absent) if absent else trace)

    return Game(names, worth, kind, _dependents(trace, pieces))


class SimulatedRun(Protocol):
    """A run with known units and a known worth of each coalition, such as a simulation."""

    def units(self, kind: Any) -> list[str]:
        """Return the units of a kind."""

    def value(self, present: Any, *kinds: Any) -> float:
        """Return the worth of a coalition of units of these kinds."""


def simulated_game(run: SimulatedRun, kind: str) -> Game:
    """Return the game behind a simulated run (``survey.traces.simulate``): absent units never take part.

    Its Shapley values are the ground truth for estimates from the trace alone.
    """
    word = kind.replace("-", "_")
    return Game(tuple(run.units(word)), lambda present: run.value(present, word), kind)


def _dependents(trace: Trace, pieces: dict[str, tuple[str, ...]]) -> list[int]:
    falls, found = Dependents(trace), []
    for unit, ids in pieces.items():
        events, agents = falls.removed_with(ids)
        gone = events | agents
        with_it = (other == unit or gone.issuperset(own) for other, own in pieces.items())
        found.append(sum(1 << place for place, goes in enumerate(with_it) if goes))
    return found


@dataclass(frozen=True)
class Dependents:
    """A trace with its dependencies between events, by the rules of ``survey.traces.replay.edits``."""

    trace: Trace

    def removed_with(self, ids: Iterable[str], *, possibly: bool = False) -> tuple[set[str], set[str]]:
        """Return the events (by id) and agents removed with these events and agents, including these.

        By the rule of ``edits.without`` an event is removed when all its causes are. With ``possibly``, it is
        removed when any is, which gives everything that could be removed in combination with other removals.
        """
        ordered = self._replayed.graph
        gone = {id for id in ids if id in ordered.places}
        agents = {id for id in ids if id not in ordered.places}
        for event in ordered.events:
            if event.id in gone or self._goes(event, gone, agents, possibly):
                gone.add(event.id)
                if event.type == "spawn" and (child := event.child):
                    agents.add(child)
        return gone, agents

    def _goes(self, event: Event, gone: Collection[str], agents: set[str], possibly: bool) -> bool:
        causes = self._causes.get(event.id, [])
        return (
            not agents.isdisjoint((event.agent, event.sender, event.to or ""))
            or event.parent in gone
            or self._calls.get(event.id) in gone
            or (bool(causes) and (any if possibly else all)(cause in gone for cause in causes))
        )

    @cached_property
    def _replayed(self) -> Replay:
        return replay(self.trace)

    @cached_property
    def _calls(self) -> dict[str, str]:
        events = self._replayed.graph.events
        return {events[result].id: events[call].id for call, result in self._replayed.answers.items()}

    @cached_property
    def _causes(self) -> dict[str, list[str]]:
        ordered = self._replayed.graph
        found: dict[str, list[str]] = {}
        for source, target, type in ordered.edges():
            if type in CAUSES:
                found.setdefault(ordered.events[target].id, []).append(ordered.events[source].id)
        return found
