"""Events of a trace in causal order, and edges as pairs of positions in that order.

Everything that traverses a trace (replay, metrics, credit) uses this graph. Edges are sorted by
target, so that one loop sees all incoming edges of an event before its outgoing ones: the longest
path over a million events is one pass over a list, without a data structure per event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import compress, groupby, islice
from operator import ge, le

from survey.traces.model.edges import Edges
from survey.traces.model.event import OUTSIDE, Event, Tokens
from survey.traces.model.order import by_time, causal, places_in
from survey.traces.model.schema import EVENT_TYPES, TYPING
from survey.traces.model.trace import Trace
from survey.traces.problems import Problems, nearest, quoted

KINDS = {type: kind for kind, type in enumerate(EVENT_TYPES)}
"""Event types as numbers, so that the types of a million events fit in a million bytes."""


@cache
def _mask(types: tuple[str, ...]) -> bytes:
    """Return the translation table from type numbers: 1 for these types, 0 for the others."""
    wanted = {KINDS[type] for type in types}
    return bytes(kind in wanted for kind in range(256))


@dataclass(frozen=True)
class Graph:
    """Events in causal order; edge i leads from place ``sources[i]`` to place ``targets[i]``."""

    trace: Trace
    events: Sequence[Event]
    positions: Sequence[int]
    """For each place in causal order, the position in the file."""
    sources: Sequence[int]
    targets: Sequence[int]
    types: Sequence[str]
    problems: Problems
    """Problems with ids and edges."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each event by id; the first if an id is duplicated."""
        return _first_places(self.events)

    @cached_property
    def agents(self) -> Sequence[str]:
        """The agent of each event."""
        return [event.agent for event in self.events]

    @cached_property
    def kinds(self) -> bytes:
        """The type of each event, as an index into ``EVENT_TYPES``."""
        return bytes(map(KINDS.__getitem__, [event.type for event in self.events]))

    @cached_property
    def recorded(self) -> Sequence[float | Tokens | None]:
        """The tokens of each event as they are recorded: a total, by kind, or not at all."""
        return [event.tokens_ for event in self.events]

    @cached_property
    def tokens(self) -> Sequence[float]:
        """The tokens of each event; 0 if absent."""
        return [0 if spent is None else spent.total if isinstance(spent, Tokens) else spent for spent in self.recorded]

    def marks(self, *types: str) -> bytes:
        """Return 1 for each event of one of these types, 0 for the others."""
        return self.kinds.translate(_mask(types))

    def places_of(self, *types: str) -> list[int]:
        """Return the places of all events of these types: found by a search, since most types are rare."""
        return [mark.start() for mark in re.finditer(rb"\x01", self.marks(*types))]

    def __len__(self) -> int:
        return len(self.events)

    def edges(self) -> Iterator[tuple[int, int, str]]:
        """Iterate over all edges as (source, target, type), sorted by target."""
        return zip(self.sources, self.targets, self.types, strict=True)

    def causes(self) -> Iterator[tuple[int, list[tuple[int, str]]]]:
        """Iterate over all places with incoming edges, each with the sources and types of those edges."""
        for target, edges in groupby(self.edges(), key=lambda edge: edge[1]):
            yield target, [(source, type) for source, _, type in edges]

    def downstream(self, places: Iterable[int]) -> bytearray:
        """Mark every event that is one of these or is reachable from one, along edges of any type."""
        reached = bytearray(len(self))
        for place in places:
            reached[place] = 1
        for source, target in zip(self.sources, self.targets, strict=True):
            if reached[source]:
                reached[target] = 1
        return reached

    def upstream(self, place: int) -> bytearray:
        """Mark this event and every event from which it is reachable, along edges of any type."""
        led = bytearray(len(self))
        led[place] = 1
        for source, target in zip(reversed(self.sources), reversed(self.targets), strict=True):
            if led[target]:  # sorted by target: all outgoing edges of the target have been seen
                led[source] = 1
        return led


