"""Busy and waiting times of the agents, and the critical path of the trace.

One rule defines all: **an event takes the time between the last event it had to wait for and its
own end.** It has to wait for the sources of its incoming edges, and for the previous act of its own
agent, since an agent does one thing at a time. An event with both times (``t`` and ``t_end``) takes
no longer than these; the time before is idle. Time taken by people is no agent's work, and neither is
a call that only waits for agents or people.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import compress

from survey.traces.model import OUTSIDE, Graph
from survey.traces.replay.intervals import Intervals
from survey.traces.replay.replay import Replay
from survey.traces.replay.unreturned import open_waits

TURNS = frozenset({"orchestrator_decision", "model_call", "aggregate"})
"""Types of turns. A *step* is a turn; for an agent whose turns are not in the trace, each of its tool
calls and messages is a step."""


USES = ("tool_call", "tool_result")

BEGINNING_UNKNOWN = (*sorted(TURNS), "message")
"""Types of events whose single time says when they were over, and not when they began."""


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
    longest_with_people_s: Sequence[float]
    longest_steps: Sequence[float]
    longest_tokens: Sequence[float]
    """The length of the longest chain of dependent events that ends with this one; with people, the time in which
    an agent waited for them counts as well."""
    came_from: Sequence[int]
    """The previous event on the longest chain in seconds; -1 at the beginning."""
    busy: Mapping[str, Intervals]
    """The busy intervals of each agent."""
    waiting: Mapping[str, Mapping[str, float]]
    """Seconds in which an agent waited for ``agents``, ``people`` or a ``permission``, by kind and agent."""
    idle: Mapping[str, float]
    """Seconds in which nothing blocked an agent's next event, and it had not begun."""

    work: Mapping[str, float]
    """Busy seconds of each agent."""
    model: Mapping[str, float]
    """The part of these in turns."""
    tools: Mapping[str, float]
    """The part in tool calls and their results."""
    bounded: bool
    """Whether any event has both a start and an end time."""
    silent: Sequence[int]
    """Not 0 for events in which an agent only waits."""
    unreturned: Mapping[str, tuple[float, float]]
    """From when to when an agent waits at the end for one that does not return."""
    permitting: Set[int]
    """The acts of people that decide on a tool call."""

    def critical_path(self) -> list[int]:
        """Return the places on the critical path in seconds, first to last."""
        return [place for place, _ in self.critical_seconds()]

    def critical_seconds(self) -> list[tuple[int, float]]:
        """Return the places on the critical path, first to last, and the seconds of each; they add up to its length.

        Of an event that caused the next one before its own end, only the part until then counts.
        """
        place = max(range(len(self.longest_s)), key=lambda place: (self.longest_s[place], place), default=-1)
        left = self.longest_s[place] if place >= 0 else 0.0
        path = []
        while place >= 0:
            own = 0.0 if self.silent[place] else self.ends[place] - self.starts[place]
            weight = min(max(own - (self.longest_s[place] - left), 0.0), left)
            path.append((place, weight))
            left -= weight
            place = self.came_from[place]
        return path[::-1]


