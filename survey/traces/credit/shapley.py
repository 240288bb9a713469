"""Shapley values: a unit's marginal contribution, averaged over all orders in which units could join.

``phi_i = sum over S without i of |S|! (n - |S| - 1)! / n! * (v(S + i) - v(S))``: shares that sum to
``v(all) - v(empty)``, equal for units that contribute equally, and 0 for one that never changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial
from typing import TYPE_CHECKING, Literal

from survey.extras import lazy
from survey.traces.credit.games import Game, Progress, no_progress
from survey.traces.credit.intervals import interval
from survey.traces.credit.rows import Credit
from survey.traces.metrics import NotMeasurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Design = Literal["permutation", "antithetic", "stratified", "latin", "causal"]

TOGETHER = 5
"""How many orders the design "latin" draws jointly."""

DESIGNS: dict[str, str] = {
    "permutation": "orders drawn at random",
    "antithetic": "random orders, each with its reverse",
    "stratified": "random orders, each in all its rotations, so that every unit takes every position equally often",
    "latin": f"random orders, {TOGETHER} jointly, so that every unit joins once in each part of the time",
    "causal": "random orders in which no unit joins before those it depends on",
}


def exact(game: Game, progress: Progress = no_progress) -> list[Credit]:
    """Compute Shapley values from the worth of all 2^n coalitions. Raises ``NotMeasurable`` beyond 20 units."""
    number = len(game.units)
    if not number:
        raise NotMeasurable("needs units: there are none")
    worths = game.table(progress)
    every = np.arange(1 << number, dtype=np.int64)
    sizes = np.bitwise_count(every)
    weights = np.array([factorial(size) * factorial(number - size - 1) / factorial(number) for size in range(number)])
    credits = []
    for place, unit in enumerate(game.units):
        others = every[every >> place & 1 == 0]
        share = float(weights[sizes[others]] @ (worths[others | 1 << place] - worths[others]))
        credits.append(Credit(game.kind, unit, share, "shapley", why=f"mean over all orders of {number} units"))
    return credits


def sampled(
    game: Game,
    samples: int = 1000,
    seed: int = 0,
    design: Design = "permutation",
    level: float = 0.95,
    progress: Progress = no_progress,
) -> list[Credit]:
    """Estimate Shapley values from sampled orders, with a confidence interval for each unit.

    An order costs n + 1 evaluations. Draws that belong together (a pair, all rotations of one order) are averaged
    first and count as one, since the interval needs independent draws; ``samples`` is rounded up to complete blocks
    of such draws, and to at least two of them. In every design the shares of one draw, and so their means, sum to
    ``v(all) - v(empty)`` exactly.

    "permutation", "antithetic", "stratified" and "latin" all estimate the Shapley value without bias. Pairs work
    well if the contributions of few units add up, and badly if one unit is pivotal, since it is so in both orders.
    "latin" (a Latin hypercube of the joining times) is as good in the first case, and no worse than random orders in
    the second.

    **"causal" estimates something else**, our form of a value for games in which some units depend on others: the
    mean marginal contribution over orders in which a unit joins only after those it depends on
    (``Game.dependents``), with the next one drawn uniformly from all that can join. Without dependencies it is the
    Shapley value; else later units are credited for what they add to earlier ones, and the sum is the same.

    The interval is Student's t over the draws: right for many draws and a good approximation for few. A unit whose
    contribution was the same in every draw may still differ in orders that were not drawn: its interval is as wide
    as the largest spread of contributions seen, times ``-ln(1 - level)`` over the number of draws.
    """
    number = len(game.units)
    if not number:
        raise NotMeasurable("needs units: there are none")
    if not 0 < level < 1:
        raise ValueError(f"the confidence level is {level} (expected between 0 and 1)")
    block = {"antithetic": 2, "stratified": number, "latin": TOGETHER}.get(design, 1)
    draws = max(2, -(-samples // block))
    generator = np.random.default_rng(seed)
    # orders are drawn by name and not by appearance, since a log may permute its lines
    named = np.array(sorted(range(number), key=game.units.__getitem__))
    means = np.empty((draws, number))
    lowest, highest = np.inf, -np.inf
    for draw in range(draws):
        gains = np.array([_gains(game, order) for order in _orders(game, generator, design, named)])
        means[draw] = gains.mean(axis=0)
        lowest, highest = min(lowest, gains.min()), max(highest, gains.max())
        progress(draw + 1, draws)
    why = f"{draws * block} {DESIGNS[design]}; {level:.0%} interval"
    method = "shapley-causal" if design == "causal" else "shapley-sampled"
    credits = []
    for place, unit in enumerate(game.units):
        low, high = interval(means[:, place], level, highest - lowest)
        credits.append(Credit(game.kind, unit, float(means[:, place].mean()), method, low, high, why))
    return credits


def _orders(
    game: Game, generator: np.random.Generator, design: Design, named: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    if design == "causal":
        yield _causal(game, generator, named)
        return
    if design == "latin":
        parts = np.tile(np.arange(TOGETHER), (len(game.units), 1))
        times = generator.permuted(parts, axis=1) + generator.random(parts.shape)
        yield from named[np.argsort(times, axis=0)].T
        return
    order = named[generator.permutation(len(game.units))]
    yield order
    if design == "antithetic":
        yield order[::-1]
    elif design == "stratified":
        for shift in range(1, len(order)):
            yield np.roll(order, shift)


def _causal(game: Game, generator: np.random.Generator, named: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw an order in which each unit comes after those it depends on; mutual dependents come in any order."""
    number = len(game.units)
    fall = game.dependents or [1 << place for place in range(number)]
    before = [
        {a for a in range(number) if fall[a] >> b & 1 and not fall[b] >> a & 1} for b in range(number)
    ]  # fmt: skip
    order: list[int] = []
    while len(order) < number:
        ready = [place for place in named.tolist() if place not in order and before[place] <= set(order)]
        order.append(ready[int(generator.integers(len(ready)))])
    return np.array(order)


def _gains(game: Game, order: NDArray[np.int64]) -> NDArray[np.float64]:
    gains = np.empty(len(order))
    if game.batch_value:
        joined = np.zeros((len(order) + 1, len(order)), dtype=bool)
        joined[:, order] = np.tri(len(order) + 1, len(order), -1, dtype=bool)
        gains[order] = np.diff(game.worths(joined))
        return gains
    coalition, before = 0, game.worth(0)
    for place in order.tolist():
        coalition |= 1 << place
        after = game.worth(coalition)
        gains[place] = after - before
        before = after
    return gains
