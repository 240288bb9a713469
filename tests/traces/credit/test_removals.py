"""Many removals at once give what removing one set of units at a time gives."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import Game, NotMeasurable, estimate, exact, game_of, parts, without_bystanders
from survey.traces.credit.games import Dependents
from survey.traces.replay import replay, without
from survey.traces.replay.removals import Removals
from survey.traces.simulate import TOPOLOGIES, Setting, simulate
from tests.traces.credit.drawn import MODEST, fork, permuted, shares
from tests.traces.strategies import Json, small, traces

KINDS = ("orchestrator", "role", "agent", "turn", "message", "tool-call")


def game(trace: Trace, kind: str) -> Game | None:
    try:
        return game_of(trace, kind, estimate(trace))
    except NotMeasurable:
        return None


def agree(found: Game, seed: int) -> None:
    """Compare the worths of some coalitions with those of the traces that removing their units leaves."""
    random, number = Random(seed), len(found.units)
    likely = (0.1, 0.5, 0.5, 0.9, 0.97)
    rows = [[True] * number, [False] * number, *([random.random() < p for _ in found.units] for p in likely)]
    one_by_one = replace(found, batch_value=None, known={})
    assert found.worths(np.array(rows)).tolist() == one_by_one.worths(np.array(rows)).tolist()


def dependents(trace: Trace, kind: str) -> list[int]:
    """The units of which nothing is left without each unit, one removal at a time."""
    pieces, falls, found = parts(trace, kind), Dependents(trace), []
    for unit, ids in pieces.items():
        events, agents = falls.removed_with(ids)
        gone = [other == unit or (events | agents).issuperset(own) for other, own in pieces.items()]
        found.append(sum(1 << place for place, goes in enumerate(gone) if goes))
    return found


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_simulated_runs_of_every_topology_are_credited_as_before(topology: str) -> None:
    for seed in range(3):
        drawn = Random(f"{topology}/{seed}")
        setting = Setting(
            topology, agents=drawn.choice((2, 4, 5)), steps=8, failure=drawn.choice((0.1, 0.5)), messages=0.6, seed=seed
        )
        trace = simulate(setting).trace
        for kind in KINDS:
            if found := game(trace, kind):
                assert found.batch_value
                assert list(found.dependents) == dependents(trace, kind)
                agree(found, seed)


@MODEST
@given(traces(30), st.sampled_from(KINDS), st.integers(0, 99))
def test_drawn_runs_are_credited_as_before(trace: Trace, kind: str, seed: int) -> None:
    scored = trace.with_head(rewards={"team": 0.7})
    if found := game(scored, kind):
        assert list(found.dependents) == dependents(scored, kind)
        agree(found, seed)


def test_the_order_of_lines_changes_no_credit() -> None:
    trace = simulate(Setting("hierarchical", agents=5, steps=10, seed=3)).trace
    found = [shares(exact(game_of(other, "agent", estimate(other)))) for other in (trace, permuted(trace, 4))]
    assert found[0] == found[1]


def test_twenty_agents_are_credited_exactly() -> None:
    trace = simulate(Setting("swarm", agents=20, steps=40, seed=1)).trace
    found = exact(game_of(trace, "agent", estimate(trace)))
    assert len(found) == 20
    assert sum(share.value for share in found) == pytest.approx(trace.head["outcome"]["score"])


def test_bystanders_are_left_out_of_many_removals_too() -> None:
    trace = fork()
    found = without_bystanders(trace, "agent", estimate(trace))
    assert shares(found) == pytest.approx(shares(exact(game_of(trace, "agent", estimate(trace)))))


# what is left is replayed where it might have become impossible


SPAWNED: list[Json] = [{"type": "spawn", "to": "a"}, {"type": "model_call", "agent": "a"}]
UNSTEADY: dict[str, list[Json]] = {
    "an agent that is spawned again": [*SPAWNED, {"type": "despawn", "to": "a"}, *SPAWNED],
    "an agent that nobody lists or spawns": [*SPAWNED, {"type": "model_call", "agent": "b"}],
    "work after a stop that a person lifts": [
        {"type": "model_call"},
        {"type": "stop"},
        {"type": "human_intervention", "agent": "user"},
        {"type": "model_call"},
    ],
    "a result that names no call": [{"type": "tool_call", "tool": "x"}, {"type": "tool_result", "tool": "x"}],
}


@pytest.mark.parametrize("case", UNSTEADY)
def test_a_run_of_which_parts_may_become_impossible_is_replayed(case: str) -> None:
    trace = small(UNSTEADY[case], rewards={"team": 1.0})
    assert not Removals(replay(trace)).steady
    found = game_of(trace, "turn", estimate(trace))
    assert found.batch_value is None


def test_a_run_whose_order_rests_on_what_may_be_removed_is_replayed() -> None:
    events: list[Json] = [
        {"type": "tool_call", "t": 0},
        {"type": "model_call", "t": 0},
        {"type": "return", "agent": "other", "to": "lead", "t": 0},
    ]
    through = small(events, [("e1", "e3", "causal"), ("e3", "e2", "return")], rewards={"team": 1.0})
    assert not Removals(replay(through)).steady
    direct = small(events, [("e1", "e2", "causal")], rewards={"team": 1.0})
    assert Removals(replay(direct)).steady


# what comes first may go with what comes later at the same time


EARLIER: dict[str, tuple[list[Json], list[tuple[str, str, str]], str, set[str]]] = {
    "a part before its whole": (
        [
            {"type": "orchestrator_decision"},
            {"type": "delegate", "to": "other", "t": 1, "parent": "e3"},
            {"type": "model_call", "t": 1},
            {"type": "model_call", "t": 2, "agent": "other"},
            {"type": "model_call", "t": 3},
        ],
        [("e1", "e3", "causal"), ("e2", "e4", "causal"), ("e4", "e5", "causal")],
        "e1",
        set(),
    ),
    "a message to an agent before its spawn": (
        [
            {"type": "model_call"},
            {"type": "message", "to": "other", "t": 1},
            {"type": "spawn", "to": "other", "t": 1},
            {"type": "model_call", "t": 2, "agent": "other"},
            {"type": "model_call", "t": 3},
        ],
        [("e2", "e3", "causal"), ("e4", "e5", "causal"), ("e1", "e5", "causal")],
        "e3",
        {"e1", "e5"},
    ),
}


@pytest.mark.parametrize("case", EARLIER)
def test_what_comes_before_what_it_depends_on_goes_with_it(case: str) -> None:
    events, edges, removed, left = EARLIER[case]
    trace = small(events, edges, rewards={"team": 1.0})
    assert not replay(trace).problems.errors
    assert {event.id for event in without(trace, removed).events} == left
    gone = Removals(replay(trace)).gone({removed: 1}).events
    places = replay(trace).graph.places
    assert {id for id, place in places.items() if not gone[place]} == left
    assert Dependents(trace).removed_with([removed])[0] == places.keys() - left


@pytest.mark.parametrize("case", EARLIER)
@pytest.mark.parametrize("kind", ["agent", "turn", "orchestrator"])
def test_coalitions_that_count_as_one_leave_the_same(case: str, kind: str) -> None:
    events, edges, *_ = EARLIER[case]
    found = game(small(events, edges, rewards={"team": 1.0}), kind)
    assert found is not None
    rows = np.array(list(product([False, True], repeat=len(found.units))))
    alone = replace(found, batch_value=None, dependents=(), known={})
    assert found.worths(rows).tolist() == alone.worths(rows).tolist()
