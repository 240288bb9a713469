"""What a trace is worth: functions from a trace, whole or with parts taken out, to a number.

Any callable ``Trace -> float`` will do. The ones here are made from the whole run and then asked about
what is left of it (``survey.traces.replay.edits.without``). Nothing is run again: they say what the record still
carries, never what the team would have done instead. A simulator can answer the latter.
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
"""What is left of a run, and its worth."""


def recorded(trace: Trace, reward: str | None = None) -> float:
    """The number that the record gives the whole run.

    The reward of that name; without a name the reward "team", else the only reward there is, else
    ``outcome.score``, else ``outcome.success`` as 1 or 0. Needs one of them.
    """
    rewards = trace.rewards
    if reward is not None:
        if reward not in rewards:
            raise NotMeasurable(f'needs the reward "{reward}", which the trace does not give{nearest(reward, rewards)}')
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
    """The id of the act that gives the result.

    It is the last aggregation of the agent that was there first, or, where it aggregates nothing, its last turn, as
    in the measure ``returns_used``.
    """
    run = Run(replay(trace))
    for types in (("aggregate",), ("orchestrator_decision", "model_call", "stop"), ()):
        own = [event.id for event in run.events if event.agent == run.root and (event.type in types or not types)]
        if own:
            return own[-1]
    raise NotMeasurable("needs an act that gives the result: the first agent takes no turn")


@dataclass(frozen=True)
class Outcome:
    """The recorded outcome, as long as all it needs is left; else ``otherwise``."""

    score: float
    needs: frozenset[str]
    otherwise: float = 0.0

    def __call__(self, part: Trace) -> float:
        """What this much of the run is worth."""
        return self.score if self.needs <= {event.id for event in part.events} else self.otherwise


def outcome(
    trace: Trace,
    *,
    reward: str | None = None,
    needs: Iterable[str] | Literal["final", "returns"] = "final",
    otherwise: float = 0.0,
) -> Outcome:
    """The recorded outcome with a mask: v(part) = R if every event in ``needs`` is left, else ``otherwise``.

    ``needs`` says which, and is an assumption about the task that the record cannot settle:

    - "final": the act that gives the result. ``without`` leaves it as long as one of its causes is left,
      so that two who return to one aggregation can stand in for each other;
    - "returns": that act, and every return from which a way leads to it (as in ``reach``). All the work that was
      used was needed, and nobody can stand in for anybody;
    - ids of events: exactly these.
    """
    last = final(trace)
    if needs == "final":
        chosen = {last}
    elif needs == "returns":
        ordered = graph(trace)
        led = leading(ordered, last)
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
    """The share of something done in the whole run that still reaches the act which gives the result."""

    weights: dict[str, float]
    last: str

    def __call__(self, part: Trace) -> float:
        """The share that this much of the run still brings to its end."""
        ordered = graph(part)
        if self.last not in ordered.places:
            return 0.0
        led = leading(ordered, self.last)
        reached = sum(
            self.weights.get(event.id, 0.0) for event, leads in zip(ordered.events, led, strict=True) if leads
        )
        return reached / sum(self.weights.values())


def reach(trace: Trace, what: Literal["returns", "tokens"] = "returns") -> Reach:
    """A value read off the graph: the share of the whole run's returns, or tokens, that still reach its end.

    What reaches the end is what a way leads from to the act that gives the result.
    Ways go along edges of any type and, since an agent knows what it did before, from each act of an agent to
    its next one that is left. Needs returns, or tokens. Worth nothing if the act that gives the result is gone.
    """
    if what == "returns":
        weights = {event.id: 1.0 for event in trace.events if event.type == "return"}
        missing = "needs returned work: nothing was returned"
    else:
        weights = {event.id: event.tokens for event in trace.events if event.tokens}
        missing = "needs tokens: no event says how many it took"
    if not weights:
        raise NotMeasurable(missing)
    return Reach(weights, final(trace))


def leading(ordered: Graph, id: str) -> bytearray:
    """For every place whether a way leads from it to an event: along edges, and from an agent's act to its next."""
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


def own_reward(event: Event) -> float | None:
    """The reward given to an event: the number, or the sum of several; None where none is given."""
    if event.reward is None or isinstance(event.reward, (int, float)):
        return event.reward
    return sum(event.reward.values())
