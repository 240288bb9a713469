"""Optimal stopping: the environment behaves as documented, and its optimal rules are optimal."""

from __future__ import annotations

from statistics import fmean

import pytest

from survey.traces.simulate.stopping import (
    CONTINUE,
    OBSERVED,
    STOP,
    Stopping,
    episodes,
    played,
)
from survey.traces.stopping import fixed, giving_up, patience

TEAM = Stopping()
TASKS = list(episodes(TEAM, 400))


def test_the_same_seed_gives_the_same_task_and_another_gives_another() -> None:
    assert TEAM.episode(3) == Stopping().episode(3)
    assert TEAM.episode(3) != TEAM.episode(4)
    assert TEAM.episode(3) != Stopping(seed=1).episode(3)


@pytest.mark.parametrize("rounds", [0, 1, 7, 20])
def test_playing_so_many_rounds_earns_quality_less_cost(rounds: int) -> None:
    seen, total, done = TEAM.reset(5), 0.0, False
    for _ in range(rounds):
        assert not done
        seen, reward, done = TEAM.step(CONTINUE)
        total += reward
    if not done:
        seen, reward, done = TEAM.step(STOP)
        total += reward
    task = TEAM.episode(5)
    assert done
    assert seen == task.observations[rounds]
    assert total == pytest.approx(task.returns[rounds])
    assert task.returns[rounds] == pytest.approx(task.qualities[rounds] - TEAM.cost * rounds)


def test_quality_never_falls_and_on_average_grows_less_and_less() -> None:
    for task in TASKS:
        assert list(task.qualities) == sorted(task.qualities)
    gains = [fmean(task.qualities[t + 1] - task.qualities[t] for task in TASKS) for t in range(TEAM.rounds)]
    assert gains[0] > gains[3] > gains[7] > gains[15] >= 0


def test_what_is_seen_has_a_name_each_and_lies_between_minus_1_and_1() -> None:
    for task in TASKS:
        assert len(task.observations) == task.rounds + 1
        assert all(
            len(seen) == len(OBSERVED) and all(-1 <= number <= 1 for number in seen) for seen in task.observations
        )


def test_what_is_seen_up_to_a_round_does_not_hang_on_rounds_to_come() -> None:
    short, long = Stopping(rounds=10).episode(2), Stopping(rounds=20).episode(2)
    assert long.qualities[:11] == short.qualities
    assert [seen[1:5] for seen in long.observations[:11]] == [seen[1:5] for seen in short.observations]


def test_hindsight_is_never_beaten_and_knowing_the_hidden_numbers_is_best_on_average() -> None:
    assert all(task.oracle >= value for task in TASKS for value in task.returns)
    assert all(task.returns[task.oracle_rounds] == task.oracle for task in TASKS)
    informed = fmean(task.informed for task in TASKS)
    rules = [fixed(t) for t in range(TEAM.rounds + 1)] + [patience(t) for t in range(1, 6)]
    best = max(fmean(task.returns[played(task, rule)] for task in TASKS) for rule in rules)
    assert best < informed < fmean(task.oracle for task in TASKS)
    assert informed - best > 0.03, "there should be something to learn"


def test_the_best_number_of_rounds_differs_from_task_to_task() -> None:
    assert len({task.informed_rounds for task in TASKS}) > 5


def test_free_rounds_are_all_played_and_dear_ones_not_at_all() -> None:
    assert all(task.informed_rounds == 0 for task in episodes(Stopping(cost=1), 20))
    free = [task for task in episodes(Stopping(cost=0), 50) if task.qualities[-1] * task.parts < task.reach]
    assert all(task.informed_rounds == task.rounds for task in free)


def test_rules_stop_when_they_say() -> None:
    task = TASKS[0]
    assert played(task, fixed(4)) == 4
    assert played(task, fixed(99)) == TEAM.rounds
    stopped = played(task, patience(2))
    assert all(seen[3] <= 0 for seen in task.observations[stopped - 1 : stopped + 1])


def test_giving_up_is_patience_with_a_bar_and_a_cap() -> None:
    for task in TASKS:
        wait = played(task, patience(2))
        agreement = task.observations[3][2]
        stopped = played(task, giving_up(3, 0.2, 2, 12))
        assert stopped == (min(wait, 3) if agreement < 0.2 else min(wait, 12))


def test_acting_out_of_turn_or_with_an_unknown_action_is_refused() -> None:
    team = Stopping()
    with pytest.raises(RuntimeError, match="call reset first"):
        team.step(STOP)
    team.reset(1)
    with pytest.raises(ValueError, match="action: found 2, expected 0"):
        team.step(2)
    team.step(STOP)
    with pytest.raises(RuntimeError, match="call reset first"):
        team.step(STOP)


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="rounds: found 0, expected an integer of at least 1"):
        Stopping(rounds=0)
    with pytest.raises(ValueError, match="cost: found 2, expected a number from 0 to 1"):
        Stopping(cost=2)
