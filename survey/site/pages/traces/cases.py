"""Traces with one error each, and the results of two checkers.

Our messages are computed when the page is built. Those of the published checker are recorded: the results of
``trace-schema/validate_trace.py`` of the artifact of arXiv:2605.02801 on 2026-11-21, at
commit a14d8de1d2caeea62db12d56978322cf824850a0.
"""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from survey.traces import readings, replay

ACCEPTS, REJECTS, CRASHES = "accepts it", "rejects it", "stops with a Python error"

BASE: dict[str, Any] = {
    "trace_id": "case", "task_id": "case", "topology": "centralized",
    "events": [
        {"id": "e1", "t": 0, "type": "orchestrator_decision", "agent": "lead"},
        {"id": "e2", "t": 1, "type": "spawn", "agent": "lead", "to": "helper"},
        {"id": "e3", "t": 2, "type": "tool_call", "agent": "helper", "tool": "search"},
        {"id": "e4", "t": 3, "type": "tool_result", "agent": "helper", "tool": "search"},
        {"id": "e5", "t": 4, "type": "message", "agent": "helper", "to": "lead"},
        {"id": "e6", "t": 5, "type": "return", "agent": "helper", "to": "lead"},
        {"id": "e7", "t": 6, "type": "aggregate", "agent": "lead"},
    ],
    "edges": [
        {"src": "e1", "dst": "e2", "type": "causal"},
        {"src": "e2", "dst": "e3", "type": "spawn"},
        {"src": "e3", "dst": "e4", "type": "tool_dependency"},
        {"src": "e4", "dst": "e5", "type": "causal"},
        {"src": "e6", "dst": "e7", "type": "aggregate"},
    ],
    "rewards": {"team": 1.0},
    "costs": {"tokens": 100, "wall_clock_s": 6, "tool_calls": 1, "messages": 1},
}  # fmt: skip
"""A valid trace; each case changes one thing in it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A trace with one error."""

    title: str
    change: Callable[[dict[str, Any]], Any]
    published: str
    """The result of the published checker."""

    def text(self) -> str:
        """Return the trace as JSON. A change may return the text itself, where no object can express it."""
        document = copy.deepcopy(BASE)
        written = self.change(document)
        return written if isinstance(written, str) else json.dumps(document)

    def messages(self) -> list[str]:
        """Return the messages of our checker, one per problem."""
        (reading,) = readings(io.BytesIO(self.text().encode()), "case")
        if reading.problems.errors or reading.trace is None:
            return [str(problem) for problem in reading.problems]
        return [str(problem) for problem in [*reading.problems, *replay(reading.trace).problems]]


def _event(number: int, **fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["events"][number - 1].update(fields)


def _edge(src: str, dst: str, type: str = "causal") -> Callable[[dict[str, Any]], None]:
    return lambda document: document["edges"].append({"src": src, "dst": dst, "type": type})


def _more(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["events"].append(fields)


def _top(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(fields)


def _cost(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["costs"].update(fields)


def _without(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        del document[last]

    return change


def _all(*changes: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for one in changes:
            one(document)

    return change


def _text(old: str, new: str) -> Callable[[dict[str, Any]], str]:
    return lambda document: json.dumps(document).replace(old, new, 1)


CASES = (
    Case("an edge to a missing event", _edge("e3", "e9"), REJECTS),
    Case("a causal cycle", _edge("e5", "e1"), ACCEPTS),
    Case("an edge from an event to itself", _edge("e3", "e3"), ACCEPTS),
    Case("an effect before its cause", _event(4, t=1.5), ACCEPTS),
    Case("an action of an unspawned agent", _more(id="e8", t=4.5, type="model_call", agent="helpr"), REJECTS),
    Case("a message from an unspawned agent", _event(5, agent="helpr"), ACCEPTS),
    Case("a spawn without the spawned agent", _without("events", 1, "to"), ACCEPTS),
    Case("an action after the agent was despawned", _more(id="e8", t=1.5, type="despawn", agent="helper"), ACCEPTS),
    Case("a message to an unknown agent", _event(5, to="laed"), ACCEPTS),
    Case("a return from an unknown agent", _event(6, agent="helpr"), ACCEPTS),
    Case("a result without a call", _event(3, type="message", to="lead"), ACCEPTS),
    Case(
        "a second result",
        _all(_more(id="e8", t=3.5, type="tool_result", agent="helper"), _edge("e3", "e8", "tool_dependency")),
        ACCEPTS,
    ),
    Case("work after the stop", _more(id="e0", t=0.5, type="stop", agent="lead"), REJECTS),
    Case("two events with the same id", _event(4, id="e3"), REJECTS),
    Case("a duplicate key in an object", _text('"agent": "lead"', '"agent": "lead", "agent": "boss"'), ACCEPTS),
    Case("a time that is not a number (NaN)", _text('"t": 2', '"t": NaN'), ACCEPTS),
    Case("a time that is a text", _event(3, t="2"), CRASHES),
    Case("a type that is a list", _event(3, type=["tool_call"]), CRASHES),
    Case("a misspelt type", _event(5, type="mesage"), REJECTS),
    Case("an agent without a name", _event(3, agent=""), ACCEPTS),
    Case("a cost that is a text", _cost(tokens="100"), CRASHES),
    Case("a negative cost", _cost(retries=-1), REJECTS),
    Case("missing required costs", _without("costs", "tokens"), ACCEPTS),
    Case("a reward that is a text", _top(rewards={"team": "high"}), ACCEPTS),
    Case("totals that contradict the events", _cost(tool_calls=99), ACCEPTS),
    Case("a topology that contradicts the events", _top(topology="hierarchical"), ACCEPTS),
    Case("a topology that does not exist", _top(topology="centralised"), ACCEPTS),
    Case("a field that does not exist", _top(rewads={}), ACCEPTS),
    Case("the same edge twice", _edge("e1", "e2"), ACCEPTS),
    Case("an edge whose type does not fit its events", _edge("e4", "e7", "spawn"), ACCEPTS),
    Case(
        "a return of the root to its own sub-agent",
        _more(id="e8", t=6, type="return", agent="lead", to="helper"),
        ACCEPTS,
    ),
    Case("an aggregate of what was returned to the parent", _event(7, agent="helper"), ACCEPTS),
)  # fmt: skip
