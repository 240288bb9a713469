"""All measures of a trace, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from survey.traces.metrics import aggregation, communication, costs, durations, harm, team, turns
from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Measure, filled
from survey.traces.model import Trace
from survey.traces.replay import Replay, replay

MEASURES: dict[str, tuple[Measure, Callable[[Run], Any]]] = {
    name: found
    for subject in (durations, turns, team, communication, aggregation, harm, costs)
    for name, found in subject.THEME.measures.items()
}
"""By name: the measure without a value, and the function that gives it one."""


def measure(trace: Trace | Replay | Run, names: Iterable[str] | None = None) -> dict[str, Measure]:
    """Every measure of a trace by name, or those that are asked for.

    A ``Run`` that is at hand is measured without working anything out twice. The trace should
    be free of errors; what is measured in a contradictory one means little.
    """
    run = trace if isinstance(trace, Run) else Run(trace if isinstance(trace, Replay) else replay(trace))
    found = {}
    for name in MEASURES if names is None else names:
        blank, function = MEASURES[name]
        found[name] = filled(blank, function, run)
    return found
