"""Busy times of the agents, and the critical path of the trace.

One rule defines both: **an event takes the time between the last event it had to wait for and its
own end.** It has to wait for the sources of its incoming edges, and for the previous act of its own
agent, since an agent does one thing at a time. An event with both times (``t`` and ``t_end``) takes
no longer than these; the time before is idle. Time taken by people is no agent's work.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from survey.traces.model import OUTSIDE, Graph
from survey.traces.replay.intervals import Intervals
from survey.traces.replay.replay import Replay

TURNS = frozenset({"orchestrator_decision", "model_call", "aggregate"})
"""Types of turns. A *step* is a turn; for an agent whose turns are not in the trace, each of its tool
calls and messages is a step."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Columns by place in causal order, and totals by agent."""

    actors: Sequence[str]
    """The agent at work in each event."""
    starts: Sequence[float]
    ends: Sequence[float]
    """When the actor began the event, and when the event ended."""
    steps: Sequence[int]
    """1 for events that are a step, else 0."""
    longest_s: Sequence[float]
    longest_steps: Sequence[float]
    longest_tokens: Sequence[float]
    """The length of the longest chain of dependent events that ends with this one."""
    came_from: Sequence[int]
    """The previous event on the longest chain in seconds; -1 at the beginning."""
    busy: Mapping[str, Intervals]
    """The busy intervals of each agent."""
    waiting: Mapping[str, float]
    """Seconds in which an agent's next event had to wait for someone else."""
    idle: Mapping[str, float]
    """Seconds in which nothing blocked an agent's next event, and it had not begun."""

    work: Mapping[str, float]
    """Busy seconds of each agent."""
    bounded: bool
    """Whether any event has both a start and an end time."""

    def critical_path(self) -> list[int]:
        """Return the places on the critical path in seconds, first to last."""
        place = max(range(len(self.longest_s)), key=lambda place: (self.longest_s[place], place), default=-1)
        path = []
        while place >= 0:
            path.append(place)
            place = self.came_from[place]
        return path[::-1]


def timeline(replayed: Replay) -> Timeline:
    """Compute the timeline of a replayed trace in one pass in causal order.

    All columns share one loop: with a million events, iterating over the edges dominates the run time.
    """
    graph = replayed.graph
    actors, steps = _actors(replayed), step_counts(graph)
    by_people = graph.marks("human_intervention")
    tracks = {actor: _Track(actor) for actor in dict.fromkeys(actors)}
    size = len(graph)
    starts, ends, tokens = ([0.0] * size for _ in range(3))  # lists, which share the number objects of the events
    seconds, counts, came_from = array("d", [0]) * size, array("l", [0]) * size, array("l", [0]) * size
    edges = zip(graph.targets, graph.sources, strict=True)
    target, source = next(edges, NO_EDGE)
    place, bounded = -1, False
    for event, actor, step, by_person in zip(graph.events, actors, steps, by_people, strict=True):
        place += 1
        track = tracks[actor]
        t = end = event.t
        own = binding = heaviest = track.last
        if own >= 0:
            free = ready = ends[own]
            longest, most, spent = seconds[own], counts[own], tokens[own]
        else:
            free, ready, longest, most, spent = -1.0, -1.0, -1.0, 0, 0.0
        while target == place:
            if source != own:  # its own previous event is accounted for above
                over, weight = ends[source], seconds[source]
                if over > t:  # it began before its cause ended, so it waited only for its start
                    weight -= over - starts[source]
                    over = starts[source]
                if over > ready:
                    ready, binding = over, source
                if weight > longest:
                    longest, heaviest = weight, source
                if counts[source] > most:
                    most = counts[source]
                if tokens[source] > spent:
                    spent = tokens[source]
            target, source = next(edges, NO_EDGE)
        if event.t_end is None:
            start = ready if 0.0 <= ready < end else end
        else:
            bounded = True
            start, end = _span(t, max(event.t_end, t), ready)
        if by_person or track.outside:
            start = end
        elif own >= 0:
            if binding != own and actors[binding] != actor:
                track.waiting += ready - free
            if start > ready:
                track.idle += start - ready
        starts[place] = start
        ends[place] = end if end > free else free
        seconds[place] = (longest if longest > 0 else 0.0) + end - start
        counts[place] = most + step
        tokens[place] = spent if event.tokens_ is None else spent + (event.tokens or 0.0)
        came_from[place] = heaviest
        track.last = place
        if end > start:
            track.work += end - start
            if start > track.until:
                track.busy.starts.append(start)
                track.busy.ends.append(end)
                track.until = end
            elif end > track.until:
                track.busy.ends[-1] = track.until = end
    return Timeline(
        actors, starts, ends, steps, seconds, counts, tokens, came_from,
        {actor: track.busy for actor, track in tracks.items() if track.busy},
        {actor: track.waiting for actor, track in tracks.items() if track.waiting},
        {actor: track.idle for actor, track in tracks.items() if track.idle},
        {actor: track.work for actor, track in tracks.items() if track.work},
        bounded,
    )  # fmt: skip


class _Track:
    """Running state of one actor: one lookup per event."""

    __slots__ = ("busy", "idle", "last", "outside", "until", "waiting", "work")

    def __init__(self, actor: str) -> None:
        self.outside = actor in OUTSIDE
        self.last, self.until = -1, -1.0  # its latest event, and the end of its latest busy interval
        self.busy, self.waiting, self.idle, self.work = Intervals(), 0.0, 0.0, 0.0


NO_EDGE = (-1, -1)


def _span(t: float, end: float, ready: float) -> tuple[float, float]:
    """Return when work on an event with its own bounds began and ended: not before its inputs were ready."""
    return max(min(ready, end), t), end


def _actors(replayed: Replay) -> list[str]:
    """Return the agent at work in each event; a tool result belongs to the agent that called the tool."""
    actors = list(replayed.graph.agents)
    for call, result in replayed.answers.items():
        actors[result] = actors[call]
    return actors


def step_counts(graph: Graph) -> bytearray:
    """Return 1 for each event that is a step, 0 for the others."""
    turns, agents = graph.marks(*TURNS), graph.agents
    counts = bytearray(turns)
    acting = set(agents) - set(compress(agents, turns)) - OUTSIDE
    for place in graph.places_of("tool_call", "message") if acting else ():
        counts[place] = agents[place] in acting
    return counts
