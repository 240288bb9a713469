"""Replay reports inconsistencies, and gives the state of the team after each event."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from survey.traces import Trace, Walk, check, replay, states
from survey.traces.model import graph
from tests.traces.strategies import Json, published_example, small

Edges = list[tuple[str, str, str]]

SPAWN: Json = {"type": "spawn", "to": "helper"}
BACK: Json = {"type": "return", "agent": "helper", "to": "lead"}
TURN: Json = {"type": "model_call"}
WORK: Json = {"type": "model_call", "agent": "helper"}
GONE: Json = {"type": "despawn", "agent": "helper"}
CALL: Json = {"type": "tool_call", "tool": "search"}
RESULT: Json = {"type": "tool_result", "tool": "search"}
PERSON: Json = {"type": "human_intervention", "agent": "user"}


def said(trace: Trace) -> list[str]:
    return [str(problem) for problem in check(trace)]


# errors: kind, events, edges, head, the complete message
ERRORS: list[tuple[str, list[Json], Edges, Json, str]] = [
    ("unknown-event", [TURN], [("e1", "e2", "causal")], {}, '/edges/0/dst: no event has the id "e2"; the other end is "e1"'),
    ("unknown-event", [TURN, {**TURN, "id": "start"}], [("strat", "e1", "causal")], {}, '/edges/0/src: no event has the id "strat" (did you mean "start"?); the other end is "e1"'),
    ("causal-cycle", [TURN, TURN], [("e1", "e2", "causal"), ("e2", "e1", "temporal")], {},
     '"e2" leads to "e1", which leads back to it (an edge of type temporal)'),
    ("causal-cycle", [TURN], [("e1", "e1", "causal")], {}, '"e1" leads to itself (an edge of type causal)'),
    ("effect-before-cause", [{**TURN, "t": 3}, {**TURN, "t": 1}], [("e1", "e2", "causal")], {},
     '/events/1: "e2" (t = 1) follows from "e1" (t = 3), which is later'),
    ("duplicate-id", [TURN, {**TURN, "id": "e1"}], [], {}, '/events/1: the id "e1" is already used by /events/0'),
    ("ends-early", [{**TURN, "t": 5, "t_end": 3}], [], {}, '/events/0: "e1" (model_call): ends at 3, before it begins at 5'),
    ("never-spawned", [SPAWN, {**TURN, "agent": "helpr"}], [], {},
     '/events/1: "e2" (model_call): "helpr" acts, but was never spawned (did you mean "helper"?)'),
    ("before-spawn", [TURN, WORK, SPAWN], [], {}, '/events/1: "e2" (model_call): "helper" acts, but is spawned later, by "e3"'),
    ("after-despawn", [SPAWN, GONE, WORK], [], {}, '/events/2: "e3" (model_call): "helper" acts, but was despawned by "e2"'),
    ("after-despawn", [{"type": "message", "to": "b"}, {"type": "despawn", "to": "b"}, {**TURN, "agent": "b"}], [], {},
     '/events/2: "e3" (model_call): "b" acts, but was despawned by "e2"'),
    ("spawn-of-nobody", [{"type": "spawn"}], [], {}, '/events/0: "e1" (spawn): spawns, but does not name an agent (expected the new agent in "to")'),
    ("spawned-twice", [SPAWN, SPAWN], [], {}, '/events/1: "e2" (spawn): spawns "helper", who was already spawned by "e1"'),
    ("despawned-twice", [SPAWN, GONE, GONE], [], {}, '/events/2: "e3" (despawn): "helper" was already despawned by "e2"'),
    ("result-without-call", [RESULT], [], {}, '/events/0: "e1" (tool_result): has no matching call'),
    ("result-without-call", [RESULT, CALL, RESULT], [], {}, '/events/0: "e1" (tool_result): has no matching call'),
    ("second-result", [CALL, RESULT, RESULT], [("e1", "e2", "tool_dependency"), ("e1", "e3", "tool_dependency")], {},
     '/events/2: "e3" (tool_result): is a second result of "e1"; the first is "e2"'),
    ("second-result", [CALL, {**RESULT, "parent": "e1"}, {**RESULT, "parent": "e1"}], [], {},
     '/events/2: "e3" (tool_result): is a second result of "e1"; the first is "e2"'),
    ("return-from-nobody", [SPAWN, {**BACK, "agent": "ghost"}], [], {}, '/events/1: "e2" (return): "ghost" acts, but was never spawned'),
    ("return-from-nobody", [SPAWN, GONE, BACK], [], {}, '/events/2: "e3" (return): "helper" acts, but was despawned by "e2"'),
    ("return-to-nobody", [SPAWN, {**BACK, "to": "laed"}], [], {},
     '/events/1: "e2" (return): returns to "laed", who is not on the team (did you mean "lead"?)'),
    ("message-to-nobody", [SPAWN, {"type": "message", "to": "helpers"}], [], {},
     '/events/1: "e2" (message): is sent to "helpers", who is not on the team (did you mean "helper"?)'),
    ("message-to-nobody", [SPAWN, GONE, {"type": "message", "to": "helper"}], [], {},
     '/events/2: "e3" (message): is sent to "helper", who was despawned by "e2"'),
    ("message-to-nobody", [{"type": "message", "to": "helper"}, SPAWN], [], {},
     '/events/0: "e1" (message): is sent to "helper", who is spawned later, by "e2"'),
    ("delivered-early", [{"type": "message", "to": "b", "t": 4, "delivered": 3}], [], {},
     '/events/0: "e1" (message): arrives at 3, before it is sent at 4'),
    ("delegate-to-nobody", [SPAWN, {"type": "delegate", "to": "ghost"}], [], {}, '/events/1: "e2" (delegate): delegates to "ghost", who is not on the team'),
    ("delegate-to-nobody", [{"type": "delegate"}], [], {}, '/events/0: "e1" (delegate): delegates work, but does not name a receiver (expected "to")'),
    ("work-after-stop", [{"type": "stop"}, TURN], [], {}, '/events/1: "e2" (model_call): "lead" continues although "e1" stopped it'),
    ("work-after-stop", [SPAWN, {"type": "stop", "to": "helper"}, WORK], [], {},
     '/events/2: "e3" (model_call): "helper" continues although "e2" stopped it'),
    ("negative-cost", [TURN], [], {"costs": {"tokens": 0, "wall_clock_s": 0, "gpu_s": -2}}, "/costs/gpu_s: found -2, expected 0 or more"),
    ("negative-cost", [TURN], [], {"costs": {"tokens": 0, "wall_clock_s": 0, "a/b": -2}}, "/costs/a~1b: found -2, expected 0 or more"),
    ("total", [CALL, RESULT], [], {"costs": {"tokens": 0, "wall_clock_s": 9, "tool_calls": 99}},
     "/costs/tool_calls: found 99, expected 1 (the number of tool_call events)"),
    ("total", [TURN], [], {"costs": {"tokens": 0, "wall_clock_s": 9, "messages": 1}}, "/costs/messages: found 1, expected 0 (the number of message events)"),
    ("total", [{**TURN, "tokens": {"input": 7, "reasoning": 3}}], [], {"costs": {"tokens": 6, "wall_clock_s": 9}},
     "/costs/tokens: found 6, but the events add up to 7"),
    ("total", [{**TURN, "cost": 2}], [], {"costs": {"tokens": 0, "wall_clock_s": 9, "usd": 1}}, "/costs/usd: found 1, but the events add up to 2"),
    ("total", [{**TURN, "t": 5}, {**TURN, "t": 6, "t_end": 9}], [], {"costs": {"tokens": 0, "wall_clock_s": 3}, "time": "seconds"},
     "/costs/wall_clock_s: found 3, but the events span 4 seconds"),
    ("topology", [SPAWN, {"type": "spawn", "agent": "helper", "to": "c"}], [], {"topology": "centralized"},
     "/topology: declared as centralized, but e2 was spawned by an agent that was itself spawned"),
    ("topology", [SPAWN], [], {"topology": "hierarchical"}, "/topology: declared as hierarchical, but no spawned agent spawns or delegates"),
    ("topology", [TURN], [], {"topology": "debate"}, "/topology: declared as debate, but found 1 agents and 0 messages or returns between them"),
    ("topology", [TURN], [], {"topology": "swarm"}, "/topology: declared as swarm, but only one agent acts"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "events", "edges", "head", "message"),
    ERRORS,
    ids=[f"{row[0]}-{number}" for number, row in enumerate(ERRORS)],
)
def test_a_trace_with_one_error_says_what_where_and_with_which_other_event(
    kind: str, events: list[Json], edges: Edges, head: Json, message: str
) -> None:
    problems = [problem for problem in check(small(events, edges, **head)) if not problem.warning]
    assert [(problem.kind, str(problem)) for problem in problems] == [(kind, message)]


# warnings: unusual, but possible
WARNINGS: list[tuple[str, list[Json], Edges, Json, str]] = [
    ("record-outside", [{**TURN, "t": 5, "t_first": 8, "t_end": 7}], [], {}, '/events/0: warning: "e1" (model_call): has its first record at 8, outside of its time from 5 to 7'),
    ("call-without-result", [CALL], [], {}, '/events/0: warning: "e1" (tool_call): "lead" never gets a result'),
    ("message-without-receiver", [{"type": "message"}], [], {}, '/events/0: warning: "e1" (message): does not say who receives it (expected "to")'),
    ("edge-type", [TURN, TURN], [("e1", "e2", "message")], {}, 'warning: an edge of type message leads from "e1" (model_call) to "e2" (model_call)'),
    ("duplicate-edge", [TURN, TURN], [("e1", "e2", "causal")] * 2, {}, 'warning: duplicate causal edge from "e1" to "e2"'),
    ("unknown-field", [{**TURN, "tokns": 3}], [], {}, 'warning: "e1" has a field "tokns" (did you mean "tokens"?)'),
    ("total", [TURN], [], {"costs": {"tokens": 0, "wall_clock_s": 9, "tool_calls": 3}, "source": {"lost": [{"what": "calls", "count": 3}]}},
     "/costs/tool_calls: warning: found 3, expected 0 (the number of tool_call events)"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "events", "edges", "head", "message"), WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_is_strange_but_possible_is_a_warning(
    kind: str, events: list[Json], edges: Edges, head: Json, message: str
) -> None:
    problems = check(small(events, edges, **head))
    assert [(problem.kind, str(problem)) for problem in problems] == [(kind, message)]
    assert (problems.errors, problems.warnings) == (0, 1)


# neither
FINE: list[tuple[str, list[Json], Edges, Json]] = [
    ("a spawn, work and a return", [SPAWN, WORK, BACK], [], {}),
    ("an agent that comes back", [SPAWN, GONE, SPAWN, WORK], [], {}),
    ("one who is listed was there from the start", [SPAWN, {**TURN, "agent": "critic"}], [], {"agents": [{"id": "critic"}]}),
    ("a name stands for its instances", [SPAWN, {"type": "message", "to": "critics"}], [], {"agents": [{"id": "lead"}, {"id": "helper", "name": "critics"}]}),
    ("a team of equals that nobody spawned", [{"type": "message", "to": "b"}, {**TURN, "agent": "b"}], [], {}),
    ("a new agent's act is dated with its spawn", [SPAWN, {**WORK, "t": 0}], [], {}),
    ("an agent is spoken to and acts at the time of its spawn, which waits for a late act", [
        {**TURN, "t": 0}, {"type": "compaction", "t": 1}, {**SPAWN, "t": 1}, {"type": "message", "to": "helper", "t": 1}, {**WORK, "t": 1},
    ], [("e2", "e3", "causal")], {}),
    ("a despawn and its return at one time", [{**GONE, "t": 5}, {**BACK, "t": 5}, SPAWN], [], {}),
    ("a call and its result at one time, the wrong way round", [{**RESULT, "t": 1}, {**CALL, "t": 1}], [], {}),
    ("returns to the user", [{"type": "return", "to": "user"}], [], {}),
    ("a result by the tool itself", [CALL, {**RESULT, "agent": "search"}], [("e1", "e2", "tool_dependency")], {}),
    ("two calls of one tool at once", [CALL, CALL, RESULT, RESULT], [], {}),
    ("a result comes in after the stop", [CALL, {"type": "stop"}, RESULT], [], {}),
    ("a person starts it again", [{"type": "stop"}, PERSON, TURN], [], {}),
    ("who was stopped gets new work", [SPAWN, {"type": "stop", "to": "helper"}, {"type": "delegate", "to": "helper"}, WORK], [], {}),
    ("a person speaks first", [{**PERSON, "agent": "alice"}, SPAWN, BACK], [], {}),
    ("a guard acts first", [{"type": "safety_event", "agent": "guard"}, SPAWN, BACK], [], {}),
    ("a spawn that is told by the one spawned", [{"type": "spawn", "agent": "helper", "from": "lead"}, TURN, WORK], [], {}),
    ("one of several listed from the start stops for itself", [TURN, {"type": "stop", "agent": "critic"}, TURN], [], {"agents": [{"id": "lead"}, {"id": "critic"}]}),
    ("an ordinal trace has no span", [{**TURN, "t": 900}], [], {"time": "ordinal", "costs": {"tokens": 0, "wall_clock_s": 0}}),
    ("tokens of some events only", [{**TURN, "tokens": 5}, TURN], [], {"costs": {"tokens": 100, "wall_clock_s": 9}}),
    ("any agent may say it was told of by somebody else", [SPAWN, {"type": "message", "from": "helper", "to": "lead", "agent": "helper"}], [], {}),
]  # fmt: skip


@pytest.mark.parametrize(("events", "edges", "head"), [row[1:] for row in FINE], ids=[row[0] for row in FINE])
def test_what_can_have_happened_is_no_problem(events: list[Json], edges: Edges, head: Json) -> None:
    assert said(small(events, edges, **head)) == []


# dangling references other than edges
def test_an_agent_that_never_existed_cannot_be_despawned() -> None:
    (problem,) = check(small([SPAWN, {"type": "despawn", "to": "helpr"}]))
    assert "helpr" in problem.message
    assert not problem.warning


def test_a_sender_who_was_never_there_is_an_error() -> None:
    (problem,) = check(small([SPAWN, {"type": "message", "from": "ghost", "to": "helper"}]))
    assert "ghost" in problem.message


def test_an_unknown_parent_is_reported() -> None:
    (problem,) = check(small([{**TURN, "parent": "nope"}], schema_version=1))
    assert "nope" in problem.message


def test_a_label_on_an_unknown_event_is_reported() -> None:
    (problem,) = check(small([TURN], labels=[{"event": "nope", "label": "decisive_error"}]))
    assert "nope" in problem.message


# the published checker

ACCEPTED: list[tuple[str, list[Json], Edges, list[str]]] = [
    ("a circle", [TURN, TURN, TURN], [("e1", "e2", "causal"), ("e2", "e3", "causal"), ("e3", "e1", "causal")], ["causal-cycle"]),
    ("an effect before its cause", [{**TURN, "t": 5}, TURN], [("e1", "e2", "causal")], ["effect-before-cause"]),
    ("messages of agents that nobody spawned", [SPAWN, {"type": "message", "agent": "x", "to": "y"}], [], ["never-spawned", "message-to-nobody"]),
    ("a result without a call", [RESULT], [], ["result-without-call"]),
]  # fmt: skip


@pytest.mark.parametrize(("events", "edges", "kinds"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_replay_finds_what_a_checker_of_references_lets_pass(
    events: list[Json], edges: Edges, kinds: list[str]
) -> None:
    """Each of these has all fields, known types, unique ids, edges between events and no negative number."""
    assert [problem.kind for problem in check(small(events, edges))] == kinds


# states


def at(trace: Trace, id: str) -> Any:
    return next(state for event, state in states(trace) if event.id == id)


def test_a_spawned_agent_is_alive_until_it_is_despawned() -> None:
    trace = small([SPAWN, WORK, GONE, TURN])
    assert [list(state.alive.items()) for _, state in states(trace)] == [
        [("lead", ""), ("helper", "e1")], [("lead", ""), ("helper", "e1")], [("lead", "")], [("lead", "")],
    ]  # fmt: skip


def test_work_is_open_from_the_handing_out_to_the_return() -> None:
    trace = small([SPAWN, BACK, {"type": "delegate", "to": "helper"}, {"type": "stop", "to": "helper"}])
    assert [dict(state.tasks) for _, state in states(trace)] == [{"helper": "e1"}, {}, {"helper": "e3"}, {}]


def test_a_result_that_does_not_say_whose_it_is_answers_the_oldest_open_call_with_its_tool() -> None:
    calls = [CALL, {**CALL, "tool": "browse"}, CALL, CALL]
    answered = {**RESULT, "parent": "e1"}
    found = replay(small([*calls, answered, RESULT, CALL, RESULT, RESULT]))
    assert dict(found.answers) == {0: 4, 2: 5, 3: 7, 6: 8}
    assert list(found.state.calls) == ["e2"]


def test_a_call_is_open_until_its_result() -> None:
    trace = small([CALL, CALL, {**RESULT, "parent": "e1"}])
    assert [dict(state.calls) for _, state in states(trace)] == [
        {"e1": "lead"},
        {"e1": "lead", "e2": "lead"},
        {"e2": "lead"},
    ]


SENT: Json = {"type": "message", "to": "b"}
TEAM: Json = {"agents": [{"id": "b"}]}


@pytest.mark.parametrize(
    ("message", "edges", "in_flight_after"),
    [
        (SENT, [], []),
        ({**SENT, "delivered": False}, [], ["e1", "e2", "e3"]),
        ({**SENT, "delivered": 2}, [], ["e1", "e2"]),
        ({**SENT, "delivered": 1.5}, [], ["e1", "e2"]),
        ({**SENT, "delivered": 99}, [], ["e1", "e2", "e3"]),
        ({**SENT, "delivered": 0}, [], []),
        (SENT, [("e1", "e3", "message")], ["e1", "e2"]),
        ({**SENT, "delivered": 1}, [("e1", "e3", "message")], ["e1"]),
    ],
    ids=[
        "nothing said",
        "never",
        "on the dot",
        "between",
        "after the end",
        "at once",
        "by an edge",
        "said and by an edge",
    ],
)
def test_a_message_is_in_flight_until_it_arrives(message: Json, edges: Edges, in_flight_after: list[str]) -> None:
    trace = small([message, TURN, {**TURN, "agent": "b"}], edges, **TEAM)
    assert [event.id for event, state in states(trace) if state.in_flight == {"e1": "b"}] == in_flight_after


def test_what_was_spent_adds_up() -> None:
    trace = small(
        [
            {**TURN, "tokens": {"input": 3, "output": 2, "reasoning": 1}, "cost": 0.5},
            {**CALL, "tokens": 4},
            RESULT,
            SENT,
        ],
        **TEAM,
    )
    assert at(trace, "e4").spent == {"tokens": 9, "usd": 0.5, "tool_calls": 1, "messages": 1, "model_calls": 1}
    assert at(trace, "e1").spent == {"tokens": 5, "usd": 0.5, "tool_calls": 0, "messages": 0, "model_calls": 1}


def test_a_stopped_run_names_the_stop_until_a_person_intervenes() -> None:
    assert [state.stopped for _, state in states(small([TURN, {"type": "stop"}, PERSON]))] == ["", "e2", ""]


def test_a_state_is_a_json_object() -> None:
    state = replay(small([SPAWN, CALL])).state
    assert json.loads(json.dumps(state.to_json()))["alive"] == {"lead": "", "helper": "e1"}


def test_a_state_does_not_change_when_the_walk_continues() -> None:
    kept = [state for _, state in states(small([SPAWN, GONE, CALL, RESULT]))]
    assert dict(kept[0].alive) == {"lead": "", "helper": "e1"}
    assert dict(kept[2].calls) == {"e3": "lead"}


def test_before_the_first_event_there_is_the_first_agent_only() -> None:
    state = Walk(graph(small([SPAWN]))).state()
    assert (state.after, dict(state.alive), dict(state.tasks)) == ("", {"lead": ""}, {})


def test_edges_order_events_of_one_time_and_beat_the_order_of_acts() -> None:
    trace = small(
        [{**TURN, "t": 1}, {**BACK, "t": 1, "agent": "lead", "to": "user"}, {**SENT, "t": 1}],
        [("e2", "e3", "causal"), ("e3", "e1", "causal")],
    )
    assert [event.id for event, _ in states(trace)] == ["e2", "e3", "e1"]


def test_events_behind_a_circle_are_replayed_still() -> None:
    trace = small([TURN, TURN, TURN], [("e1", "e2", "causal"), ("e2", "e1", "causal"), ("e2", "e3", "causal")])
    assert len(list(states(trace))) == 3


def test_one_cycle_is_reported_once() -> None:
    ring: Edges = [(f"e{n}", f"e{n % 9 + 1}", "causal") for n in range(1, 10)]
    assert check(small([TURN] * 9, ring)).errors == 1


def test_cycles_that_share_events_are_all_reported() -> None:
    """Runs in a separate process: an ordering that never ends must not block all tests."""
    edges = [("e4", "e2"), ("e3", "e1"), ("e2", "e3"), ("e3", "e4"), ("e1", "e3")]
    program = f"""
from tests.traces.strategies import small
from survey.traces import check
print(dict(check(small([{{"type": "model_call"}}] * 4, [(a, b, "causal") for a, b in {edges}])).kinds)["causal-cycle"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    assert int(done.stdout) >= 2, done.stderr


def test_events_after_a_cycle_are_not_reported_as_part_of_it() -> None:
    trace = small([TURN, TURN, TURN], [("e2", "e3", "causal"), ("e3", "e2", "causal"), ("e3", "e1", "causal")])
    assert dict(check(trace).kinds) == {"causal-cycle": 1, "effect-before-cause": 1}


def test_an_empty_trace_replays_to_nothing() -> None:
    assert (replay(small([])).state.after, replay(small([])).problems.errors) == ("", 0)


def test_importing_the_wing_brings_neither_pandas_nor_mkdocs() -> None:
    program = (
        "import sys, survey.traces; print([name for name in ('pandas', 'mkdocs', 'jsonschema') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_published_example_replays_without_a_problem() -> None:
    assert said(Trace.of(published_example())) == []
