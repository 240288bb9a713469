"""All measures of a trace, in display order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from survey import garbage_collection
from survey.traces.metrics import aggregation, communication, costs, durations, harm, patterns, team, turns
from survey.traces.metrics.prices import Prices
from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Measure, evaluated
from survey.traces.model import Trace
from survey.traces.replay import Replay, replay

MEASURES: dict[str, tuple[Measure, Callable[[Run], Any]]] = {
    name: found
    for subject in (durations, turns, team, communication, aggregation, patterns, harm, costs)
    for name, found in subject.THEME.measures.items()
}
"""By name: the measure without a value, and the function that computes the value."""


def measure(
    trace: Trace | Replay | Run, names: Iterable[str] | None = None, *, prices: Prices | None = None
) -> dict[str, Measure]:
    """Compute all measures of a trace, or those named, and return them by name.

    An existing ``Run`` is reused, with all it has already computed. The trace should be free of
    errors; measures of an inconsistent trace mean little. ``prices`` replaces the public list prices of models.
    """
    run = trace if isinstance(trace, Run) else Run(trace if isinstance(trace, Replay) else replay(trace), prices)
    found = {}
    with garbage_collection.paused():  # what the measures make is kept, or freed at once
        for name in MEASURES if names is None else names:
            blank, function = MEASURES[name]
            found[name] = evaluated(blank, function, run)
        garbage_collection.settle(len(run.events))
    return found
