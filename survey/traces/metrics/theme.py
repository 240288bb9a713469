"""What a measure is, and how one gets its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from survey.traces.metrics.run import NotMeasurable, Run

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure, or the reason why there is none."""

    name: str
    group: str
    """What it is about: time, steps, team, communication, aggregation, harm, costs, comparison."""
    title: str
    unit: str
    definition: str
    value: Any = None
    why_not: str = ""
    """Why it cannot be measured in this trace; "" where there is a value."""


class Theme:
    """The measures of one group, by name: each without a value, and the function that gives it one."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.measures: dict[str, tuple[Measure, Callable[[Run], Any]]] = {}

    def measure(self, title: str, unit: str) -> Callable[[Callable[[Run], Value]], Callable[[Run], Value]]:
        """Take in a function under its name, with its docstring as the definition."""

        def register(function: Callable[[Run], Value]) -> Callable[[Run], Value]:
            name, definition = function.__name__, " ".join((function.__doc__ or "").split())
            self.measures[name] = (Measure(name, self.group, title, unit, definition), function)
            return function

        return register


def filled(blank: Measure, function: Callable[..., Any], *arguments: Any) -> Measure:
    """A measure with the value that its function gives, or with the reason why there is none."""
    try:
        if any(isinstance(run, Run) and not run.events for run in arguments):
            raise NotMeasurable("it has no events")
        return replace(blank, value=function(*arguments))
    except NotMeasurable as reason:
        return replace(blank, why_not=str(reason))


def ratio(part: float, whole: float, missing: str) -> float:
    """A part over the whole; raises ``NotMeasurable`` where there is no whole."""
    if not whole:
        raise NotMeasurable(missing)
    return part / whole
