"""Three axes at once: the model of pairs against a maximised likelihood, enumeration, and pools whose truth is known."""

from __future__ import annotations

from datetime import date
from itertools import combinations, product
from math import exp, fsum, lgamma, log

import numpy as np
import pytest
from scipy import optimize, stats

from survey.literature import load
from survey.literature.gaps import triple
from survey.literature.gaps.independence import corrected
from survey.literature.gaps.no_three_way import CLOSE, NoThreeWay, no_three_way
from survey.literature.gaps.third_value import Seven, log_odds, lower_tails
from tests.conftest import ROOT

WHOLE = load(ROOT / "bib")
POOL = WHOLE.as_of(date(2026, 5, 4))

SINGLE = [np.eye(size, dtype=np.int64) for size in (3, 3, 2)]
"""The lines of three axes that give an entry one value."""

SETS = [SINGLE[0], np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]), SINGLE[2]]
"""The same with a set on the second axis."""


def features(lines: list[np.ndarray]) -> np.ndarray:
    """Return a row per combination of lines: which lines, and which pairs of values."""
    rows = []
    for which in product(*(range(len(axis)) for axis in lines)):
        values = [axis[line] for axis, line in zip(lines, which, strict=True)]
        row = [np.eye(len(axis))[line] for axis, line in zip(lines, which, strict=True)]
        row += [np.outer(values[i], values[j]).ravel() for i, j in combinations(range(3), 2)]
        rows.append(np.concatenate(row))
    return np.array(rows)


def truth(lines: list[np.ndarray], seed: int, strength: float = 0.8) -> np.ndarray:
    """Return the probability of each combination of lines: pairs of some strength, and no term for three values."""
    design = features(lines)
    scores = design @ np.random.default_rng(seed).normal(0, strength, design.shape[1])
    weights: np.ndarray = np.exp(scores)
    return np.asarray(weights / weights.sum())


