"""Credit along the turns of a team whose members act at once, and of sub-agents that are called several times."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import BadRuns, NotMeasurable, assign, gae_advantages, gae_credits, rounds, two_level
from survey.traces.simulate import TOPOLOGIES, Setting, rollouts
from tests.traces.credit.drawn import MODEST, fork, permuted, shares, worths
from tests.traces.strategies import Json, small

TURN: Json = {"type": "model_call"}


def synchronous(rewards: list[list[float]], score: float, order: int = 1, **head: Any) -> Trace:
    """Two agents that act at once, round after round; a log names them in either order."""
    events: list[Json] = []
    for number, paid in enumerate(rewards):
        both = [{**TURN, "t": number, "agent": name, "reward": own} for name, own in zip("ab", paid, strict=True)]
        events += both[::order]
    return small(events, rewards={"team": score}, **head)


def by_turn(trace: Trace, rows: list[Any]) -> dict[tuple[str, float], float]:
    """Credit by agent and time."""
    event = {event.id: event for event in trace.events}
    return {(event[row.unit].agent, event[row.unit].t): row.value for row in rows}


# MAGRPO

PAID = st.lists(st.lists(worths, min_size=2, max_size=2), min_size=3, max_size=3)


@MODEST
@given(st.lists(st.tuples(PAID, worths, st.sampled_from([1, -1])), min_size=2, max_size=4))
def test_agents_of_a_synchronous_round_share_its_advantage(runs: list[tuple[Any, float, int]]) -> None:
    traces = [synchronous(paid, score, order, trace_id=str(n)) for n, (paid, score, order) in enumerate(runs)]
    returns = []
    for paid, score, _ in runs:
        joint = [sum(own) for own in paid]
        joint[-1] += score
        returns.append([joint[0] + 0.5 * (joint[1] + 0.5 * joint[2]), joint[1] + 0.5 * joint[2], joint[2]])
    mean = [fmean(column) for column in zip(*returns, strict=True)]
    for trace, own, rows in zip(traces, returns, assign(traces, "turn", "magrpo", gamma=0.5), strict=True):
        found = by_turn(trace, rows)
        for number in range(3):
            assert found["a", number] == found["b", number] == pytest.approx(own[number] - mean[number])


def relay(first: str, second: str, score: float) -> Trace:
    events: list[Json] = [{**TURN, "agent": first, "reward": 0.0}, {**TURN, "agent": second, "reward": 0.0}]
    return small(events, [("e1", "e2", "causal")], rewards={"team": score}, trace_id=f"{first}{second}{score:g}")


def test_no_agent_is_compared_with_another_at_the_same_turn() -> None:
    runs = [relay("a", "b", 1), relay("b", "a", 0), relay("b", "a", 0)]
    found = assign(runs, "turn", "magrpo", gamma=0.5)
    # a begins with a return of 0.5 and comes second with 0 twice; b comes second with 1 and begins with 0 twice
    wanted = [{"e1": 0.5 - 0.5 / 3, "e2": 1 - 1 / 3}, {"e1": -1 / 3, "e2": -0.5 / 3}, {"e1": -1 / 3, "e2": -0.5 / 3}]
    assert [shares(rows) for rows in found] == [pytest.approx(one) for one in wanted]
    with pytest.raises(BadRuns, match=r'ac1: "e2" needs another run of the group in which "c" takes a turn 1'):
        assign([relay("a", "b", 0), relay("a", "b", 1), relay("a", "c", 1)], "turn", "magrpo")


# rounds, and estimates along them


def test_turns_that_could_be_taken_at_once_are_a_round() -> None:
    assert rounds(fork()) == {"e1": 0, "e3": 1, "e6": 1, "e9": 1, "e12": 1, "e13": 2}
    assert rounds(small([TURN, TURN, TURN])) == {"e1": 0, "e2": 1, "e3": 2}
    assert set(rounds(small([{**TURN, "t": 0}, {**TURN, "t": 0}])).values()) == {0}


def test_equal_parallel_workers_are_discounted_alike() -> None:
    found = shares(assign(fork(), "turn", "gae", gamma=0.9)[0])
    assert found == pytest.approx({"e1": 0.81, "e3": 0.9, "e6": 0.9, "e9": 0.9, "e12": 0.9, "e13": 1})


def test_a_round_of_several_turns_is_one_step_by_hand() -> None:
    values = {"e1": 0.5, "e3": 0.1, "e6": 0.2, "e9": 0.3, "e12": 0.4, "e13": 0.8}
    found = shares(assign(fork(2), "turn", "gae", gamma=0.9, lam=0.5, critic=values.__getitem__, bootstrap=1.0)[0])
    last = 2 + 0.9 * 1.0 - 0.8
    middle = {turn: 0.9 * 0.8 - values[turn] + 0.45 * last for turn in ("e3", "e6", "e9", "e12")}
    first = 0.9 * 0.25 - 0.5 + 0.45 * fmean(middle.values())
    assert found == pytest.approx({"e1": first, **middle, "e13": last})


@MODEST
@given(st.lists(st.tuples(worths, worths), min_size=1, max_size=6), worths, worths, st.sampled_from([0.0, 0.5, 1.0]))
def test_one_agent_alone_has_the_estimates_of_a_sequence(
    steps: list[tuple[float, float]], score: float, after: float, lam: float
) -> None:
    trace = small([{**TURN, "reward": paid} for paid, _ in steps], rewards={"team": score})
    values = {f"e{number}": value for number, (_, value) in enumerate(steps, 1)}
    rewards = [paid for paid, _ in steps]
    rewards[-1] += score
    wanted = gae_advantages(rewards, list(values.values()), 0.5, lam, after)
    for by_agent in (False, True):
        critic = {"r": values}
        found = assign(trace, "turn", "gae", gamma=0.5, lam=lam, critic=critic, bootstrap=after, by_agent=by_agent)
        assert [own.value for own in found[0]] == pytest.approx(list(wanted))


def test_each_agent_may_be_a_sequence_of_its_own_turns() -> None:
    trace = synchronous([[0.5, 0], [0, 0.25]], 1.0)
    found = by_turn(trace, assign(trace, "turn", "gae", gamma=0.5, by_agent=True)[0])
    assert found == pytest.approx({("a", 0): 0.5 + 0.5, ("b", 0): 0.5 * 1.25, ("a", 1): 1, ("b", 1): 1.25})


def test_tokens_of_parallel_turns_go_on_to_the_same_next_step() -> None:
    trace = small(
        [{**TURN, "t": 0, "agent": name, "tokens": {"output": number}} for name, number in (("a", 2), ("b", 1))]
        + [{**TURN, "t": 1, "agent": name, "tokens": {"output": 1}} for name in ("a", "b")],
        rewards={"team": 1},
    )
    found = shares(gae_credits(trace, "token", gamma=0.5))
    assert found == {"e1:0": 0.25, "e1:1": 0.5, "e2:0": 0.5, "e3:0": 1, "e4:0": 1}


def test_each_run_may_have_its_own_predictions_and_lacks_none() -> None:
    runs = [fork(1, trace_id="one"), fork(0, trace_id="two")]
    critic: dict[str, Any] = {"one": lambda name: 0.5, "two": dict.fromkeys(["e1", "e3", "e6", "e9", "e12"], 0.25)}
    with pytest.raises(BadRuns, match=r'^two: needs the critic\'s prediction for "e13"$'):
        assign(runs, "turn", "gae", critic=critic)
    with pytest.raises(BadRuns, match=r"^two: needs the critic's predictions for this run$"):
        assign(runs, "turn", "gae", critic={"one": critic["one"]})


# two levels


def called(*invocations: list[float], score: float = 1.0, name: str = "r") -> Trace:
    """A lead that calls one sub-agent for each of these, in which its turns earn so much."""
    events: list[Json] = [TURN]
    edges = []
    for paid in invocations:
        events.append({"type": "delegate", "to": "s"})
        given = f"e{len(events)}"
        for own in paid:
            events.append({**TURN, "agent": "s", "reward": own})
            edges.append((given, f"e{len(events)}", "causal"))
        events.append({"type": "return", "agent": "s", "to": "lead"})
    return small([*events, {"type": "aggregate"}], edges, rewards={"team": score}, trace_id=name)


def test_the_unit_below_is_the_invocation_and_three_of_a_half_do_not_beat_one_of_nine_tenths() -> None:
    often, once, none = called([0.5], [0.5], [0.5], name="often"), called([0.9], name="once"), called(name="none")
    found = [shares(rows) for rows in two_level([often, once, none])]
    pooled = [0.5, 0.5, 0.5, 0.9]
    half, best = [(value - fmean(pooled)) / stdev(pooled) for value in (0.5, 0.9)]
    assert found == [pytest.approx(one) for one in ({"lead": 0, "s": half}, {"lead": 0, "s": best}, {"lead": 0})]
    # and the same for three turns within one invocation
    found = [shares(rows) for rows in two_level([called([0.5, 0.5, 0.5], name="often"), once])]
    assert [one["s"] for one in found] == pytest.approx([-(0.5**0.5), 0.5**0.5])


def test_a_turn_has_the_advantage_of_its_invocation_and_an_agent_their_mean() -> None:
    runs = [called([1, 0], [0.25], score=1, name="one"), called([0], score=0, name="two")]
    pooled = [0.5, 0.25, 0]
    first, second, third = [(value - fmean(pooled)) / stdev(pooled) for value in pooled]
    above = 0.5**0.5
    turns = assign(runs, "turn", "two-level")
    assert shares(turns[0]) == pytest.approx(
        {"e1": above, "e3": first, "e4": first, "e7": second, "e9": above}, abs=1e-12
    )
    assert shares(turns[1]) == pytest.approx({"e1": -above, "e3": third, "e5": -above})
    agents = assign(runs, "agent", "two-level")
    assert shares(agents[0]) == pytest.approx({"lead": above, "s": (first + second) / 2})


def test_the_main_agent_is_never_the_one_that_is_logged_first() -> None:
    events = [{**TURN, "agent": name, "t": 0, "reward": 1.0} for name in ("a", "b")]
    runs = [small(lines, rewards={"team": 1}, trace_id=str(n)) for n, lines in enumerate((events, events[::-1]))]
    with pytest.raises(
        NotMeasurable, match=r"^0: needs one main agent that begins the run, found a and b\n1: .* found b and a$"
    ):
        assign(runs, "agent", "two-level")


# the order of lines


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize(
    ("method", "kind"),
    [("magrpo", "turn"), ("two-level", "turn"), ("two-level", "agent"), ("sharp-group", "agent"), ("agent-wise", "turn"),
     ("gae", "turn"), ("rloo", "message")],
)  # fmt: skip
def test_no_method_looks_at_the_order_of_lines(topology: str, method: str, kind: str) -> None:
    setting = Setting(topology, agents=4, steps=8, messages=0.6, seed=5)
    runs = [scored(run.trace) for run in rollouts(setting, 3)]
    found = [assign(runs, kind, method, gamma=0.9, bad="zero")]
    found.append(assign([permuted(run, seed) for seed, run in enumerate(runs)], kind, method, gamma=0.9, bad="zero"))
    first, second = [[shares(rows) for rows in of_batch] for of_batch in found]
    assert second == [pytest.approx(own, abs=1e-9) for own in first]
    assert any(any(own.values()) for own in first) or (method, topology) == ("two-level", "hierarchical")


def scored(trace: Trace) -> Trace:
    """The same run with a reward for each model call, which follows from its id; managers make none."""
    events = [
        event.with_fields(reward=int(event.id[1:]) % 5 / 4) if event.type == "model_call" else event
        for event in trace.events
    ]
    return Trace(events, trace.edges, trace.head)
