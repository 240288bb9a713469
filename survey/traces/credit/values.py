"""Value functions: map a trace, whole or with parts removed, to a number.

Any callable ``Trace -> float`` is a value function. Those here are built from the whole run and applied to
what is left of it after a removal (``survey.traces.replay.edits.without``). Nothing is rerun: they measure what the
trace still contains, not what the team would have done instead, which only a simulator can answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Event, Graph, Trace, graph, number
from survey.traces.problems import nearest
from survey.traces.replay import replay

Value = Callable[[Trace], float]
"""Maps what is left of a run to its worth."""


def recorded(trace: Trace, reward: str | None = None) -> float:
    """Return the recorded reward of the whole run.

    That is the reward of the given name; without a name the reward "team", else the only reward, else
    ``outcome.score``, else ``outcome.success`` as 1 or 0. Needs one of them.
    """
    rewards = trace.rewards
    if reward is not None:
        if reward not in rewards:
            raise NotMeasurable(f'needs the reward "{reward}", which the trace does not have{nearest(reward, rewards)}')
        return float(rewards[reward])
    if "team" in rewards or len(rewards) == 1:
        return float(rewards.get("team", next(iter(rewards.values()))))
    outcome = trace.head.get("outcome") or {}
    score, success = number(outcome.get("score")), outcome.get("success")
    if score is not None:
        return float(score)
    if isinstance(success, bool):
        return float(success)
    among = f": of {', '.join(rewards)}, say which" if rewards else ""
    raise NotMeasurable(f"needs a reward or an outcome of the whole run{among}")


def final(trace: Trace) -> str:
    """Return the id of the final act, which gives the result.

    It is the last aggregation of the first agent or, if it aggregates nothing, its last turn, as in the measure
    ``returns_used``.
    """
    run = Run(replay(trace))
    for types in (("aggregate",), ("orchestrator_decision", "model_call", "stop"), ()):
        own = [event.id for event in run.events if event.agent == run.root and (event.type in types or not types)]
        if own:
            return own[-1]
    raise NotMeasurable("needs an act that gives the result: the first agent takes no turn")


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

    - "final": the final act. ``without`` keeps it as long as one of its causes is left, so that two agents that
      return to one aggregation can replace each other;
    - "returns": that act, and every return from which a path leads to it (as in ``reach``). All used work was
      needed, and no agent can replace another;
    - ids of events: exactly these.
    """
    last = final(trace)
    if needs == "final":
        chosen = {last}
    elif needs == "returns":
        ordered = graph(trace)
        led = can_reach(ordered, last)
        used = zip(ordered.events, led, strict=True)
        chosen = {last} | {event.id for event, leads in used if leads and event.type == "return"}
    else:
        chosen = set(needs)
        ids = {event.id for event in trace.events}
        for id in sorted(chosen - ids):
            raise KeyError(f'no event has the id "{id}"{nearest(id, ids)}')
    return Outcome(recorded(trace, reward), frozenset(chosen), otherwise)


@dataclass(frozen=True)
class Reach:
    """The share of the whole run's returns, or tokens, that still reach the final act."""

    weights: dict[str, float]
    last: str

    def __call__(self, part: Trace) -> float:
        """Return the share that still reaches the final act in this part of the run."""
        ordered = graph(part)
        if self.last not in ordered.places:
            return 0.0
        led = can_reach(ordered, self.last)
        reached = sum(
            self.weights.get(event.id, 0.0) for event, leads in zip(ordered.events, led, strict=True) if leads
        )
        return reached / sum(self.weights.values())


def reach(trace: Trace, what: Literal["returns", "tokens"] = "returns") -> Reach:
    """Return a graph-based value: the share of the whole run's returns, or tokens, that still reach the final act.

    An event reaches the final act if a path leads from it to that act. Paths follow edges of any type and, since an
    agent knows its own past, lead from each act of an agent to its next remaining one. Needs returns, or tokens.
    The value is 0 if the final act is removed.
    """
    if what == "returns":
        weights = {event.id: 1.0 for event in trace.events if event.type == "return"}
        missing = "needs returned work: there are no returns"
    else:
        weights = {event.id: event.tokens for event in trace.events if event.tokens}
        missing = "needs tokens: no event records any"
    if not weights:
        raise NotMeasurable(missing)
    return Reach(weights, final(trace))


def can_reach(ordered: Graph, id: str) -> bytearray:
    """Mark every place from which a path leads to an event, along edges and from an agent's act to its next."""
    led = bytearray(len(ordered))
    led[ordered.places[id]] = 1
    leads: set[str] = set()
    follows: list[list[int]] = [[] for _ in range(len(ordered))]
    for source, target in zip(ordered.sources, ordered.targets, strict=True):
        follows[source].append(target)
    for place in range(len(ordered) - 1, -1, -1):
        event = ordered.events[place]
        if led[place] or event.agent in leads or any(led[target] for target in follows[place]):
            led[place] = 1
            leads.add(event.agent)
    return led


def event_reward(event: Event) -> float | None:
    """Return the reward of an event: the number, or the sum of several; None if there is none."""
    if event.reward is None or isinstance(event.reward, (int, float)):
        return event.reward
    return sum(event.reward.values())