def drawn(lines: list[np.ndarray], shares: np.ndarray, entries: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return three indicator matrices of entries drawn with these probabilities."""
    places = list(product(*(range(len(axis)) for axis in lines)))
    which = [places[n] for n in rng.choice(len(places), entries, p=shares)]
    return [axis[[place[side] for place in which]] for side, axis in enumerate(lines)]


# ------------------------------------------------------------------- the model


@pytest.mark.parametrize("lines", [SINGLE, SETS], ids=["one value", "sets"])
def test_the_fitted_model_is_the_one_of_greatest_likelihood(lines: list[np.ndarray]) -> None:
    entries = drawn(lines, truth(lines, 1, 0.4), 400, np.random.default_rng(2))
    model = no_three_way(*entries)
    assert model.off <= CLOSE * 400
    design, counts = features(list(model.lines)), model.observed.ravel()

    def loss(terms: np.ndarray) -> tuple[float, np.ndarray]:
        scores = design @ terms
        top = scores.max()
        chances = np.exp(scores - top)
        sum_ = chances.sum()
        gradient = counts.sum() * design.T @ (chances / sum_) - design.T @ counts
        return counts.sum() * (np.log(sum_) + top) - counts @ scores, gradient

    best = optimize.minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-6}).x
    chances = np.exp(design @ best)
    assert model.fitted.ravel() == pytest.approx(400 * chances / chances.sum(), abs=0.02)


def test_the_numbers_of_lines_and_of_pairs_of_values_hold_and_those_of_triples_need_not() -> None:
    one, two, three = drawn(SETS, truth(SETS, 3, 0.4), 150, np.random.default_rng(4))
    model = no_three_way(one, two, three)
    for axis in range(3):
        others = tuple({0, 1, 2} - {axis})
        assert model.fitted.sum(axis=others) == pytest.approx(model.observed.sum(axis=others), abs=0.01)
    met = model.lines[0].T @ model.fitted.sum(axis=2) @ model.lines[1]
    assert met == pytest.approx(one.T @ two, abs=0.01)
    assert abs(model.expected - np.einsum("ni,nj,nk->ijk", one, two, three)).max() > 1


# ------------------------------------------------------------ the test of one cell


@pytest.mark.parametrize("odds", [1.0, 2.5])
@pytest.mark.parametrize(("whole", "sizes", "pairs"), [(7, (4, 3, 4), (2, 2, 2)), (8, (4, 4, 3), (2, 1, 2))])
def test_the_probability_of_a_number_equals_enumeration(
    whole: int, sizes: tuple[int, int, int], pairs: tuple[int, int, int], odds: float
) -> None:
    weights = np.zeros(min(pairs) + 1)
    first = set(range(sizes[0]))
    for second, third in product(*(map(set, combinations(range(whole), size)) for size in sizes[1:])):
        if (len(first & second), len(first & third), len(second & third)) == pairs:
            k = len(first & second & third)
            weights[k] += odds**k
    chances = weights / weights.sum()
    assert (chances > 0).sum() > 1
    for k in np.flatnonzero(chances).tolist():
        seven = Seven(*(np.array([number]) for number in (k, *pairs, *sizes)))
        p, spread = lower_tails(whole, seven, np.log([odds]))
        numbers = np.arange(len(chances))
        mean = (chances * numbers).sum()
        assert p[0] == pytest.approx(chances[: k + 1].sum())
        assert spread[0] == pytest.approx((chances * (numbers - mean) ** 2).sum() ** 0.5)


@pytest.mark.parametrize("odds", [0.2, 1.0, 5.0])
def test_a_wide_distribution_loses_nothing_far_from_its_peak(odds: float) -> None:
    total, sizes, pairs = 3000, (1200, 900, 1500), (400, 600, 420)
    a, b, c = sizes
    ab, ac, bc = pairs
    logs = {}
    for k in range(min(pairs) + 1):
        eight = (k, ab - k, ac - k, bc - k, a - ab - ac + k, b - ab - bc + k, c - ac - bc + k, total - a - b - c + ab + ac + bc - k)  # fmt: skip
        if min(eight) >= 0:
            logs[k] = k * log(odds) - fsum(lgamma(cell + 1) for cell in eight)
    top = max(logs.values())
    weights = {k: exp(value - top) for k, value in logs.items()}
    peak = max(weights, key=lambda k: weights[k])
    for k in (peak - 60, peak - 25, peak, peak + 30):
        p, _ = lower_tails(total, Seven(*(np.array([n]) for n in (k, *pairs, *sizes))), np.log([odds]))
        whole = fsum(weight for other, weight in weights.items() if other <= k) / fsum(weights.values())
        assert p[0] == pytest.approx(whole, rel=1e-6)


def test_three_axes_of_two_values_leave_no_odds_of_their_own() -> None:
    lines = [np.eye(2, dtype=np.int64)] * 3
    model = no_three_way(*drawn(lines, truth(lines, 5), 200, np.random.default_rng(6)))
    assert model._odds()[0] == pytest.approx(np.zeros((2, 2, 2)), abs=1e-3)


def test_the_odds_are_how_the_odds_of_two_values_change_with_the_third() -> None:
    eight = {(1, 1, 1): 5, (1, 1, 0): 2, (1, 0, 1): 3, (0, 1, 1): 4, (1, 0, 0): 6, (0, 1, 0): 7, (0, 0, 1): 8}
    eight[0, 0, 0] = 9
    total = sum(eight.values())
    asked = [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,)]
    numbers = [sum(n for cell, n in eight.items() if all(cell[axis] for axis in axes)) for axes in asked]
    with_third, without = 5 * 8 / (3 * 4), 2 * 9 / (6 * 7)
    assert np.exp(log_odds(total, Seven(*map(float, numbers)))) == pytest.approx(with_third / without)


# ------------------------------------------------------------------ known truth


def below(model: NoThreeWay, place: tuple[int, int, int], entries: list[np.ndarray]) -> tuple[float, float]:
    """Return the probability of fewer entries than found in a cell, and of as few."""
    x, y, z = (axis[:, value] for axis, value in zip(entries, place, strict=True))
    numbers = ((x * y * z).sum(), x @ y, x @ z, y @ z, x.sum(), y.sum(), z.sum())
    eight = np.array([lower_tails(model.total, Seven(*(np.array([n]) for n in (numbers[0] - less, *numbers[1:]))),
                                  model._odds()[0][place][None])[0][0] for less in (1, 0)])  # fmt: skip
    least = max(0, numbers[1] + numbers[2] - numbers[4], numbers[1] + numbers[3] - numbers[5],
                numbers[2] + numbers[3] - numbers[6])  # fmt: skip
    return (0.0 if numbers[0] == least else float(eight[0])), float(eight[1])


@pytest.mark.parametrize("lines", [SINGLE, SETS], ids=["one value", "sets"])
def test_under_the_model_the_probability_of_a_cell_is_uniform(lines: list[np.ndarray]) -> None:
    rng, shares = np.random.default_rng(7), truth(lines, 8, 0.4)
    place, spread = (0, 0, 0), []
    for _ in range(200):
        entries = drawn(lines, shares, 120, rng)
        if all(axis.any(axis=0).all() for axis in entries):
            model = no_three_way(*entries)
            fewer, as_few = below(model, place, entries)
            assert as_few == pytest.approx(model.test()[0][place])
            spread.append(rng.uniform(fewer, as_few))  # a discrete p is uniform once its steps are filled at random
    assert len(spread) > 150
    assert stats.kstest(spread, "uniform").pvalue > 0.01


@pytest.mark.parametrize("lines", [SINGLE, SETS], ids=["one value", "sets"])
def test_under_the_model_the_least_likely_cell_is_surprising_as_often_as_it_says(lines: list[np.ndarray]) -> None:
    rng, shares = np.random.default_rng(9), truth(lines, 10, 0.4)
    found = []
    for seed in range(150):
        model = no_three_way(*drawn(lines, shares, 120, rng))
        p, _ = model.test()
        found.append(corrected(p, model.smallest(np.ones(p.shape, dtype=bool), 199, seed)).min())
    for level in (0.05, 0.1, 0.2):
        share = np.mean(np.array(found) <= level)
        assert share <= level + 2.6 * (level * (1 - level) / len(found)) ** 0.5, level
    assert np.mean(np.array(found) <= 0.5) > 0.3  # and it is no empty promise


def test_three_values_that_avoid_each_other_beyond_their_pairs_are_found() -> None:
    lines = [np.eye(2, dtype=np.int64)] * 3
    shares = np.ones(8) / 8
    shares[-1] = 0.01
    entries = drawn(lines, shares / shares.sum(), 200, np.random.default_rng(11))
    assert no_three_way(*entries).test()[0][1, 1, 1] < 0.001


def test_strong_pairs_alone_surprise_nobody() -> None:
    # two values that hardly ever meet: the triple is empty for that reason, and independence would make it a finding
    lines = [np.eye(2, dtype=np.int64)] * 3
    places = list(product((0, 1), repeat=3))
    shares = np.array([{(1, 1): 0.01, (0, 0): 0.49}.get((place[0], place[1]), 0.25) / 2 for place in places])
    entries = drawn(lines, shares / shares.sum(), 100, np.random.default_rng(12))
    total = len(entries[0])
    alone = np.prod([axis[:, 1].sum() / total for axis in entries])
    met = int((entries[0][:, 1] * entries[1][:, 1] * entries[2][:, 1]).sum())
    assert stats.binom(total, alone).cdf(met) < 0.05
    assert no_three_way(*entries).test()[0][1, 1, 1] > 0.2


# --------------------------------------------------------------------- the pool


@pytest.mark.parametrize("axes", POOL.taxonomy.gaps.triples, ids="-".join)
def test_in_joint_gaps_every_pair_occurs_and_the_triple_never(axes: tuple[str, str, str]) -> None:
    found = triple(POOL, *axes)
    assert len(found.cells) == np.prod([len(axis.value_cells) for axis in found.axes])
    for cell in found:
        assert all(cell.count <= number for number in cell.pairs)
        assert cell.p <= cell.corrected
        assert not cell.why or cell.p == 1
        assert all(cell.pairs) or cell.p == 1  # a pair that never occurs explains the empty cell
        assert abs(cell.count - cell.expected) <= 0.01 + min(cell.pairs)
    assert found.joint
    assert list(found.joint) == sorted(found.joint, key=lambda cell: (cell.corrected, cell.p, -cell.expected))
    for cell in found.joint:
        assert cell.count == 0 and all(cell.pairs) and not cell.why
    assert len(triple(POOL.only(()), *axes).cells) == len(found.cells)


def test_what_the_pairs_explain_is_no_finding() -> None:
    # against the independence of all three axes this cell had p = 0.026, the least of all
    day = WHOLE.as_of(date(2026, 11, 21))
    found = {cell.cells: cell for cell in triple(day, "reward", "credit", "decision")}
    cell = found["hybrid", "orchestrator", "delegate: learned"]
    assert cell.pairs == (1, 3, 33)
    assert cell.p > 0.25
    assert 0.5 < cell.expected < 0.8
    assert cell.corrected > 0.9
