"""Reruns of simulated runs: what the team earns if it plays on, held against the ledger where nothing is played on."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.credit import Play
from survey.traces.metrics import NotMeasurable
from survey.traces.simulate import TOPOLOGIES, Setting, Simulation, message_policy, reruns, rollouts, simulate
from tests.traces.simulate.test_simulate import score, settings
from tests.traces.strategies import MODEST

every_topology = pytest.mark.parametrize("topology", TOPOLOGIES)

QUIET = Setting("centralized", agents=4, steps=12, failure=0, overlap=0, messages=0, variation=0, tool_failure=0)
"""A run whose reward is not left to chance."""


def played(run: Simulation, at: str | None, *without: str, seed: int = 0, instead: str | None = None) -> float:
    [reward] = reruns(run)([Play(run.trace, at, seed, frozenset(without), instead)])
    return reward


def first(run: Simulation, type: str) -> str:
    return next(event.id for event in run.trace.events if event.type == type and event.id in run.acts)


# ------------------------------------------------------------------------------- what stays as it was


@every_topology
def test_what_is_played_on_from_the_last_act_earns_what_the_run_earned(topology: str) -> None:
    run = simulate(Setting(topology, agents=6, steps=20, messages=0.5, failure=0.2, seed=4))
    last = next(event.id for event in reversed(run.trace.events) if event.id in run.acts)
    assert [played(run, last, seed=seed) for seed in range(5)] == pytest.approx([score(run)] * 5)


@every_topology
def test_the_later_a_run_departs_the_nearer_it_stays(topology: str) -> None:
    run = simulate(Setting(topology, agents=6, steps=20, messages=0.8, failure=0.1, seed=4))
    turns = run.units("turn")
    early, late = (stdev(played(run, at, seed=seed) for seed in range(40)) for at in (turns[1], turns[-2]))
    assert late < early


@every_topology
def test_a_whole_run_played_again_is_one_of_the_runs_that_the_setting_gives(topology: str) -> None:
    setting = Setting(topology, agents=5, steps=12, messages=0.5, failure=0.2, seed=7)
    again = [played(simulate(setting), None, seed=seed) for seed in range(300)]
    drawn = [score(one) for one in rollouts(setting, 300)]
    assert abs(fmean(again) - fmean(drawn)) < 4 * (stdev(again) + stdev(drawn)) / 300**0.5


def test_the_same_play_has_the_same_reward_and_another_seed_another() -> None:
    run = simulate(Setting("swarm", seed=3))
    assert played(run, None, "worker-1", seed=5) == played(run, None, "worker-1", seed=5)
    assert len({played(run, None, seed=seed) for seed in range(20)}) == 20


# ------------------------------------------------------------- where nothing follows, the ledger is right


def test_a_tool_call_is_worth_what_it_found() -> None:
    run = simulate(replace(QUIET, variation=0.5, tools=3))
    for call in run.units("tool_call"):
        rest = [other for other in run.units("tool_call") if other != call]
        assert score(run) - played(run, call, call) == pytest.approx(score(run) - run.value(rest, "tool_call"))


@pytest.mark.parametrize("effect", ["informs", "misleads", "neither"])
def test_the_only_message_is_worth_its_effect_as_it_was_and_as_it_could_have_been(effect: str) -> None:
    base = Setting("swarm", agents=3, parts=2, steps=4, failure=0, tool_failure=0, overlap=0, messages=0.3)
    alone = (run for seed in range(200) if len((run := simulate(replace(base, seed=seed))).effects) == 1)
    run = next(run for run in alone if run.effects[run.units("message")[0]] == effect)
    [message] = run.units("message")
    assert played(run, message, message) == pytest.approx(run.value([], "message"), abs=1e-9)
    earned = {act: played(run, message, instead=act) for act in message_policy(run)(message)}
    assert earned[effect] == pytest.approx(score(run))
    assert earned["informs"] >= earned["neither"] >= earned["misleads"]


def test_a_turn_is_worth_its_findings_and_the_last_one_the_write_up() -> None:
    run = simulate(QUIET)
    for turn in run.units("turn"):
        rest = [other for other in run.units("turn") if other != turn]
        assert played(run, turn, turn) == pytest.approx(run.value(rest, "turn"))


def test_without_a_decision_the_part_that_it_hands_out_is_not_done() -> None:
    run = simulate(QUIET)
    decisions = [event.id for event in run.trace.events if event.type == "orchestrator_decision"]
    assert len(decisions) == 3
    assert [score(run) - played(run, one, one) for one in decisions] == pytest.approx([score(run) / 3] * 3)


def test_without_the_aggregation_what_it_holds_together_is_lost() -> None:
    run = simulate(replace(QUIET, glue=0.4))
    last = first(run, "aggregate")
    assert played(run, last, last) == pytest.approx(0.6 * score(run))


# ---------------------------------------------------------------------------------- the team plays on


def test_without_a_worker_the_others_do_its_work() -> None:
    run = simulate(QUIET)
    assert played(run, None, "worker-1") == pytest.approx(score(run))
    assert run.value({"lead", "worker-2", "worker-3"}, "agent") < 0.7 * score(run)


def test_without_a_worker_a_team_earns_what_a_team_with_one_fewer_does() -> None:
    with_all = Setting("swarm", agents=6, parts=5, steps=20, failure=0.2, overlap=0, messages=0, variation=0)
    run, fewer = simulate(with_all), replace(with_all, agents=5)
    without = [played(run, None, "worker-3", seed=seed) for seed in range(400)]
    drawn = [score(one) for one in rollouts(fewer, 400)]
    assert abs(fmean(without) - fmean(drawn)) < 4 * (stdev(without) + stdev(drawn)) / 400**0.5


def test_a_worker_left_out_midway_hands_on_only_what_it_has_not_done() -> None:
    run = simulate(replace(QUIET, parts=6, steps=24))
    spawns = {event.to: event.id for event in run.trace.events if event.type == "spawn"}
    assert played(run, spawns["worker-3"], "worker-3") == pytest.approx(score(run))


def test_without_a_manager_another_team_does_its_work() -> None:
    run = simulate(Setting("hierarchical", agents=9, failure=0, overlap=0, messages=0, variation=0, tool_failure=0))
    assert played(run, None, "manager-1") == pytest.approx(score(run))


def test_without_critics_the_planner_answers() -> None:
    run = simulate(Setting("planner_executor_critic", agents=5, messages=1, informing=1, misleading=0, failure=0))
    critics = [agent for agent in run.units("agent") if agent.startswith("critic")]
    assert critics
    assert played(run, None, *critics) > run.value(set(run.units("agent")) - set(critics), "agent")


def test_without_the_lead_without_anyone_and_without_workers_nothing_is_earned() -> None:
    run = simulate(QUIET)
    assert played(run, None, "lead") == played(run, None, *run.units("agent")) == 0
    assert played(run, None, "worker-1", "worker-2", "worker-3") == 0


def test_without_the_turn_in_which_it_fails_a_worker_succeeds() -> None:
    setting = replace(QUIET, failure=0.4, retries=0)
    run = next(run for seed in range(50) if score(run := simulate(replace(setting, seed=seed))) < 0.7)
    fatal = next(event.id for event in run.trace.events if event.type == "model_call" and event.status == "error")
    assert played(run, fatal, fatal) > played(run, fatal)


@MODEST
@given(settings, st.data())
def test_any_run_plays_on_without_any_units_of_it(setting: Setting, data: st.DataObject) -> None:
    run = simulate(setting)
    everything = [*run.units("agent"), *run.acts]
    gone = data.draw(st.sets(st.sampled_from(everything), max_size=4))
    at = data.draw(st.sampled_from([None, *run.acts]))
    assert -1e-9 <= played(run, at, *gone) <= 1 + 1e-9


# --------------------------------------------------------------------------------------------- errors


def test_what_cannot_be_played_is_refused_with_a_hint() -> None:
    run, other = simulate(Setting("swarm", messages=1, seed=1)), simulate(Setting("swarm", seed=2))
    with pytest.raises(NotMeasurable, match=r'cannot play on without "wroker-3" \(did you mean "worker-3"\?\)'):
        played(run, None, "wroker-3")
    with pytest.raises(
        NotMeasurable, match=r'found "inform" \(did you mean "informs"\?\), expected one of informs, mis'
    ):
        played(run, run.units("message")[0], instead="inform")
    with pytest.raises(NotMeasurable, match=r"^needs the trace .*, found "):
        reruns(run)([Play(other.trace, None, 0)])
