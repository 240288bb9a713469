"""Dividends of a simulated run: the terms of its game, from findings and messages.

A part of weight w, done by a worker of skill s, is worth at most w * s. Of that,

- ``RESEARCH`` is earned by the turns before the last, in equal shares: half of a turn's share is its
  own, half belongs to its tool calls. A failed call earns nothing;
- the rest is earned by the last turn, which writes the part up. Its base is that rest / (1 + lift).
  The i-th informing message heard adds base * lift / 2^i, the i-th misleading one subtracts
  base * harm / 2^i: with any number of messages, a part is never worth less than 0 or more than its
  weight;
- if two workers do the same part, each finding counts once, as the better of the two.

Each amount needs the units that produced it (agent, turn, call; for a message also its sender, the
sender's turn, and the question that it answers) and the bosses that it passes through: without its
boss a share of it, the glue, is lost, and the same share again at the boss's boss.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import combinations

from survey.traces.simulate.record import Cause
from survey.traces.simulate.setting import Setting
from survey.traces.simulate.task import Agent, Part

RESEARCH = 0.6
"""The share of a part that is earned before its write-up."""

Unit = str | int
"""An agent by its name, an event by its number."""


@dataclass(eq=False)
class Message:
    """A message that was sent."""

    event: int
    arrives: float
    effect: int
    needs: frozenset[Unit]
    """The message itself and all units without which it would not have been sent."""


@dataclass(eq=False)
class Assignment:
    """A part assigned to one worker."""

    agent: Agent
    part: Part
    tries: int
    given: Cause
    """The event that assigned it to the worker."""
    size: float
    fails_at: int | None
    """The turn in which it fails."""
    name: str
    """What it is called in every run of the task."""
    turns: list[int | None] = field(default_factory=list)
    """The turns taken; None for one that is left out of a rerun."""
    calls: list[list[tuple[int | None, bool]]] = field(default_factory=list)
    """For each turn its tool calls, and whether each succeeded."""
    results: list[int] = field(default_factory=list)
    """Results for the next turn to read."""
    arriving: list[Message] = field(default_factory=list)
    """Messages in flight."""
    heard: list[Message] = field(default_factory=list)

    @property
    def is_last(self) -> bool:
        """Whether the next turn is the last."""
        return len(self.turns) == len(self.part.calls) - 1


Dividend = tuple[frozenset[Unit], float]


def dividends(setting: Setting, done: list[Assignment], unread: Set[str] = frozenset()) -> Iterator[Dividend]:
    """Yield the dividends of the game: the units required for each amount. ``unread`` bosses did not aggregate."""
    of_part = defaultdict[int, list[Assignment]](list)
    for assignment in done:
        of_part[assignment.part.number].append(assignment)
        yield from _handed_up(setting, assignment.agent, _by_messages(setting, assignment), unread)
    for assignments in of_part.values():
        findings = [list(_found(setting, assignment)) for assignment in assignments]
        for assignment, found in zip(assignments, findings, strict=True):
            yield from _handed_up(setting, assignment.agent, iter(found), unread)
        for (one, found), (_, again) in combinations(zip(assignments, findings, strict=True), 2):
            twice = ((a | b, -min(x, y)) for (a, x), (b, y) in zip(found, again, strict=True))
            yield from _handed_up(setting, one.agent, twice, unread)


def _found(setting: Setting, assignment: Assignment) -> Iterator[Dividend]:
    """Yield what each turn and call earns, in the same order for all workers on a part."""
    worth = assignment.part.weight * assignment.agent.skill
    *turns, last = assignment.turns
    yield _needed(assignment, last), 0.0 if last is None else _base(setting, assignment)
    for turn, calls, planned in zip(turns, assignment.calls, assignment.part.calls, strict=False):
        share = 0.0 if turn is None else RESEARCH * worth / len(turns)
        yield _needed(assignment, turn), share / 2 if planned else share
        for call, is_good in calls:
            yield _needed(assignment, turn, call), is_good * share / 2 / planned


def _needed(assignment: Assignment, *units: int | None) -> frozenset[Unit]:
    return frozenset({assignment.agent.id, *(unit for unit in units if unit is not None)})


def _base(setting: Setting, assignment: Assignment) -> float:
    worth = assignment.part.weight * assignment.agent.skill
    return (worth * (1 - RESEARCH) if len(assignment.turns) > 1 else worth) / (1 + setting.lift)


def _by_messages(setting: Setting, assignment: Assignment) -> Iterator[Dividend]:
    last = assignment.turns[-1]
    if last is None:
        return
    base = _base(setting, assignment) / assignment.part.copies
    most = {1: base * setting.lift, -1: -base * setting.harm}
    for message in assignment.heard:
        if message.effect:
            most[message.effect] /= 2
            yield message.needs | {assignment.agent.id, last}, most[message.effect]


def _handed_up(setting: Setting, agent: Agent, earnings: Iterator[Dividend], unread: Set[str]) -> Iterator[Dividend]:
    """Split each amount into what remains without each of the bosses and what needs them to have read it."""
    bosses = [boss.id for boss in agent.bosses]
    for needs, amount in earnings:
        for number in range(len(bosses) + 1):
            if not unread.isdisjoint(bosses[:number]):
                break
            kept = 1.0 if number == len(bosses) else 1 - setting.glue
            yield needs.union(bosses[:number]), amount * setting.glue**number * kept
