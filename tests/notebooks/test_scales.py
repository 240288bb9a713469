"""The basis of "Scaling a team": how six shapes diverge as teams grow, and which figures show it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from survey.literature import load
from survey.traces import metrics, replay
from survey.traces.metrics import Run
from survey.traces.simulate import TOPOLOGIES, Setting, simulate
from survey.traces.simulate.setting import MOST_STEPS


@cache
def run(shape: str, agents: int, seed: int = 0, width: int | None = None) -> Run:
    """Simulate a team that shares one task of sixteen parts."""
    setting = Setting(shape, agents, parts=16, steps=144, seed=seed, width=width)
    return Run(replay(simulate(setting).trace))


def speed(shape: str, agents: int, width: int | None = None) -> float:
    return fmean(metrics.speedup_observed(run(shape, agents, seed, width)) for seed in range(2))


@pytest.mark.parametrize("shape", ["centralized", "planner_executor_critic"])
def test_where_one_works_at_a_time_more_agents_bring_no_speed(shape: str) -> None:
    assert speed(shape, 3) == pytest.approx(1, abs=0.02)
    assert speed(shape, 17) == pytest.approx(1, abs=0.02)


def test_a_harness_is_as_fast_as_its_width_allows_and_no_faster() -> None:
    width, _ = TOPOLOGIES["harness"]
    assert speed("harness", 3) < speed("harness", 5) <= width
    assert speed("harness", 17) <= width


def test_a_hierarchy_is_no_faster_than_it_has_managers() -> None:
    for agents in (5, 17):
        one = run("hierarchical", agents)
        managers = {event.to for event in one.events if event.role == "manager" and event.type == "spawn"}
        assert 1 < metrics.speedup_observed(one) <= len(managers)


@pytest.mark.parametrize("shape", ["swarm", "debate"])
def test_swarm_and_debate_gain_with_every_doubling_and_fall_behind_the_ideal(shape: str) -> None:
    found = [speed(shape, agents) for agents in (3, 5, 9, 17)]
    assert found == sorted(found)
    shares = [one / workers for one, workers in zip(found, (2, 4, 8, 16), strict=True)]
    assert shares[-1] < shares[0] < 1


def test_a_centralized_team_of_the_same_width_is_about_as_fast_as_a_swarm() -> None:
    for width in (2, 8):
        assert speed("centralized", 17, width) == pytest.approx(speed("swarm", 17, width), rel=0.25)


def test_work_under_way_says_nothing_of_how_many_are_busy() -> None:
    one = run("harness", 17)
    assert metrics.sub_agents_at_once(one) == 16
    assert metrics.speedup_observed(one) < 4


def test_tokens_hardly_depend_on_the_number_of_agents() -> None:
    for shape in TOPOLOGIES:
        few, many = (fmean(metrics.tokens(run(shape, agents, seed)) for seed in range(2)) for agents in (3, 17))
        assert 0.6 < many / few < 1.4


def test_messages_per_step_do_not_grow_with_the_team() -> None:
    for shape in TOPOLOGIES:
        assert metrics.message_density(run(shape, 17)) < 1.5 * metrics.message_density(run(shape, 3))


def test_where_the_task_grows_the_path_of_those_who_queue_grows_with_it_and_that_of_a_swarm_hardly() -> None:
    def path(shape: str, agents: int) -> float:
        return metrics.critical_path_s(Run(replay(simulate(Setting(shape, agents)).trace)))

    assert path("centralized", 32) > 8 * path("centralized", 3)
    assert path("swarm", 32) < 5 * path("swarm", 3)


def test_with_nine_turns_a_part_the_limit_of_turns_is_reached_at_some_440_workers() -> None:
    assert 430 < MOST_STEPS / 9 < 450


def test_open_methods_disclose_small_teams_and_companies_large_ones() -> None:
    tags = load(Path(__file__).parent.parent.parent / "bib").tags.set_index("key")
    agents = tags.loc[(tags["axis"] == "scale") & (tags["word"] == "agents"), ["number"]]
    disclosed = agents.join(tags.loc[tags["axis"] == "category", "word"])
    largest = disclosed.groupby("word")["number"].max()
    assert largest["industry"] > largest["rl-method"]
