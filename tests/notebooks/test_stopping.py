"""The basis of "Learning when to stop": tasks that differ, beatable competing rules, and an unbiased baseline."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from survey.literature import load
from survey.traces.simulate import stopping
from survey.traces.simulate.stopping import (
    CONTINUE,
    OBSERVED,
    STOP,
    Episode,
    Stopping,
    episodes,
    played,
)
from survey.traces.stopping import Rule, fixed, giving_up, patience

Array = NDArray[np.float64]
Baseline = Callable[[Array, NDArray[np.bool_], Array], Array]

TEAM = Stopping()
LAST = TEAM.rounds
TRAINING = list(episodes(TEAM, 1200))
TESTS = list(episodes(TEAM, 1200, first=100_000))


def arrays(tasks: list[Episode]) -> tuple[Array, Array]:
    return np.array([task.observations for task in tasks]), np.array([task.returns for task in tasks])


def features(observed: Array, like: Array) -> Array:
    mean, spread = like.mean(axis=0), like.std(axis=0)
    scaled = (observed - mean) / np.where(spread > 1e-9, spread, np.inf)
    return np.concatenate([np.ones((*scaled.shape[:2], 1)), scaled], axis=2)


def trained(baseline: Baseline, seed: int, updates: int = 150) -> float:
    """Return the mean test return of a rule trained with REINFORCE on the training tasks."""
    observed, returns = arrays(TRAINING)
    x, rounds, rng = features(observed, observed), np.arange(LAST + 1), np.random.default_rng(seed)
    weights = np.zeros(x.shape[1:])
    weights[:, 0] = -2
    for _ in range(updates):
        batch = rng.integers(len(x), size=200)
        chance = 0.5 + 0.5 * np.tanh((x[batch] * weights).sum(axis=2) / 2)
        stops = rng.random(chance.shape) < chance
        stops[:, LAST] = True
        end = stops.argmax(axis=1)[:, None]
        earned, chosen = returns[batch[:, None], end], (rounds <= end) & (rounds < LAST)
        better = earned - baseline(earned, chosen, returns[batch])
        slope = np.where(chosen, (rounds == end) - chance, 0) * better
        weights = weights + 50 * (slope[:, :, None] * x[batch]).mean(axis=0)
    test_observed, test_returns = arrays(TESTS)
    stops = (features(test_observed, observed) * weights).sum(axis=2) > 0
    stops[:, LAST] = True
    return float(test_returns[np.arange(len(TESTS)), stops.argmax(axis=1)].mean())


def round_mean(earned: Array, chosen: NDArray[np.bool_], _: Array) -> Array:
    others = chosen.sum(axis=0) - 1
    rest = (chosen * earned).sum(axis=0) - earned
    mean: Array = np.where(others > 0, rest / others.clip(1), earned)
    return mean


def draft(earned: Array, chosen: NDArray[np.bool_], returns: Array) -> Array:
    return returns


def test_an_update_of_the_notebook_is_the_one_that_its_text_describes() -> None:
    """One update, run by run and round by round: the sum over runs that reached a round, divided by all runs."""
    cells = json.loads((Path(__file__).parent.parent.parent / "notebooks" / "stopping.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    defined: dict[str, Any] = {"np": np, "LAST": 3}
    for start in ("def train(", "def features("):
        exec(next(source for source in sources if source.startswith(start)).split("\nSTEP = ")[0], defined)
    rng = np.random.default_rng(5)
    x, returns = rng.normal(size=(6, 4, 2)), rng.normal(size=(6, 4))
    before, after = defined["train"](x, returns, seed=3, baseline=defined["round_mean"], runs=7, updates=1, step=1.0)
    again = np.random.default_rng(3)
    batch = again.integers(6, size=7)
    stops = again.random((7, 4)) < 1 / (1 + np.exp(-(x[batch] * before).sum(axis=2)))
    ends = [next((t for t in range(3) if row[t]), 3) for row in stops]
    wanted = np.zeros((4, 2))
    for t in range(3):
        reached = [run for run in range(7) if ends[run] >= t]
        for run in reached:
            others = [returns[batch[other], ends[other]] for other in reached if other != run]
            if others:
                chance = 1 / (1 + np.exp(-x[batch[run], t] @ before[t]))
                gain = returns[batch[run], ends[run]] - fmean(others)
                wanted[t] += ((ends[run] == t) - chance) * x[batch[run], t] * gain / 7
    assert after - before == pytest.approx(wanted)


def test_the_baseline_of_a_round_is_the_mean_of_the_other_runs_that_reached_it() -> None:
    earned = np.array([[1.0], [0.5], [0.25]])
    reached = np.array([[True, True], [True, False], [True, False]])
    found = round_mean(earned, reached, earned)
    assert found[:, 0].tolist() == [fmean((0.5, 0.25)), fmean((1, 0.25)), fmean((1, 0.5))]
    assert earned[0, 0] - found[0, 1] == 0  # alone in its round


def rival() -> float:
    """Return the result of the best fixed budget or patience, chosen on the tests: an advantage no learner has."""
    rules = [fixed(number) for number in range(LAST + 1)] + [patience(number) for number in range(1, 6)]
    return max(fmean(task.returns[played(task, rule)] for task in TESTS) for rule in rules)


@pytest.fixture(scope="module")
def by_baseline() -> dict[str, list[float]]:
    return {one.__name__: [trained(one, seed) for seed in range(2)] for one in (round_mean, draft)}


def test_plain_reinforce_learns_to_beat_every_fixed_budget_and_every_patience(
    by_baseline: dict[str, list[float]],
) -> None:
    assert min(by_baseline["round_mean"]) > rival() + 0.005


def test_giving_up_early_beats_patience_and_is_beaten_by_what_is_learned(by_baseline: dict[str, list[float]]) -> None:
    def earned(rule: Rule, tasks: list[Episode]) -> float:
        return fmean(task.returns[played(task, rule)] for task in tasks)

    rules = [giving_up(*four) for four in product((2, 3), (0.15, 0.2), (1, 2, 3), (10, 12, 14, 20))]
    best = max(rules, key=lambda rule: earned(rule, TRAINING))
    assert rival() + 0.01 < earned(best, TESTS) < fmean(by_baseline["round_mean"])


def test_no_learned_rule_reaches_who_knows_the_hidden_numbers(by_baseline: dict[str, list[float]]) -> None:
    assert max(map(max, by_baseline.values())) < fmean(task.informed for task in TESTS)


def test_grades_of_the_drafts_teach_at_least_as_much_as_the_mean_of_the_round(
    by_baseline: dict[str, list[float]],
) -> None:
    assert fmean(by_baseline["draft"]) > fmean(by_baseline["round_mean"])


def test_grades_of_the_drafts_teach_more_slowly_at_first() -> None:
    assert trained(draft, seed=0, updates=5) < trained(round_mean, seed=0, updates=5)


def test_each_kind_of_task_has_its_own_best_number_of_rounds() -> None:
    best = {}
    for much in (True, False):
        for fast in (True, False):
            own = [t.returns for t in TESTS if (t.reach > t.parts / 2) == much and (t.chance > 0.3) == fast]
            best[much, fast] = int(np.mean(own, axis=0).argmax())
    assert best[True, False] > best[True, True] > best[False, True] >= best[False, False]


def test_what_a_draft_is_worth_does_not_hang_on_whether_the_team_goes_on() -> None:
    for task in TESTS[:20]:
        team, done, reward = Stopping(), False, 0.0
        team.reset(task.seed)
        for _ in range(3):
            _, paid, done = team.step(CONTINUE)
            reward += paid
        assert not done
        assert reward + team.step(STOP).reward == pytest.approx(task.returns[3])


def test_at_one_round_the_number_of_rounds_tells_nothing_and_the_pace_nothing_but_the_agreement() -> None:
    observed, _ = arrays(TESTS[:50])
    rounds, agreement, pace = (observed[:, :, OBSERVED.index(name)] for name in ("rounds", "agreement", "pace"))
    assert (rounds == rounds[0]).all()
    assert pace[:, 1:] * np.arange(1, LAST + 1) == pytest.approx(agreement[:, 1:])


def test_the_task_shown_is_one_where_patience_gives_up_too_early() -> None:
    task = TEAM.episode(110)
    assert task.reach > task.parts / 2
    assert task.returns[played(task, patience(1))] < task.oracle - 0.2


def test_the_pool_reads_puppeteer_as_learning_to_stop_and_deliberation_as_not() -> None:
    pool = load(Path(__file__).parent.parent.parent / "bib")
    learned = {entry.key for entry in pool.where([("decision", "stop:learned")])}
    assert "puppeteer" in learned
    assert "learning-to-deliberate2025" not in learned
    assert "c3" in pool


def test_bounds_on_recorded_runs_hold_the_truth_and_the_mean_of_those_that_got_to_the_stop_misleads() -> None:
    """The cells of "Recorded runs", as the page runs them; what its text says of them has to be so."""
    cells = json.loads((Path(__file__).parent.parent.parent / "notebooks" / "stopping.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if str(cell["id"]).startswith("recorded-")]
    shown: list[Any] = []
    defined: dict[str, Any] = {
        "pd": pd, "team": TEAM, "LAST": LAST, "FRESH": 100_000, "stopping": stopping, "fixed": fixed,
        "patience": patience, "table": lambda data, title: shown.append(data),
    }  # fmt: skip
    for source in sources[:2]:
        exec(source, defined)
    ended = shown[0].set_index("Rule")
    assert ended["Truth"].between(ended["Lower bound"], ended["Upper bound"]).all()
    assert ended["Mean of the others"]["patience 2"] > ended["Truth"]["patience 2"] + 0.05
    assert abs(ended["Weighted"]["patience 2"] - ended["Truth"]["patience 2"]) < 0.03
    assert (ended["Effective runs"] < 600).all()
    for name, rule in (("4 rounds", fixed(4)), ("8 rounds", fixed(8))):
        tasks = episodes(TEAM, 600, first=200_000)
        assert ended["Truth"][name] == pytest.approx(fmean(t.returns[played(t, rule)] for t in tasks), abs=6e-4)
