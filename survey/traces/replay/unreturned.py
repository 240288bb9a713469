"""Waits that a trace does not see end: those of agents whose last act hands work to one that does not return."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from survey.traces.model import Graph

HANDING = ("spawn", "delegate")


def open_waits(graph: Graph, last: Mapping[str, int], ends: Mapping[str, float]) -> dict[str, float]:
    """Return until when each such agent waits: to the last act of what it waits for, directly or further down.

    ``last`` is the place of each agent's last act and ``ends`` when it was done. That the agent waits, and does not go
    on in a part that the log lacks, the event that hands over says itself (``waits_for``).
    """
    handed: dict[str, list[str]] = defaultdict(list)
    for place in graph.places_of(*HANDING):
        event = graph.events[place]
        child = event.child if event.type == "spawn" else event.to
        if child and child != event.agent and event.waits_for == "agents":
            handed[event.agent].append(child)
    if not handed:
        return {}
    over = {graph.agents[place] for place in graph.places_of("return")}
    over |= {graph.events[place].to or graph.agents[place] for place in graph.places_of("despawn")}
    waiting = {
        agent: [child for child in children if child not in over]
        for agent, children in handed.items()
        if agent in last and graph.events[last[agent]].type in HANDING
    }
    found: dict[str, float] = {}
    for agent, children in waiting.items():
        seen, below = {agent}, list(children)
        for child in below:
            if child not in seen:
                seen.add(child)
                below += waiting.get(child, ())
        end = max((ends[child] for child in below if child in ends), default=0.0)
        if agent in ends and end > ends[agent]:
            found[agent] = end
    return found