def graph(trace: Trace, problems: Problems | None = None) -> Graph:
    """Return the graph of a trace. Edges with an unknown end or that close a cycle are reported and omitted."""
    problems = Problems() if problems is None else problems
    events = trace.events
    ordered: Sequence[Event]
    sources, targets, types = _ends(trace, problems)
    order = by_time(events)
    if order != range(len(events)):
        sources, targets = _moved(order, sources, targets)
    reordered = any(map(ge, sources, targets))
    if reordered:
        ordered = [events[position] for position in order]
        sources, targets, types = _without_cycles(ordered, sources, targets, types, problems)
        ordering = causal(len(ordered), sources, targets)
        sources, targets = _moved(ordering, sources, targets)
        order = [order[place] for place in ordering]
    if not all(map(le, targets, islice(targets, 1, None))):
        by_target = sorted(range(len(targets)), key=targets.__getitem__)
        sources, targets = [sources[edge] for edge in by_target], [targets[edge] for edge in by_target]
        types = [types[edge] for edge in by_target]
    ordered = events if order == range(len(events)) else [events[position] for position in order]
    made = Graph(trace, ordered, order, sources, targets, types, problems)
    if reordered:  # else events are in order of time, and no effect precedes its cause
        _report_early(made)
    _report_types(made)
    _report_receivers(made)
    _report_duplicate_edges(made)
    return made


def _ends(trace: Trace, problems: Problems) -> tuple[Sequence[int], Sequence[int], Sequence[str]]:
    """Return the ends of all edges as positions in the file. Edges to unknown ids are reported and omitted."""
    edges = Edges.of(trace.edges)
    ids = [event.id for event in trace.events]
    if edges.ids == ids:  # the usual case for a file: every id is unique, and edges name no other
        return edges.src, edges.dst, edges.type
    positions = _first_places(trace.events)
    if len(positions) < len(ids):
        _report_duplicate_ids(trace, problems)
    position = [positions.get(id, -1) for id in edges.ids]
    sources, targets = list(map(position.__getitem__, edges.src)), list(map(position.__getitem__, edges.dst))
    if -1 not in position or (-1 not in sources and -1 not in targets):
        return sources, targets, edges.type
    for number, (src, dst, _) in enumerate(edges):
        for end, id, other in (("src", src, dst), ("dst", dst, src)):
            if id not in positions:

                def message(id: str = id, other: str = other) -> str:
                    return f"no event has the id {quoted(id)}{nearest(id, positions)}; the other end is {quoted(other)}"

                problems.add("unknown-event", message, pointer=f"/edges/{number}/{end}", events=(src, dst))
    return _columns(edge for edge in zip(sources, targets, edges.type, strict=True) if min(edge[:2]) >= 0)


def _columns(edges: Iterable[tuple[int, int, str]]) -> tuple[list[int], list[int], Sequence[str]]:
    kept = list(edges)
    return [edge[0] for edge in kept], [edge[1] for edge in kept], [edge[2] for edge in kept]


def _moved(order: Sequence[int], *columns: Sequence[int]) -> list[list[int]]:
    """Return columns of places, converted to a new order of the events."""
    new = places_in(order)
    return [list(map(new.__getitem__, column)) for column in columns]


def _first_places(ordered: Sequence[Event]) -> dict[str, int]:
    places = dict(zip([event.id for event in ordered], range(len(ordered)), strict=True))
    if len(places) < len(ordered):
        for place in range(len(ordered) - 1, -1, -1):
            places[ordered[place].id] = place
    return places


def _report_duplicate_ids(trace: Trace, problems: Problems) -> None:
    first: dict[str, int] = {}
    for position, event in enumerate(trace.events):
        if event.id in first:
            message = f"the id {quoted(event.id)} is already used by /events/{first[event.id]}"
            problems.add("duplicate-id", message, pointer=f"/events/{position}", events=(event.id,))
        first.setdefault(event.id, position)


def _without_cycles(
    ordered: Sequence[Event], sources: Sequence[int], targets: Sequence[int], types: Sequence[str], problems: Problems
) -> tuple[Sequence[int], Sequence[int], Sequence[str]]:
    """Return the edges without those that lead back to the earliest event of a cycle, which are reported."""
    new = places_in(causal(len(ordered), sources, targets))
    back = [new[source] >= new[target] for source, target in zip(sources, targets, strict=True)]
    if not any(back):
        return sources, targets, types
    edges = list(zip(sources, targets, types, strict=True))
    for source, target, type in compress(edges, back):
        a, b = ordered[source].id, ordered[target].id
        message = (
            f"{quoted(a)} leads to itself" if a == b else f"{quoted(a)} leads to {quoted(b)}, which leads back to it"
        )
        problems.add("causal-cycle", f"{message} (an edge of type {type})", events=(a, b))
    return _columns(edge for edge, leads_back in zip(edges, back, strict=True) if not leads_back)


TYPED = frozenset(edge for edge, (left, right) in TYPING.items() if not len(left) == len(right) == len(EVENT_TYPES))
"""Edge types that constrain the events they may join."""
ALLOWED = {
    (edge, KINDS[source], KINDS[target])
    for edge in TYPED
    for source in TYPING[edge][0]
    for target in TYPING[edge][1]
    if edge != "spawn" or "spawn" in (source, target)
}


