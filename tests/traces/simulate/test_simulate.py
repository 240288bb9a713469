"""Simulated runs: valid, reproducible, and with a ground truth that is the Shapley value by definition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from itertools import combinations
from math import factorial
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace, check, states
from survey.traces.files import to_json_line
from survey.traces.metrics import NotMeasurable, measure
from survey.traces.replay import until, without
from survey.traces.simulate import TOPOLOGIES, Setting, Simulation, alternatives, rollouts, simulate, value_of
from survey.traces.simulate import simulation as module
from survey.traces.simulate.game import Game, game
from tests.traces.strategies import MODEST

every_topology = pytest.mark.parametrize("topology", TOPOLOGIES)


def brute_force(players: Collection[str], value: Callable[[Collection[str]], float]) -> dict[str, float]:
    """The Shapley value by definition: the weighted mean of marginal contributions over all coalitions."""
    size = len(players)
    found = {}
    for player in players:
        others = [other for other in players if other != player]
        found[player] = sum(
            factorial(count)
            * factorial(size - count - 1)
            / factorial(size)
            * (value({*chosen, player}) - value(chosen))
            for count in range(size)
            for chosen in combinations(others, count)
        )
    return found


def score(simulation: Simulation) -> float:
    return float(simulation.trace.head["outcome"]["score"])


settings = st.builds(
    Setting,
    topology=st.sampled_from(sorted(TOPOLOGIES)),
    agents=st.integers(2, 14),
    parts=st.none() | st.integers(1, 20),
    tools=st.floats(0, 4),
    failure=st.floats(0, 1),
    retries=st.integers(0, 3),
    messages=st.none() | st.floats(0, 1),
    informing=st.floats(0, 0.5),
    misleading=st.floats(0, 0.5),
    overlap=st.floats(0, 1),
    glue=st.floats(0, 1),
    lift=st.floats(0, 1),
    harm=st.floats(0, 1),
    variation=st.floats(0, 1),
    width=st.none() | st.integers(1, 5),
    seed=st.integers(0, 1000),
)


# ------------------------------------------------------------------------------------- the trace


@every_topology
def test_the_same_setting_gives_the_same_bytes_and_another_seed_gives_others(topology: str) -> None:
    one, again, other = (to_json_line(simulate(Setting(topology, seed=seed)).trace) for seed in (3, 3, 4))
    assert one == again
    assert one != other


@every_topology
@pytest.mark.parametrize("agents", [2, 3, 4, 5, 16, 50])
@pytest.mark.parametrize("seed", range(3))
def test_a_simulated_trace_has_no_errors_and_no_warnings(topology: str, agents: int, seed: int) -> None:
    trace = simulate(Setting(topology, agents=agents, seed=seed)).trace
    assert [str(problem) for problem in check(trace)] == []


@every_topology
def test_a_thousand_agents_and_four_thousand_steps_are_simulated_without_errors(topology: str) -> None:
    made = simulate(Setting(topology, agents=1000, steps=4000))
    assert [str(problem) for problem in check(made.trace)] == []
    assert len(made.units("agent")) == 1000
    assert {event.agent for event in made.trace.events} == {*made.units("agent"), "user"}
    assert 3000 < len(made.units("turn")) < 6000
    assert sum(made.truth.values()) == pytest.approx(score(made), abs=1e-9)


def test_what_a_run_holds_grows_in_proportion_to_its_size() -> None:
    """Four times the team has at most four and a half times the events, edges and terms of the game."""
    sizes = {}
    for agents in (250, 1000):
        made = simulate(Setting("swarm", agents=agents, steps=4 * agents))
        sizes[agents] = (len(made.trace.events), len(made.trace.edges), len(made.game.terms))
    assert all(large < 4.5 * small for small, large in zip(sizes[250], sizes[1000], strict=True))


def test_its_edges_are_few_even_where_two_agents_talk_for_four_thousand_steps() -> None:
    made = simulate(Setting("debate", agents=3, parts=2, steps=4000, failure=0))
    assert len(made.units("turn")) >= 4000
    assert len(made.trace.edges) < 5 * len(made.trace.events)
    assert not check(made.trace)


@given(settings)
@MODEST
def test_any_setting_gives_a_valid_trace_and_a_score_from_0_to_1(setting: Setting) -> None:
    made = simulate(setting)
    assert [str(problem) for problem in check(made.trace)] == []
    assert -1e-12 <= score(made) <= 1 + 1e-12
    assert sum(made.truth.values()) == pytest.approx(score(made), abs=1e-9)


@every_topology
def test_its_head_says_what_it_is_and_that_it_is_simulated(topology: str) -> None:
    made = simulate(Setting(topology, seed=1))
    head = made.trace.head
    assert (head["schema_version"], head["topology"], head["time"]) == (1, topology, "seconds")
    assert head["source"]["system"] == head["system"] == "simulation"
    assert head["rewards"] == {"team": score(made)}
    assert head["outcome"]["success"] == (score(made) >= made.setting.bar)
    assert head["group"] == {"id": head["trace_id"].rpartition("/")[0], "rollout": 0, "size": 1}
    assert all(agent["role"] for agent in head["agents"])


@every_topology
def test_all_five_decisions_are_taken_where_there_is_talk(topology: str) -> None:
    trace = simulate(Setting(topology, agents=6, messages=0.8, seed=2)).trace
    assert {decision for event in trace.events for decision in event.decision or ()} == {"O1", "O2", "O3", "O4", "O5"}


def test_a_harness_spends_no_tokens_of_its_own() -> None:
    trace = simulate(Setting("harness", messages=0.5)).trace
    assert all(event.tokens is None for event in trace.events if event.agent == "harness")


def test_one_worker_at_a_time_is_what_a_lead_has_and_all_at_once_what_a_swarm_has() -> None:
    alone, together = (
        measure(simulate(Setting(t, agents=9)).trace)["sub_agents_at_once"] for t in ("centralized", "swarm")
    )
    assert (alone.value, together.value) == (1, 8)
    wider = measure(simulate(Setting("centralized", agents=9, width=3)).trace)["sub_agents_at_once"]
    assert wider.value == 3


def test_a_hierarchy_has_two_levels_and_every_manager_has_a_team() -> None:
    for agents in range(3, 40):
        trace = simulate(Setting("hierarchical", agents=agents)).trace
        makers = Counter(event.agent for event in trace.events if event.type == "spawn")
        managers = {agent for agent in trace.agents if agent.startswith("manager")}
        assert managers
        assert set(makers) == {"lead", *managers}


def test_debaters_hear_what_was_said_before_they_speak_again() -> None:
    made = simulate(Setting("debate", agents=5, failure=0, overlap=0))
    late = [event for event in made.trace.events if event.type == "message" and event.delivered is False]
    assert made.effects
    assert late == []


def test_where_work_overlaps_two_workers_make_the_same_calls() -> None:
    apart, double = (
        measure(simulate(Setting(agents=6, overlap=share, failure=0)).trace)["split_overlap"] for share in (0, 1)
    )
    assert (apart.value, double.value) == (0, 1)


def test_time_and_tokens_follow_the_measured_figures() -> None:
    """Simulated medians against those of formats.md: a sub-agent takes 75 s, 71,000 tokens, 18 calls; it begins
    after 0.25 s, and its lead continues 0.28 s after its return."""
    figures = defaultdict[str, list[float]](list)
    for seed in range(60):
        trace = simulate(Setting(agents=6, failure=0, messages=0, overlap=0, seed=seed)).trace
        own = defaultdict[str, list[float]](list)
        for event in trace.events:
            own[event.agent].append(event.t)
            if event.type == "spawn":
                figures["start"].append(next(other.t for other in trace.events if other.agent == event.to) - event.t)
            if event.type == "return":
                work = [other for other in trace.events if other.agent == event.agent]
                figures["seconds"].append(event.t - work[0].t)
                figures["tokens"].append(sum(other.tokens or 0 for other in work))
                figures["calls"].append(sum(other.type == "tool_call" for other in work))
                figures["back"].append(next(o.t for o in trace.events if o.agent == "lead" and o.t > event.t) - event.t)
    expected = {"start": 0.25, "back": 0.28, "seconds": 75, "tokens": 71_000, "calls": 18}
    assert {name: median(found) for name, found in figures.items()} == pytest.approx(expected, rel=0.15)


# ------------------------------------------------------------------------------------- the truth


def test_a_game_of_dividends_has_the_shapley_value_by_definition() -> None:
    coalitions = [("a", 1.0), ("ab", 0.5), ("abc", -0.3), ("cd", 2.0), ("", 0.25)]
    made = game("abcde", [(frozenset(members), amount) for members, amount in coalitions])
    assert dict(made.shapley) == pytest.approx(brute_force(made.players, made.value))
    assert made.shapley["e"] == 0
    assert made.value("abcde") - made.nothing == pytest.approx(sum(made.shapley.values()))


def test_a_game_among_some_has_the_others_always_present() -> None:
    made = Game(("a", "b"), ((frozenset("ab"), 1.0), (frozenset("b"), 0.5)))
    assert made.among(["a"]).value([]) == 0.5
    assert dict(made.among(["a"]).shapley) == {"a": 1.0}


SMALL = [
    (topology, kinds, agents)
    for topology in TOPOLOGIES
    for kinds, agents in (
        (("agent",), 7),
        (("agent", "message"), 3),
        (("message",), 4),
        (("tool_call",), 2),
        (("turn",), 3),
    )
]


@pytest.mark.parametrize(("topology", "kinds", "agents"), SMALL)
def test_the_truth_is_the_shapley_value_by_definition(
    topology: str, kinds: tuple[module.Kind, ...], agents: int
) -> None:
    steps, overlap = {"agent": (2 * agents, 0.5), "message": (8, 0.5)}.get(kinds[0], (4, 0.5))
    if len(kinds) > 1:
        steps, overlap = 6, 0
    setting = Setting(topology, agents, parts=2, steps=steps, messages=1, overlap=overlap, tools=1.5, failure=0, seed=5)
    if kinds == ("agent",):
        setting = Setting(topology, agents, parts=agents, steps=2 * agents, messages=0.6, overlap=0.5, seed=5)
    made = simulate(setting)
    players = made.among(*kinds).players
    assert 1 <= len(players) <= 12, len(players)
    found = brute_force(players, lambda present: made.value(present, *kinds))
    assert dict(made.contributions(*kinds)) == pytest.approx(found, abs=1e-12)


@every_topology
def test_contributions_add_up_to_the_outcome(topology: str) -> None:
    made = simulate(Setting(topology, agents=12, messages=0.6, seed=8))
    assert made.value(made.truth) == score(made)
    assert made.value([]) == 0
    assert sum(made.truth.values()) == pytest.approx(score(made))
    for kind in module.KINDS:
        whole = made.value(made.units(kind), kind) - made.value([], kind)
        assert sum(made.contributions(kind).values()) == pytest.approx(whole)


@every_topology
def test_who_did_nothing_contributes_nothing(topology: str) -> None:
    made = simulate(Setting(topology, agents=8, parts=2, overlap=0, failure=0))
    busy = {event.agent for event in made.trace.events if event.type == "model_call"}
    idle = [
        agent
        for agent in made.units("agent")
        if agent not in busy and agent.startswith(("worker", "executor", "debater"))
    ]
    assert idle
    assert {made.truth[agent] for agent in idle} == {0}
    assert {made.contributions("agent")[agent] for agent in idle} == {0}


def test_who_failed_contributes_nothing_and_neither_does_its_work() -> None:
    made = simulate(Setting(agents=6, failure=1, retries=0))
    assert score(made) == 0
    assert set(made.truth.values()) == {0}
    assert set(made.contributions("turn").values()) == {0}


@every_topology
def test_workers_who_do_alike_contribute_alike(topology: str) -> None:
    made = simulate(Setting(topology, agents=7, failure=0, tool_failure=0, messages=0, overlap=0, variation=0))
    doers = [agent for agent in made.truth if agent.startswith(("worker", "executor", "debater"))]
    assert len({round(made.truth[doer], 12) for doer in doers}) == 1
    assert made.truth[doers[0]] > 0


def test_who_finds_the_same_again_shares_what_leaving_either_out_would_not_show() -> None:
    made = simulate(Setting(agents=3, parts=1, overlap=1, failure=0, tool_failure=0, messages=0, variation=0))
    one, two = "worker-1", "worker-2"
    everyone = made.value(made.truth)
    assert everyone - made.value([*{*made.truth} - {one}]) == pytest.approx(0)
    assert made.truth[one] == pytest.approx(made.truth[two])
    assert made.truth[one] > 0.1


def test_informing_messages_add_and_misleading_ones_subtract() -> None:
    made = simulate(Setting("swarm", agents=12, messages=0.8, misleading=0.4, failure=0))
    signs = defaultdict[str, set[int]](set)
    for message, amount in made.contributions("message").items():
        signs[made.effects[message]].add((amount > 0) - (amount < 0))
    assert 1 in signs["informs"] <= {0, 1}
    assert -1 in signs["misleads"] <= {-1, 0}
    assert signs["neither"] == {0}
    assert signs["asks"] <= {-1, 0, 1}


def test_without_glue_the_lead_contributes_nothing_and_with_all_of_it_everything_needs_the_lead() -> None:
    loose, tight = (simulate(Setting(agents=5, glue=glue, messages=0)) for glue in (0, 1))
    assert loose.truth["lead"] == 0
    assert tight.value({*tight.truth} - {"lead"}) == 0
    assert tight.truth["lead"] == pytest.approx(score(tight) / 2)


def test_no_unit_that_is_left_makes_the_value_negative() -> None:
    made = simulate(Setting("debate", agents=5, messages=1, informing=0, misleading=1, harm=1, overlap=0.5))
    agents = made.units("agent")
    for count in range(len(agents) + 1):
        for chosen in combinations(agents, count):
            assert made.value([*chosen, *made.effects]) >= -1e-12


# --------------------------------------------------------------------- value functions on traces


@every_topology
def test_what_is_taken_out_of_the_trace_is_taken_out_of_the_value(topology: str) -> None:
    made = simulate(Setting(topology, agents=6, messages=0.7, overlap=0.5, seed=4))
    value = value_of(made)
    assert value(made.trace) == pytest.approx(score(made))
    everyone = set(made.kinds)
    for kind in ("message", "turn", "tool_call"):
        for unit in made.units(kind)[:12]:
            expected = made.value(everyone - {unit}, *module.KINDS)
            assert value(without(made.trace, unit)) == pytest.approx(expected), (kind, unit)
    for agent in made.units("agent"):
        if agent.startswith(("worker", "executor", "debater", "critic")):
            expected = made.value(set(made.truth) - {agent})
            assert value(without(made.trace, agent)) == pytest.approx(expected), agent


def test_without_the_first_agent_nothing_is_left() -> None:
    made = simulate(Setting("hierarchical", agents=8))
    assert value_of(made)(without(made.trace, "lead")) == 0


def test_the_value_of_a_truncated_run_grows_with_its_length() -> None:
    made = simulate(Setting(agents=4, failure=0, messages=0))
    value = value_of(made)
    ids = [event.id for event, _ in states(made.trace)]
    values = [value(until(made.trace, id)) for id in ids[::10]]
    assert values == sorted(values)
    assert values[0] == 0
    assert value(until(made.trace, ids[-1])) == pytest.approx(score(made))


def test_a_value_function_refuses_the_trace_of_another_run() -> None:
    one, other = rollouts(Setting(), 2)
    with pytest.raises(NotMeasurable, match="needs the trace"):
        value_of(one)(other.trace)


def test_a_value_function_can_look_at_agents_alone() -> None:
    made = simulate(Setting("swarm", agents=6, messages=0.9, seed=1))
    message = next(unit for unit, amount in made.contributions("message").items() if amount)
    cut: Trace = without(made.trace, message)
    assert value_of(made, "agent")(cut) == pytest.approx(score(made))
    assert value_of(made, "message")(cut) != pytest.approx(score(made))


# --------------------------------------------------------------------------------------- groups


@every_topology
def test_rollouts_are_a_group_of_the_same_task_that_chance_tells_apart(topology: str) -> None:
    group = rollouts(Setting(topology, seed=2), 5)
    assert {run.trace.head["group"]["id"] for run in group} == {group[0].trace.head["group"]["id"]}
    assert [run.trace.head["group"]["rollout"] for run in group] == list(range(5))
    assert len({run.trace.task for run in group}) == 1
    assert len({run.trace.id for run in group}) == len({score(run) for run in group}) == 5
    assert group[0].trace.events == simulate(Setting(topology, seed=2)).trace.events
    assert [str(problem) for run in group for problem in check(run.trace)] == []


@every_topology
def test_alternatives_share_all_that_was_before_the_message_and_differ_after_it(topology: str) -> None:
    made = simulate(Setting(topology, agents=6, messages=0.8, seed=6))
    message = list(made.effects)[len(made.effects) // 2]
    number = int(message[1:])
    others = alternatives(made, message, 4)
    for other in others:
        sent = other.trace.events[number - 1]
        assert other.trace.events[: number - 1] == made.trace.events[: number - 1]
        assert (sent.id, sent.type, sent.t, sent.to) == (
            message,
            "message",
            made.trace.events[number - 1].t,
            made.trace.events[number - 1].to,
        )
        assert other.trace.head["group"] | {"rollout": 0} == others[0].trace.head["group"]
        assert other.trace.head["counterfactual_of"]["trace_id"] == made.trace.id
        assert not check(other.trace)
    assert len({to_json_line(other.trace.with_head(trace_id="r")) for other in others}) == 4
    assert [to_json_line(run.trace) for run in alternatives(made, message, 4)] == [
        to_json_line(run.trace) for run in others
    ]


def test_alternatives_of_an_alternative_share_its_past() -> None:
    made = simulate(Setting("swarm", agents=6, messages=0.9, seed=6))
    first = alternatives(made, list(made.effects)[2], 1)[0]
    later = list(first.effects)[6]
    second = alternatives(first, later, 1)[0]
    number = int(later[1:])
    assert second.trace.events[: number - 1] == first.trace.events[: number - 1]
    assert not check(second.trace)


def test_what_follows_a_message_that_informs_is_better_on_average() -> None:
    made = simulate(Setting("swarm", agents=3, parts=2, steps=4, messages=1, failure=0, tool_failure=0, lift=1, harm=1))
    message = next(iter(made.effects))
    scores = defaultdict[str, list[float]](list)
    for other in alternatives(made, message, 300):
        scores[other.effects[message]].append(score(other))
    assert fmean(scores["informs"]) > fmean(scores["neither"]) > fmean(scores["misleads"])


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"topology": "ring"}, 'topology: found "ring", expected one of centralized, planner_executor_critic, debate, swarm, hierarchical, harness'),
        ({"agents": 1}, "agents: found 1, expected an integer from 2 to 1000"),
        ({"agents": 2.5}, "agents: found 2.5, expected an integer from 2 to 1000"),
        ({"steps": 4001}, "steps: found 4001, expected an integer from 1 to 4000"),
        ({"parts": 9, "steps": 8}, "steps: found 8, expected 9 or more: each part takes at least one turn"),
        ({"failure": 1.5}, "failure: found 1.5, expected a number from 0 to 1"),
        ({"failure": float("nan")}, "failure: found nan, expected a number from 0 to 1"),
        ({"messages": -1}, "messages: found -1, expected a number from 0 to 1"),
        ({"tools": 21}, "tools: found 21, expected a number from 0 to 20"),
        ({"seed": "x"}, 'seed: found "x", expected an integer'),
        ({"informing": 0.7, "misleading": 0.7}, "informing and misleading: found 0.7 and 0.7, expected no more than 1 together"),
        ({"agents": 0, "glue": 2}, "agents: found 0, expected an integer from 2 to 1000\nglue: found 2, expected a number from 0 to 1"),
    ],
    ids=str,
)  # fmt: skip
def test_a_setting_that_makes_no_sense_is_refused_with_everything_that_is_wrong(
    said: dict[str, object], expected: str
) -> None:
    with pytest.raises(ValueError) as raised:
        Setting(**said)  # type: ignore[arg-type]
    assert str(raised.value) == expected


def test_true_is_no_number_of_agents() -> None:
    with pytest.raises(ValueError, match="agents: found"):
        Setting(agents=True)


def test_unknown_units_kinds_and_messages_are_refused_with_a_hint() -> None:
    made = simulate(Setting())
    with pytest.raises(ValueError, match='there is no player "worker-9" \\(did you mean "worker-'):
        made.value(["worker-9"])
    with pytest.raises(ValueError, match='found "mesage" \\(did you mean "message"\\?\\)'):
        made.units("mesage")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="there is no message"):
        alternatives(made, "e1", 2)
    with pytest.raises(ValueError, match="count: found 0, expected 1 or more"):
        rollouts(Setting(), 0)
