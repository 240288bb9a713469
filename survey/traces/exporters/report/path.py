"""The critical path: what the run could not have been shorter than, piece by piece."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from survey.traces.metrics import Run
from survey.traces.model import Event
from survey.traces.replay import TURNS

WORDS = {
    "orchestrator_decision": "deciding", "model_call": "model", "aggregate": "aggregating", "compaction": "compacting",
    "spawn": "spawning", "delegate": "handing out work", "message": "message", "return": "work, up to its return",
    "human_intervention": "a person", "safety_event": "safety check", "despawn": "leaving", "stop": "stopping",
}  # fmt: skip


@dataclass(frozen=True)
class Segment:
    """A piece of the path: one agent doing one thing, in one go."""

    agent: str
    what: str
    kind: str
    start: float
    """When it began, or at which event in an ordinal trace."""
    weight: float
    """Seconds, or steps in an ordinal trace."""
    events: int


def timed(run: Run) -> bool:
    """Whether durations can be read off."""
    return run.replayed.trace.time == "seconds"


def kind_of(event: Event) -> str:
    """What sort of work an event ends: that of a model, that of a tool, or something the log does not tell."""
    if event.type in TURNS or event.type == "compaction":
        return "model"
    return "tool" if event.type in ("tool_call", "tool_result") else "other"


def tools_of(run: Run) -> dict[int, str]:
    """The tool behind each result, as its call names it."""
    return {result: run.events[call].tool or "" for call, result in run.replayed.answers.items()}


def what(event: Event, tool: str | None = None) -> str:
    """The work that an event ends, in a word or two; ``tool`` where its call names it."""
    return event.tool or tool or "unnamed tool" if kind_of(event) == "tool" else WORDS[event.type]


def critical(run: Run) -> list[tuple[int, float]]:
    """The events on the critical path with the weight of each: seconds, or steps where seconds say nothing."""
    places = run.timeline.critical_path() if timed(run) else _heaviest_in_steps(run)
    chain = run.timeline.longest_s if timed(run) else run.timeline.longest_steps
    before, weighed = 0.0, []
    for place in places:
        weighed.append((place, max(chain[place] - before, 0.0)))
        before = chain[place]
    return weighed


def _heaviest_in_steps(run: Run) -> list[int]:
    """The chain with the most steps, first to last; of equals, the one that ends last."""
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
    """The critical path as pieces in order; their weights add up to it."""
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
    """What the path consists of, heaviest first."""
    totals: dict[str, float] = defaultdict(float)
    for segment in found:
        totals[segment.what] += segment.weight
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))