def _report_early(graph: Graph) -> None:
    for source, target, _ in graph.edges():
        a, b = graph.events[source], graph.events[target]
        if a.t > b.t:
            message = f"{quoted(b.id)} (t = {b.t:g}) follows from {quoted(a.id)} (t = {a.t:g}), which is later"
            place = f"/events/{graph.positions[target]}"
            graph.problems.add("effect-before-cause", message, pointer=place, events=(a.id, b.id))


def _report_types(graph: Graph) -> None:
    """Report edges whose type does not fit the events that they join."""
    kinds, typed = graph.kinds, TYPED
    found = {(type, kinds[source], kinds[target]) for source, target, type in graph.edges() if type in typed}
    strange = found - ALLOWED
    for source, target, type in graph.edges() if strange else ():
        if (type, kinds[source], kinds[target]) in strange:
            a, b = graph.events[source], graph.events[target]
            message = f"an edge of type {type} leads from {quoted(a.id)} ({a.type}) to {quoted(b.id)} ({b.type})"
            graph.problems.add("edge-type", message, events=(a.id, b.id), warning=True)
    _report_results(graph)


def _report_results(graph: Graph) -> None:
    """Report aggregate edges from a turn of another agent, if that one returns its result."""
    if "aggregate" not in graph.types:
        return
    turns = graph.marks("model_call", "aggregate")
    back = {(act.sender, act.to) for act in map(graph.events.__getitem__, graph.places_of("return"))}
    for edge in compress(range(len(graph.types)), map("aggregate".__eq__, graph.types)):
        source = graph.sources[edge]
        if turns[source]:
            a, b = graph.events[source], graph.events[graph.targets[edge]]
            if a.agent != b.agent and (a.agent, b.agent) in back:
                whose = f"{quoted(a.agent)}'s return"
                message = f"an edge of type aggregate leads from {quoted(a.id)} ({a.type}), expected {whose}"
                graph.problems.add("edge-type", message, events=(a.id, b.id), warning=True)


ADDRESSED = {
    "spawn": frozenset({"spawn"}),
    "message": frozenset({"message", "delegate", "human_intervention"}),
    "return": frozenset({"return"}),
    "aggregate": frozenset({"return"}),
}
"""Edge types that lead to the receiver of an act, each with the acts that name it."""
NAMING = frozenset(ADDRESSED)


def _report_receivers(graph: Graph) -> None:
    """Report edges from spawns, messages and returns that lead to another agent than the one that these name.

    Results may be aggregated by others than the agent to which they were returned, but hardly by those it started.
    """
    if NAMING.isdisjoint(graph.types):
        return
    shared = {item.get("name") for item in graph.trace.agents.values()}
    spawns = map(graph.events.__getitem__, graph.places_of("spawn"))
    started = {event.child: event.sender for event in spawns}
    for edge in compress(range(len(graph.types)), map(NAMING.__contains__, graph.types)):
        a, b = graph.events[graph.sources[edge]], graph.events[graph.targets[edge]]
        if a.type not in ADDRESSED[graph.types[edge]]:
            continue
        to = a.child if a.type == "spawn" else a.to
        if graph.types[edge] == "aggregate" and started.get(b.agent) != to:
            continue
        if to is None or to in (b.agent, b.sender, b.agent_name) or OUTSIDE & {to, b.agent} or to in shared:
            continue
        message = (
            f"an edge of type {graph.types[edge]} leads from {quoted(a.id)} ({a.type}) to {quoted(b.id)} of "
            f"{quoted(b.agent)}, expected an act of {quoted(to)}"
        )
        graph.problems.add("edge-to-other-agent", message, events=(a.id, b.id), warning=True)


def _report_duplicate_edges(graph: Graph) -> None:
    """Report edges that occur more than once."""
    for target, causes in graph.causes() if _has_duplicate_edges(graph) else ():
        seen = set()
        for cause in causes:
            if cause in seen:
                source, type = cause
                a, b = graph.events[source].id, graph.events[target].id
                message = f"duplicate {type} edge from {quoted(a)} to {quoted(b)}"
                graph.problems.add("duplicate-edge", message, events=(a, b), warning=True)
            seen.add(cause)


def _has_duplicate_edges(graph: Graph) -> bool:
    """Return whether two edges of any type join the same events."""
    latest = [-1] * len(graph)  # the latest target of each source: edges are sorted by target
    for source, target in zip(graph.sources, graph.targets, strict=True):
        if latest[source] == target:
            return True
        latest[source] = target
    return False
