"""Stopping episodes: what each round of a recorded run cost, what it showed, and what a stop there was worth.

A trace holds an episode if it has two rounds or more (``rounds``). Nothing is guessed: what the record does not tell is
None, and the reward of a stop is known only where the record grades that round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from statistics import fmean

from survey.traces.credit.values import recorded
from survey.traces.metrics import Run
from survey.traces.model import Event, Trace
from survey.traces.model.order import RANKS
from survey.traces.problems import NotMeasurable, nearest, quoted
from survey.traces.replay import TURNS, replay
from survey.traces.stopping.rounds import Rounds, rounds
from survey.traces.stopping.rules import Rule, Seen, stopped


@dataclass(frozen=True)
class Cost:
    """What a part of a run cost; None for what the record does not tell."""

    tokens: float | None
    calls: int
    """Turns of models and calls of tools."""
    seconds: float | None
    """From the end of the round before, or the first event, to the end of this one, on the clock of the run."""


@dataclass(frozen=True)
class Round:
    """One round of a recorded run."""

    number: int
    cost: Cost
    agreement: float | None
    """The share of pairs of debaters with the same last answer; None outside of debates."""
    changed: bool | None
    """Whether an answer of this round is one that no earlier round gave; None if an answer has no ``content_ref``.
    A result of a tool without one is known by its tool, its status and its error, if it states a status."""
    passed: bool | None
    """Whether the last check of the round passed: the last result of a tool, for a lone agent, or else the last
    returns that state their status. None without one."""
    reward: float | None
    """The recorded reward of stopping here: the mean over agents of the last score that each got in this round."""


@dataclass(frozen=True)
class Episode:
    """A recorded run as a stopping problem: after each round the team could have stopped."""

    trace_id: str
    task_id: str
    by_tools: bool
    """Whether the rounds are those of a lone agent and its tools."""
    rounds: Sequence[Round]
    closing: Cost
    """What follows the last round, such as the final answer. It is never counted as saved: a stop at any round needs an
    end as well, though perhaps not this one."""
    seen: Sequence[Seen]
    """What could be seen at the end of each round."""
    rewards: Sequence[float | None]
    """The reward of stopping after each round. That of the last one is the recorded reward of the run."""
    ungraded: str
    """Why the last round has no reward; "" if it has one."""

    def stop(self, rule: Rule) -> int | None:
        """Return the round after which a rule stops; None if it would go on. Raises ``NotMeasurable``."""
        return stopped(self.seen, rule)

    def reward(self, round: int) -> float | None:
        """Return the recorded reward of stopping after a round."""
        return self.rewards[round - 1]

    def saved(self, round: int) -> Cost:
        """Return what a stop after this round saves: the rounds after it, and not the close."""
        later = [one.cost for one in self.rounds[round:]]
        known = self.rounds[0].cost
        return Cost(
            None if known.tokens is None else sum(cost.tokens or 0 for cost in later),
            sum(cost.calls for cost in later),
            None if known.seconds is None else sum(cost.seconds or 0 for cost in later),
        )


def episode(trace: Trace, *, reward: str | None = None, debaters: Collection[str] | None = None) -> Episode:
    """Return the stopping episode that a trace records.

    ``reward`` names the score to read, of events and of the run. ``debaters`` are the agents that answer the same
    question; by default all that hand out no work, if the trace declares a debate. Raises ``NotMeasurable`` if the
    run has fewer than two rounds, or lacks one of the debaters.
    """
    run = Run(replay(trace))
    present = run.members | trace.agents.keys()
    for name in sorted(set(debaters or ()) - present):
        raise NotMeasurable(f"no agent of the run is {quoted(name)}{nearest(name, sorted(present))}")
    found = rounds(run)
    costs = _costs(run, found)
    answers = _answers(run, found)
    agreements = _agreements(run, found, answers, debaters)
    changes = _changes(answers, found.count)
    rewards = _rewards(run, found, reward)
    made = [
        Round(number, costs[number - 1], agreements[number - 1], changes[number - 1],
              _passed(answers.get(number, []), found.by_tools), rewards[number - 1])
        for number in range(1, found.count + 1)
    ]  # fmt: skip
    end, ungraded = rewards[-1], ""
    try:
        end = recorded(trace, reward)
    except NotMeasurable as reason:
        ungraded = str(reason).removeprefix(f"{trace.id}: ") if end is None else ""
    return Episode(
        trace.id, trace.task, found.by_tools, made, costs[-1], _seen(made), [*rewards[:-1], end], ungraded
    )  # fmt: skip


def _costs(run: Run, found: Rounds) -> list[Cost]:
    """Return the costs of all rounds, and last of the close."""
    timed, counted = run.replayed.trace.time == "seconds", any(spent is not None for spent in run.recorded)
    tokens, ends, calls = [0.0] * (found.count + 2), [0.0] * (found.count + 2), [0] * (found.count + 2)
    for place, round in enumerate(found.of):
        event = run.events[place]
        tokens[round] += run.tokens[place]
        ends[round] = max(ends[round], event.end)
        calls[round] += event.type in TURNS or event.type == "tool_call"
    costs, before = [], min(event.t for event in run.events)  # the origin of the clock may lie before the run
    for round in range(1, found.count + 2):
        now = max(before, ends[round])  # rounds may overlap: a later one then takes what it adds
        costs.append(Cost(tokens[round] if counted else None, calls[round], now - before if timed else None))
        before = now
    return costs


def _answers(run: Run, found: Rounds) -> Mapping[int, list[Event]]:
    """Return what each round gave: results of tools for a lone agent, else messages and returns."""
    events, answers = run.events, run.replayed.answers
    given = defaultdict[int, list[Event]](list)
    for place, round in found.contributions.items():
        if found.by_tools and place in answers:
            given[round].append(events[answers[place]])
        elif not found.by_tools and events[place].type in ("message", "return"):
            given[round].append(events[place])
    return given


def _agreements(
    run: Run, found: Rounds, answers: Mapping[int, Iterable[Event]], debaters: Collection[str] | None
) -> list[float | None]:
    rounds = range(1, found.count + 1)
    if found.by_tools or (debaters is None and run.replayed.trace.topology != "debate"):
        return [None for _ in rounds]
    leads = {event.sender for event in run.acts("spawn", "delegate")}
    shares: list[float | None] = []
    for number in rounds:
        by_agent = defaultdict[str, list[Event]](list)
        for event in answers.get(number, []):
            if event.sender in debaters if debaters is not None else event.sender not in leads:
                by_agent[event.sender].append(event)
        last = [frozenset(event.content_ref for event in _latest(own)) for own in by_agent.values()]
        known = [refs for refs in last if None not in refs]
        pairs = list(combinations(known, 2))
        shares.append(sum(a == b for a, b in pairs) / len(pairs) if pairs else None)
    return shares


def _changes(answers: Mapping[int, Iterable[Event]], count: int) -> list[bool | None]:
    before: set[str] = set()
    changes: list[bool | None] = []
    for number in range(1, count + 1):
        refs = [_content(event) for event in answers.get(number, [])]
        fresh = {ref for ref in refs if ref is not None} - before
        changes.append(True if fresh else None if not refs or None in refs else False)
        before |= fresh
    return changes


def _content(event: Event) -> str | None:
    """Return what identifies an answer; a result without content is identified by its tool and status."""
    if event.content_ref is None and event.type == "tool_result":
        return None if event.status_ is None else f"{event.tool} {event.status_} {event.error}"
    return event.content_ref


def _passed(answers: Sequence[Event], by_tools: bool) -> bool | None:
    checks = [event for event in answers if by_tools or (event.type == "return" and event.status_ is not None)]
    return all(event.status == "ok" for event in _latest(checks)) if checks else None


def _latest(events: Sequence[Event]) -> list[Event]:
    """Return the last of these events: several if they have the same time and type."""
    last = max((event.t, RANKS[event.type]) for event in events)
    return [event for event in events if (event.t, RANKS[event.type]) == last]


def _rewards(run: Run, found: Rounds, name: str | None) -> list[float | None]:
    """Return the graded reward of each round."""
    scored = defaultdict[int, dict[str, list[Event]]](lambda: defaultdict(list))
    names = set[str]()
    calls = {result: call for call, result in run.replayed.answers.items()}
    for place, event in enumerate(run.events):
        if event.reward is not None and found.of[place]:
            agent = run.events[calls.get(place, place)].sender  # the score of a result is that of whoever called
            scored[found.of[place]][agent].append(event)
            names |= event.reward.keys() if isinstance(event.reward, dict) else {""}
    chosen = name if name is not None else next(iter(names)) if len(names) == 1 else None
    graded: list[float | None] = []
    for number in range(1, found.count + 1):
        scores = []
        for own in scored[number].values():
            given = [event for event in own if chosen is not None and _score(event, chosen) is not None]
            scores += [fmean(_score(event, chosen or "") or 0.0 for event in _latest(given))] if given else []
        graded.append(fmean(scores) if scores else None)
    return graded


def _score(event: Event, name: str) -> float | None:
    """Return the score of an event by this name; a plain number has no name, and serves for any."""
    given = event.reward.get(name) if isinstance(event.reward, dict) else event.reward
    return float(given) if given is not None and isfinite(given) else None


def _seen(made: Sequence[Round]) -> list[Seen]:
    seen: list[Seen] = []
    quiet: int | None = 0
    agreed = 0.0
    for one in made:
        improved = one.changed if one.agreement is None else one.agreement > agreed
        quiet = None if improved is None else 0 if improved else None if quiet is None else quiet + 1
        agreed = agreed if one.agreement is None else one.agreement
        seen.append(Seen(one.number, one.agreement, quiet, one.passed))
    return seen
