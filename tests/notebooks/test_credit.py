"""The statements of the notebook on credit, checked against the functions it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from survey.traces import Trace
from survey.traces.credit import (
    KINDS,
    METHODS,
    Budget,
    Credit,
    Game,
    NotMeasurable,
    assign,
    bystanders,
    differences,
    exact,
    game_of,
    leave_one_out,
    reach,
    sampled,
    simulated_game,
    units,
    without_bystanders,
)
from survey.traces.model import Builder
from survey.traces.simulate import (
    TOPOLOGIES,
    Setting,
    Simulation,
    alternatives,
    reruns,
    rollouts,
    simulate,
)

SMALL = Setting(
    "swarm",
    agents=4,
    steps=12,
    overlap=0,
    failure=0,
    tool_failure=0,
    messages=0.5,
    informing=0.4,
    misleading=0.3,
    seed=82,
)


@pytest.fixture(scope="module")
def run() -> Simulation:
    return simulate(SMALL)


def effects(run: Simulation) -> dict[str, str]:
    """Return the messages of worker-2, each with its effect."""
    return {
        event.id: run.effects[event.id]
        for event in run.trace.events
        if event.id in run.effects and event.agent == "worker-2"
    }


def values(credits: Iterable[Credit]) -> list[float]:
    return [one.value for one in credits]


def mean_error(credits: Iterable[Credit], truth: Mapping[str, float]) -> float:
    """Return the mean error of shares, after they are scaled to the sum of the true ones."""
    found = {one.unit: one.value for one in credits}
    scale = sum(truth.values()) / sum(found.values())
    return float(np.mean([abs(found[unit] * scale - share) for unit, share in truth.items()]))


def test_one_run_has_one_team_and_thousands_of_tokens(run: Simulation) -> None:
    counts = {kind: len(units(run.trace, kind)) for kind in KINDS}
    assert (counts["team"], counts["agent"], counts["message"]) == (1, 4, 4)
    assert counts["token"] > 1000


def test_one_worker_sent_a_message_that_informs_and_one_that_misleads(run: Simulation) -> None:
    assert sorted(effects(run).values()) == ["informs", "misleads"]


def test_the_message_that_misleads_counts_against_its_sender_only_as_a_message(run: Simulation) -> None:
    [wrong] = [id for id, effect in effects(run).items() if effect == "misleads"]
    turn = next(edge.src for edge in run.trace.edges if edge.dst == wrong and edge.type == "causal")
    assert run.contributions("agent")["worker-2"] > 0
    assert run.contributions("turn")[turn] > 0
    assert run.contributions("message")[wrong] < 0


@pytest.mark.parametrize("effect", ["informs", "misleads"])
def test_played_on_from_each_message_c3_tells_the_two_apart(run: Simulation, effect: str) -> None:
    [message] = [id for id, own in effects(run).items() if own == effect]
    parted = []
    for other in alternatives(run, message, 200):
        departs = {**other.trace.head["counterfactual_of"], "alternative": other.effects[message]}
        parted.append(other.trace.with_head(counterfactual_of=departs))
    rows = assign(parted, "message", "counterfactual")
    substitutes = [trace.head["counterfactual_of"]["alternative"] for trace in parted]
    one = rows[substitutes.index(effect)][0]
    assert one.unit == message
    assert one.low is not None and one.high is not None
    assert one.low > 0 if effect == "informs" else one.high < 0


def test_playing_on_comes_nearer_to_the_truth_than_the_record() -> None:
    errors = []
    for seed in range(4):
        sim = simulate(Setting("swarm", agents=4, steps=12, overlap=0.4, failure=0.2, messages=0.6, seed=seed))
        truth = sim.contributions("agent")
        returned = game_of(sim.trace, "agent", reach(sim.trace))
        played = simulated_game(sim, "agent")
        errors.append([mean_error(found, truth) for found in (exact(returned), sampled(played, 10))])
        assert mean_error(exact(played), truth) == pytest.approx(0, abs=1e-12)
    record, playing = np.mean(errors, axis=0)
    assert playing < record / 2


def test_taking_out_either_of_two_who_found_the_same_costs_nothing_and_shapley_pays_both() -> None:
    game = Game(("a", "b"), lambda present: float(bool(present)))
    assert values(leave_one_out(game)) == [0, 0]
    assert values(exact(game)) == [0.5, 0.5]


def test_scaling_the_teams_number_by_group_or_by_agent_puts_the_runs_of_an_agent_in_one_order() -> None:
    traces = [sim.trace for sim in rollouts(Setting("swarm", agents=4, steps=9, failure=0.3, seed=1), 5)]
    orders = []
    for method in ("magrpo", "group", "agent-wise"):
        own = [{one.unit: one.value for one in rows}["worker-1"] for rows in assign(traces, "agent", method)]
        orders.append(np.argsort(np.round(own, 9), kind="stable").tolist())
    assert orders[0] == orders[1] == orders[2]


def test_where_only_pairs_earn_one_order_with_its_reverse_is_exact() -> None:
    worth = {frozenset("ab"): 1.0, frozenset("bc"): -0.5, frozenset("cd"): 0.25, frozenset("a"): 0.125}
    game = Game(tuple("abcd"), lambda there: sum(own for needs, own in worth.items() if needs <= there))
    assert values(sampled(game, 4, seed=5, design="antithetic")) == pytest.approx(values(exact(game)))


def test_orders_with_their_reverse_are_nearer_than_more_orders_without() -> None:
    sim = simulate(Setting("swarm", agents=8, parts=10, steps=40, overlap=0.4, failure=0.2, messages=0.6, seed=4))
    game = simulated_game(sim, "agent")
    truth = np.array(values(exact(game)))

    def error(design: str, orders: int) -> float:
        drawn = [sampled(replace(game, known={}), orders, seed, design) for seed in range(8)]  # type: ignore[arg-type]
        return float(np.mean([np.sqrt(((np.array(values(own)) - truth) ** 2).mean()) for own in drawn]))

    assert error("antithetic", 10) < error("permutation", 40)


def fork(used: int, idle: int) -> Trace:
    """Build a lead with helpers; the lead uses some of their returns."""
    log = Builder("fork", "t", importer="by hand", time="ordinal")
    asked, taken = log.event("orchestrator_decision", "lead"), []
    for number in range(used + idle):
        spawned = log.event("spawn", "lead", to=f"helper-{number + 1}")
        done = log.event("return", f"helper-{number + 1}", to="lead")
        log.link(asked, spawned, "causal")
        log.link(spawned, done, "spawn")
        taken += [done] if number < used else []
    last = log.event("aggregate", "lead")
    for done in taken:
        log.link(done, last, "aggregate")
    return log.build()


def test_who_cannot_matter_is_not_asked_about_and_the_answer_is_the_same() -> None:
    trace = fork(3, 3)
    value, asked, spared = reach(trace), [0], [0]

    def counted(part: Trace, calls: list[int]) -> float:
        calls[0] += 1
        return value(part)

    whole = exact(game_of(trace, "agent", lambda part: counted(part, asked)))
    graph = without_bystanders(trace, "agent", lambda part: counted(part, spared))
    assert bystanders(trace, "agent") == {"helper-4", "helper-5", "helper-6"}
    assert values(graph) == pytest.approx(values(whole))
    assert spared[0] * 7 < asked[0]


def test_in_a_simulated_run_everybody_reaches_the_end(run: Simulation) -> None:
    assert not bystanders(run.trace, "agent")


def test_methods_that_have_a_number_for_every_unit_start_from_that_of_the_run() -> None:
    assert {name for name, method in METHODS.items() if len(method.kinds) == len(KINDS)} == {
        "broadcast",
        "group",
        "magrpo",
        "rloo",
    }


@pytest.mark.parametrize(
    ("kind", "method", "message"),
    [
        ("token", "shapley", "a single token cannot be removed from a trace"),
        ("agent", "group", "needs a group"),
        ("message", "gae", "do not form a sequence"),
        ("role", "agent-wise", "statistics are those of one agent"),
        ("message", "counterfactual", "needs runs that branch from one run"),
        ("agent", "two-level", "needs a reward of its own for every invocation"),
    ],
)
def test_what_cannot_be_credited_is_refused_with_the_reason(
    run: Simulation, kind: str, method: str, message: str
) -> None:
    with pytest.raises(NotMeasurable, match=message):
        assign([run.trace] if method in ("group", "agent-wise") else [run.trace, run.trace], kind, method)


def test_the_record_does_not_say_which_message_was_worth_something_and_reruns_do() -> None:
    played: list[float] = []
    recorded: list[float] = []
    for number, topology in enumerate(TOPOLOGIES):
        run = simulate(Setting(topology, agents=4, steps=6, tools=1.5, messages=0.6, failure=0.2, seed=number))
        played += [one.value for one in differences(reruns(run), run.trace, "message", Budget(plays=240))]
        recorded += [one.value for one in assign(run.trace, "message", "leave-one-out")[0]]
    assert spearmanr(played, recorded).statistic < 0.3
