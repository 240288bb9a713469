"""Replay of a complete trace, from its first event to its last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from survey import garbage_collection
from survey.traces.model import EVENT_FIELDS, Event, Graph, State, Trace, graph
from survey.traces.problems import LIMIT, Problems, nearest, quoted
from survey.traces.replay import totals
from survey.traces.replay.walk import Walk


@dataclass(frozen=True)
class Replay:
    """The result of replaying a trace: its graph, final state and problems."""

    graph: Graph
    state: State
    answers: Mapping[int, int]
    """The place of each answered tool call, with the place of its result."""
    end: float
    """The end time of the last event to end."""
    problems: Problems

    @property
    def trace(self) -> Trace:
        """The replayed trace."""
        return self.graph.trace


@garbage_collection.paused()  # what a replay makes is kept, or freed at once
def replay(trace: Trace, *, limit: int = LIMIT) -> Replay:
    """Replay a trace to its end and report every inconsistency."""
    problems = Problems(limit)
    walk = Walk(graph(trace, problems))
    walk.finish()
    state = walk.state()
    totals.check(walk.graph, state.spent, walk.end, problems)
    _check_head(trace, problems)
    _check_labels(walk.graph, problems)
    _near_misses(trace, problems)
    return Replay(walk.graph, state, walk.answers, walk.end, problems)


def states(trace: Trace) -> Iterator[tuple[Event, State]]:
    """Iterate over all events in causal order, each with the state after it."""
    walk = Walk(graph(trace))
    for event in walk:
        yield event, walk.state()


def _check_head(trace: Trace, problems: Problems) -> None:
    """Report a rollout beyond its group, a counterfactual of itself, and agents listed twice."""
    group = trace.head.get("group") or {}
    rollout, size = group.get("rollout"), group.get("size")
    if rollout is not None and size is not None and rollout >= size:
        message = f"found {rollout}, expected less than {size} (the size of the group; rollouts count from 0)"
        problems.add("group", message, pointer="/group/rollout")
    if trace.id and (trace.head.get("counterfactual_of") or {}).get("trace_id") == trace.id:
        message = f"found {quoted(trace.id)}, the id of this trace, expected that of the original run"
        problems.add("counterfactual", message, pointer="/counterfactual_of/trace_id")
    seen: dict[str, int] = {}
    for number, agent in enumerate(trace.head.get("agents") or []):
        first = seen.setdefault(agent["id"], number)
        if first != number:
            message = f"the id {quoted(agent['id'])} is already used by /agents/{first}"
            problems.add("duplicate-id", message, pointer=f"/agents/{number}/id", warning=True)


def _check_labels(graph: Graph, problems: Problems) -> None:
    for number, label in enumerate(graph.trace.labels):
        id = str(label.get("event"))
        if id not in graph.places:
            message = f"no event has the id {quoted(id)}{nearest(id, graph.places)}"
            problems.add("unknown-event", message, pointer=f"/labels/{number}/event", events=(id,))


def _near_misses(trace: Trace, problems: Problems) -> None:
    """Warn about unknown fields that resemble a field of the schema, once per name."""
    strange = {name: event.id for event in reversed(trace.events) if event.other for name in event.other}
    for name, id in sorted(strange.items()):
        if name not in EVENT_FIELDS and (hint := nearest(name, EVENT_FIELDS, 0.8)):
            problems.add("unknown-field", f"{quoted(id)} has a field {quoted(name)}{hint}", events=(id,), warning=True)
