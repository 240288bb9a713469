"""Shapley values that use the trace's graph to skip units without influence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.credit.games import Coalitions, Dependents, Game, Progress, game_of, no_progress
from survey.traces.credit.rows import Credit
from survey.traces.credit.shapley import Design, exact, sampled
from survey.traces.credit.units import parts
from survey.traces.credit.values import Value
from survey.traces.model import Event, Graph, Trace, graph
from survey.traces.model.order import RANKS
from survey.traces.replay import ACTS, final_acts, leading_to

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

GATES = frozenset({"spawn", "delegate", "stop", "despawn", "human_intervention"})
"""Types of events that enable or disable the acts of an agent."""


def bystanders(trace: Trace, kind: str) -> set[str]:
    """Return the units that cannot change what reaches the final acts, in any coalition.

    Consider everything that could be removed with the unit (by any one cause, where ``without`` requires all causes
    to be removed). The unit is a bystander if

    - of these events, none that leads to a final act is an act (``replay.ACTS``) or has tokens, and none is linked
      with another agent's event that leads there: only events between two acts of one agent are lost, and the
      agent's own succession still connects these;
    - and none of these events enables or stops an agent that stays (a spawn, a delegation, a stop, a despawn, a
      human intervention): without it, other events become impossible, or possible.

    For ``estimate``, ``reach`` and ``outcome`` (with ``needs`` "final" or "returns") such a unit never changes the
    worth of a coalition, so that its Shapley value is *exactly* 0. For any other value, for instance one that
    includes costs, this is an *assumption*.
    """
    ordered = graph(trace)
    last = set(final_acts(ordered))
    useful = leading_to(ordered, last)
    tied = _tied(ordered, useful)
    vital = {
        event.id
        for place, event in enumerate(ordered.events)
        if useful[place] and (event.id in last or event.type in ACTS or event.tokens or place in tied)
    }
    falls, idle = Dependents(trace), set()
    for unit, ids in parts(trace, kind).items():
        events, agents = falls.removed_with(ids, possibly=True)
        gates = (ordered.events[ordered.places[id]] for id in events)
        opened = {gate.to or gate.agent for gate in gates if gate.type in GATES}
        if vital.isdisjoint(events) and opened <= agents:
            idle.add(unit)
    return idle


def without_bystanders(
    trace: Trace,
    kind: str,
    value: Value,
    samples: int | None = None,
    seed: int = 0,
    design: Design = "permutation",
    level: float = 0.95,
    progress: Progress = no_progress,
) -> list[Credit]:
    """Compute Shapley values of units with influence; bystanders get 0 without evaluation.

    Omitting units that never change anything leaves all other values unchanged: see ``bystanders`` for when this
    is exact and when assumed. The values are exact if ``samples`` is None, else estimated.
    """
    idle = bystanders(trace, kind)
    game = game_of(trace, kind, value)
    acting = tuple(unit for unit in game.units if unit not in idle)
    places = [game.units.index(unit) for unit in acting]
    rest = replace(
        game,
        units=acting,
        value=lambda present: game(present | idle),
        dependents=[
            sum(1 << new for new, old in enumerate(places) if game.dependents[place] >> old & 1) for place in places
        ],
        batch_value=_beside(game, places) if game.batch_value else None,
        known={},
    )
    found: dict[str, Credit] = {}
    if acting:
        drawn = exact(rest, progress) if samples is None else sampled(rest, samples, seed, design, level, progress)
        found = {credit.unit: replace(credit, method="shapley-graph") for credit in drawn}
    none = "nothing of it reaches a final act: not evaluated"
    return [found.get(unit) or Credit(kind, unit, 0.0, "shapley-graph", why=none) for unit in game.units]


def _beside(game: Game, places: Sequence[int]) -> Callable[[Coalitions], NDArray[np.float64]]:
    """Return the worths of coalitions of the units at these places, with all the others present."""

    def worths(coalitions: Coalitions) -> NDArray[np.float64]:
        whole = np.ones((len(coalitions), len(game.units)), dtype=bool)
        whole[:, places] = coalitions
        return game.worths(whole)

    return worths


def _tied(ordered: Graph, useful: bytearray) -> set[int]:
    """Return the useful events that an edge links with a useful event that does not succeed it anyway."""
    tied = set()
    for source, target in zip(ordered.sources, ordered.targets, strict=True):
        if useful[source] and useful[target] and not _succeed(ordered.events[source], ordered.events[target]):
            tied |= {source, target}
    return tied


def _succeed(event: Event, other: Event) -> bool:
    return event.agent == other.agent and (event.t, RANKS[event.type]) < (other.t, RANKS[other.type])
