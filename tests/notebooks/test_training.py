"""Teams that learn: the gradient held against exact expectations, reruns against what they may change, and statements."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from survey.traces.training import (
    CREDITS,
    TASKS,
    Act,
    Runs,
    Task,
    Team,
    advantages,
    alignment,
    gradient,
    harness,
    train,
)
from survey.traces.training.learning import runs_for
from survey.traces.training.team import drawn, played

every_task = pytest.mark.parametrize("name", TASKS)


def random_runs(task: Task, size: int = 200, seeds: int = 3, seed: int = 0) -> tuple[Team, Runs]:
    rng = np.random.default_rng(seed)
    team = Team.with_habits(task, seeds, rng)
    return team, played(team, *drawn(task, rng, seeds, size))


# --------------------------------------------------------------------------------- the exact gradient

PAIR = Task(
    (
        Act("sender", 2, 2, lambda world, acts: world["bit"].astype(np.int64)),
        Act("receiver", 3, 2, lambda world, acts: acts[0] + 1, (0,)),
    ),
    lambda rng, shape: {"bit": rng.integers(2, size=shape).astype(float)},
    lambda world, acts: (acts[1] == world["bit"]) + 0.5 * ((acts[0] == 1) & (acts[1] == 0)),
)
"""A sender who sees a bit, and a receiver who hears the sender: few enough runs to go through them all."""


def expected(sender: NDArray[np.float64], receiver: NDArray[np.float64]) -> float:
    """The expected reward of the pair, run by run and in plain numbers."""
    total = 0.0
    for bit, said, done in product(range(2), repeat=3):
        says = exp(sender[bit][said]) / sum(map(exp, sender[bit]))
        does = exp(receiver[said + 1][done]) / sum(map(exp, receiver[said + 1]))
        total += 0.5 * says * does * ((done == bit) + 0.5 * (said == 1 and done == 0))
    return total


@pytest.mark.parametrize("credit", ["broadcast", "difference", "c3", "coma"])
def test_the_gradient_is_that_of_the_expected_reward(credit: str) -> None:
    rng = np.random.default_rng(3)
    one = Team.with_habits(PAIR, 1, rng)
    tables = {agent: table[0] for agent, table in one.logits.items()}
    exact = {agent: np.zeros_like(table) for agent, table in tables.items()}
    for agent, table in tables.items():
        for place in np.ndindex(table.shape):
            for sign in (1, -1):
                moved = {**tables, agent: table.copy()}
                moved[agent][place] += sign * 1e-5
                exact[agent][place] += sign * expected(moved["sender"], moved["receiver"]) / 2e-5
    runs = played(one, *drawn(PAIR, rng, 1, 400_000))
    found = gradient(one, runs, advantages(credit, one, runs, rng))
    for agent, slope in exact.items():
        assert found[agent][0] == pytest.approx(slope, abs=0.004)


# --------------------------------------------------------------------------------------------- reruns


@every_task
def test_an_act_sees_only_what_it_is_said_to_hear(name: str) -> None:
    task = TASKS[name]()
    _, runs = random_runs(task)
    for place, act in enumerate(task.acts):
        silent = [
            own if other in act.hears else np.full_like(own, -1) for other, own in enumerate(runs.actions[:place])
        ]
        assert (act.sees(runs.world, silent) == runs.states[place]).all()


@every_task
def test_a_change_reaches_those_who_hear_of_it_and_nobody_else(name: str) -> None:
    task = TASKS[name]()
    team, runs = random_runs(task)
    reached = set[tuple[int, int]]()
    for place, act in enumerate(task.acts):
        before = dict(enumerate(runs.actions[:place]))
        for action in range(act.actions):
            other = played(team, runs.world, runs.luck, before | {place: np.full_like(runs.actions[place], action)})
            changed = {where for where in range(len(task.acts)) if (other.actions[where] != runs.actions[where]).any()}
            assert changed - {place} <= task.hearing(place)
            reached |= {(place, where) for where in changed - {place}}
    assert reached == {(place, where) for place in range(len(task.acts)) for where in task.hearing(place)}


@every_task
def test_played_again_without_a_change_a_run_is_the_same(name: str) -> None:
    team, runs = random_runs(TASKS[name]())
    again = played(team, runs.world, runs.luck)
    assert (again.actions == runs.actions).all()
    assert (again.reward == runs.reward).all()


# --------------------------------------------------------------------------- where the answer is known


def test_in_the_harness_every_fine_credit_is_the_workers_own_share() -> None:
    task = harness(4)
    team, runs = random_runs(task, size=500)
    rng = np.random.default_rng(0)
    right = np.stack([runs.actions[n] == runs.world[f"part-{n}"] for n in range(4)]) / 4
    share = right - right.mean(axis=-1, keepdims=True)
    for credit in ("difference", "shapley"):
        assert advantages(credit, team, runs, rng) == pytest.approx(share)
    assert advantages("two-level", team, runs, rng) == pytest.approx(4 * share)
    for n, worker in enumerate(task.agents):
        chance = np.take_along_axis(
            team.policy(worker, runs.states[n]), runs.world[f"part-{n}"].astype(np.int64)[..., None], axis=-1
        )[..., 0]
        assert advantages("coma", team, runs, rng)[n] == pytest.approx(right[n] - chance / 4)


def test_two_who_search_one_place_get_no_difference_and_half_the_share_each() -> None:
    task = TASKS["swarm"]()
    team = Team.new(task, 1)
    for n, peer in enumerate(task.agents):
        team.logits[peer][:, 0, 0 if n < 2 else n] = 50.0  # the first two go to the best place
    rng = np.random.default_rng(0)
    runs = played(team, *drawn(task, rng, 1, 4000))
    assert (runs.actions[:2] == 0).all()
    difference, shares = (advantages(name, team, runs, rng)[:, 0] for name in ("difference", "shapley"))
    assert difference == pytest.approx(np.zeros((5, 4000)))  # each of the two can be spared, and the others are alike
    assert shares[0] + shares[1] == pytest.approx(np.zeros(4000))  # what the one gets, the other does not
    assert np.ptp(shares[0]) == pytest.approx(0.32)
    assert (shares[0] > 0).mean() == pytest.approx(0.5, abs=0.03)
    assert shares[2:] == pytest.approx(np.zeros((3, 4000)))


def test_an_agent_that_did_not_act_is_credited_with_nothing() -> None:
    team, runs = random_runs(TASKS["centralized"]())
    for credit in CREDITS:
        found = advantages(credit, team, runs, np.random.default_rng(0))
        assert found.shape == runs.actions.shape
        assert (found[runs.actions < 0] == 0).all()


# ------------------------------------------------------------------------------------------- learning


@every_task
@pytest.mark.parametrize("credit", CREDITS)
def test_a_team_is_never_worse_for_learning_but_by_misleading_scores(name: str, credit: str) -> None:
    turns = 60 * len(TASKS[name]().acts)
    curve = train(name, credit, turns=turns, updates=25, seeds=4, step=8.0, every=25)
    assert curve.shape == (4, 2)
    first, last = curve.mean(axis=0)
    if (name, credit) == ("swarm", "two-level"):
        assert last < first - 0.2
    else:
        assert last > first - 0.02


def test_the_same_seed_gives_the_same_curve_and_another_seed_another() -> None:
    curve = train("debate", "coma", turns=700, updates=3)
    assert (curve == train("debate", "coma", turns=700, updates=3)).all()
    assert (curve != train("debate", "coma", turns=700, updates=3, seed=1)).any()


def test_a_budget_of_turns_pays_for_reruns_too() -> None:
    assert [runs_for(TASKS["hierarchical"](), credit, 600) for credit in ("broadcast", "difference")] == [60, 27]
    assert runs_for(TASKS["swarm"](), "difference", 600) == 120  # nobody hears of an act
    with pytest.raises(ValueError, match=r"turns: found 40, expected 44 or more: a run with its reruns takes 22"):
        train("hierarchical", "difference", turns=40)


def test_unknown_names_are_refused_with_a_hint() -> None:
    with pytest.raises(
        ValueError, match=r'task: found "swram" \(did you mean "swarm"\?\), expected one of centralized'
    ):
        train("swram", "coma")
    with pytest.raises(ValueError, match=r'credit: found "comma" \(did you mean "coma"\?\), expected one of broadcast'):
        train("swarm", "comma")


# ------------------------------------------------------------------------- statements of the notebook


def test_the_larger_the_team_the_less_broadcast_sees_and_difference_rewards_see_as_much() -> None:
    def seen(workers: int, credit: str) -> float:
        return float(alignment(harness(workers), credit, turns=60 * workers, seeds=5).mean())

    assert seen(2, "broadcast") > seen(8, "broadcast") > seen(32, "broadcast")
    assert seen(32, "broadcast") < 0.3
    assert min(seen(2, "difference"), seen(32, "difference")) > 0.9


def test_own_scores_are_best_in_the_harness_and_mislead_in_the_swarm() -> None:
    assert alignment("harness", "two-level").mean() > alignment("harness", "broadcast").mean() + 0.1
    assert alignment("swarm", "two-level").mean() < alignment("swarm", "difference").mean() - 0.2


def test_where_acts_follow_one_another_broadcast_holds_its_own() -> None:
    for name in ("centralized", "planner_executor_critic"):
        assert alignment(name, "broadcast").mean() > alignment(name, "coma").mean()


def test_a_large_team_side_by_side_learns_from_difference_rewards_what_broadcast_does_not_teach_it() -> None:
    def learned(credit: str) -> float:
        steps = (8.0, 16.0, 32.0)
        return max(
            float(train(harness(32), credit, turns=60 * 32, updates=30, seeds=3, step=step, every=30)[:, -1].mean())
            for step in steps
        )

    assert learned("difference") > 0.95 > 0.8 > learned("broadcast")
