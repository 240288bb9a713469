"""Credit from real reruns: what the team earns if it plays on without a unit, or with another act in its place.

An environment that can play on is a ``Rerun``; ``survey.traces.simulate.reruns`` is one. Each method here is a
*contrast*: rewards of a few reruns, weighted, whose expectation is the credit. Contrasts are drawn in batches for
all units at once, until their intervals are narrow enough or the budget is spent.

    >>> from survey.traces.simulate import Setting, reruns, simulate
    >>> run = simulate(Setting("swarm", agents=4, messages=0.5, seed=3))
    >>> found = differences(reruns(run), run.trace, "message", Budget(plays=600))
    >>> best = max(found, key=lambda credit: credit.value)
    >>> run.effects[best.unit], best.low > 0
    ('informs', True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, pi
from random import Random
from typing import TYPE_CHECKING, Literal, Protocol

from survey.extras import lazy
from survey.plurals import plural
from survey.traces.credit.intervals import interval
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import output_tokens, parts
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace, graph

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

FIRST = 4
"""How many draws each unit gets before its interval is looked at."""


@dataclass(frozen=True)
class Play:
    """A rerun that is asked for.

    The run is as recorded up to and with the event ``at``; what follows is played again, with one change. Plays with
    the same ``at`` and ``seed`` should share as much chance as the environment can let them share: their difference
    then shows the change, and few are enough. Where an environment cannot, it takes more of them.
    """

    trace: Trace
    at: str | None
    """The event up to which everything is kept; None: the whole run is played again."""
    seed: int
    without: frozenset[str] = frozenset()
    """Events and agents, by id, that do not take part: neither does ``at``, if it is one of them."""
    instead: str | None = None
    """Another act, in place of that of the event ``at``."""


@dataclass(frozen=True)
class Budget:
    """How many reruns a trace may cost, and when fewer are enough."""

    plays: int = 2000
    tolerance: float = 0.0
    """A unit whose interval reaches no further than this to either side is not asked again: what it leaves of the
    budget goes to the others. 0: the whole budget is spent, evenly."""
    level: float = 0.95
    """The level of the intervals."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"the confidence level is {self.level} (expected between 0 and 1)")

    def level_at(self, look: int) -> float:
        """Return the level for one of many looks at growing draws: all looks together hold with the budget's.

        What the k-th look may miss is in proportion to 1 / k^2, of which the sum is pi^2 / 6.
        """
        return 1 - (1 - self.level) * 6 / pi**2 / look**2 if self.tolerance else self.level


BUDGET = Budget()


class Rerun(Protocol):
    """An environment that can play a run on."""

    def __call__(self, plays: Sequence[Play]) -> Sequence[float]:
        """Return the reward of each of these reruns. They are independent of one another: play them side by side."""


Policies = Callable[[str], Mapping[str, float]]
"""For an event, the acts that its agent could have chosen there, with the probability of each."""

Contrast = Callable[[int], list[tuple[float, Play]]]
"""Maps a seed to reruns, each with a weight: the weighted sum of their rewards is one draw of a unit's credit."""


@dataclass
class Draws:
    """The draws of all units so far."""

    rerun: Rerun
    budget: Budget
    of: dict[str, list[float]] = field(default_factory=dict)
    played: int = 0
    lowest: float = float("inf")
    highest: float = float("-inf")

    def add(self, contrasts: Mapping[str, Contrast], number: int) -> None:
        """Draw this many more times for each of these units, in one batch."""
        wanted = []
        for unit, contrast in contrasts.items():
            own = self.of.setdefault(unit, [])
            wanted += [(unit, contrast(self.budget.seed + place)) for place in range(len(own), len(own) + number)]
        rewards = iter(rewards_of(self.rerun, [play for _, drawn in wanted for _, play in drawn]))
        for unit, drawn in wanted:
            earned = [next(rewards) for _ in drawn]
            self.of[unit].append(sum(weight * reward for (weight, _), reward in zip(drawn, earned, strict=True)))
            self.played += len(drawn)
            self.lowest, self.highest = min(self.lowest, *earned), max(self.highest, *earned)

    def bounds(self, unit: str, look: int) -> tuple[float, float]:
        """Return the interval of a unit's credit, at the first or a later look at its draws."""
        return interval(np.array(self.of[unit]), self.budget.level_at(look), self.highest - self.lowest)


