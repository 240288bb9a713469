"""Orchestration traces: read, check, replay, measure, import and export what teams of agents did.

This wing stands on its own: it imports neither pandas nor MkDocs, nor the other wings.

    >>> from survey.traces import Trace, check, replay
    >>> trace = Trace.of({
    ...     "trace_id": "r", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 2},
    ...     "events": [{"id": "e1", "t": 0, "type": "spawn", "agent": "lead", "to": "helper"},
    ...                {"id": "e2", "t": 2, "type": "return", "agent": "helpr", "to": "lead"}],
    ...     "edges": []})
    >>> print(*check(trace))
    /events/1: "e2" (return): "helpr" acts, but was never spawned (did you mean "helper"?)
    >>> sorted(replay(trace).state.alive)
    ['helper', 'lead']
"""

from survey.traces.checking import check
from survey.traces.problems import InvalidTrace, Problem, Problems
from survey.traces.reading import Reading, read, readings, readings_of
from survey.traces.replay import Replay, replay, states
from survey.traces.schema import EDGE_TYPES, EVENT_TYPES, TYPING, schema
from survey.traces.state import State
from survey.traces.trace import Edge, Event, Trace
from survey.traces.walk import Walk

__all__ = [
    "EDGE_TYPES",
    "EVENT_TYPES",
    "TYPING",
    "Edge",
    "Event",
    "InvalidTrace",
    "Problem",
    "Problems",
    "Reading",
    "Replay",
    "State",
    "Trace",
    "Walk",
    "check",
    "read",
    "readings",
    "readings_of",
    "replay",
    "schema",
    "states",
]
