"""Measures of small traces, computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from survey.traces import Trace, metrics, replay
from survey.traces.metrics import MEASURES, Run, compare, measure
from tests.traces.strategies import Json, published_example, small

TURN: Json = {"type": "model_call"}


def spans(**head: Any) -> Trace:
    """A lead delegates at 1 to a (busy 1 to 5) and b (busy 2 to 4, including its tool), and aggregates from 6 to 8.

    lead  |0-1|                 |6--8|
    a         |1---------5|
    b            |2---4|
    """
    events: list[Json] = [
        {"type": "orchestrator_decision", "t": 0, "t_end": 1, "tokens": {"input": 80, "output": 20, "reasoning": 15}, "role": "boss"},
        {"type": "spawn", "t": 1, "to": "a", "role": "worker"},
        {"type": "spawn", "t": 1, "to": "b", "role": "worker"},
        {"type": "model_call", "t": 1, "t_end": 5, "agent": "a", "tokens": 300, "cost": 0.25},
        {"type": "model_call", "t": 2, "t_end": 3, "agent": "b", "tokens": 100},
        {"type": "tool_call", "t": 3, "agent": "b", "tool": "search", "content_ref": "q"},
        {"type": "tool_result", "t": 4, "agent": "b", "tool": "search", "parent": "e6", "status": "error", "trusted": False},
        {"type": "return", "t": 4, "agent": "b", "to": "lead"},
        {"type": "return", "t": 5, "agent": "a", "to": "lead"},
        {"type": "aggregate", "t": 6, "t_end": 8, "tokens": 500, "cost": 0.5},
    ]  # fmt: skip
    edges = [
        ("e1", "e2", "causal"), ("e1", "e3", "causal"), ("e2", "e4", "spawn"), ("e3", "e5", "spawn"), ("e5", "e6", "causal"),
        ("e6", "e7", "tool_dependency"), ("e7", "e8", "temporal"), ("e4", "e9", "temporal"), ("e8", "e10", "aggregate"), ("e9", "e10", "aggregate"),
    ]  # fmt: skip
    return small(events, edges, **head)


EXPECTED = [
    ("wall_s", 8.0),
    ("work_s", 1 + 2 + 4 + 2),
    ("union_s", 1 + 4 + 2),
    ("critical_path_s", 1 + 4 + 2),
    ("sub_agent_work_s", 4 + 3),
    ("sub_agent_union_s", 4.0),
    ("sub_agents_at_once", 2),
    ("parallelism", {"0": 1.0, "1": 5.0, "2": 2.0}),
    ("speedup_graph", 9 / 7),
    ("speedup_observed", 9 / 7),
    ("waiting_s", {"lead": 4.0}),
    ("idle_s", {"lead": 1.0}),
    ("busy_s", {"lead": 3.0, "a": 4.0, "b": 2.0}),
    ("steps", 4),
    ("critical_path_steps", 3),
    ("critical_steps", 3),
    ("agents", 3),
    ("spawn_depth", 1),
    ("spawn_width", 2),
    ("split_balance", 1.0),
    ("split_overlap", 0.0),
    ("messages", 0),
    ("message_density", 0.0),
    ("pairs_that_talk", 0.0),
    ("coordination_share", 0.6),
    ("returns_used", 1.0),
    ("aggregation_fan_in", 2.0),
    ("looping_calls", 0),
    ("retries", 0),
    ("silent_sub_agents", 0),
    ("unused_results", 0),
    ("last_sub_agent_s", 5 - 4),
    ("unsafe_reach", 2 / 3),
    ("tokens", 1000),
    ("critical_path_tokens", 900),
    ("tokens_by_agent", {"lead": 600, "a": 300, "b": 100}),
    ("tokens_by_role", {"boss": 600, "worker": 400}),
    ("calls_by_tool", {"search": 1}),
    ("failures_by_tool", {"search": 1}),
    ("failures_by_kind", {"error": 1}),
    ("cost_usd", 0.75),
    ("cost_by_agent", {"a": 0.25, "lead": 0.5}),
]


def test_every_measure_can_be_imported_by_its_name() -> None:
    assert MEASURES.keys() <= set(metrics.__all__)


@pytest.mark.parametrize(("name", "value"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_a_measure_is_what_it_is_by_hand(name: str, value: Any) -> None:
    assert measure(spans(), [name])[name].value == pytest.approx(value)


def test_a_trace_its_replay_and_its_run_are_measured_alike() -> None:
    trace = Trace.of(published_example())
    run = Run(replay(trace))
    assert measure(trace) == measure(run.replayed) == measure(run)


def test_every_measure_says_what_it_is() -> None:
    for found in measure(spans()).values():
        assert found.title
        assert found.unit
        assert found.definition.endswith(".")
    assert len(MEASURES) >= len(EXPECTED)


def value(name: str, events: list[Json], edges: list[tuple[str, str, str]] | None = None, **head: Any) -> Any:
    return measure(small(events, edges, **head), [name])[name].value


SPAWN: Json = {"type": "spawn", "to": "a"}
BACK: Json = {"type": "return", "agent": "a", "to": "lead"}
WORK: Json = {"type": "model_call", "agent": "a"}

WHY: list[tuple[str, list[Json], Json, str]] = [
    ("wall_s", [TURN], {"time": "ordinal"}, "its times are ordinal: they order events but give no durations"),
    ("critical_path_s", [TURN], {"time": "mixed"}, "its times are mixed: they order events but give no durations"),
    ("speedup_graph", [TURN], {"time": "ordinal"}, "its times are ordinal: they order events but give no durations"),
    ("speedup_graph", [TURN], {}, "its critical path takes no time"),
    ("speedup_observed", [TURN], {}, "no agent was busy for any time"),
    ("idle_s", [TURN, TURN], {}, "no event has an end time (t_end)"),
    ("sub_agent_work_s", [TURN], {}, "no work was delegated"),
    ("split_balance", [SPAWN, WORK, BACK], {}, "only one piece of work was delegated"),
    ("split_balance", [SPAWN, {**SPAWN, "to": "b"}], {}, "no delegated work has any steps"),
    ("split_overlap", [SPAWN, WORK], {}, "no tool call of a sub-agent has a content_ref"),
    ("message_density", [{"type": "stop"}], {}, "there are no steps"),
    ("pairs_that_talk", [TURN], {}, "there is only one agent"),
    ("protocol_overhead", [{"type": "message", "to": "a"}], {}, 'no message has the field "protocol"'),
    ("protocol_overhead", [TURN], {}, 'no message has the field "protocol"'),
    ("coordination_share", [TURN], {}, "no event records its tokens"),
    ("coordination_share", [{**TURN, "tokens": 0}], {}, "the tokens of its events add up to 0"),
    ("returns_used", [TURN], {}, "there are no returns"),
    ("aggregation_fan_in", [TURN], {}, "there are no aggregations"),
    ("looping_calls", [{"type": "tool_call", "tool": "search"}], {}, "no tool call has a content_ref"),
    ("retries", [{"type": "tool_call", "tool": "search"}], {}, "no tool call has a result"),
    ("silent_sub_agents", [TURN], {}, "no work was delegated"),
    ("unused_results", [TURN], {}, "there are no returns"),
    ("unused_results", [SPAWN, BACK], {}, "no turn of the first agent is recorded, so nothing shows what it used"),
    ("last_sub_agent_s", [SPAWN, WORK, BACK], {}, "no two pieces of work were handed out side by side"),
    ("last_sub_agent_s", [SPAWN, BACK], {"time": "ordinal"}, "its times are ordinal: they order events but give no durations"),
    ("error_spread", [TURN], {}, "no event is labelled decisive_error"),
    ("unsafe_reach", [TURN], {}, "no event is marked as untrusted or unsafe"),
    ("tokens", [TURN], {"costs": {}}, "no event records its tokens"),
    ("critical_path_tokens", [TURN], {}, "no event records its tokens"),
    ("tokens_by_role", [{**TURN, "tokens": 3}], {}, "no agent has a role"),
    ("cost_usd", [TURN], {}, "no event records its cost"),
    ("cost_by_agent", [TURN], {}, "no event records its cost"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "events", "head", "reason"), WHY, ids=[f"{row[0]}-{number}" for number, row in enumerate(WHY)]
)
def test_what_cannot_be_measured_says_why(name: str, events: list[Json], head: Json, reason: str) -> None:
    found = measure(small(events, **head), [name])[name]
    assert (found.value, found.why_not) == (None, reason)


def test_nothing_can_be_measured_in_a_trace_without_events_and_nothing_breaks() -> None:
    assert measure(small([]), ["wall_s", "critical_path_s", "steps", "returns_used"])["wall_s"].value is None


def test_tokens_of_reasoning_are_counted_in_those_of_output() -> None:
    assert (
        value(
            "tokens",
            [{**TURN, "tokens": {"input": 1, "output": 5, "cache_read": 10, "cache_write": 100, "reasoning": 4}}],
        )
        == 116
    )


def test_what_comes_behind_an_error_is_its_spread() -> None:
    events = [TURN, TURN, TURN, TURN, TURN]
    edges = [("e1", "e2", "causal"), ("e2", "e3", "temporal"), ("e2", "e4", "message")]
    assert value("error_spread", events, edges, labels=[{"event": "e2", "label": "decisive_error"}]) == pytest.approx(
        2 / 5
    )


def test_messages_marked_as_protocol_are_the_overhead() -> None:
    events: list[Json] = [
        {"type": "message", "to": "a", "protocol": mark} for mark in (True, True, False, False, False)
    ]
    assert value("protocol_overhead", events, agents=[{"id": "a"}]) == 0.4


def test_pairs_that_talk_are_counted_once_and_in_their_direction() -> None:
    events: list[Json] = [
        {"type": "message", "to": "a"},
        {"type": "message", "to": "a"},
        {"type": "message", "to": "user"},
        WORK,
    ]
    assert value("pairs_that_talk", events) == 0.5


def test_the_same_call_by_two_sub_agents_overlaps() -> None:
    call: Json = {"type": "tool_call", "tool": "search", "content_ref": "q"}
    events: list[Json] = [
        SPAWN,
        {**SPAWN, "to": "b"},
        {**call, "agent": "a"},
        {**call, "agent": "b"},
        {**call, "agent": "a", "content_ref": "r"},
        {**call, "agent": "a", "tool": "read"},
    ]
    assert value("split_overlap", events) == 0.5


def test_work_that_nobody_reads_is_not_used() -> None:
    events: list[Json] = [SPAWN, {**SPAWN, "to": "b"}, BACK, {**BACK, "agent": "b"}, {"type": "aggregate"}]
    assert value("returns_used", events, [("e3", "e5", "aggregate")]) == 0.5


def test_a_chain_of_spawns_has_its_depth() -> None:
    assert (
        value(
            "spawn_depth",
            [SPAWN, {"type": "spawn", "agent": "a", "to": "b"}, {"type": "spawn", "agent": "b", "to": "c"}],
        )
        == 3
    )


def test_a_spawn_recorded_by_the_spawned_agent_counts_like_any_other() -> None:
    told: Json = {"type": "spawn", "agent": "a", "from": "lead"}
    for name in ("spawn_depth", "spawn_width", "agents", "sub_agents_at_once"):
        assert value(name, [TURN, told, WORK, BACK]) == value(name, [TURN, SPAWN, WORK, BACK]), name


def test_people_are_never_at_work() -> None:
    for person in ("user", "alice"):
        events: list[Json] = [TURN, {"type": "human_intervention", "agent": person, "t_end": 50}, {**TURN, "t": 51}]
        assert value("busy_s", events, [("e1", "e2", "causal"), ("e2", "e3", "causal")]).get(person, 0) == 0, person


def test_a_person_who_speaks_first_is_not_the_orchestrator() -> None:
    events: list[Json] = [{"type": "human_intervention", "agent": "alice"}, TURN, SPAWN, WORK, BACK]
    assert value("critical_steps", events) == 2


def test_an_event_inside_the_span_of_its_cause_does_not_lengthen_the_critical_path() -> None:
    """As in span logs: the call of a sub-agent lasts as long as the sub-agent."""
    events: list[Json] = [{**SPAWN, "t": 0, "t_end": 10}, {**WORK, "t": 2}, {**WORK, "t": 9}]
    assert value("critical_path_s", events, [("e1", "e2", "spawn")]) == 10


def test_work_inside_the_span_of_its_cause_is_work() -> None:
    events: list[Json] = [{**SPAWN, "t": 0, "t_end": 10}, {**WORK, "t": 2, "t_end": 9}]
    assert value("busy_s", events, [("e1", "e2", "spawn")]) == {"lead": 10, "a": 7}


def test_steps_of_an_agent_without_turns_are_its_calls_and_messages() -> None:
    events: list[Json] = [
        TURN,
        SPAWN,
        {"type": "tool_call", "agent": "a"},
        {"type": "message", "agent": "a", "to": "lead"},
        {"type": "tool_call"},
    ]
    assert value("steps", events) == 3


@pytest.mark.parametrize("stages", [[[3]], [[3, 5]], [[3, 5], [2, 2, 2]], [[], [4]], [[0, 1]]])
def test_critical_steps_are_those_of_the_orchestrator_and_of_the_slowest_of_each_stage(stages: list[list[int]]) -> None:
    events: list[Json] = []
    for stage, sizes in enumerate(stages):
        events.append({"type": "orchestrator_decision"})
        for number, size in enumerate(sizes):
            name = f"{stage}.{number}"
            events += [
                {"type": "spawn", "to": name},
                *[{"type": "model_call", "agent": name}] * size,
                {"type": "return", "agent": name, "to": "lead"},
            ]
    events.append({"type": "aggregate"})
    assert value("critical_steps", events) == len(stages) + 1 + sum(max(sizes, default=0) for sizes in stages)


def test_what_sub_agents_hand_out_in_turn_does_not_add_to_critical_steps() -> None:
    nested: Json = {"type": "spawn", "agent": "a", "to": "b"}
    events: list[Json] = [
        TURN,
        SPAWN,
        WORK,
        nested,
        {"type": "model_call", "agent": "b"},
        {"type": "return", "agent": "b", "to": "a"},
        BACK,
    ]
    assert value("critical_steps", events) == 2


def test_the_published_example_can_be_measured() -> None:
    found = measure(Trace.of(published_example()))
    assert {name: found[name].value for name in ("agents", "spawn_depth", "spawn_width", "messages", "steps", "returns_used", "aggregation_fan_in")} == {
        "agents": 3, "spawn_depth": 1, "spawn_width": 2, "messages": 1, "steps": 4, "returns_used": 1.0, "aggregation_fan_in": 1.0,
    }  # fmt: skip


# comparison with one agent


def run(steps: int, success: bool | None, wall: float = 10) -> Trace:
    events: list[Json] = [{**TURN, "t": wall * number / max(steps - 1, 1)} for number in range(steps)]
    return small(events, outcome=None if success is None else {"success": success}).with_head()


def test_a_team_is_held_against_one_agent() -> None:
    found = compare([run(6, True, 5), run(6, False, 5)], [run(4, True), run(4, False), run(4, True), run(4, True)])
    assert {name: one.value for name, one in found.items()} == {
        "overhead": 0.5, "efficiency": 0.5 / 1.5, "error_amplification": 2.0, "speedup_baseline": 2.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("team", "single", "name", "reason"),
    [
        ([], [run(2, True)], "overhead", "there are no runs of the team"),
        ([run(2, True)], [], "overhead", "there are no runs of one agent"),
        ([run(2, None)], [run(2, True)], "efficiency", "not every run says whether it succeeded (outcome.success)"),
        ([run(2, False)], [run(2, True)], "error_amplification", "one agent never failed"),
        ([run(1, False)], [run(2, True)], "speedup_baseline", "the team took no time"),
    ],
    ids=["no team", "no single", "no success", "no failure", "no time"],
)
def test_an_impossible_comparison_gives_the_reason(
    team: list[Trace], single: list[Trace], name: str, reason: str
) -> None:
    found = compare(team, single)[name]
    assert (found.value, found.why_not) == (None, reason)


def test_tokens_and_cost_by_tool_are_those_of_calls_and_results_alone() -> None:
    events: list[Json] = [
        {"type": "model_call", "tokens": 500, "cost": 1.0},
        {"type": "tool_call", "tool": "search", "tokens": 3},
        {"type": "tool_result", "tool": "search", "tokens": {"input": 20, "output": 4}, "cost": 0.25},
        {"type": "tool_call", "tool": "read"},
        {"type": "tool_result", "tool": "read"},
    ]
    found = measure(small(events))
    assert found["tokens_by_tool"].value == {"search": 27}
    assert found["cost_by_tool"].value == {"search": 0.25}
    assert measure(small([TURN]))["tokens_by_tool"].why_not == "no tool call or result records its tokens"


def test_cost_by_role_adds_up_the_cost_of_its_agents() -> None:
    turns = [{**TURN, "cost": 2.0}, {**TURN, "cost": 1.0, "agent": "a"}, {**TURN, "cost": 0.5, "agent": "b"}]
    critics = [{"id": "a", "role": "critic"}, {"id": "b", "role": "critic"}]
    found = measure(small(turns, agents=critics))
    assert found["cost_by_role"].value == {"no role": 2.0, "critic": 1.5}


# ------------------------------------------------- whom an agent waits for, by hand


def timed(*events: Json, edges: Sequence[tuple[str, str, str]] = ()) -> Mapping[str, Any]:
    """The measures of a run; events are numbered from e1."""
    numbered = [{"id": f"e{number}", "agent": "m", **event} for number, event in enumerate(events, 1)]
    links = [{"src": src, "dst": dst, "type": type} for src, dst, type in edges]
    head = {"schema_version": 1, "trace_id": "x", "task_id": "x", "time": "seconds", "rewards": {}, "costs": {}}
    return {name: one.value for name, one in measure(Trace.of({**head, "events": numbered, "edges": links})).items()}


def test_a_call_that_blocks_on_an_agent_is_waiting_and_the_path_leads_into_that_agent() -> None:
    found = timed(
        {"type": "orchestrator_decision", "t": 0, "t_end": 5}, {"type": "spawn", "t": 5, "to": "a"},
        {"type": "model_call", "t": 5, "t_end": 15}, {"type": "model_call", "t": 5, "t_end": 65, "agent": "a"},
        {"type": "tool_call", "t": 15, "tool": "gather", "waits_for": "agents"},
        {"type": "return", "t": 65, "agent": "a", "to": "m"}, {"type": "tool_result", "t": 65, "tool": "gather", "parent": "e5"},
        {"type": "aggregate", "t": 65, "t_end": 70},
        edges=[("e1", "e2", "causal"), ("e2", "e4", "spawn"), ("e6", "e8", "aggregate"), ("e5", "e7", "tool_dependency")],
    )  # fmt: skip
    assert (found["work_s"], found["union_s"], found["critical_path_s"]) == (80, 70, 70)
    assert (found["waiting_s"], found["waiting_people_s"]) == ({"m": 50}, {})


def test_waiting_for_an_answer_a_permission_and_a_prompt_are_told_apart() -> None:
    found = timed(
        {"type": "model_call", "t": 0, "t_end": 10}, {"type": "tool_call", "t": 10, "tool": "ask", "waits_for": "people"},
        {"type": "human_intervention", "t": 40, "agent": "user", "to": "m"}, {"type": "tool_result", "t": 40, "tool": "ask", "parent": "e2"},
        {"type": "model_call", "t": 40, "t_end": 50}, {"type": "tool_call", "t": 50, "tool": "rm"},
        {"type": "human_intervention", "t": 57, "agent": "user", "to": "m", "status": "rejected"},
        {"type": "tool_result", "t": 57, "tool": "rm", "parent": "e6", "status": "rejected"},
        {"type": "model_call", "t": 57, "t_end": 60}, {"type": "human_intervention", "t": 160, "agent": "user", "to": "m"},
        {"type": "model_call", "t": 160, "t_end": 165},
        edges=[("e2", "e3", "causal"), ("e3", "e4", "causal"), ("e2", "e4", "tool_dependency"), ("e6", "e7", "causal"),
               ("e7", "e8", "causal"), ("e6", "e8", "tool_dependency"), ("e10", "e11", "causal"), ("e4", "e5", "temporal"), ("e8", "e9", "temporal")],
    )  # fmt: skip
    assert (found["waiting_people_s"], found["waiting_permission_s"], found["waiting_s"]) == ({"m": 130}, {"m": 7}, {})
    assert (found["work_s"], found["critical_path_s"], found["critical_path_with_people_s"]) == (28, 28, 165)


def test_two_tools_at_once_count_once() -> None:
    found = timed(
        {"type": "model_call", "t": 0, "t_end": 2}, {"type": "tool_call", "t": 2, "t_end": 12, "tool": "a"},
        {"type": "tool_call", "t": 2, "t_end": 22, "tool": "b"}, {"type": "model_call", "t": 22, "t_end": 25},
        edges=[("e1", "e2", "causal"), ("e1", "e3", "causal"), ("e2", "e4", "causal"), ("e3", "e4", "causal")],
    )  # fmt: skip
    assert (found["work_s"], found["busy_s"], found["critical_path_s"]) == (25, {"m": 25}, 25)


def test_tokens_that_only_the_whole_run_states_are_measured_and_prompts_are_no_messages_between_agents() -> None:
    head = {
        "schema_version": 1,
        "trace_id": "x",
        "task_id": "x",
        "time": "ordinal",
        "rewards": {},
        "costs": {"tokens": 181_245},
    }
    prompt = {"id": "e1", "type": "message", "agent": "user", "to": "m", "t": 0}
    found = measure(Trace.of({**head, "events": [prompt], "edges": []}))
    assert (found["tokens"].value, found["messages"].value) == (181_245, 0)
    assert found["tokens_by_agent"].value is None