def timeline(replayed: Replay, *, shortest: bool = False) -> Timeline:
    """Compute the timeline of a replayed trace in one pass in causal order.

    If ``shortest``, turns and messages of which the log does not say when they began do so with their first record,
    and not when what they had to wait for was there.

    All columns share one loop: with a million events, iterating over the edges dominates the run time.
    """
    graph = replayed.graph
    actors, steps = _actors(replayed), step_counts(graph)
    tracks = {actor: _Track() for actor in dict.fromkeys(actors)}
    instant = _instant(replayed, actors, OUTSIDE & tracks.keys(), shortest=shortest)
    silent, permitting = _silent(replayed), _permissions(replayed)
    interrupting = {
        place for place in graph.places_of("human_intervention") if graph.events[place].status == "cancelled"
    }
    results = set(replayed.answers.values()) if interrupting else set()
    handing = set(graph.places_of("spawn", "delegate")) if interrupting else set()
    peopled = not OUTSIDE.isdisjoint(tracks) or FOR_PEOPLE in silent
    """Whether anybody may wait for a person: if not, chains with people are those without."""
    size = len(graph)
    starts, ends, seconds, tokens = ([0.0] * size for _ in range(4))  # lists, which share the numbers of the events
    counts, came_from = [0] * size, array("i", [0]) * size
    with_people = [0.0] * size if peopled else seconds
    sources, targets, edge, bounded = graph.sources, [*graph.targets, -1], 0, False
    target = targets[0]
    turns, uses, returned = graph.marks(*TURNS), graph.marks(*USES), graph.marks("return")
    for place, event, actor, step, turn, use, at_once, waiting, amount in zip(
        range(size), graph.events, actors, steps, turns, uses, instant, silent, graph.tokens, strict=True
    ):
        track = tracks[actor]
        t = end = event.t
        t_end = event.t_end
        own = binding = heaviest = track.last
        human = alone = 0.0
        if own >= 0:
            free = ready = track.free
            longest, most, spent = seconds[own], counts[own], tokens[own]
            if peopled:
                alone = with_people[own]
            if free > t:  # a call within a turn, or beside another call: of what goes on only the part until now
                if t_end is not None:
                    ready = -1.0  # the log says that it did both at once
                over = ends[own]
                if over > t:
                    cut = over - max(t, starts[own])
                    longest, alone = longest - cut, alone - cut
            if track.longest != own:
                other = track.longest
                over = ends[other]
                cut = over - max(t, starts[other]) if over > t else 0.0
                if seconds[other] - cut > longest:
                    longest, heaviest = seconds[other] - cut, other
                if with_people[other] - cut > alone:
                    alone = with_people[other] - cut
        else:
            free, ready, longest, most, spent = -1.0, -1.0, -1.0, 0, 0.0
        while target == place:
            source = sources[edge]
            edge += 1
            target = targets[edge]
            if source != own:  # its own previous event is accounted for above
                over, weight = ends[source], seconds[source]
                if peopled:
                    whole = with_people[source] - (over - starts[source] if over > t else 0.0)
                    if whole > human:
                        human = whole
                if over > t:  # it began before its cause ended, so it waited only for its start
                    weight -= over - starts[source]
                    over = starts[source]
                if over > ready and not (interrupting and source in interrupting and place in results):
                    ready, binding = over, source
                if weight > longest:
                    longest, heaviest = weight, source
                if (taken := counts[source]) > most:
                    most = taken
                if (used := tokens[source]) > spent:
                    spent = used
        if t_end is not None:
            bounded = True
            first = event.t_first if shortest and event.t_first is not None else t
            start, end = _span(max(first, t), max(t_end, first, t), ready)
        else:
            start = ready if 0.0 <= ready < end else end
        if at_once:
            start = end
        waited = 0.0
        if ready > free and own >= 0 and at_once != INSTANT and actors[binding] != actor and not returned[own]:
            if actors[binding] not in OUTSIDE:
                track.for_agents += ready - free
            else:
                waited = ready - free
                if binding in permitting:
                    track.for_permission += waited
                else:
                    track.for_people += waited
        work = end - start
        if start > ready and start > free and own >= 0 and at_once != INSTANT and not returned[own]:
            track.idle += start - max(ready, free)
        if waiting and work > 0.0:
            if waiting == FOR_PEOPLE:
                track.for_people += work
                waited += work
            else:
                track.for_agents += work
            work = 0.0
        if interrupting and place in interrupting:
            cut_short = tracks.get(event.to or "")
            if cut_short and cut_short.free < t and cut_short.last in handing:
                cut_short.for_agents += t - cut_short.free  # until the person came, it waited for its agents
                cut_short.free = t
        starts[place] = start
        ends[place] = end
        if end >= free:
            track.free, track.longest = end, place
        seconds[place] = longest + work if longest > 0.0 else work
        if peopled:
            if own >= 0 and alone + waited > human:
                human = alone + waited
            with_people[place] = human + work
        counts[place] = most + 1 if step else most
        tokens[place] = spent + amount if amount else spent
        came_from[place] = heaviest
        track.last = place
        if work > 0.0:
            until = track.until
            if start > until:
                track.begin(start)
                track.stop(end)
                track.until = end
            elif end > until:
                track.busy.ends[-1] = track.until = end
                work = end - until
            else:
                continue
            track.work += work
            if turn:
                track.model += work
            elif use:
                track.tools += work
    open = open_waits(
        graph,
        {actor: track.last for actor, track in tracks.items()},
        {actor: track.free for actor, track in tracks.items()},
    )
    unreturned = {actor: (tracks[actor].free, end) for actor, end in open.items()}
    for actor, (since, end) in unreturned.items():
        tracks[actor].for_agents += end - since
    return Timeline(
        actors, starts, ends, steps, seconds, with_people, counts, tokens, came_from,
        {actor: track.busy for actor, track in tracks.items() if track.busy},
        {
            "agents": {actor: track.for_agents for actor, track in tracks.items() if track.for_agents > 0},
            "people": {actor: track.for_people for actor, track in tracks.items() if track.for_people > 0},
            "permission": {actor: track.for_permission for actor, track in tracks.items() if track.for_permission > 0},
        },
        {actor: track.idle for actor, track in tracks.items() if track.idle},
        {actor: track.work for actor, track in tracks.items() if track.work},
        {actor: tracks[actor].model for actor in dict.fromkeys(compress(actors, turns)) if tracks[actor].model},
        {actor: tracks[actor].tools for actor in dict.fromkeys(compress(actors, uses)) if tracks[actor].tools},
        bounded, silent, unreturned, permitting,
    )  # fmt: skip


