"""Comparison of two runs: the first difference, and the measures that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from survey.traces.metrics.measuring import measure
from survey.traces.metrics.theme import Measure
from survey.traces.model import Event, Trace
from survey.traces.replay import Replay, replay


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two traces."""

    same: int
    """Number of common acts before the first difference, in causal order."""
    first_difference: tuple[Event | None, Event | None]
    """The first differing act of each trace; None where a trace has ended."""
    events: dict[str, tuple[int, int]]
    """Number of events by type, where the numbers differ."""
    agents: tuple[list[str], list[str]]
    """Agents that act in only one of the traces."""
    measures: list[tuple[Measure, Measure]]
    """Scalar measures whose values differ."""

    def __bool__(self) -> bool:
        return any(self.first_difference) or bool(self.measures)


def difference(a: Trace, b: Trace) -> Difference:
    """Compare two traces act by act and measure by measure. Event ids and times may differ."""
    one, two = replay(a), replay(b)
    same = _common(one, two)
    left, right = one.graph.events, two.graph.events
    first = (left[same] if same < len(left) else None, right[same] if same < len(right) else None)
    kinds = Counter(event.type for event in left), Counter(event.type for event in right)
    who = {event.agent for event in left}, {event.agent for event in right}
    measures = [
        (x, y)
        for x, y in zip(measure(one).values(), measure(two).values(), strict=True)
        if _single(x, y) and x.value != y.value
    ]
    return Difference(
        same,
        first,
        {
            kind: (kinds[0][kind], kinds[1][kind])
            for kind in sorted(kinds[0] | kinds[1])
            if kinds[0][kind] != kinds[1][kind]
        },
        (sorted(who[0] - who[1]), sorted(who[1] - who[0])),
        measures,
    )


def _common(one: Replay, two: Replay) -> int:
    pairs = zip(one.graph.events, two.graph.events, strict=False)
    return next(
        (place for place, (x, y) in enumerate(pairs) if _act(x) != _act(y)), min(len(one.graph), len(two.graph))
    )


def _act(event: Event) -> tuple[Any, ...]:
    """Return what identifies an act: its type, agent, target, tool and status."""
    return event.type, event.agent, event.to, event.tool, event.status


def _single(*measures: Measure) -> bool:
    return not any(isinstance(found.value, dict) for found in measures)
