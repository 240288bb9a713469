"""Value functions: map a trace, whole or with parts removed, to a number.

Any callable ``Trace -> float`` is a value function. Those here are built from the whole run and applied to
what is left of it after a removal (``survey.traces.replay.edits.without``). Nothing is rerun: they measure what the
trace still contains, not what the team would have done instead, which only a simulator can answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import fsum, isfinite
from typing import Any, Literal

from survey.traces.metrics import NotMeasurable
from survey.traces.model import OUTSIDE, Event, Trace, graph
from survey.traces.problems import nearest
from survey.traces.replay import ACTS, final_acts, leading_to, replay

Value = Callable[[Trace], float]
"""Maps what is left of a run to its worth."""


def recorded(trace: Trace, reward: str | None = None) -> float:
    """Return the recorded reward of the whole run.

    That is the reward of the given name; without a name the reward "team", else the only reward, else
    ``outcome.score``, else ``outcome.success`` as 1 or 0. Needs one of them, and a finite number.
    """
    rewards, outcome = trace.rewards, trace.head.get("outcome") or {}
    there = f"it has {', '.join(rewards)}" if rewards else "it has none"
    if reward is not None:
        if reward not in rewards:
            missing = f'needs the reward "{reward}", which the trace does not have{nearest(reward, rewards)}'
            raise NotMeasurable(f"{trace.id}: {missing}: {there}")
        return _finite(trace, f'the reward "{reward}"', rewards[reward])
    if "team" in rewards or len(rewards) == 1:
        name = "team" if "team" in rewards else next(iter(rewards))
        return _finite(trace, f'the reward "{name}"', rewards[name])
    for name in ("score", "success"):
        if isinstance(outcome.get(name), (int, float)):
            return _finite(trace, f"outcome.{name}", outcome[name])
    among = f": of {', '.join(rewards)}, say which" if rewards else ""
    raise NotMeasurable(f"{trace.id}: needs a reward or an outcome of the whole run{among}")


def _finite(trace: Trace, name: str, value: float) -> float:
    if not isfinite(value):
        raise NotMeasurable(f"{trace.id}: needs a finite number: {name} is {value}")
    return float(value)


@dataclass(frozen=True)
class Estimate:
    """``baseline + (reward - baseline) * s``, with s the share of the run's useful acts that still reach its end."""

    reward: float
    baseline: float
    useful: frozenset[str]
    last: frozenset[str]

    def __call__(self, part: Trace) -> float:
        """Return the estimated reward of this part of the run."""
        ordered = graph(part)
        led = leading_to(ordered, self.last & ordered.places.keys(), past_failures=False)
        left = sum(event.id in self.useful for event, leads in zip(ordered.events, led, strict=True) if leads)
        return self.baseline + (self.reward - self.baseline) * (left / len(self.useful))


def estimate(trace: Trace, *, reward: str | None = None, baseline: float = 0.0) -> Estimate:
    """Return an estimate of the reward that parts of a run would have earned: ``b + (R - b) * s(part)``.

    ``R`` is the recorded reward of the given name, ``b`` the reward of doing nothing, and s the share of the useful
    acts of the whole run that are left and still lead to one of its final acts (``replay.final_acts``). Acts are
    decisions, model calls, tool calls, messages, returns and aggregations of the team. An act is useful if it and its
    result did not fail and a path leads from it to a final act; no path leads on from what failed.

    The whole run is worth R, and nothing of it b. That acts count alike, and that the reward grows with their share,
    is our assumption: a record does not say what each was worth. Needs a reward, and a useful act.
    """
    score = recorded(trace, reward)
    if not isfinite(baseline):
        raise ValueError(f"the baseline is {baseline} (expected a finite number)")
    replayed = replay(trace)
    ordered = replayed.graph
    last = final_acts(ordered)
    if not last:
        raise NotMeasurable(f"{trace.id}: needs an act that gives the result: nobody acts")
    led = leading_to(ordered, last, past_failures=False)
    failed = {call for call, result in replayed.answers.items() if ordered.events[result].status != "ok"}
    useful = frozenset(
        ordered.events[place].id
        for place in ordered.places_of(*ACTS)
        if led[place]
        and place not in failed
        and ordered.events[place].status == "ok"
        and ordered.events[place].agent not in OUTSIDE
    )
    if not useful:
        raise NotMeasurable(f"{trace.id}: needs an act that did not fail and leads to the result ({', '.join(last)})")
    return Estimate(score, float(baseline), useful, frozenset(last))


