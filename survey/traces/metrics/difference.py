"""Two runs side by side: where they part, and what that comes to."""

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
    """What two traces do not share."""

    same: int
    """How many acts they have in common before they part, in causal order."""
    parting: tuple[Event | None, Event | None]
    """The first act of each that the other does not have at that place; None where a trace is over."""
    events: dict[str, tuple[int, int]]
    """Events by type, where the numbers differ."""
    agents: tuple[list[str], list[str]]
    """Agents that act in the one and not in the other."""
    measures: list[tuple[Measure, Measure]]
    """Measures whose values differ, single figures only."""

    def __bool__(self) -> bool:
        return any(self.parting) or bool(self.measures)


def difference(a: Trace, b: Trace) -> Difference:
    """Compare two traces act by act, and measure by measure. Ids of events and times may differ."""
    one, two = replay(a), replay(b)
    same = _common(one, two)
    left, right = one.graph.events, two.graph.events
    parting = (left[same] if same < len(left) else None, right[same] if same < len(right) else None)
    kinds = Counter(event.type for event in left), Counter(event.type for event in right)
    who = {event.agent for event in left}, {event.agent for event in right}
    measures = [
        (x, y)
        for x, y in zip(measure(one).values(), measure(two).values(), strict=True)
        if _single(x, y) and x.value != y.value
    ]
    return Difference(
        same,
        parting,
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
    """What makes two acts the same: who does what to whom, with which tool, and how it goes."""
    return event.type, event.agent, event.to, event.tool, event.status


def _single(*measures: Measure) -> bool:
    return not any(isinstance(found.value, dict) for found in measures)
