"""Off-policy evaluation of stopping rules: what recorded runs tell about a rule that did not end them.

A run ended by itself, or by some *behaviour* that chose its end. Another rule would have ended it elsewhere:

- **at or before the recorded end**: the record holds the whole prefix, so the round of the stop is exact, and so is the
  reward, if the record grades that round;
- **beyond the recorded end**: the run is *censored*. Nothing in the record says what would have come. ``evaluate``
  counts such runs and, given the range of rewards, bounds the mean reward; it puts no number in their place.

The rule is taken to replace the behaviour. Where it is added to it, whichever stops first ends the run, censored runs
keep their recorded end, and everything is exact.

Only where the behaviour stopped at random with known probabilities can the runs that did go on stand for those that did
not: ``weighted`` weights them by the inverse of the probability of getting so far.

Limits, which no formula removes:

- A prefix is what would have happened only if the members did not know the rule. A team that knows it has two rounds
  may use them otherwise.
- *Selection*: the mean over runs with a known reward (``Evaluation.mean``) is about those runs. Where hard tasks run
  longer, a rule that waits is known on the long ones only.
- *Confounding*: weights are right if the probabilities given are those with which the behaviour really stopped. If it
  saw more than the record, such as a person who found the draft good, they depend on what is not recorded, and the
  estimate is biased by an unknown amount. The bounds of ``evaluate`` hold all the same.
- A rule that goes on where the behaviour always stops has no runs to stand for it.
- Intervals are normal approximations: few runs, or few with large weights (see ``Weighted.effective``), make them too
  narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from statistics import fmean, stdev
from typing import Protocol

from survey.traces.credit.intervals import student
from survey.traces.problems import NotMeasurable
from survey.traces.stopping.rules import Rule, Seen, stopped


class Case(Protocol):
    """A recorded run: what was seen after each of its rounds, and the reward of stopping there, if known."""

    @property
    def seen(self) -> Sequence[Seen]:
        """What could be seen at the end of each round."""

    def reward(self, round: int) -> float | None:
        """Return the reward of stopping after a round, if known."""


@dataclass(frozen=True)
class Evaluation:
    """What recorded runs tell about a rule, without an assumption on why they ended."""

    runs: int
    exact: int
    """Runs that the rule ends in the record, at a graded round."""
    ungraded: int
    """Runs that the rule ends in the record, at a round without a recorded reward."""
    censored: int
    """Runs in which the rule would go on beyond the recorded end."""
    mean: float | None
    """The mean return of the exact runs: of all runs only if none is ungraded or censored."""
    low: float | None
    high: float | None
    """Bounds of the mean return of all these runs, whatever the unknown rewards are; None without a range."""
    interval: tuple[float, float] | None
    """The same for the runs that these are a random sample of, at the level asked for; None for a single run."""


@dataclass(frozen=True)
class Weighted:
    """An estimate of a rule's mean return, from runs that stopped at random with known probabilities."""

    value: float
    low: float
    high: float
    used: int
    """Runs with a weight above 0."""
    effective: float
    """The number of equally weighted runs that would tell as much: (sum of weights)^2 / sum of their squares."""


def evaluate(
    cases: Sequence[Case],
    rule: Rule,
    *,
    between: tuple[float, float] | None = None,
    price: float = 0.0,
    most: int | None = None,
    level: float = 0.95,
) -> Evaluation:
    """Evaluate a rule on recorded runs; the return of a stop is its reward less ``price`` for each round.

    ``between`` is the range of rewards, which bounds what is unknown. ``most`` is the number of rounds after which the
    rule stops at the latest; bounds with a price need it. Raises ``NotMeasurable`` if a round does not show what the
    rule needs, or without runs, and ``ValueError`` if a known reward is out of the range, or the range is none.
    """
    if not cases:
        raise NotMeasurable("there is no run to evaluate the rule on")
    if between is not None and price and most is None:
        raise ValueError("bounds with a price need the most rounds that the rule plays (most)")
    least, largest = between if between is not None else (0.0, 0.0)
    if not (isfinite(least) and isfinite(largest) and least <= largest):
        raise ValueError(
            f"found a range from {least:g} to {largest:g} (expected two finite numbers, the lower one first)"
        )
    known, lows, highs, censored = [], [], [], 0
    for case in cases:
        stop = _stop(case, rule, most)
        reward = None if stop is None else case.reward(stop)
        if between is not None and reward is not None and not least <= reward <= largest:
            raise ValueError(f"found a reward of {reward:g} (expected {least:g} to {largest:g})")
        censored += stop is None
        if stop is None:
            lows.append(least - price * (most or 0))
            highs.append(largest - price * (len(case.seen) + 1))
        elif reward is None:
            lows.append(least - price * stop)
            highs.append(largest - price * stop)
        else:
            known.append(reward - price * stop)
            lows.append(known[-1])
            highs.append(known[-1])
    bounded = between is not None or len(known) == len(cases)
    return Evaluation(
        runs=len(cases),
        exact=len(known),
        ungraded=len(cases) - len(known) - censored,
        censored=censored,
        mean=fmean(known) if known else None,
        low=fmean(lows) if bounded else None,
        high=fmean(highs) if bounded else None,
        interval=(fmean(lows) - _half(lows, level), fmean(highs) + _half(highs, level))
        if bounded and len(cases) > 1
        else None,
    )


