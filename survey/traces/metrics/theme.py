"""Definition and evaluation of measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from survey.traces.metrics.run import Run
from survey.traces.problems import NotMeasurable

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its value, or the reason why there is none."""

    name: str
    group: str
    """The theme: time, steps, team, communication, aggregation, patterns, harm, costs, comparison."""
    title: str
    unit: str
    definition: str
    value: Any = None
    why_not: str = ""
    """Why it cannot be measured in this trace; "" if there is a value."""


class Theme:
    """The measures of one group by name, each with the function that computes its value."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.measures: dict[str, tuple[Measure, Callable[[Run], Any]]] = {}

    def measure(self, title: str, unit: str) -> Callable[[Callable[[Run], Value]], Callable[[Run], Value]]:
        """Register a function under its name, with its docstring as the definition."""

        def register(function: Callable[[Run], Value]) -> Callable[[Run], Value]:
            name, definition = function.__name__, " ".join((function.__doc__ or "").split())
            self.measures[name] = (Measure(name, self.group, title, unit, definition), function)
            return function

        return register


def evaluated(blank: Measure, function: Callable[..., Any], *arguments: Any) -> Measure:
    """Return a measure with the value of its function, or with the reason why there is none."""
    try:
        if any(isinstance(run, Run) and not run.events for run in arguments):
            raise NotMeasurable("the trace has no events")
        return replace(blank, value=function(*arguments))
    except NotMeasurable as reason:
        return replace(blank, why_not=str(reason))


def ratio(part: float, whole: float, missing: str) -> float:
    """Return part / whole; raises ``NotMeasurable`` if the whole is 0."""
    if not whole:
        raise NotMeasurable(missing)
    return part / whole
