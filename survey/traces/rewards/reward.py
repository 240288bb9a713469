"""Rewards and reward families, with helpers that all families share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Literal

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE, Event, number
from survey.traces.problems import nearest, quoted
from survey.traces.replay import beginners

Kind = Literal["team", "orchestrator", "role", "agent", "turn", "message", "tool call", "token"]
"""The eight kinds of units that a reward can be paid to, from coarse to fine."""


@dataclass(frozen=True, slots=True)
class Reward:
    """One number, the unit it is paid to, and how it was computed.

    A family pays a unit the sum of its rewards to that unit: each part of a family is a separate
    reward that includes its weight.
    """

    kind: Kind
    unit: str
    """The id of an agent or event, the name of a role, or, of a team, the id of the trace."""
    reward: float
    family: str
    """R1 to R8."""
    why: str
    part: str = ""
    """The part of the family; "" if the family has only one, or if its parts are combined."""


@dataclass(frozen=True)
class Family:
    """A reward family."""

    code: str
    """R1 to R8."""
    name: str
    title: str
    formula: str
    """In plain text."""
    needs: str
    """What a trace must contain."""
    function: Callable[..., list[Reward]]

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The numeric parameters by name, with their defaults."""
        known = {name: one.default for name, one in inspect.signature(self.function).parameters.items()}
        return {name: value for name, value in known.items() if type(value) is float}


class PartsNotMeasurable(NotMeasurable):
    """Raised if some parts with a weight cannot be measured, with the reason for each."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        message = "; ".join(f"{part}: {reason}" for part, reason in reasons.items())
        super().__init__(f"{message} (a weight of 0 leaves a part out)")
        self.reasons = dict(reasons)


def parts(weighted: Mapping[str, tuple[float, Callable[[float], list[Reward]]]]) -> list[Reward]:
    """Return the rewards of all parts with a nonzero weight, which is passed to the part's function.

    Raises ``PartsNotMeasurable`` if one of them cannot be measured, and ``ValueError`` if all weights are 0.
    """
    if not any(weight for weight, _ in weighted.values()):
        raise ValueError(f"all weights are 0 (expected another for one of {', '.join(weighted)})")
    found: list[Reward] = []
    reasons: dict[str, str] = {}
    for part, (weight, function) in weighted.items():
        if weight:
            try:
                found += function(weight)
            except NotMeasurable as reason:
                reasons[part] = str(reason)
    if reasons:
        raise PartsNotMeasurable(reasons)
    return found


def team(run: Run) -> list[str]:
    """Return the members of the team in order of appearance, then those that are listed and never act."""
    there = [agent for event in run.events for agent in (event.agent, event.child if event.type == "spawn" else "")]
    acting = [agent for agent in dict.fromkeys(there) if agent in run.members]
    listed = [agent for agent in run.replayed.trace.agents if agent not in run.members and agent not in OUTSIDE]
    return acting + listed


def acting(run: Run) -> str:
    """Return the orchestrator: the first agent; raise ``NotMeasurable`` if nobody acts, or several begin at once."""
    if not run.root:
        raise NotMeasurable("needs an orchestrator: nobody acts")
    first = beginners(run.replayed)
    if run.root in first and len(first) > 1:
        raise NotMeasurable(f"needs one orchestrator: {', '.join(sorted(first))} begin at one time")
    return run.root


def finite(value: object, what: str) -> float | None:
    """Return a recorded number, or None if there is none; raise ``NotMeasurable`` for one that is not finite."""
    if isinstance(value, float) and not isfinite(value):
        raise NotMeasurable(f"needs a finite number: {what} is {value}")
    return number(value)


def chosen(run: Run, among: Collection[str] | None) -> list[str]:
    """Return the members of the team, or those in ``among``; raises ``ValueError`` for one not on the team."""
    members = team(run)
    for agent in among or ():
        if agent not in members:
            raise ValueError(f"{quoted(agent)} is not on the team{nearest(agent, members)}")
    return members if among is None else [agent for agent in members if agent in among]


def scores(event: Event, names: Collection[str] | None) -> dict[str, float]:
    """Return the rewards of an event by name, or those with these names; a plain number has the name "".

    Raises ``NotMeasurable`` for one that is not finite.
    """
    given = event.reward if isinstance(event.reward, dict) else {"": event.reward}
    what = f"the reward of {quoted(event.id)}"
    return {
        name: score
        for name, value in given.items()
        if (names is None or name in names) and (score := finite(value, what)) is not None
    }


def formatted(value: float) -> str:
    """Format a number for an explanation.

    >>> formatted(0.30000000000000004), formatted(-0.0), formatted(12345.0)
    ('0.3', '0', '12345')
    """
    return f"{value + 0.0:.6g}"


def formatted_scores(values: Mapping[str, float]) -> str:
    """Format named scores for an explanation.

    >>> formatted_scores({"judge": 0.5, "": 1})
    'judge 0.5, unnamed 1'
    """
    return ", ".join(f"{name or 'unnamed'} {formatted(value)}" for name, value in values.items())


def count(amount: int, word: str) -> str:
    """Format a count with its noun.

    >>> count(1, "agent"), count(2, "agent")
    ('1 agent', '2 agents')
    """
    return f"{amount} {word}{'' if amount == 1 else 's'}"
