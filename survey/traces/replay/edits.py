"""Sub-traces: a trace up to an event, or without some events or agents.

Removal follows these rules:

- a result is removed with its call, a part with the event it belongs to (``parent``);
- an agent is removed with its spawn; with an agent go all its events, and the messages, work and
  returns addressed to it;
- any other event stays as long as one of its causes stays. Causes are the sources of its incoming
  edges of any type but ``temporal`` and ``safety_flow``: succession is not dependence. An event that
  never had a cause stays.

Nothing is rerun: the remaining events stay as they were, and the trace records this
(``counterfactual_of``, how: removed). Rewards, outcome and topology belong to the whole run and are
dropped; costs are recomputed. Events that only the removed part made possible (for example, work
after a stop that a person had lifted) are removed as well.
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
    """Return the trace up to and including an event, in causal order. Replaying it gives the same states.

    Messages not delivered by then are marked ``delivered: false``. Raises ``KeyError`` for an unknown id.
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
    held = {event.id: event.with_fields(delivered=False) for event in kept if event.id in flying}
    spawned = {event.child for event in kept if event.type == "spawn"}
    later = {event.child for event in trace.events if event.type == "spawn"} - spawned
    founder = first_agent(walk.graph.events)
    added = [{"id": founder}] if founder not in {event.sender for event in kept} | trace.agents.keys() | later else []
    return _part(trace, {event.id for event in kept}, held, later, added)


def without(trace: Trace, *units: str) -> Trace:
    """Return the trace without these events or agents (by id) and everything that depended on them.

    Raises ``KeyError`` for an unknown id. An id of both an event and an agent means the event.
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
    before = -1
    while before < len(gone) + len(agents):  # a part may come before its whole, and an agent act before its spawn
        before = len(gone) + len(agents)
        for place, event in enumerate(events):
            if event.id not in gone and not _is_removed(
                event, gone, agents, [events[c].id for c in causes.get(place, ())], results
            ):
                continue
            gone.add(event.id)
            if event.type == "spawn" and (child := event.child):
                agents.add(child)
    rest = _part(trace, {event.id for event in events} - gone, {}, agents)
    rest = _without_impossible(rest, {problem.events[:1] for problem in replay(trace, limit=len(events)).problems})
    return rest.with_head(
        trace_id=f"{trace.id} without {', '.join(units)}",
        counterfactual_of={"trace_id": trace.id, "without": list(units), "how": "removed"},
    )


def _without_impossible(trace: Trace, known: set[tuple[str, ...]]) -> Trace:
    """Remove events that only the removed part made possible, such as work after a stop."""
    while True:
        found = replay(trace, limit=len(trace) + 1).problems
        impossible = {p.events[0] for p in found if p.events and not p.warning and p.events[:1] not in known}
        left = {event.id for event in trace.events}
        if not impossible & left:
            return trace
        trace = _part(trace, left - impossible, {}, ())


def _is_removed(
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
    """Return the events with these ids, some of them changed, under an adjusted head."""
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
    return event.with_fields(parent=None)


def _recounted(events: list[Event], trace: Trace) -> dict[str, float]:
    kinds = [event.type for event in events if event.type != "message" or event.between_agents]
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
