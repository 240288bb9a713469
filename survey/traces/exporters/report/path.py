"""The critical path, a lower bound of the length of the run, as segments."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from survey.traces.metrics import Run
from survey.traces.model import Event
from survey.traces.replay import TURNS

WORDS = {
    "orchestrator_decision": "deciding", "model_call": "model", "aggregate": "aggregating", "compaction": "compacting",
    "spawn": "spawning", "delegate": "delegating", "message": "message", "return": "work up to the return",
    "human_intervention": "a person", "safety_event": "safety check", "despawn": "ending", "stop": "stopping",
}  # fmt: skip

RESIDUE = 1e-9
"""Seconds that are no time: what is left when times that are equal are taken from each other."""


@dataclass(frozen=True)
class Segment:
    """A segment of the path: one continuous activity of one agent."""

    agent: str
    what: str
    kind: str
    start: float
    """The start time, or the number of the first event in an ordinal trace."""
    weight: float
    """Seconds, or steps in an ordinal trace."""
    events: int


def timed(run: Run) -> bool:
    """Return whether the trace has durations."""
    return run.replayed.trace.time == "seconds"


def kind_of(event: Event) -> str:
    """Return the kind of work that an event ends: of a model, of a tool, or unspecified."""
    if event.type in TURNS or event.type == "compaction":
        return "model"
    return "tool" if event.type in ("tool_call", "tool_result") else "other"


def tools_of(run: Run) -> dict[int, str]:
    """Return the tool of each result, as its call names it."""
    return {result: run.events[call].tool or "" for call, result in run.replayed.answers.items()}


def what(event: Event, tool: str | None = None) -> str:
    """Name the work that an event ends, in a word or two; ``tool`` is the name in its call."""
    return event.tool or tool or "unnamed tool" if kind_of(event) == "tool" else WORDS[event.type]


def critical(run: Run) -> list[tuple[int, float]]:
    """Return the events on the critical path with their weights: seconds, or steps in an untimed trace."""
    if timed(run):
        return [(place, weight if weight > RESIDUE else 0.0) for place, weight in run.timeline.critical_seconds()]
    chain = run.timeline.longest_steps
    before, weighed = 0.0, []
    for place in _heaviest_in_steps(run):
        weighed.append((place, max(chain[place] - before, 0.0)))
        before = chain[place]
    return weighed


def _heaviest_in_steps(run: Run) -> list[int]:
    """Return the chain with the most steps, first to last; among equals, the one that ends last."""
    longest, steps, actors = run.timeline.longest_steps, run.timeline.steps, run.timeline.actors
    came_from, last = [-1] * len(longest), dict[str, int]()
    edges = list(zip(run.replayed.graph.targets, run.replayed.graph.sources, strict=True))
    edge = 0
    for place, actor in enumerate(actors):
        found = last.get(actor, -1)
        while edge < len(edges) and edges[edge][0] == place:
            source = edges[edge][1]
            if found < 0 or longest[source] > longest[found]:
                found = source
            edge += 1
        if longest[place] > steps[place]:
            came_from[place] = found
        last[actor] = place
    place = max(range(len(longest)), key=lambda place: (longest[place], place), default=-1)
    path = []
    while place >= 0:
        path.append(place)
        place = came_from[place]
    return path[::-1]


def segments(run: Run) -> list[Segment]:
    """Return the critical path as segments in order; their weights add up to its length."""
    found: list[Segment] = []
    tools = tools_of(run)
    for place, weight in critical(run):
        if weight <= 0:
            continue
        event, agent = run.events[place], run.timeline.actors[place]
        kind, name = kind_of(event), what(event, tools.get(place))
        start = run.timeline.starts[place] if timed(run) else place + 1.0
        if found and (found[-1].agent, found[-1].what, found[-1].kind) == (agent, name, kind):
            before = found[-1]
            found[-1] = Segment(agent, name, kind, before.start, before.weight + weight, before.events + 1)
        else:
            found.append(Segment(agent, name, kind, start, weight, 1))
    return found


def summary(found: list[Segment]) -> list[tuple[str, float]]:
    """Return the total weight of each activity on the path, heaviest first."""
    totals: dict[str, float] = defaultdict(float)
    for segment in found:
        totals[segment.what] += segment.weight
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))