def differences(rerun: Rerun, trace: Trace, kind: str, budget: Budget = BUDGET) -> list[Credit]:
    """Return difference rewards from reruns: the reward with a unit less the reward without it, from where it begins.

    Everything before the unit stays as it was; what follows is played on with it and without it, from the same seeds.
    A token is worth an equal share of its turn. Raises ``NotMeasurable`` if the budget does not suffice for two draws
    of every unit, or if a rerun returns no number.
    """
    if kind == "token":
        return _of_tokens(trace, differences(rerun, trace, "turn", budget))
    contrasts: dict[str, Contrast] = {}
    for unit, ids in parts(trace, kind).items():
        contrasts[unit] = _left_out(trace, _begins(trace, ids), frozenset(ids))
    return _credited(contrasts, rerun, trace, kind, "leave-one-out", 2, budget)


def against_policy(
    rerun: Rerun,
    trace: Trace,
    kind: str,
    policies: Policies,
    budget: Budget = BUDGET,
    *,
    method: Literal["counterfactual", "coma"] = "counterfactual",
    others: int = 3,
) -> list[Credit]:
    """Return the advantage of each act over what its agent would have done there: C3's or COMA's, from reruns.

    "counterfactual" compares with ``others`` acts drawn from the policy at each draw (C3, arXiv:2603.06859), "coma"
    with the mean over the whole policy (arXiv:1705.08926, equation 4). Both have the same expectation.
    """
    contrasts: dict[str, Contrast] = {}
    most = others if method == "counterfactual" else 1
    for unit in parts(trace, kind):
        policy = policies(unit)
        if not policy or min(policy.values()) < 0 or abs(sum(policy.values()) - 1) > 1e-9:
            shown = ", ".join(f"{act} {share:g}" for act, share in policy.items()) or "none"
            raise ValueError(f'"{unit}": expected the probability of each act, together 1; found {shown}')
        if method == "coma":
            contrasts[unit], most = _averaged(trace, unit, policy), max(most, len(policy))
        else:
            contrasts[unit] = _drawn(trace, unit, policy, others)
    return _credited(contrasts, rerun, trace, kind, method, 1 + most, budget)


