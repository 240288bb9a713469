"""Credit from the rewards of several runs."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import (
    KINDS,
    METHODS,
    NotMeasurable,
    agent_wise,
    alternatives,
    assign,
    branches,
    coma,
    composite,
    composite_group,
    counterfactual,
    exact,
    gae_advantages,
    gae_credits,
    group_centred,
    group_relative,
    leave_one_out_baseline,
    reach,
    simulated_game,
    two_level,
)
from survey.traces.credit.group import returns_to_go
from survey.traces.simulate import Setting, rollouts, simulate
from survey.traces.simulate import alternatives as played_on
from tests.traces.credit.drawn import MODEST, fork, shares, worths
from tests.traces.credit.test_units import EXAMPLE
from tests.traces.strategies import Json, small

returns = st.lists(worths, min_size=2, max_size=12)
GROUP = [fork(score, trace_id=f"run-{number}") for number, score in enumerate([1, 0, 0.5, 0.5])]


# group-relative


@MODEST
@given(returns)
def test_relative_advantages_add_up_to_nothing_and_are_spread_by_one(rewards: list[float]) -> None:
    found = group_relative(rewards)
    assert found.sum() == pytest.approx(0, abs=1e-9)
    assert found.std(ddof=1) == pytest.approx(1 if len(set(rewards)) > 1 else 0)
    assert group_centred(rewards).sum() == pytest.approx(0, abs=1e-9)


@MODEST
@given(returns, st.integers(1, 9), worths)
def test_relative_advantages_know_neither_scale_nor_origin(rewards: list[float], factor: int, origin: float) -> None:
    assert group_relative([factor * reward + origin for reward in rewards]) == pytest.approx(group_relative(rewards))


@pytest.mark.parametrize(("spread", "most"), [(1e-6, 0.015), (1e-5, 0.15), (1e-2, 1.5), (1.0, 1.5)])
def test_noise_in_the_reward_stays_noise(spread: float, most: float) -> None:
    # three alike and one 2 s above have a standard deviation of s; TRL adds 1e-4 to it, verl 1e-6
    found = group_relative([1, 1, 1, 1 + 2 * spread])
    assert found.max() == pytest.approx(most, rel=1e-6)
    assert found.max() == pytest.approx(1.5 * spread / (spread + 1e-4), rel=0.11)
    assert group_relative([1, 1, 1, 1 + 2 * spread], floor=0).max() == pytest.approx(1.5, rel=1e-6)


@MODEST
@given(returns)
def test_a_baseline_that_leaves_the_run_out_is_the_mean_of_the_others(rewards: list[float]) -> None:
    found = leave_one_out_baseline(rewards)
    wanted = [own - fmean(rewards[:place] + rewards[place + 1 :]) for place, own in enumerate(rewards)]
    assert found == pytest.approx(wanted)
    assert found == pytest.approx(group_centred(rewards) * len(rewards) / (len(rewards) - 1))
    runs = [fork(score, trace_id=str(place)) for place, score in enumerate(rewards)]
    assert [own[0].value for own in assign(runs, "team", "rloo")] == pytest.approx(wanted)


def test_where_all_runs_got_the_same_there_is_nothing_to_prefer() -> None:
    assert group_relative([0.1] * 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.group])
def test_one_run_is_no_group(name: str) -> None:
    kind = METHODS[name].kinds[-1] if name != "counterfactual" else "turn"
    with pytest.raises(NotMeasurable, match=r"needs (a group: at least two runs|runs that branch)"):
        assign(fork(), kind, name)


def test_runs_of_another_task_are_another_group() -> None:
    others = [trace.with_head(task_id="other", rewards={"team": 5}) for trace in GROUP[:2]]
    found = assign([*GROUP, *others], "agent", "group")
    assert [own[0].value for own in found] == pytest.approx([*group_relative([1, 0, 0.5, 0.5]), 0, 0])


@MODEST
@given(st.lists(st.lists(worths, min_size=2, max_size=6), min_size=1, max_size=4))
def test_each_agent_is_normalised_by_its_own_statistics(rewards: list[list[float]]) -> None:
    named = {f"agent-{number}": own for number, own in enumerate(rewards)}
    for agent, found in agent_wise(named).items():
        own = named[agent]
        spread = stdev(own)
        wanted = [(reward - fmean(own)) / spread if spread else 0 for reward in own]
        assert found == pytest.approx(wanted)


def test_an_agent_who_acts_twice_in_a_run_counts_twice() -> None:
    turn: Json = {"type": "model_call"}
    runs = [small([turn, turn], rewards={"team": 1}), small([turn], rewards={"team": 0}, trace_id="s")]
    found = assign(runs, "turn", "agent-wise")
    assert [own.value for own in found[0]] == pytest.approx([(1 - 2 / 3) / (1 / 3) ** 0.5] * 2)


def test_an_agent_with_one_step_has_no_statistics() -> None:
    with pytest.raises(NotMeasurable, match='needs at least two steps of every agent in the group: "a" has one'):
        agent_wise({"a": [1.0]})


def test_centred_returns_are_compared_turn_by_turn() -> None:
    runs = [
        small([{"type": "model_call", "reward": 1}, {"type": "model_call"}], rewards={"team": score}, trace_id=str(score))
        for score in (0, 2)
    ]  # fmt: skip
    found = assign(runs, "turn", "magrpo")
    assert [[own.value for own in of_run] for of_run in found] == [[-1, -1], [1, 1]]
    assert returns_to_go([[1, 0, 2]], 0.5).tolist() == [[1.5, 1, 2]]


# counterfactuals


@MODEST
@given(st.lists(worths, min_size=2, max_size=8))
def test_advantages_of_alternatives_are_deviations_from_the_mean_of_all(means: list[float]) -> None:
    found = alternatives({str(number): [mean] for number, mean in enumerate(means)})
    scale = len(means) / (len(means) - 1)
    assert [a for a, _, _ in found.values()] == pytest.approx([scale * (mean - fmean(means)) for mean in means])


@MODEST
@given(st.lists(st.tuples(worths, st.integers(1, 9)), min_size=1, max_size=6))
def test_comas_baseline_is_the_policys_mean_of_all_alternatives(drawn: list[tuple[float, int]]) -> None:
    total = sum(weight for _, weight in drawn)
    policy = {str(place): weight / total for place, (_, weight) in enumerate(drawn)}
    found = coma({str(place): [value] for place, (value, _) in enumerate(drawn)}, policy)
    mean = float(np.average([value for value, _ in drawn], weights=[weight for _, weight in drawn]))
    assert list(found.values()) == pytest.approx([value - mean for value, _ in drawn])
    assert sum(policy[act] * advantage for act, advantage in found.items()) == pytest.approx(0, abs=1e-9)


def test_without_a_policy_coma_weighs_alternatives_as_often_as_they_were_sampled() -> None:
    runs = [fork(1, trace_id="run"), rerun("x", 0), rerun("y", 1, alternative="y"), rerun("y2", 0, alternative="y")]
    found = assign(runs, "turn", "coma")
    # Q is 1, 0 and 0.5, sampled once, once and twice
    assert [own[0].value for own in found] == pytest.approx([0.5, -0.5, 0, 0])
    with pytest.raises(ValueError, match=r"expected a probability for each of x, y, together 1; found x 0.5, y 0.25"):
        coma({"x": [1], "y": [0]}, {"x": 0.5, "y": 0.25})


def test_bounds_come_with_the_second_continuation() -> None:
    assert alternatives({"x": [1, 0], "y": [1]})["x"] == (-0.5, None, None)
    advantage, low, high = alternatives({"x": [1, 0, 1, 1], "y": [0, 0, 1, 0]})["x"]
    assert low is not None and high is not None
    assert advantage == 0.5 and low < 0.5 < high
    assert high - low == pytest.approx(2 * 2.447 * (2 * 0.25 / 4) ** 0.5, abs=0.001)


def test_one_alternative_is_none() -> None:
    with pytest.raises(NotMeasurable, match="needs at least two alternatives to one act, found 1"):
        alternatives({"x": [1, 2]})


def rerun(name: str, score: float, **departs: Any) -> Trace:
    return fork(score, trace_id=name, counterfactual_of={"trace_id": "run", "how": "rerun", "from": "e3", **departs})


def test_runs_that_branch_at_one_event_are_credited_there() -> None:
    runs = [fork(1, trace_id="run"), rerun("x", 0), rerun("y", 1, alternative="y"), rerun("y2", 0, alternative="y")]
    found = assign(runs, "turn", "counterfactual")
    assert [own[0].value for own in found] == [0.75, -0.75, 0, 0]
    assert found[0][0].unit == "e3"


BRANCHES: list[tuple[str, list[Trace], str]] = [
    ("removed", [rerun("x", 1, how="removed"), rerun("y", 0)], "needs reruns"),
    (
        "another event",
        [rerun("x", 1), rerun("y", 0, **{"from": "e1"})],
        "needs runs that all branch at one event, found e1, e3",
    ),
    ("a stranger", [rerun("x", 1), fork(trace_id="z")], "z is neither"),
    (
        "no event",
        [fork(counterfactual_of={"trace_id": "run", "how": "rerun"})],
        "needs the one event at which r branches",
    ),
]


@pytest.mark.parametrize(("runs", "said"), [row[1:] for row in BRANCHES], ids=[row[0] for row in BRANCHES])
def test_runs_that_do_not_branch_at_one_event_are_refused(runs: list[Trace], said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        branches(runs)


def test_the_branch_must_be_of_the_kind_asked_for() -> None:
    with pytest.raises(NotMeasurable, match='the runs branch at "e3", which is not a unit of kind orchestrator in run'):
        counterfactual([fork(trace_id="run"), rerun("x", 0)], "orchestrator")


# two levels


def test_a_composite_weighs_the_common_reward_the_single_credit_and_the_tools() -> None:
    found = {own.unit: own for own in composite(EXAMPLE, reach(EXAMPLE))}
    single = {"searcher-1": 1 / 3, "searcher-2": 1 / 3, "writer": 1, "lead": 5 / 9}
    tools = {"searcher-1": 1, "searcher-2": 0.5}
    wanted = {agent: 0.9 + 0.9 * own + 0.1 * tools.get(agent, 0) for agent, own in single.items()}
    assert {agent: own.value for agent, own in found.items()} == pytest.approx(wanted)
    assert found["writer"].why.endswith("0.1 * 0 (no calls)")


def test_composites_are_normalised_within_roles_over_the_group() -> None:
    found = composite_group(GROUP, reach)
    values = [own.value for of_run in found for own in of_run]
    assert sum(values) == pytest.approx(0)
    leads = [of_run[0].value for of_run in found]
    assert leads == pytest.approx(group_relative([1, 0, 0.5, 0.5]))


def test_levels_are_compared_apart() -> None:
    own = [{"a": 1.0, "b": 0.0}, {"a": 0.0}, {"a": 1.0}, {}]
    found = two_level(GROUP, lambda trace: own[int(trace.id[-1])])
    assert [of_run[0].value for of_run in found] == pytest.approx(group_relative([1, 0, 0.5, 0.5]))
    assert [sub.value for of_run in found for sub in of_run[1:]] == pytest.approx(group_relative([1, 0, 0, 1]))


def test_without_rewards_of_their_own_sub_agents_have_no_level() -> None:
    with pytest.raises(
        NotMeasurable, match=r'run-0: needs a reward of its own for every invocation .*: "a" \(e2\), .* has none'
    ):
        two_level(GROUP)


# generalised advantage estimation


@MODEST
@given(st.lists(st.tuples(worths, worths), min_size=1, max_size=8), st.sampled_from([0.0, 0.5, 1.0]))
def test_with_lambda_one_estimates_are_returns_less_what_was_expected(
    steps: list[tuple[float, float]], gamma: float
) -> None:
    rewards, values = [list(column) for column in zip(*steps, strict=True)]
    assert gae_advantages(rewards, values, gamma) == pytest.approx(returns_to_go(rewards, gamma) - np.array(values))


@MODEST
@given(st.lists(st.tuples(worths, worths), min_size=1, max_size=8))
def test_with_lambda_nothing_estimates_are_surprises(steps: list[tuple[float, float]]) -> None:
    rewards, values = [list(column) for column in zip(*steps, strict=True)]
    following = [*values[1:], 0]
    wanted = [r + v_next - v for r, v, v_next in zip(rewards, values, following, strict=True)]
    assert gae_advantages(rewards, values, 1, 0) == pytest.approx(wanted)


def test_rewards_of_events_come_with_their_turns_and_that_of_the_run_with_the_last() -> None:
    trace = small(
        [
            {"type": "model_call"},
            {"type": "tool_call", "reward": 0.5},
            {"type": "model_call", "reward": {"judge": 0.25}},
        ],
        rewards={"team": 1},
    )
    assert shares(gae_credits(trace)) == {"e1": 1.75, "e3": 1.25}
    assert shares(gae_credits(trace, gamma=0)) == {"e1": 0.5, "e3": 1.25}


def test_agents_can_be_sequences_of_their_own() -> None:
    found = shares(gae_credits(fork(), by_agent=True, gamma=0.5))
    assert found == {"e1": 0.5, "e3": 1, "e6": 1, "e9": 1, "e12": 1, "e13": 1}
    assert shares(gae_credits(fork(), gamma=0.5))["e1"] == 0.5**2


def test_a_critic_is_asked_about_every_token() -> None:
    asked: list[str] = []
    found = gae_credits(fork(), "token", critic=lambda name: asked.append(name) or 0.25, lam=0)  # type: ignore[func-returns-value]
    assert sorted(asked) == sorted(own.unit for own in found)
    assert [own.value for own in found] == [0] * 15 + [0.75]


# invalid combinations


def test_every_method_takes_the_units_it_says_and_refuses_the_others_with_a_reason() -> None:
    for name, method in METHODS.items():
        for kind in KINDS:
            if kind not in method.kinds:
                with pytest.raises(NotMeasurable, match=f"does not credit units of kind {kind}: {method.refusal}"):
                    assign(GROUP, kind, name)
    with pytest.raises(ValueError, match=r'"shaply" is not a method \(did you mean "shapley"\?\)'):
        assign(GROUP, "agent", "shaply")


# against simulated truth

SIMULATED = Setting("centralized", agents=5, seed=4)


def test_shapley_values_of_the_simulated_game_are_its_truth() -> None:
    run = simulate(SIMULATED)
    assert shares(exact(simulated_game(run, "agent"))) == pytest.approx(dict(run.contributions("agent")))


def test_simulated_runs_make_groups_and_branches() -> None:
    runs = [run.trace for run in rollouts(SIMULATED, 4)]
    values = [own[0].value for own in assign(runs, "agent", "group")]
    assert sum(values) == pytest.approx(0, abs=1e-9)
    talking = simulate(Setting("debate", agents=3, seed=1))
    message = talking.units("message")[0]
    others = [run.trace for run in played_on(talking, message, 3)]
    found = assign(others, "message", "counterfactual")
    assert [own[0].unit for own in found] == [message] * 3
    assert sum(own[0].value for own in found) == pytest.approx(0, abs=1e-9)
