"""What a reward is, what a family of rewards is, and the few things that all families need."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE, Event, number
from survey.traces.problems import nearest, quoted

Kind = Literal["team", "orchestrator", "role", "agent", "turn", "message", "tool call", "token"]
"""The eight units that a reward can be paid to, coarse to fine."""


@dataclass(frozen=True, slots=True)
class Reward:
    """One number, whom it is paid to, and how it came about.

    What a family pays to a unit is the sum of its rewards to that unit: where a family has several
    parts they are several rewards, each with its weight in it.
    """

    kind: Kind
    unit: str
    """The id of an agent or event, the name of a role, or, of a team, the id of the trace."""
    reward: float
    family: str
    """R1 to R8."""
    why: str
    part: str = ""
    """Which part of the family it is; "" where the family has one only, or where it is said in one."""


@dataclass(frozen=True)
class Family:
    """A way to pay a team."""

    code: str
    """R1 to R8."""
    name: str
    title: str
    formula: str
    """In plain text."""
    needs: str
    """What a trace must say."""
    function: Callable[..., list[Reward]]

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The numbers that can be set, by name, each with what it is unless set."""
        known = {name: one.default for name, one in inspect.signature(self.function).parameters.items()}
        return {name: value for name, value in known.items() if type(value) is float}


class PartsNotMeasurable(NotMeasurable):
    """Raised where some of the parts that have a weight cannot be measured, with the reason for each."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        said = "; ".join(f"{part}: {reason}" for part, reason in reasons.items())
        super().__init__(f"{said} (a weight of 0 leaves a part out)")
        self.reasons = dict(reasons)


def parts(weighted: Mapping[str, tuple[float, Callable[[float], list[Reward]]]]) -> list[Reward]:
    """The rewards of all parts whose weight is not 0, each function given its weight.

    Raises ``PartsNotMeasurable`` if one of them cannot be measured, and ``ValueError`` if none has a weight.
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
    """Who belongs to the team, in the order in which they turn up; then those that are listed and never act."""
    there = [agent for event in run.events for agent in (event.agent, event.child if event.type == "spawn" else "")]
    acting = [agent for agent in dict.fromkeys(there) if agent in run.members]
    listed = [agent for agent in run.replayed.trace.agents if agent not in run.members and agent not in OUTSIDE]
    return acting + listed


def chosen(run: Run, among: Collection[str] | None) -> list[str]:
    """The agents that are asked for; raises ``ValueError`` for one who is not on the team."""
    members = team(run)
    for agent in among or ():
        if agent not in members:
            raise ValueError(f"{quoted(agent)} is not on the team{nearest(agent, members)}")
    return members if among is None else [agent for agent in members if agent in among]


def scores(event: Event, names: Collection[str] | None) -> dict[str, float]:
    """The rewards of an event by name, or those of these names; a plain number has the name ""."""
    given = event.reward if isinstance(event.reward, dict) else {"": event.reward}
    return {
        name: score
        for name, value in given.items()
        if (names is None or name in names) and (score := number(value)) is not None
    }


def said(value: float) -> str:
    """A number as the sentences have it.

    >>> said(0.30000000000000004), said(-0.0), said(12345.0)
    ('0.3', '0', '12345')
    """
    return f"{value + 0.0:.6g}"


def added(values: Mapping[str, float]) -> str:
    """Scores by name in words.

    >>> added({"judge": 0.5, "": 1})
    'judge 0.5, unnamed 1'
    """
    return ", ".join(f"{name or 'unnamed'} {said(value)}" for name, value in values.items())


def count(amount: int, word: str) -> str:
    """An amount of something.

    >>> count(1, "agent"), count(2, "agent")
    ('1 agent', '2 agents')
    """
    return f"{amount} {word}{'' if amount == 1 else 's'}"