def shapley_shares(rerun: Rerun, trace: Trace, kind: str, budget: Budget = BUDGET) -> list[Credit]:
    """Return sampled Shapley values of the game in which a coalition is worth the reward of a whole run with it.

    Units join in orders drawn at random. Each order is played from a seed of its own, so that the intervals cover both
    the luck of the draw and that of the reruns. The shares add up to the mean reward of the whole team in these
    reruns, less that of nobody.
    """
    pieces = parts(trace, kind)
    cost = len(pieces) + 1
    if budget.plays < 2 * cost:
        few = (
            f"{plural(budget.plays, 'rerun is', 'reruns are')} too few for two orders of {plural(len(pieces), 'unit')}"
        )
        raise NotMeasurable(f"{trace.id}: {few}: each order takes {cost}")
    number, look = min(FIRST, budget.plays // cost) if budget.tolerance else budget.plays // cost, 0
    gains: dict[str, list[float]] = {unit: [] for unit in pieces}
    lowest, highest, drawn = float("inf"), float("-inf"), 0
    while True:
        orders = [_order(trace, pieces, budget.seed + drawn + place) for place in range(number)]
        rewards = iter(rewards_of(rerun, [play for _, plays in orders for play in plays]))
        for order, plays in orders:
            earned = [next(rewards) for _ in plays]
            for unit, before, after in zip(order, earned, earned[1:], strict=False):
                gains[unit].append(after - before)
                lowest, highest = min(lowest, after - before), max(highest, after - before)
        drawn, look = drawn + number, look + 1
        bounds = {unit: interval(np.array(own), budget.level_at(look), highest - lowest) for unit, own in gains.items()}
        widest = max(high - low for low, high in bounds.values()) / 2
        if widest <= budget.tolerance or 2 * drawn * cost > budget.plays:
            break
        number = drawn
    why = f"{drawn} orders, {drawn * cost} reruns; {budget.level:.0%} interval"
    return [Credit(kind, unit, sum(own) / drawn, "shapley-sampled", *bounds[unit], why) for unit, own in gains.items()]


def _order(trace: Trace, pieces: Mapping[str, Sequence[str]], seed: int) -> tuple[list[str], list[Play]]:
    """Draw an order in which units join, and the reruns without those that have not joined yet.

    It is drawn by name and not by appearance, since a log may permute its lines.
    """
    order = Random(f"{trace.id}/{seed}").sample(sorted(pieces), len(pieces))
    plays = [
        Play(trace, None, seed, frozenset(id for unit in order[joined:] for id in pieces[unit]))
        for joined in range(len(order) + 1)
    ]
    return order, plays


def rewards_of(rerun: Rerun, plays: Sequence[Play]) -> list[float]:
    """Return the reward of each of these reruns. Raises ``NotMeasurable`` if one has none."""
    rewards = [float(reward) for reward in rerun(plays)]
    if len(rewards) != len(plays):
        raise NotMeasurable(f"needs the reward of each rerun: {len(plays)} were asked for, {len(rewards)} came back")
    for play, reward in zip(plays, rewards, strict=True):
        if not isfinite(reward):
            where = f'from "{play.at}"' if play.at else "from the start"
            gone = f" without {', '.join(sorted(play.without))}" if play.without else ""
            raise NotMeasurable(f"{play.trace.id}: needs a finite reward: the rerun {where}{gone} returned {reward}")
    return rewards


def _credited(
    contrasts: dict[str, Contrast], rerun: Rerun, trace: Trace, kind: str, method: str, cost: int, budget: Budget
) -> list[Credit]:
    draws, most = Draws(rerun, budget), budget.plays // (cost * len(contrasts))
    if most < 2:
        units = plural(len(contrasts), "unit")
        few = f"{plural(budget.plays, 'rerun is', 'reruns are')} too few for {units} of kind {kind}"
        raise NotMeasurable(f"{trace.id}: {few}: each needs at least {2 * cost}")
    looks = dict.fromkeys(contrasts, 1)
    if budget.tolerance:
        looks = _until_narrow(draws, contrasts, min(FIRST, most), cost)
    else:
        draws.add(contrasts, most)
    found = []
    for unit, own in draws.of.items():
        low, high = draws.bounds(unit, looks[unit])
        why = f"{len(own)} draws, {len(own) * cost} reruns; {budget.level:.0%} interval"
        found.append(Credit(kind, unit, sum(own) / len(own), method, low, high, why))
    return found


def _until_narrow(draws: Draws, contrasts: dict[str, Contrast], number: int, cost: int) -> dict[str, int]:
    """Double the draws of all units that are not known well enough, as long as the budget suffices.

    Return how often each unit was looked at.
    """
    left, looks = dict(contrasts), dict.fromkeys(contrasts, 0)
    while left and draws.played + number * cost * len(left) <= draws.budget.plays:
        draws.add(left, number)
        number = len(draws.of[next(iter(left))])
        for unit in list(left):
            looks[unit] += 1
            low, high = draws.bounds(unit, looks[unit])
            if high - low <= 2 * draws.budget.tolerance:
                del left[unit]
    return looks


def _begins(trace: Trace, ids: Sequence[str]) -> str | None:
    """Return the event with which a unit begins: the first of its events, or the first spawn of its agents.

    None if one of its agents was there from the start.
    """
    ordered = graph(trace)
    first: dict[str, str] = {}
    for event in ordered.events:
        first.setdefault(event.id, event.id)
        if event.type == "spawn" and event.child:
            first.setdefault(event.child, event.id)
    if any(id not in first for id in ids):
        return None
    return min((first[id] for id in ids), key=ordered.places.__getitem__)


def _left_out(trace: Trace, at: str | None, ids: frozenset[str]) -> Contrast:
    return lambda seed: [(1.0, Play(trace, at, seed)), (-1.0, Play(trace, at, seed, ids))]


def _averaged(trace: Trace, unit: str, policy: Mapping[str, float]) -> Contrast:
    return lambda seed: [
        (1.0, Play(trace, unit, seed)),
        *((-share, Play(trace, unit, seed, instead=act)) for act, share in policy.items()),
    ]


def _drawn(trace: Trace, unit: str, policy: Mapping[str, float], others: int) -> Contrast:
    def contrast(seed: int) -> list[tuple[float, Play]]:
        acts = Random(f"{trace.id}/{unit}/{seed}").choices(list(policy), list(policy.values()), k=others)
        return [
            (1.0, Play(trace, unit, seed)),
            *((-1 / others, Play(trace, unit, seed, instead=act)) for act in acts),
        ]

    return contrast


def _of_tokens(trace: Trace, turns: list[Credit]) -> list[Credit]:
    counts, found = output_tokens(trace), []
    for turn in turns:
        count = counts.get(turn.unit, 0)
        why = f"one of {count} equal shares of its turn: {turn.why}"
        for number in range(count):
            low, high = ((bound or 0.0) / count for bound in (turn.low, turn.high))
            found.append(Credit("token", f"{turn.unit}:{number}", turn.value / count, turn.method, low, high, why))
    return found
