"""Smaller traces out of a trace: up to an event, or without a part of it.

What depends on what, when a part is taken out:

- a result goes with its call, a part with what it is part of (``parent``);
- an agent goes with its spawn; with an agent go all its events, and the messages, work and returns
  that are aimed at it;
- any other event stays as long as one of its causes stays. Causes are the events from which an edge
  leads to it, of any type but ``temporal`` and ``safety_flow``: to come later is not to depend. An
  event that never had a cause stays.

Nothing is run again: the rest is left as it was, and says so (``counterfactual_of``, how: removed).
Rewards, outcome and the shape of the team are those of the whole run and are left out, costs are
counted anew. What only the part taken out had made possible (work after a stop that a person had
lifted, for one) goes as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from survey.traces.model import Event, Trace, first_agent, graph
from survey.traces.problems import nearest, quoted
from survey.traces.replay.replay import replay
from survey.traces.replay.walk import Walk

CAUSES = frozenset({"causal", "spawn", "message", "tool_dependency", "return", "aggregate"})


def until(trace: Trace, id: str) -> Trace:
    """The trace up to an event and with it, in causal order. Replaying it gives the same states.

    A message that has not arrived by then says so (``delivered: false``). Raises ``KeyError``.
    """
    walk = Walk(graph(trace))
    if id not in walk.graph.places:
        raise KeyError(f"no event has the id {quoted(id)}{nearest(id, walk.graph.places)}")
    kept: list[Event] = []
    for event in walk:
        kept.append(event)
        if event.id == id:
            break
    flying = walk.state().in_flight
    held = {event.id: event.but(delivered=False) for event in kept if event.id in flying}
    spawned = {event.child for event in kept if event.type == "spawn"}
    later = {event.child for event in trace.events if event.type == "spawn"} - spawned
    founder = first_agent(walk.graph.events)
    added = [{"id": founder}] if founder not in {event.sender for event in kept} | trace.agents.keys() | later else []
    return _part(trace, {event.id for event in kept}, held, later, added)


def without(trace: Trace, *units: str) -> Trace:
    """The trace without events or agents, by their ids, and without everything that depended on them.

    Raises ``KeyError`` for what is neither. An id that is both means the event.
    """
    ordered = graph(trace)
    everyone = {event.agent for event in trace.events} | {e.to for e in trace.events if e.to} | set(trace.agents)
    for unit in units:
        if unit not in ordered.places and unit not in everyone:
            raise KeyError(f"there is no event or agent {quoted(unit)}{nearest(unit, [*ordered.places, *everyone])}")
    gone = {unit for unit in units if unit in ordered.places}
    agents = {unit for unit in units if unit not in ordered.places}
    causes: dict[int, list[int]] = {}
    for source, target, type in ordered.edges():
        if type in CAUSES:
            causes.setdefault(target, []).append(source)
    events = ordered.events
    results = _calls_of_results(trace)
    for place, event in enumerate(events):
        if event.id not in gone and not _falls(
            event, gone, agents, [events[c].id for c in causes.get(place, ())], results
        ):
            continue
        gone.add(event.id)
        if event.type == "spawn" and (child := event.child):
            agents.add(child)
    made = _part(trace, {event.id for event in events} - gone, {}, agents)
    made = _without_what_cannot_be(made, {problem.events[:1] for problem in replay(trace, limit=len(events)).problems})
    return made.with_head(
        trace_id=f"{trace.id} without {', '.join(units)}",
        counterfactual_of={"trace_id": trace.id, "without": list(units), "how": "removed"},
    )


def _without_what_cannot_be(trace: Trace, known: set[tuple[str, ...]]) -> Trace:
    """The trace without events that only what was taken out had made possible: work after a stop, for one."""
    while True:
        found = replay(trace, limit=len(trace) + 1).problems
        impossible = {p.events[0] for p in found if p.events and not p.warning and p.events[:1] not in known}
        left = {event.id for event in trace.events}
        if not impossible & left:
            return trace
        trace = _part(trace, left - impossible, {}, ())


def _falls(
    event: Event, gone: Collection[str], agents: Collection[str], causes: list[str], results: dict[str, str]
) -> bool:
    if event.agent in agents or event.sender in agents or event.to in agents:
        return True
    if event.parent in gone or results.get(event.id) in gone:
        return True
    return bool(causes) and all(cause in gone for cause in causes)


def _calls_of_results(trace: Trace) -> dict[str, str]:
    walk = Walk(graph(trace))
    walk.run()
    events = walk.graph.events
    return {events[result].id: events[call].id for call, result in walk.answers.items()}


def _part(
    trace: Trace, ids: set[str], changed: dict[str, Event], missing: Collection[str | None], added: Sequence[Any] = ()
) -> Trace:
    """The events with these ids, some of them changed, in a head that fits them."""
    part = trace.keep(ids)
    events = [_without_dangling(changed.get(event.id, event), ids) for event in part.events]
    agents = [agent for agent in trace.head.get("agents") or [] if agent.get("id") not in missing]
    costs = {**trace.costs, **_recounted(events, trace)}
    return Trace(events, part.edges, part.head).with_head(
        rewards={}, outcome=None, metrics=None, link_quality=None, costs=costs,
        agents=[*agents, *added] or None, topology="unknown" if "topology" in trace.head else None,
    )  # fmt: skip


def _without_dangling(event: Event, ids: set[str]) -> Event:
    if event.parent is None or event.parent in ids:
        return event
    return event.but(parent=None)


def _recounted(events: list[Event], trace: Trace) -> dict[str, float]:
    kinds = [event.type for event in events]
    spent = [event.tokens for event in events if event.tokens is not None]
    start = min((event.t for event in events), default=0.0)
    counted: dict[str, float] = {"tool_calls": kinds.count("tool_call"), "messages": kinds.count("message")}
    if spent or any(event.tokens is not None for event in trace.events):
        counted["tokens"] = sum(spent)
    if trace.time == "seconds":
        counted["wall_clock_s"] = max((event.end for event in events), default=0.0) - start
    if "usd" in trace.costs:
        counted["usd"] = sum(event.cost or 0 for event in events)
    return counted
