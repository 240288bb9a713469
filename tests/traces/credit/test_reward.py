"""Credit follows the reward, and never the order of the lines of a log."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import METHODS, VALUES, BadRuns, NotMeasurable, assign, estimate, game_of, units
from survey.traces.model import graph
from survey.traces.replay import final_acts, without
from survey.traces.simulate import TOPOLOGIES, Setting, simulate
from tests.traces.credit.drawn import MODEST, fork, permuted, shares
from tests.traces.strategies import Json, small, traces

TURN: Json = {"type": "model_call"}
REMOVING = [name for name, method in METHODS.items() if method.removes]


def pipeline(**head: Any) -> Trace:
    """A planner tells a coder, who tells a tester."""
    events: list[Json] = [
        {**TURN, "agent": "planner"}, {"type": "message", "agent": "planner", "to": "coder"},
        {**TURN, "agent": "coder"}, {"type": "message", "agent": "coder", "to": "tester"},
        {**TURN, "agent": "tester"},
    ]  # fmt: skip
    edges = [("e1", "e2", "causal"), ("e2", "e3", "message"), ("e3", "e4", "causal"), ("e4", "e5", "message")]
    return small(events, edges, **{"rewards": {"team": 1.0}, **head})


def by_hand(trace: Trace, kind: str) -> dict[str, float]:
    """Shapley values of the estimate from the definition: a sum over all coalitions, in plain Python."""
    game, names = game_of(trace, kind, estimate(trace)), units(trace, kind)
    found = dict.fromkeys(names, 0.0)
    for name in names:
        others = [other for other in names if other != name]
        for size in range(len(names)):
            weight = factorial(size) * factorial(len(names) - size - 1) / factorial(len(names))
            for there in combinations(others, size):
                found[name] += weight * (game({*there, name}) - game(there))
    return found


# the reward


@pytest.mark.parametrize("name", REMOVING)
def test_credit_has_the_sign_and_the_size_of_the_reward(name: str) -> None:
    one = shares(assign(fork(1), "agent", name, samples=8 if "causal" in name else None)[0])
    for reward in (2.0, -1.0, 0.0):
        found = shares(assign(fork(reward), "agent", name, samples=8 if "causal" in name else None)[0])
        assert found == pytest.approx({unit: reward * value for unit, value in one.items()}, abs=1e-12)
    assert max(one.values()) > 0


@pytest.mark.parametrize("name", [name for name in REMOVING if name != "leave-one-out"])
@pytest.mark.parametrize("baseline", [None, 0.25])
def test_shapley_shares_sum_to_the_reward_less_the_baseline(name: str, baseline: float | None) -> None:
    for kind in ("agent", "turn"):
        found = shares(assign(fork(0.75), kind, name, baseline=baseline, samples=20)[0])
        assert sum(found.values()) == pytest.approx(0.75 - (baseline or 0))


def test_the_shares_of_a_fork_by_hand() -> None:
    # eight useful acts: two of the lead, without which there is nothing, and two each of a, b and c; idle returns none
    assert estimate(fork()).useful == {"e1", "e3", "e4", "e6", "e7", "e9", "e10", "e13"}
    assert shares(assign(fork(), "agent", "leave-one-out")[0]) == {
        "lead": 1,
        "a": 0.25,
        "b": 0.25,
        "c": 0.25,
        "idle": 0,
    }


@MODEST
@given(traces(14), st.sampled_from(["agent", "turn", "tool-call"]), st.sampled_from([1.0, -0.5]))
def test_exact_shares_are_those_of_the_definition(trace: Trace, kind: str, reward: float) -> None:
    trace = trace.with_head(rewards={"team": reward})
    try:
        found = shares(assign(trace, kind, "shapley")[0])
    except NotMeasurable:
        return
    if len(found) <= 7:
        assert found == pytest.approx(by_hand(trace, kind))


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_workers_of_every_topology_are_paid_a_part_of_the_reward(topology: str) -> None:
    trace = simulate(Setting(topology, agents=5, seed=1)).trace
    found = shares(assign(trace, "agent", "shapley")[0])
    assert sum(found.values()) == pytest.approx(trace.rewards["team"])
    assert sum(value > 0 for value in found.values()) >= 3


@pytest.mark.parametrize("name", [*REMOVING, "sharp", "broadcast"])
def test_the_named_reward_is_the_one_that_is_divided(name: str) -> None:
    both = fork(rewards={"team": 1.0, "style": -0.5})
    style = fork(-0.5)
    kind: dict[str, Any] = {"samples": 10} if name.startswith("shapley-") else {}
    assert shares(assign(both, "agent", name, reward="style", **kind)[0]) == pytest.approx(
        shares(assign(style, "agent", name, **kind)[0])
    )


@pytest.mark.parametrize("name", METHODS)
def test_a_reward_that_no_run_has_is_an_error_that_names_those_there_are(name: str) -> None:
    runs = [fork(rewards={"team": 1.0, "style": 0.5}, trace_id=str(number)) for number in range(2)]
    kind = METHODS[name].kinds[0]
    with pytest.raises(
        NotMeasurable, match=r'^no run has the reward "stile" \(did you mean "style"\?\); there is team'
    ):
        assign(runs, kind, name, reward="stile", bad="skip")


def test_a_value_that_does_not_depend_on_the_reward_refuses_one() -> None:
    with pytest.raises(ValueError, match=r'the value "reach" does not depend on a reward, and would ignore \'team\''):
        assign(fork(), "agent", "shapley", value="reach", reward="team")
    with pytest.raises(ValueError, match="the value given does not depend on a baseline"):
        assign(fork(), "agent", "shapley", value=lambda trace: len, baseline=1)
    assert assign(fork(-1), "agent", "shapley", value="reach") == assign(fork(1), "agent", "shapley", value="reach")


def test_an_option_that_a_method_would_ignore_is_refused() -> None:
    for option in ({"critic": lambda name: 0.5}, {"bootstrap": 1.0}, {"by_agent": True}):
        with pytest.raises(ValueError, match=r"^The Shapley value takes no .*, and would ignore it$"):
            assign(fork(), "agent", "shapley", **option)
    with pytest.raises(ValueError, match="Broadcast takes no baseline"):
        assign(fork(), "agent", "broadcast", baseline=0.5)


def test_a_value_that_no_unit_changes_is_refused_and_not_called_a_credit_of_nothing() -> None:
    trace = small([TURN, {"type": "tool_call", "tool": "t", "status": "error"}, TURN], rewards={"team": 1})
    with pytest.raises(
        BadRuns, match=r"^r: needs a record in which some tool-call counts: the value stays 1 .* \(e2\)"
    ):
        assign(trace, "tool-call", "leave-one-out")
    assert shares(assign(trace.with_head(rewards={"team": 0}), "tool-call", "shapley")[0]) == {"e2": 0}


def test_a_value_that_is_the_same_for_all_units_is_said_to_be() -> None:
    assert not any(own.why.endswith("not credit") for own in assign(fork(), "agent", "shapley")[0])
    alike = assign(small([{**TURN, "agent": name} for name in "abc"], rewards={"team": 1}), "agent", "shapley")[0]
    assert [own.value for own in alike] == pytest.approx([1 / 3] * 3)
    assert all(own.why.endswith("the same for all 3 units: a share, not credit") for own in alike)


# the final act, and the order of lines


def test_the_last_of_a_pipeline_gives_the_result_and_all_have_a_part_in_it() -> None:
    assert final_acts(graph(pipeline())) == ["e5"]
    found = shares(assign(pipeline(), "agent", "shapley")[0])
    # the tester's act is the result, and falls with the message of the coder, which falls with that of the planner
    assert found == pytest.approx({"planner": 1 / 3, "coder": 1 / 3, "tester": 1 / 3})


def test_a_trace_may_name_its_final_act() -> None:
    labelled = pipeline(labels=[{"event": "e3", "label": "final"}])
    assert final_acts(graph(labelled)) == ["e3"]
    assert shares(assign(labelled, "agent", "shapley")[0]) == pytest.approx({"planner": 0.5, "coder": 0.5, "tester": 0})
    answered = [{**TURN, "content_ref": "42"}, {"type": "message", "to": "user", "content_ref": "42"}, TURN]
    assert final_acts(graph(small(answered, outcome={"answer_ref": "42"}))) == ["e2"]


def test_work_that_nobody_took_up_is_not_the_result_of_a_team_with_a_lead() -> None:
    assert final_acts(graph(fork())) == ["e13"]
    spawned: list[Json] = [TURN, {"type": "spawn", "to": "a"}, {**TURN, "agent": "a"}, TURN]
    assert final_acts(graph(small(spawned, [("e2", "e3", "spawn")]))) == ["e4"]


def test_of_agents_that_end_alone_each_gives_a_result_whoever_is_logged_first() -> None:
    events = [{**TURN, "agent": name, "t": 0} for name in ("a", "b")]
    for lines in (events, events[::-1]):
        found = assign(small(lines, rewards={"team": 1}), "agent", "shapley", value="outcome")[0]
        assert shares(found) == {"a": 0.5, "b": 0.5}


def test_calls_made_at_once_count_alike_though_nothing_links_them() -> None:
    calls: list[Json] = [{"type": "tool_call", "tool": name, "t": 1} for name in "uvw"]
    events = [{**TURN, "t": 0}, *calls, {**TURN, "t": 2}]
    for seed in range(4):
        found = assign(permuted(small(events, rewards={"team": 1}), seed), "tool-call", "leave-one-out")[0]
        assert shares(found) == pytest.approx({"e2": 0.2, "e3": 0.2, "e4": 0.2})


@MODEST
@given(traces(30), st.integers(0, 99), st.sampled_from(["agent", "turn", "message", "tool-call"]))
def test_credit_does_not_depend_on_the_order_of_lines(trace: Trace, seed: int, kind: str) -> None:
    trace = trace.with_head(rewards={"team": -2.0})
    other = permuted(trace, seed)
    for name in ("leave-one-out", "gae") if kind == "turn" else ("leave-one-out",):
        assert _tried(trace, kind, name) == _tried(other, kind, name)
    if len(_tried(trace, kind, "leave-one-out")) <= 8:
        assert _tried(trace, kind, "shapley") == _tried(other, kind, "shapley")


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("name", ["leave-one-out", "shapley", "shapley-antithetic", "shapley-causal", "sharp"])
def test_credit_of_simulated_agents_does_not_depend_on_the_order_of_lines(topology: str, name: str) -> None:
    trace = simulate(Setting(topology, agents=4, steps=9, seed=2)).trace
    found = [
        {row.unit: (row.value, row.low, row.high) for row in assign(permuted(trace, seed), "agent", name, samples=6)[0]}
        for seed in range(3)
    ]
    for other in found[1:]:
        assert {unit: pytest.approx(row) for unit, row in found[0].items()} == other


def _tried(trace: Trace, kind: str, name: str) -> dict[str, Any]:
    try:
        return {unit: pytest.approx(value) for unit, value in shares(assign(trace, kind, name, gamma=0.5)[0]).items()}
    except NotMeasurable as reason:
        return {"": type(reason)}


def test_what_people_say_and_what_failed_is_no_work_of_the_team() -> None:
    events: list[Json] = [
        {"type": "message", "agent": "user", "to": "lead"}, TURN, {"type": "tool_call", "tool": "t"},
        {"type": "tool_result", "agent": "t", "tool": "t", "parent": "e3", "status": "error"},
        {"type": "tool_call", "tool": "t", "status": "rejected"}, {**TURN, "agent": "a"},
        {"type": "return", "agent": "a", "to": "lead", "status": "timeout"}, TURN,
    ]  # fmt: skip
    edges = [("e1", "e2", "message"), ("e6", "e7", "causal"), ("e7", "e8", "return")]
    trace = small(events, edges, labels=[{"event": "e8", "label": "final"}], rewards={"team": 1})
    assert estimate(trace).useful == {"e2", "e8"}


def test_what_a_part_is_worth_lies_between_nothing_and_the_whole() -> None:
    for name in ("reward", "outcome", "reach"):
        value = VALUES[name](fork())
        assert value(fork()) == 1
        assert value(without(fork(), "lead")) == 0
    assert estimate(fork(3), baseline=1)(without(fork(3), "lead")) == 1
