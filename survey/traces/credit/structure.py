"""Shapley values with the help of the trace's graph: who cannot matter is not asked about."""

from __future__ import annotations

from dataclasses import replace

from survey.traces.credit.games import Progress, game_of, silent
from survey.traces.credit.removal import Falls
from survey.traces.credit.rows import Credit
from survey.traces.credit.shapley import Design, exact, sampled
from survey.traces.credit.units import parts
from survey.traces.credit.values import Value, final, leading
from survey.traces.model import Graph, Trace, graph

GATES = frozenset({"spawn", "delegate", "stop", "despawn", "human_intervention"})
"""Events after which somebody can act who could not, or the other way round."""


def bystanders(trace: Trace, kind: str) -> set[str]:
    """Units that cannot change what reaches the act which gives the result, whoever else is left.

    Look at everything that could fall with the unit (by any one cause, where ``without`` asks for all to be gone).
    The unit is a bystander if

    - of those of these events from which a way leads to the final act, none is that act, a return, or has tokens,
      and none is linked with another agent's event from which a way leads there: all that is lost are acts between
      two of one agent, which still follows itself;
    - and none of these events lets somebody in or stops somebody who stays (a spawn, a delegation, a stop, a
      dismissal, a person stepping in): without it, other things become impossible, or possible.

    For the values ``reach`` and ``outcome`` (its ``needs`` being "final" or "returns") such a unit never changes
    the worth of a coalition, so that its Shapley value is 0 *exactly*. For any other value, one that counts costs
    for instance, that it is worth nothing is an *assumption*.
    """
    ordered, last = graph(trace), final(trace)
    useful = leading(ordered, last)
    tied = _tied(ordered, useful)
    vital = {
        event.id
        for place, event in enumerate(ordered.events)
        if useful[place] and (event.id == last or event.type == "return" or event.tokens or place in tied)
    }
    falls, idle = Falls(trace), set()
    for unit, ids in parts(trace, kind).items():
        events, agents = falls.with_(ids, perhaps=True)
        gates = (ordered.events[ordered.places[id]] for id in events)
        opened = {gate.to or gate.agent for gate in gates if gate.type in GATES}
        if vital.isdisjoint(events) and opened <= agents:
            idle.add(unit)
    return idle


def structured(
    trace: Trace,
    kind: str,
    value: Value,
    samples: int | None = None,
    seed: int = 0,
    design: Design = "permutation",
    level: float = 0.95,
    progress: Progress = silent,
) -> list[Credit]:
    """Shapley values of those who can matter; 0 for bystanders, who are not asked about.

    Leaving out units that never change anything leaves the values of all others as they are: see ``bystanders``
    for when that is exact and when assumed. The rest is computed exactly where ``samples`` is None, else estimated.
    """
    idle = bystanders(trace, kind)
    game = game_of(trace, kind, value)
    acting = tuple(unit for unit in game.units if unit not in idle)
    places = [game.units.index(unit) for unit in acting]
    rest = replace(
        game,
        units=acting,
        value=lambda present: game(present | idle),
        fall=[sum(1 << new for new, old in enumerate(places) if game.fall[place] >> old & 1) for place in places],
        known={},
    )
    found: dict[str, Credit] = {}
    if acting:
        drawn = exact(rest, progress) if samples is None else sampled(rest, samples, seed, design, level, progress)
        found = {credit.unit: replace(credit, method="shapley-graph") for credit in drawn}
    none = "nothing of it reaches the final act: not asked about"
    return [found.get(unit) or Credit(kind, unit, 0.0, "shapley-graph", why=none) for unit in game.units]


def _tied(ordered: Graph, useful: bytearray) -> set[int]:
    """Useful events that an edge links with a useful event of another agent."""
    tied = set()
    for source, target in zip(ordered.sources, ordered.targets, strict=True):
        if useful[source] and useful[target] and ordered.events[source].agent != ordered.events[target].agent:
            tied |= {source, target}
    return tied
