"""Limits that runs must keep to: ``--max NAME=NUMBER`` of ``survey trace check``."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

import click

from survey.cli.trace.printing import amount
from survey.traces import Problems
from survey.traces.metrics import MEASURES, Run, measure
from survey.traces.problems import nearest, quoted


class Limit(NamedTuple):
    """The largest value that a measure may have."""

    name: str
    most: float

    def __str__(self) -> str:
        return f"--max {self.name}={self.most:.15g}"


def _limits(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[Limit, ...]:
    try:
        return tuple(_limit(text) for text in given)
    except ValueError as error:
        raise click.BadParameter(str(error), context, option) from None


def _limit(text: str) -> Limit:
    """Return the limit that a text states. Raises ``ValueError`` for an unknown measure and for what is no number.

    >>> _limit("critical_path_s=600")
    Limit(name='critical_path_s', most=600.0)
    """
    name, equals, number = (part.strip() for part in text.partition("="))
    if not equals:
        raise ValueError(f"found {quoted(text)}, expected NAME=NUMBER, as in critical_path_s=600")
    if name not in MEASURES:
        raise ValueError(f"{quoted(name)} is no measure{nearest(name, MEASURES)}")
    try:
        most = float(number)
    except ValueError:
        most = float("nan")
    if not isfinite(most):
        raise ValueError(f"found {quoted(number)}, expected a number, as in {name}=600")
    return Limit(name, most)


limits = click.option("--max", "most", multiple=True, metavar="NAME=NUMBER", callback=_limits,
                      help="Largest value of a measure, by its name in survey trace report --format json; "
                           "repeatable.")  # fmt: skip


def exceeded(run: Run, most: Iterable[Limit]) -> Problems:
    """Return an error for each limit that a run exceeds, and for each that cannot be checked."""
    problems = Problems()
    for limit in most:
        found = measure(run, [limit.name])[limit.name]
        if found.value is None:
            problems.add("not-measurable", f"{found.title}: cannot be measured, because {found.why_not} ({limit})")
            continue
        value = sum(found.value.values()) if isinstance(found.value, dict) else found.value
        if value > limit.most:
            unit = found.unit.partition(" by ")[0].partition(" at each ")[0]
            problems.add(
                "above-limit",
                f"{found.title}: found {amount(value, unit)}, expected at most {amount(limit.most, unit)} ({limit})",
            )
    return problems