def weighted(
    cases: Sequence[Case],
    rule: Rule,
    chances: Sequence[Sequence[float]],
    *,
    graded: bool = True,
    normalised: bool = True,
    price: float = 0.0,
    most: int | None = None,
    level: float = 0.95,
) -> Weighted:
    """Estimate the mean return of a rule by weighting runs that were stopped at random.

    ``chances`` holds for each run the probability with which it was stopped after each of its recorded rounds, once it
    had got there. With ``graded`` every run that reached the rule's stop counts, by the recorded reward of that round
    and the inverse probability of getting there; without, only runs that ended just there, by their last reward (the
    per-trajectory weight). ``normalised`` divides by the sum of the weights, which is steadier and biased by an amount
    that vanishes with many runs; without it the estimate is unbiased.

    Raises ``NotMeasurable`` if the rule goes on where a run was sure to stop, needs a reward that is not recorded, or
    meets no run; and as ``evaluate`` does.
    """
    weights, returns = [], []
    for number, (case, own) in enumerate(zip(cases, chances, strict=True)):
        if len(own) != len(case.seen) or not all(0 <= chance <= 1 for chance in own):
            raise ValueError(f"run {number}: expected a probability for each of its {len(case.seen)} rounds")
        stop = _stop(case, rule, most)
        if stop is None:
            if own and own[-1] == 1:
                raise NotMeasurable(f"run {number} was sure to stop after its last round, where the rule goes on")
            continue
        place = next(place for place, seen in enumerate(case.seen) if seen.round == stop)
        chance = _reached(own[:place])
        if not graded:
            if place < len(own) - 1:
                if own[place] == 0:
                    raise NotMeasurable(f"run {number} could not stop after round {stop}, where the rule stops")
                continue
            chance *= own[place]
        if chance == 0:
            raise NotMeasurable(f"run {number} cannot have got to round {stop}: its probabilities say so")
        reward = case.reward(stop)
        if reward is None:
            raise NotMeasurable(f"run {number} has no recorded reward of round {stop}, where the rule stops")
        weights.append(1 / chance)
        returns.append(reward - price * stop)
    if not weights:
        raise NotMeasurable("no run got to where the rule stops")
    return _estimate(weights, returns, len(cases), normalised, level)


def _estimate(
    weights: Sequence[float], returns: Sequence[float], runs: int, normalised: bool, level: float
) -> Weighted:
    """Weigh the returns; runs without a weight count as 0."""
    missing = [0.0] * (runs - len(weights))
    products = [weight * gained for weight, gained in zip(weights, returns, strict=True)]
    total = sum(weights)
    value = sum(products) / (total if normalised else runs)
    if normalised:  # the delta method: how far each run moves the ratio
        products = [weight * (gained - value) * runs / total for weight, gained in zip(weights, returns, strict=True)]
    half = _half([*products, *missing], level)
    effective = total**2 / sum(weight**2 for weight in weights)
    return Weighted(value, value - half, value + half, len(weights), effective)


def _stop(case: Case, rule: Rule, most: int | None) -> int | None:
    if most is None:
        return stopped(case.seen, rule)
    if most < 1:
        raise ValueError(f"most: found {most}, expected 1 or more")
    stop = stopped((seen for seen in case.seen if seen.round < most), rule)  # at the most, nobody asks the rule
    return most if stop is None and any(seen.round >= most for seen in case.seen) else stop


def _reached(chances: Sequence[float]) -> float:
    reached = 1.0
    for chance in chances:
        reached *= 1 - chance
    return reached


def _half(values: Sequence[float], level: float) -> float:
    """Return half the width of the interval of a mean."""
    if len(values) < 2:
        return float("inf")
    return student(level, len(values) - 1) * stdev(values) / sqrt(len(values))
