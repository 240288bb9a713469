"""Stopping rules: one and the same rule decides in simulated and in recorded episodes.

A rule maps what could be seen after a round (``Seen``) to whether the team stops there. It never sees the future, the
cost, or the reward. It returns None where it needs something that the record does not tell.

>>> waits = patience(2)
>>> rounds = [Seen(1, quiet=0), Seen(2, quiet=1), Seen(3, quiet=2), Seen(4, quiet=0)]
>>> stopped(rounds, waits), stopped(rounds, fixed(9)), stopped(rounds, rule("fixed:2"))
(3, None, 2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from survey.traces.problems import NotMeasurable, nearest, quoted


class Seen(NamedTuple):
    """What an observer could have seen at the end of a round; None for what is not known."""

    round: int
    """The number of rounds so far."""
    agreement: float | None = None
    """How far the members agree, from 0 to 1."""
    quiet: int | None = None
    """For how many rounds nothing has improved: the agreement has not risen or, without one, nothing new was said."""
    passed: bool | None = None
    """Whether the last check of the round passed."""


Rule = Callable[[Seen], bool | None]
"""Maps what is seen after a round to whether to stop there; None if that cannot be told."""


def stopped(rounds: Iterable[Seen], rule: Rule) -> int | None:
    """Return the round after which a rule stops, or None if it would go on after the last of these rounds.

    Raises ``NotMeasurable`` if the rule comes to a round in which it lacks what it needs.
    """
    for seen in rounds:
        stops = rule(seen)
        if stops is None:
            missing = [name for name in seen._fields if getattr(seen, name) is None]
            raise NotMeasurable(f"round {seen.round} does not show what the rule needs (unknown: {', '.join(missing)})")
        if stops:
            return seen.round
    return None


def fixed(rounds: int) -> Rule:
    """Return the rule that stops after a number of rounds."""
    return lambda seen: seen.round >= rounds


def patience(rounds: int) -> Rule:
    """Return the rule that stops once nothing has improved for a number of rounds."""
    return lambda seen: None if seen.quiet is None else seen.quiet >= rounds


def agreement(share: float) -> Rule:
    """Return the rule that stops once the members agree to this share."""
    return lambda seen: None if seen.agreement is None else seen.agreement >= share


def passing() -> Rule:
    """Return the rule that stops once a check passes. A round without a check goes on."""
    return lambda seen: seen.passed is True


def giving_up(after: int, below: float, rounds: int, cap: int) -> Rule:
    """Return patience that gives up after some rounds if the agreement is below a bar, and ends at a cap.

    It is what a practitioner would write: few rounds show whether a task is hopeless, and none goes on for ever.
    """
    wait = patience(rounds)

    def stops(seen: Seen) -> bool | None:
        if seen.round >= cap:
            return True
        if seen.round == after:
            if seen.agreement is None:
                return None
            if seen.agreement < below:
                return True
        return wait(seen)

    return stops


@dataclass(frozen=True)
class Named:
    """A rule that can be asked for by name."""

    make: Callable[..., Rule]
    parameters: Mapping[str, float]
    """The names of its parameters, each with its default; counts are integers, shares are not."""
    about: str


RULES: Mapping[str, Named] = {
    "fixed": Named(fixed, {"rounds": 2}, "after a number of rounds"),
    "patience": Named(patience, {"rounds": 1}, "once nothing has improved for a number of rounds"),
    "agreement": Named(agreement, {"share": 1.0}, "once the members of a debate agree to a share"),
    "passing": Named(passing, {}, "once the last check of a round passes"),
    "giving-up": Named(
        giving_up,
        {"after": 3, "below": 0.2, "rounds": 2, "cap": 12},
        "like patience; also after some rounds if the agreement is below a bar, and at a cap",
    ),
}
"""The rules by name."""


def rule(text: str) -> Rule:
    """Return the rule of a name, with its parameters after a colon: ``patience:2``, ``giving-up:3,0.2,2,12``.

    Left out parameters have their defaults. Raises ``ValueError``, which says what was expected.
    """
    name, colon, rest = text.partition(":")
    if name not in RULES:
        raise ValueError(f"{quoted(name)} is not a rule{nearest(name, RULES)}; expected one of {', '.join(RULES)}")
    known = RULES[name].parameters
    given = rest.split(",") if colon else []
    if len(given) > len(known):
        expected = f"at most {len(known)} ({', '.join(known)})" if known else "none"
        raise ValueError(f"{name}: found {len(given)} parameters, expected {expected}")
    values = list(known.values())
    for place, (parameter, word) in enumerate(zip(known, given, strict=False)):
        values[place] = _parameter(f"{name}: {parameter}", word, values[place])
    return RULES[name].make(*values)


def _parameter(place: str, word: str, default: float) -> float:
    counts = isinstance(default, int)
    try:
        value: float = int(word) if counts else float(word)
    except ValueError:
        value = -1
    if value < counts or not (counts or value <= 1):  # no comparison holds for nan
        expected = "a whole number of at least 1" if counts else "a number from 0 to 1"
        raise ValueError(f"{place} is {quoted(word)} (expected {expected})")
    return value
