"""Delegations: who handed work to whom, from the start to the return."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress

from survey.traces.model import Event
from survey.traces.replay.replay import Replay
from survey.traces.replay.timeline import step_counts


@dataclass(frozen=True, slots=True)
class Delegation:
    """A piece of delegated work: from the spawn or delegation of an agent to its return."""

    agent: str
    start: float
    end: float
    delegator: str
    place: int
    """The place of the event that delegated it."""
    status: str
    """The status of the return; "open" if there is none."""
    steps: int


DELEGATING = frozenset({"spawn", "delegate"})
"""Types of acts that delegate work to an agent."""


ENDING = frozenset({"return", "despawn"})
"""Types of acts that end a piece of delegated work."""


def delegations(replayed: Replay) -> list[Delegation]:
    """Return every piece of delegated work, in the order of delegation.

    Without a return it lasts until the agent's despawn or last act; that of an agent of which nothing is known but
    its spawn, until the end of the run.
    """
    graph = replayed.graph
    events, steps = graph.events, step_counts(graph)
    agents, since = graph.agents, 0
    open: dict[str, tuple[int, Event, int]] = {}
    counted: Counter[str] = Counter()
    found: list[Delegation] = []

    def close(agent: str, end: float, status: str) -> None:
        place, given, before = open.pop(agent)
        found.append(
            Delegation(agent, given.t, max(end, given.t), given.sender, place, status, counted[agent] - before)
        )

    for place in graph.places_of(*DELEGATING, *ENDING):
        counted.update(compress(agents[since:place], steps[since:place]))  # none of these acts is a step itself
        event, agent, since = events[place], agents[place], place
        type = event.type
        if type in DELEGATING:
            target = event.child if type == "spawn" else event.to
            if target and target not in open:
                open[target] = (place, event, counted[target])
        elif type == "return":
            if event.sender in open:
                close(event.sender, event.t, event.status)
        elif type == "despawn" and (event.to or agent) in open:
            close(event.to or agent, event.t, event.status if event.status != "ok" else "open")
    counted.update(compress(agents[since:], steps[since:]))
    latest = dict(zip(graph.agents, events, strict=True)) if open else {}
    for agent in list(open):
        close(agent, latest[agent].end if agent in latest else replayed.end, "open")
    return sorted(found, key=lambda delegation: delegation.place)
