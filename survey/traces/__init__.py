"""Orchestration traces of agent teams: read, check, replay, measure, import and export them.

This package is self-contained: it imports neither pandas nor MkDocs, nor the other wings.

    >>> from survey.traces import Trace, check, replay
    >>> trace = Trace.of({
    ...     "trace_id": "r", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 2},
    ...     "events": [{"id": "e1", "t": 0, "type": "spawn", "agent": "lead", "to": "helper"},
    ...                {"id": "e2", "t": 2, "type": "return", "agent": "helpr", "to": "lead"}],
    ...     "edges": []})
    >>> print(*check(trace), sep="\\n")
    /events/1: "e2" (return): "helpr" acts, but was never spawned (did you mean "helper"?)
    /events/0: warning: "e1" (spawn): "helper" never returns
    >>> sorted(replay(trace).state.alive)
    ['helper', 'lead']
"""

from survey.traces.files import Reading, anonymised, read, readings, readings_of, write
from survey.traces.model import EDGE_TYPES, EVENT_TYPES, TYPING, Builder, Content, Edge, Event, State, Trace, schema
from survey.traces.problems import InvalidTrace, NotMeasurable, Problem, Problems
from survey.traces.replay import Replay, Walk, check, replay, states, until, without

__all__ = [
    "EDGE_TYPES", "EVENT_TYPES", "TYPING", "Builder", "Content", "Edge", "Event", "InvalidTrace", "NotMeasurable",
    "Problem", "Problems", "Reading", "Replay", "State", "Trace", "Walk", "anonymised", "check", "read", "readings",
    "readings_of", "replay", "schema", "states", "until", "without", "write",
]  # fmt: skip
