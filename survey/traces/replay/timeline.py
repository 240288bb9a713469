"""When each agent was busy, and the heaviest way through the trace.

One rule gives all of it: **an event took the time between the last thing it had to wait for and its
own end.** It has to wait for every event that an edge leads from, and for what its own agent did
before, since an agent does one thing at a time. An event that says when it began and ended (``t_end``)
took no longer than that; what lies before is idle time. Time that people take is nobody's work.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from math import inf
from operator import or_
from typing import overload

from survey.traces.model import OUTSIDE, Event, Graph
from survey.traces.replay.replay import Replay

TURNS = frozenset({"orchestrator_decision", "model_call", "aggregate"})
"""Acts of deciding. A *step* is one of these; of an agent whose turns are not in the trace, each of its
tool calls and messages is a step."""


class Stretches(Sequence[tuple[float, float]]):
    """Stretches of time in their order, those that touch joined, kept as two columns."""

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts, self.ends = list[float](), list[float]()

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self.starts, self.ends, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, place: int) -> tuple[float, float]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[float, float]]: ...
    def __getitem__(self, place: int | slice) -> tuple[float, float] | list[tuple[float, float]]:
        if isinstance(place, slice):
            return list(zip(self.starts[place], self.ends[place], strict=True))
        return self.starts[place], self.ends[place]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Columns by place in the causal order, and totals by agent."""

    actors: Sequence[str]
    """Who was at work in the event."""
    starts: Sequence[float]
    ends: Sequence[float]
    """When the actor began with it, and when it was over."""
    steps: Sequence[int]
    """1 for events that are a step, else 0."""
    longest_s: Sequence[float]
    longest_steps: Sequence[float]
    longest_tokens: Sequence[float]
    """The weight of the heaviest chain of events that ends with this one."""
    came_from: Sequence[int]
    """The event before it on the heaviest chain in seconds; -1 at the beginning."""
    busy: Mapping[str, Stretches]
    """The busy stretches of each agent."""
    waiting: Mapping[str, float]
    """Seconds in which an agent's next event had to wait for somebody else."""
    idle: Mapping[str, float]
    """Seconds in which nothing held an agent's next event up, and it still did not begin."""

    work: Mapping[str, float]
    """Busy seconds of each agent."""
    bounded: bool
    """Whether any event says both when it began and when it ended."""

    def critical_path(self) -> list[int]:
        """The places on the heaviest chain in seconds, first to last."""
        place = max(range(len(self.longest_s)), key=lambda place: (self.longest_s[place], place), default=-1)
        path = []
        while place >= 0:
            path.append(place)
            place = self.came_from[place]
        return path[::-1]


def timeline(replayed: Replay) -> Timeline:
    """Go through a replayed trace once, in causal order.

    One loop, and not one for each column: at a million events, going through the edges is what takes time.
    """
    graph = replayed.graph
    actors, steps = _actors(replayed), step_counts(graph)
    by_people = graph.marks("human_intervention")
    tracks = {actor: _Track(actor) for actor in dict.fromkeys(actors)}
    size = len(graph)
    starts, ends, tokens = (
        [0.0] * size for _ in range(3)
    )  # lists, whose numbers are those of the events, over and over
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
            if source != own:  # it has to wait for what it did itself anyway
                over, weight = ends[source], seconds[source]
                if over > t:  # it began before its cause was over, so it waited for the beginning only
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
    """What one actor has done so far: looked up once an event, whatever is asked of it."""

    __slots__ = ("busy", "idle", "last", "outside", "until", "waiting", "work")

    def __init__(self, actor: str) -> None:
        self.outside = actor in OUTSIDE
        self.last, self.until = -1, -1.0  # its latest event, and the end of its latest busy stretch
        self.busy, self.waiting, self.idle, self.work = Stretches(), 0.0, 0.0, 0.0


NO_EDGE = (-1, -1)


def _span(t: float, end: float, ready: float) -> tuple[float, float]:
    """When work on an event that says its own bounds began and ended: not before everything was there."""
    return max(min(ready, end), t), end


