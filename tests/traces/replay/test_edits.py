"""Sub-traces of a trace."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces import Trace, check, states
from survey.traces.replay import until, without
from tests.traces.strategies import Json, published_example, small

TURN: Json = {"type": "model_call"}
SPAWN: Json = {"type": "spawn", "to": "helper"}
WORK: Json = {"type": "model_call", "agent": "helper"}
BACK: Json = {"type": "return", "agent": "helper", "to": "lead"}
EXAMPLE = Trace.of(published_example())


def ids(trace: Trace) -> list[str]:
    return [event.id for event in trace]


def kinds(trace: Trace) -> list[str]:
    return [problem.kind for problem in check(trace) if not problem.warning]


# until


def test_a_cut_keeps_everything_up_to_the_event_and_the_edges_between() -> None:
    cut = until(EXAMPLE, "e4")
    assert ids(cut) == ["e1", "e2", "e3", "e4"]
    assert [(edge.src, edge.dst) for edge in cut.edges] == [("e1", "e2"), ("e1", "e3"), ("e2", "e4"), ("e3", "e4")]
    assert kinds(cut) == []


def test_a_cut_follows_causal_order_not_file_order() -> None:
    trace = small([{**TURN, "t": 2}, {**TURN, "t": 0}, {**TURN, "t": 1}])
    assert ids(until(trace, "e3")) == ["e2", "e3"]


def test_a_cut_recomputes_costs_and_drops_fields_of_the_whole_run() -> None:
    whole = small(
        [{**TURN, "tokens": 5, "cost": 1}, {"type": "tool_call"}, {"type": "tool_result"}, {**TURN, "tokens": 7, "cost": 2}],
        costs={"tokens": 12, "wall_clock_s": 3, "tool_calls": 1, "messages": 0, "usd": 3, "gpu_s": 4},
        rewards={"team": 1}, outcome={"success": True}, metrics={"task_success": 1}, labels=[{"event": "e1", "label": "x"}, {"event": "e4", "label": "x"}],
    )  # fmt: skip
    cut = until(whole, "e2")
    assert cut.costs["tokens"] == 5
    assert cut.costs["usd"] == 1
    assert cut.costs["wall_clock_s"] == 1
    assert cut.costs["tool_calls"] == 1
    assert cut.rewards == {}
    assert cut.head.keys().isdisjoint({"outcome", "metrics"})
    assert cut.labels == [{"event": "e1", "label": "x"}]


def test_a_message_in_flight_at_the_cut_never_arrives() -> None:
    sent: Json = {"type": "message", "to": "b", "delivered": 5}
    cut = until(small([sent, TURN, {**TURN, "t": 9}], agents=[{"id": "b"}]), "e2")
    assert [event.delivered for event in cut] == [False, None]
    assert [dict(state.in_flight) for _, state in states(cut)] == [{"e1": "b"}] * 2


def test_who_is_spawned_behind_the_cut_is_not_listed_before_it() -> None:
    cut = until(small([TURN, SPAWN], agents=[{"id": "lead"}, {"id": "helper"}]), "e1")
    assert list(cut.agents) == ["lead"]


def test_two_entries_for_one_agent_are_both_kept() -> None:
    agents = [{"id": "lead", "role": "a"}, {"id": "lead", "role": "b"}]
    assert until(small([TURN, TURN], agents=agents), "e1").head["agents"] == agents


def test_the_first_agent_is_there_at_a_cut_before_it_acts() -> None:
    trace = small([{"type": "human_intervention", "agent": "user"}, TURN])
    assert list(states(until(trace, "e1"))) == list(states(trace))[:1]


def test_a_cut_at_no_event_says_what_is_near() -> None:
    with pytest.raises(KeyError, match=r"no event has the id \"plan_0\" \(did you mean \"plan_1\"\?\)"):
        until(small([{**TURN, "id": "plan_1"}]), "plan_0")


def test_a_cut_at_the_end_changes_no_event() -> None:
    assert list(until(EXAMPLE, "e8")) == list(EXAMPLE)


@pytest.mark.parametrize("topology", ["hierarchical", "debate", "swarm", "planner_executor_critic"])
def test_a_cut_before_the_team_has_its_shape_is_no_error(topology: str) -> None:
    events: list[Json] = [
        TURN,
        SPAWN,
        {"type": "spawn", "agent": "helper", "to": "c"},
        {"type": "return", "agent": "c", "to": "helper"},
    ]
    whole = small(events, topology=topology)
    assert kinds(whole) == []
    assert [kinds(until(whole, f"e{number}")) for number in (1, 2, 3)] == [[], [], []]


# without


@pytest.mark.parametrize(
    ("unit", "left"),
    [
        ("e5", ["e1", "e2", "e3", "e4"]),  # the call: its result, the return based on it, the aggregation of that
        ("e6", ["e1", "e2", "e3", "e4", "e5"]),
        ("e2", ["e1", "e3"]),  # the spawn of the planner: all its events
        ("planner", ["e1", "e3"]),
        ("e8", ["e1", "e2", "e3", "e4", "e5", "e6", "e7"]),
        ("executor", ["e1", "e2"]),
        ("lead", []),
    ],
)
def test_dependents_of_a_part_are_removed_with_it(unit: str, left: list[str]) -> None:
    events: list[Json] = [
        TURN, {"type": "spawn", "to": "planner"}, {"type": "spawn", "to": "executor"}, {"type": "message", "agent": "planner", "to": "executor"},
        {"type": "tool_call", "agent": "executor"}, {"type": "tool_result", "agent": "executor", "parent": "e5"},
        {"type": "return", "agent": "executor", "to": "lead"}, {"type": "aggregate"},
    ]  # fmt: skip
    edges = [
        ("e1", "e2", "causal"), ("e1", "e3", "causal"), ("e2", "e4", "spawn"), ("e4", "e5", "message"), ("e5", "e6", "tool_dependency"),
        ("e6", "e7", "causal"), ("e7", "e8", "aggregate"),
    ]  # fmt: skip
    assert ids(without(small(events, edges), unit)) == left


def test_what_has_another_cause_stays() -> None:
    trace = small([TURN, TURN, TURN], [("e1", "e3", "causal"), ("e2", "e3", "causal")])
    assert ids(without(trace, "e1")) == ["e2", "e3"]
    assert ids(without(trace, "e1", "e2")) == []


def test_what_only_came_later_stays() -> None:
    trace = small([TURN, TURN, TURN], [("e1", "e2", "temporal"), ("e1", "e3", "safety_flow")])
    assert ids(without(trace, "e1")) == ["e2", "e3"]


def test_a_part_is_removed_with_its_parent() -> None:
    assert ids(without(small([TURN, {"type": "tool_call", "parent": "e1"}, TURN]), "e1")) == ["e3"]


def test_agents_spawned_by_an_agent_go_with_it() -> None:
    trace = small(
        [
            SPAWN,
            {"type": "spawn", "agent": "helper", "to": "c"},
            {**TURN, "agent": "c"},
            {"type": "message", "to": "helper"},
            TURN,
        ]
    )
    assert ids(without(trace, "helper")) == ["e5"]


def test_the_rest_says_that_it_was_cut_and_from_what() -> None:
    made = without(small([TURN, TURN], trace_id="run-7"), "e1")
    assert made.id == "run-7 without e1"
    assert made.head["counterfactual_of"] == {"trace_id": "run-7", "without": ["e1"], "how": "removed"}


def test_without_what_is_neither_event_nor_agent_says_what_is_near() -> None:
    with pytest.raises(KeyError, match=r"there is no event or agent \"helpr\" \(did you mean \"helper\"\?\)"):
        without(small([SPAWN, WORK]), "helpr")


NEW: list[tuple[str, list[Json], Json, str]] = [
    ("a level of a hierarchy", [SPAWN, {"type": "spawn", "agent": "helper", "to": "c"}], {"topology": "hierarchical"}, "e2"),
    ("all but one of a debate", [TURN, {"type": "message", "to": "b"}, {**TURN, "agent": "b"}], {"topology": "debate"}, "b"),
    ("the person who started it again", [{"type": "stop"}, {"type": "human_intervention", "agent": "user"}, TURN], {}, "e2"),
    ("the end of one who comes back", [SPAWN, {"type": "despawn", "agent": "helper"}, SPAWN], {}, "e2"),
    ("new work for one who was stopped", [SPAWN, {"type": "stop", "to": "helper"}, {"type": "delegate", "to": "helper"}, WORK], {}, "e3"),
]  # fmt: skip


@pytest.mark.parametrize(("events", "head", "unit"), [row[1:] for row in NEW], ids=[row[0] for row in NEW])
def test_taking_a_part_out_makes_no_new_error(events: list[Json], head: Any, unit: str) -> None:
    whole = small(events, **head)
    assert kinds(whole) == []
    assert kinds(without(whole, unit)) == []
