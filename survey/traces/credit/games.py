"""Cooperative games: the worth of every coalition of units, each evaluated once."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import compress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from survey.extras import lazy
from survey.traces.credit.units import Parts, parts
from survey.traces.credit.values import Estimate, Value
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Event, Trace
from survey.traces.replay import CAUSES, Replay, replay, without
from survey.traces.replay.removals import Removals

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
        for place, staying in enumerate(self._staying):
            present[~present[:, place]] &= staying
        found = np.asarray(self.batch_value(present), dtype=float)
        if found.shape != (len(present),):
            raise NotMeasurable(f"needs a number for every coalition: found {found.shape} for {len(present)}")
        if (wrong := np.flatnonzero(~np.isfinite(found))).size:
            shown = sorted(compress(self.units, present[wrong[0]]))
            raise NotMeasurable(f"needs a finite number for every coalition: the worth of {shown} is {found[wrong[0]]}")
        return found

    @cached_property
    def _staying(self) -> Coalitions:
        """For each unit as a row, the units that are not removed with it."""
        width = len(self.units)
        rows = b"".join(f"{gone:0{width}b}"[::-1].encode() for gone in self.dependents)
        return np.frombuffer(rows.translate(BITS), dtype=bool).reshape(len(self.dependents), width) ^ True

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
            found = self.worths((distinct[:, None] >> np.arange(number) & 1).astype(bool))
            progress(len(distinct), len(distinct))
            return found[which]
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

    removals = Removals(replay(trace))
    # numpy is optional for methods that ask for few coalitions, such as leave-one-out
    batch = None
    if isinstance(value, Estimate) and removals.steady and find_spec("numpy") is not None:
        batch = partial(_estimates, removals, pieces, value)
    return Game(names, worth, kind, _dependents(removals, pieces), batch)


MOST = 1 << 14
"""Coalitions whose worths are computed at once: more are no faster, and take memory for each event."""


def _estimates(removals: Removals, pieces: Parts, value: Estimate, coalitions: Coalitions) -> NDArray[np.float64]:
    """Return what ``value`` gives for what is left of a run in each coalition, without building that trace."""
    found = [
        _useful(removals, pieces, value, coalitions[at : at + MOST]) for at in range(0, max(len(coalitions), 1), MOST)
    ]
    left = np.concatenate(found)
    return value.baseline + (value.reward - value.baseline) * (left / len(value.useful))


def _useful(removals: Removals, pieces: Parts, value: Estimate, coalitions: Coalitions) -> NDArray[np.int64]:
    """Count for each coalition the useful acts that are left and still lead to a final act."""
    number = len(coalitions)
    absent = np.packbits(~coalitions, axis=0, bitorder="little")
    given: dict[str, int] = {}
    for place, ids in enumerate(pieces.values()):
        bits = int.from_bytes(absent[:, place].tobytes(), "little")
        given |= {id: given.get(id, 0) | bits for id in ids}
    led = removals.leading(removals.gone(given), (1 << number) - 1, value.last, past_failures=False)
    places = removals.replayed.graph.places
    marks = b"".join(led[places[id]].to_bytes(len(absent), "little") for id in value.useful)
    rows = np.frombuffer(marks, dtype=np.uint8).reshape(len(value.useful), len(absent))
    counts: NDArray[np.int64] = np.unpackbits(rows, axis=1, count=number, bitorder="little").sum(axis=0, dtype=np.int64)
    return counts


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


def _dependents(removals: Removals, pieces: Parts) -> list[int]:
    """Return for each unit, as bits, the units of which nothing is left without it."""
    given: dict[str, int] = {}
    for place, ids in enumerate(pieces.values()):
        given |= {id: given.get(id, 0) | 1 << place for id in ids}
    gone, places = removals.gone(given), removals.replayed.graph.places
    found = [0] * len(pieces)
    for place, ids in enumerate(pieces.values()):
        without = (1 << len(pieces)) - 1
        for id in ids:
            without &= gone.events[places[id]] if id in places else gone.agents.get(id, 0)
        for other in range(len(pieces)):
            found[other] |= (without >> other & 1) << place
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
        before = -1
        while before < len(gone) + len(agents):  # as in ``edits.without``: again, while something earlier goes too
            before = len(gone) + len(agents)
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