def _actors(replayed: Replay) -> list[str]:
    """Who was at work in each event; the work behind a tool's result is that of the agent that called."""
    actors = list(replayed.graph.agents)
    for call, result in replayed.answers.items():
        actors[result] = actors[call]
    return actors


def step_counts(graph: Graph) -> bytearray:
    """1 for each event that is a step, 0 for the others."""
    turns, agents = graph.marks(*TURNS), graph.agents
    counts = bytearray(turns)
    acting = set(agents) - set(compress(agents, turns)) - OUTSIDE
    for place in graph.of("tool_call", "message") if acting else ():
        counts[place] = agents[place] in acting
    return counts


@dataclass(frozen=True, slots=True)
class Stint:
    """One piece of work of a spawned agent: from being given it to returning from it."""

    agent: str
    start: float
    end: float
    giver: str
    place: int
    """The place of the event that gave it."""
    status: str
    """What the return says; "open" if there is none."""
    steps: int


GIVING = frozenset({"spawn", "delegate"})
"""Acts that hand work to an agent."""
TAKING = frozenset({"return", "despawn"})
"""Acts with which a piece of work is over."""


def stints(replayed: Replay) -> list[Stint]:
    """Every piece of work that was handed to an agent, in the order in which they were handed out.

    Without a return it lasts until the agent is gone or acts for the last time.
    """
    graph = replayed.graph
    events, steps = graph.events, step_counts(graph)
    handing = graph.marks(*GIVING, *TAKING)
    open: dict[str, tuple[int, Event, int]] = {}
    counted: dict[str, int] = defaultdict(int)
    found: list[Stint] = []

    def close(agent: str, end: float, status: str) -> None:
        place, given, before = open.pop(agent)
        found.append(Stint(agent, given.t, max(end, given.t), given.sender, place, status, counted[agent] - before))

    for place in compress(range(len(events)), map(or_, steps, handing)):
        event = events[place]
        agent, type = event.agent, event.type
        counted[agent] += steps[place]
        if type in GIVING:
            target = event.child if type == "spawn" else event.to
            if target and target not in open:
                open[target] = (place, event, counted[target])
        elif type == "return":
            if event.sender in open:
                close(event.sender, event.t, event.status)
        elif type == "despawn" and (event.to or agent) in open:
            close(event.to or agent, event.t, event.status if event.status != "ok" else "open")
    latest = dict(zip(graph.agents, events, strict=True)) if open else {}
    for agent in list(open):
        close(agent, latest[agent].end if agent in latest else open[agent][1].t, "open")
    return sorted(found, key=lambda stint: stint.place)


def union(intervals: Iterable[tuple[float, float]]) -> float:
    """The time that is covered by at least one of the intervals.

    >>> union([(0, 2), (1, 3), (5, 6)])
    4.0
    """
    return sum(seconds for level, seconds in profile(intervals).items() if level)


def profile(intervals: Iterable[tuple[float, float]]) -> dict[int, float]:
    """For how long how many of the intervals lay over each other, from the first start to the last end.

    >>> profile([(0, 2), (1, 3), (5, 6)])
    {1: 3.0, 2: 1.0, 0: 2.0}
    """
    spans = [span for span in intervals if span[1] > span[0]]
    return levels([[start for start, _ in spans]], [[end for _, end in spans]])


def levels(starts: Iterable[Iterable[float]], ends: Iterable[Iterable[float]]) -> dict[int, float]:
    """The same of intervals in columns, none of which is empty."""
    opening, closing = iter(sorted(chain.from_iterable(starts))), sorted(chain.from_iterable(ends))
    start = before = next(opening, inf)
    spent: dict[int, float] = {}
    level = 0
    for end in closing:
        while start < end:
            if start > before:
                spent[level] = spent.get(level, 0.0) + start - before
                before = start
            level += 1
            start = next(opening, inf)
        if end > before:
            spent[level] = spent.get(level, 0.0) + end - before
            before = end
        level -= 1
    return spent