@dataclass(frozen=True)
class Outcome:
    """The recorded outcome if all events that it needs are left; else ``otherwise``."""

    score: float
    needs: frozenset[str]
    otherwise: float = 0.0

    def __call__(self, part: Trace) -> float:
        """Return the worth of this part of the run."""
        return self.score if self.needs <= {event.id for event in part.events} else self.otherwise


def outcome(
    trace: Trace,
    *,
    reward: str | None = None,
    needs: Iterable[str] | Literal["final", "returns"] = "final",
    otherwise: float = 0.0,
) -> Outcome:
    """Return the recorded outcome with a mask: v(part) = R if every event in ``needs`` is left, else ``otherwise``.

    ``needs`` is an assumption about the task that the trace cannot verify:

    - "final": the final acts (``replay.final_acts``). ``without`` keeps one as long as one of its causes is left, so
      that two agents that return to one aggregation can replace each other, and whoever aggregates is paid for all;
    - "returns": these, and every return from which a path leads to one (as in ``reach``). All used work was
      needed, and no agent can replace another;
    - ids of events: exactly these.
    """
    ordered = graph(trace)
    last = set(final_acts(ordered))
    if needs == "final":
        chosen = last
    elif needs == "returns":
        used = zip(ordered.events, leading_to(ordered, last), strict=True)
        chosen = last | {event.id for event, leads in used if leads and event.type == "return"}
    else:
        chosen = set(needs)
        ids = {event.id for event in trace.events}
        for id in sorted(chosen - ids):
            raise KeyError(f'no event has the id "{id}"{nearest(id, ids)}')
    return Outcome(recorded(trace, reward), frozenset(chosen), otherwise)


@dataclass(frozen=True)
class Reach:
    """The share of the whole run's returns, or tokens, that still reach a final act."""

    weights: dict[str, float]
    last: frozenset[str]

    def __call__(self, part: Trace) -> float:
        """Return the share that still reaches a final act in this part of the run."""
        ordered = graph(part)
        led = leading_to(ordered, self.last & ordered.places.keys())
        reached = sum(
            self.weights.get(event.id, 0.0) for event, leads in zip(ordered.events, led, strict=True) if leads
        )
        return reached / sum(self.weights.values())


def reach(trace: Trace, what: Literal["returns", "tokens"] = "returns") -> Reach:
    """Return a graph-based value: the share of the whole run's returns, or tokens, that still reach a final act.

    It does not depend on any reward: a run that failed has the same value as one that succeeded. Paths are those of
    ``replay.leading_to``. Needs returns, or tokens. The value is 0 if the final acts are removed.
    """
    if what == "returns":
        weights = {event.id: 1.0 for event in trace.events if event.type == "return"}
        missing = "needs returned work: there are no returns"
    else:
        weights = {event.id: event.tokens for event in trace.events if event.tokens}
        missing = "needs tokens: no event records any"
    if not weights:
        raise NotMeasurable(missing)
    return Reach(weights, frozenset(final_acts(graph(trace))))


def event_reward(trace: Trace, event: Event) -> float | None:
    """Return the reward of an event: the number, or the sum of several; None if there is none. Needs it finite."""
    if event.reward is None:
        return None
    given = event.reward.values() if isinstance(event.reward, Mapping) else (event.reward,)
    return fsum(_finite(trace, f'the reward of "{event.id}"', value) for value in given)


Valuing = Callable[..., Value]
"""Maps a whole run to the value function for its parts; it may take ``reward`` and ``baseline``."""

VALUES: Mapping[str, Valuing] = {
    "reward": estimate,
    "outcome": outcome,
    "outcome-returns": partial(outcome, needs="returns"),
    "reach": reach,
    "reach-tokens": partial(reach, what="tokens"),
}
"""Value functions that need only the trace, by name."""


def valuing(value: str | Valuing, reward: str | None = None, baseline: float | None = None) -> Valuing:
    """Return a value function of runs for a reward and a baseline.

    Raises ``ValueError`` for an unknown name, and if the value does not depend on what is given: it is never ignored.
    """
    if isinstance(value, str) and value not in VALUES:
        raise ValueError(f'"{value}" is not a value{nearest(value, VALUES)}; expected one of {", ".join(VALUES)}')
    made = VALUES[value] if isinstance(value, str) else value
    asked: dict[str, Any] = {"reward": reward, "baseline": baseline}
    given = {name: wanted for name, wanted in asked.items() if wanted is not None}
    for name in given.keys() - signature(made).parameters.keys() if given else ():
        shown = f'"{value}"' if isinstance(value, str) else "given"
        raise ValueError(f"the value {shown} does not depend on a {name}, and would ignore {given[name]!r}")
    return partial(made, **given) if given else made