class _Track:
    """Running state of one actor: one lookup per event."""

    __slots__ = (
        "begin", "busy", "for_agents", "for_people", "for_permission", "free", "idle", "last", "longest", "model",
        "stop", "tools", "until", "work",
    )  # fmt: skip

    def __init__(self) -> None:
        self.last, self.longest, self.free = -1, -1, -1.0  # its latest event, the one that ended last, and when
        self.until = -1.0  # the end of its latest busy interval
        self.busy, self.idle, self.work = Intervals(), 0.0, 0.0
        self.model = self.tools = 0.0
        self.begin, self.stop = self.busy.starts.append, self.busy.ends.append
        self.for_agents, self.for_people, self.for_permission = 0.0, 0.0, 0.0


WAITING_TOOLS = frozenset({"AgentOutputTool", "TaskOutput", "wait_agent"})
"""Tools that do nothing but wait for an agent, unless the event says otherwise (``waits_for``)."""

FOR_AGENTS, FOR_PEOPLE = 1, 2

INSTANT, SUDDEN = 1, 2
"""An event that takes no time; before a sudden one its agent was idle or waited."""


def _span(t: float, end: float, ready: float) -> tuple[float, float]:
    """Return when work on an event with its own bounds began and ended: not before its inputs were ready."""
    return max(min(ready, end), t), end


def _instant(replayed: Replay, actors: Sequence[str], outside: Set[str], *, shortest: bool) -> bytearray:
    """Mark events that take no time: acts from outside, ends of agents, and returns of agents whose turns are known.

    A return that bears tokens stands for a turn that the log does not hold. When a compaction began is unknown,
    unless the log says so: the time before it is idle. If ``shortest``, so is that before turns and messages.
    """
    graph = replayed.graph
    marks = bytearray(graph.marks("human_intervention", "despawn"))
    known = set(compress(actors, graph.marks(*TURNS)))
    for place in graph.places_of("compaction", *(BEGINNING_UNKNOWN if shortest else ())):
        marks[place] = SUDDEN if graph.events[place].t_end is None else 0
    for place in graph.places_of("return"):
        marks[place] = actors[place] in known and graph.events[place].tokens_ is None
    for place, actor in enumerate(actors) if outside else ():
        if actor in outside:
            marks[place] = INSTANT
    return marks


def _silent(replayed: Replay) -> bytearray:
    """Mark events in which an agent only waits: results of calls that wait for agents or people.

    A call with both times is marked itself.
    """
    events = replayed.graph.events
    marks = bytearray(len(events))
    for call in replayed.graph.places_of("tool_call"):
        event = events[call]
        waits = event.waits_for or ("agents" if event.tool in WAITING_TOOLS else None)
        if waits is None or waits == "tool":
            continue
        mark = FOR_PEOPLE if waits == "people" else FOR_AGENTS
        if event.t_end is not None:
            marks[call] = mark
        if (result := replayed.answers.get(call)) is not None:
            marks[result] = mark
    return marks


def _permissions(replayed: Replay) -> set[int]:
    """Return the acts of people that decide on a tool call, other than answers to a question that an agent asked."""
    graph = replayed.graph
    people, calls = graph.marks("human_intervention"), graph.marks("tool_call")
    if not any(people):
        return set()
    return {
        target
        for target, source in zip(graph.targets, graph.sources, strict=True)
        if people[target] and calls[source] and graph.events[source].waits_for != "people"
    }


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
