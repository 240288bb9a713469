"""Shapley values, exact for 20 units and sampled for 1,000, against shapiq on the same games.

Both sides may evaluate the same number of coalitions, and both get the large games in their fastest form, many
coalitions as one matrix. The error is the mean square over all units and over fixed seeds, against values that are
known without sampling. The error shrinks with the number of evaluations, so it can be traded for time: error times
time shows how long a side takes to reach the same error.

Tried once and excluded, at 1,000 units and 10,000 worths of the first game: ``UnbiasedKernelSHAP`` (28 s, twelve
times the error of permutations), ``KernelSHAP`` without pairs (six times the error with pairs), ``SVARM`` (unfinished
after 40 s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from shapiq import approximator
from shapiq.game_theory.exact import ExactComputer

from survey.traces.credit import Game, exact, sampled
from survey.traces.credit.shapley import Design

FEW, MANY = 20, 1000
ORDERS = 10
SEEDS = range(3)
DESIGNS: tuple[Design, ...] = ("latin", "antithetic")
PEERS: dict[str, Callable[..., Any]] = {
    "PermutationSamplingSV": approximator.PermutationSamplingSV,
    "KernelSHAP in pairs": partial(approximator.KernelSHAP, pairing_trick=True),
    "StratifiedSamplingSV": approximator.StratifiedSamplingSV,
    "OwenSamplingSV": approximator.OwenSamplingSV,
}

Rows = NDArray[np.bool_]
Worths = Callable[[Rows], NDArray[np.float64]]
Values = NDArray[np.float64]


def run() -> Iterator[str]:
    """Yield a line for exact values, and for each large game one for every peer."""
    yield f"Shapley values, exact for {FEW} units and sampled for {MANY:,}, against shapiq"
    yield _exact()
    budget = ORDERS * (MANY - 1) + 2
    for name, (worths, truth) in {"sums of threes": threes(MANY, 5), "a weighted vote": vote()}.items():
        yield f"  {name}, {budget:,} worths, {len(SEEDS)} seeds"
        peers = {peer: _mean(partial(_theirs, maker, budget, worths), truth) for peer, maker in PEERS.items()}
        for design in DESIGNS:
            error, time = _mean(partial(_ours, design, worths), truth)
            yield f"    {design}: error {error / np.mean(truth**2):.2g} of the values' own square, {time:.1f} s"
            for peer, (theirs, taken) in peers.items():
                yield (
                    f"      against {peer}: {error / theirs:.2f} times the error, {time / taken:.2f} times the time "
                    f"({taken:.1f} s): {error * time / theirs / taken:.2f} times the time for the same error"
                )


def threes(number: int, seed: int) -> tuple[Worths, Values]:
    """Return a sum of three-unit interactions, each shared equally by its units, and its Shapley values."""
    random = np.random.default_rng(seed)
    members = np.array([random.choice(number, 3, replace=False) for _ in range(3 * number)])
    sizes = random.normal(size=len(members))
    truth = np.zeros(number)
    for own in members.T:
        np.add.at(truth, own, sizes / 3)

    def worths(rows: Rows) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (rows[:, members[:, 0]] & rows[:, members[:, 1]] & rows[:, members[:, 2]]) @ sizes
        return found

    return worths, truth


WEIGHTS = {1: 700, 4: 250, 15: 50}
"""The number of voters, of 1,000 in total, by their votes."""


def vote() -> tuple[Worths, Values]:
    """Return a weighted majority vote and its Shapley values, the probabilities of casting the pivotal vote.

    Every voter joins at a uniformly random time between 0 and 1. A voter that joins at t finds each of the others
    present with probability t, so the present votes are sums of binomials; the integrand is a polynomial in t of degree
    below 1,000, which 500 nodes integrate exactly.
    """
    weights = np.repeat(list(WEIGHTS), list(WEIGHTS.values()))
    quota = int(weights.sum()) // 2 + 1
    nodes, shares = np.polynomial.legendre.leggauss(MANY // 2)
    values = []
    for mine in WEIGHTS:
        turned = 0.0
        for t, share in zip((nodes + 1) / 2, shares / 2, strict=True):
            there = np.ones(1)
            for weight, count in WEIGHTS.items():
                others = count - (weight == mine)
                votes = np.zeros(others * weight + 1)
                votes[::weight] = binom.pmf(np.arange(others + 1), others, t)
                there = np.convolve(there, votes)
            turned += share * float(there[quota - mine : quota].sum())
        values.append(turned)
    truth = np.repeat(values, list(WEIGHTS.values()))
    assert abs(truth.sum() - 1) < 1e-9, "the values of a vote do not add up"

    def worths(rows: Rows) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (rows @ weights >= quota).astype(float)
        return found

    return worths, truth


def _exact() -> str:
    """Compare exact values of a vote of 20, in which every evaluation is cheap on both sides."""
    weights = np.random.default_rng(0).integers(1, 30, FEW)
    quota = int(weights.sum()) // 2 + 1
    votes = {str(place): int(weight) for place, weight in enumerate(weights)}
    game = Game(tuple(votes), lambda present: float(sum(map(votes.__getitem__, present)) >= quota))
    start = process_time()
    ours = np.array([share.value for share in exact(game)])
    time, start = process_time() - start, process_time()
    found = ExactComputer(lambda rows: (np.atleast_2d(rows) @ weights >= quota).astype(float), FEW)("SV")
    taken = process_time() - start
    furthest = max(abs(found[(place,)] - ours[place]) for place in range(FEW))
    return (
        f"  exact: {time / taken:.2f} times the time of ExactComputer ({time:.1f} s to {taken:.1f} s); "
        f"the values differ by {furthest:.0e} at most"
    )


def _mean(estimate: Callable[[int], Values], truth: Values) -> tuple[float, float]:
    """Return the mean squared error and the mean processor time over all seeds."""
    start = process_time()
    errors = [float(np.mean((estimate(seed) - truth) ** 2)) for seed in SEEDS]
    return float(np.mean(errors)), (process_time() - start) / len(SEEDS)


def _ours(design: Design, worths: Worths, seed: int) -> Values:
    game = Game(tuple(map(str, range(MANY))), lambda _: float("nan"), batch_value=worths)
    return np.array([share.value for share in sampled(game, ORDERS, seed, design)])


def _theirs(maker: Callable[..., Any], budget: int, worths: Worths, seed: int) -> Values:
    found = maker(MANY, random_state=seed).approximate(budget, lambda rows: worths(np.atleast_2d(rows).astype(bool)))
    return np.array([found[(place,)] for place in range(MANY)])


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
