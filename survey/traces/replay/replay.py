"""A whole trace, walked from its first event to its last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from survey.traces.model import EVENT_FIELDS, Event, Graph, State, Trace, graph
from survey.traces.problems import LIMIT, Problems, nearest, quoted
from survey.traces.replay import totals
from survey.traces.replay.walk import Walk


@dataclass(frozen=True)
class Replay:
    """A whole trace, walked."""

    graph: Graph
    state: State
    answers: Mapping[int, int]
    """The place of each tool call that has its result, with that of the result."""
    end: float
    """When the last event was over."""
    problems: Problems

    @property
    def trace(self) -> Trace:
        """The trace that was walked."""
        return self.graph.trace


def replay(trace: Trace, *, limit: int = LIMIT) -> Replay:
    """Walk a trace to its end and say everything that cannot have happened."""
    problems = Problems(limit)
    walk = Walk(graph(trace, problems))
    walk.finish()
    state = walk.state()
    totals.check(walk.graph, state.spent, walk.end, problems)
    _check_labels(walk.graph, problems)
    _near_misses(trace, problems)
    return Replay(walk.graph, state, walk.answers, walk.end, problems)


def states(trace: Trace) -> Iterator[tuple[Event, State]]:
    """Every event in causal order, each with the state after it."""
    walk = Walk(graph(trace))
    for event in walk:
        yield event, walk.state()


def _check_labels(graph: Graph, problems: Problems) -> None:
    for number, label in enumerate(graph.trace.labels):
        id = str(label.get("event"))
        if id not in graph.places:
            said = f"no event has the id {quoted(id)}{nearest(id, graph.places)}"
            problems.add("unknown-event", said, pointer=f"/labels/{number}/event", events=(id,))


def _near_misses(trace: Trace, problems: Problems) -> None:
    """Fields beside the schema's that look like a slip of the pen; once each."""
    strange = {name: event.id for event in reversed(trace.events) if event.other for name in event.other}
    for name, id in sorted(strange.items()):
        if name not in EVENT_FIELDS and (hint := nearest(name, EVENT_FIELDS, 0.8)):
            problems.add("unknown-field", f"{quoted(id)} has a field {quoted(name)}{hint}", events=(id,), warning=True)
