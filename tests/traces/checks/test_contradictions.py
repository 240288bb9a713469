"""Traces that say what cannot be, or hardly: one sound trace, each time with one change."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from survey.traces import readings, replay
from survey.traces.files import readings_of
from survey.traces.problems import Problems
from survey.traces.simulate import TOPOLOGIES, Setting, simulate
from tests.traces.conftest import REAL
from tests.traces.strategies import Json

BROKEN = REAL.parent / "broken"

SOUND: Json = {
    "schema_version": 1, "trace_id": "run", "task_id": "task", "rewards": {}, "costs": {"tokens": 135, "wall_clock_s": 60},
    "events": [
        {"id": "plan", "t": 0, "type": "orchestrator_decision", "agent": "lead", "t_end": 10, "tokens": 100},
        {"id": "new-a", "t": 10, "type": "spawn", "agent": "lead", "to": "a"},
        {"id": "new-b", "t": 10, "type": "spawn", "agent": "lead", "to": "b"},
        {"id": "think-a", "t": 10, "type": "model_call", "agent": "a", "t_end": 30, "tokens": 10},
        {"id": "call", "t": 30, "type": "tool_call", "agent": "a", "tool": "web"},
        {"id": "result", "t": 35, "type": "tool_result", "agent": "a", "tool": "web", "parent": "call"},
        {"id": "think-b", "t": 10, "type": "model_call", "agent": "b", "t_end": 50, "tokens": 20},
        {"id": "back-a", "t": 40, "type": "return", "agent": "a", "to": "lead"},
        {"id": "back-b", "t": 50, "type": "return", "agent": "b", "to": "lead"},
        {"id": "join", "t": 50, "type": "aggregate", "agent": "lead", "t_end": 60, "tokens": 5},
    ],
    "edges": [
        {"src": "plan", "dst": "new-a", "type": "causal"}, {"src": "plan", "dst": "new-b", "type": "causal"},
        {"src": "new-a", "dst": "think-a", "type": "spawn"}, {"src": "new-b", "dst": "think-b", "type": "spawn"},
        {"src": "think-a", "dst": "call", "type": "causal"}, {"src": "call", "dst": "result", "type": "tool_dependency"},
        {"src": "result", "dst": "back-a", "type": "temporal"}, {"src": "think-b", "dst": "back-b", "type": "temporal"},
        {"src": "back-a", "dst": "join", "type": "aggregate"}, {"src": "back-b", "dst": "join", "type": "aggregate"},
    ],
}  # fmt: skip
"""A lead and two workers."""

Change = Callable[[Json], None]


def event(id: str, **fields: Any) -> Change:
    """Set fields of an event; None removes one."""

    def change(trace: Json) -> None:
        found = next(event for event in trace["events"] if event["id"] == id)
        found.update(fields)
        for name in [name for name, value in fields.items() if value is None]:
            del found[name]

    return change


def more(id: str, t: float, type: str, agent: str, **fields: Any) -> Change:
    return lambda trace: trace["events"].append({"id": id, "t": t, "type": type, "agent": agent, **fields})


def edge(src: str, dst: str, type: str) -> Change:
    return lambda trace: trace["edges"].append({"src": src, "dst": dst, "type": type})


def without(*ids: str) -> Change:
    def change(trace: Json) -> None:
        trace["events"] = [event for event in trace["events"] if event["id"] not in ids]
        trace["edges"] = [edge for edge in trace["edges"] if not {edge["src"], edge["dst"]} & set(ids)]

    return change


def top(**fields: Any) -> Change:
    return lambda trace: trace.update(fields)


def cost(**costs: float) -> Change:
    return lambda trace: trace["costs"].update(costs)


def both(*changes: Change) -> Change:
    def change(trace: Json) -> None:
        for one in changes:
            one(trace)

    return change


def milliseconds(trace: Json) -> None:
    for event in trace["events"]:
        event.update({name: event[name] * 1000 for name in ("t", "t_end") if name in event})


def checked(text: str) -> Problems:
    """Return what ``survey trace check`` finds in a file of one trace."""
    (reading,) = readings(io.BytesIO(text.encode()), "x")
    if reading.trace is not None:
        reading.problems.extend(replay(reading.trace).problems)
    return reading.problems


def changed(change: Change) -> str:
    trace = copy.deepcopy(SOUND)
    change(trace)
    return json.dumps(trace)


CASES: list[tuple[str, Change, str, str]] = [
    # results
    ("the result of another tool", event("result", tool="bash"), "result-of-other-call",
     '/events/5: warning: "result" (tool_result): is a result of the tool "bash", but "call" calls "web"'),
    ("the result of another agent", event("result", agent="b"), "result-of-other-call",
     '/events/5: warning: "result" (tool_result): is a result for "b", but "call" is a call of "a"'),
    # returns
    ("two returns for one task", more("again", 41, "return", "a", to="lead"), "second-return",
     '/events/10: warning: "again" (return): "a" already returned with "back-a" and has no new task'),
    ("work after the return", more("late", 45, "model_call", "a"), "work-after-return",
     '/events/10: warning: "late" (model_call): "a" continues although it returned with "back-a" and has no new task'),
    ("work after the return, reported once", both(*(more(f"late-{n}", 45 + n, "model_call", "a") for n in range(4))), "work-after-return",
     '/events/10: warning: "late-0" (model_call): "a" continues although it returned with "back-a" and has no new task'),
    ("a return before the last act", both(without("back-a"), more("back-a", 20, "return", "a", to="lead")), "work-after-return",
     '/events/4: warning: "call" (tool_call): "a" continues although it returned with "back-a" and has no new task'),
    ("a sub-agent without a return", without("back-a"), "task-without-return", '/events/1: warning: "new-a" (spawn): "a" never returns'),
    ("a return to a sibling", event("back-a", to="b"), "return-to-other-agent",
     '/events/7: warning: "back-a" (return): returns to "b", but "new-a" of "lead" gave the task'),
    ("a return of the root to its own sub-agent", more("up", 60, "return", "lead", to="a"), "return-to-own-agent",
     '/events/10: warning: "up" (return): returns to "a", to whom it gave work itself'),
    # edges
    ("a spawn edge from a decision to the first act", edge("plan", "think-a", "spawn"), "edge-type",
     'warning: an edge of type spawn leads from "plan" (orchestrator_decision) to "think-a" (model_call)'),
    ("a return edge from a turn", edge("think-b", "join", "return"), "edge-type",
     'warning: an edge of type return leads from "think-b" (model_call) to "join" (aggregate)'),
    ("an aggregate edge from a turn of an agent that returns", edge("think-b", "join", "aggregate"), "edge-type",
     'warning: an edge of type aggregate leads from "think-b" (model_call), expected "b"\'s return'),
    ("an aggregate of results that were returned to another", both(
     more("mine", 45, "aggregate", "b"), edge("back-a", "mine", "aggregate")), "edge-to-other-agent",
     'warning: an edge of type aggregate leads from "back-a" (return) to "mine" of "b", expected an act of "lead"'),
    ("a spawn edge to another agent", edge("new-a", "think-b", "spawn"), "edge-to-other-agent",
     'warning: an edge of type spawn leads from "new-a" (spawn) to "think-b" of "b", expected an act of "a"'),
    ("a return edge to another agent", edge("back-a", "back-b", "return"), "edge-to-other-agent",
     'warning: an edge of type return leads from "back-a" (return) to "back-b" of "b", expected an act of "lead"'),
    ("a message edge to another agent", both(more("note", 12, "message", "lead", to="a"), edge("note", "back-b", "message")), "edge-to-other-agent",
     'warning: an edge of type message leads from "note" (message) to "back-b" of "b", expected an act of "a"'),
    ("a cycle", edge("join", "plan", "causal"), "causal-cycle",
     '"join" leads to "plan", which leads back to it (an edge of type causal)'),
    ("an edge from the future, without times", both(top(time="ordinal"), edge("join", "think-b", "causal")), "causal-cycle",
     '"join" leads to "think-b", which leads back to it (an edge of type causal)'),
    ("an unknown type of edge", edge("plan", "think-a", "caused"), "schema",
     '/edges/10/type: found "caused" (did you mean "causal"?), expected one of temporal, causal, spawn, message, tool_dependency, return, aggregate, safety_flow'),
    # parents
    ("a part of another agent's act", event("call", parent="think-b"), "parent-of-other-agent",
     '/events/4: warning: "call" (tool_call): is part of "think-b" of "b", who gave "a" no work'),
    ("a parent later than its part", event("think-b", parent="join"), "parent-later",
     '/events/6: "think-b" (model_call): is part of "join" (t = 50), which is later than 10'),
    ("a part of itself", event("call", parent="call"), "parent-cycle", '/events/4: "call" (tool_call): is part of itself'),
    ("parts of each other", both(event("think-a", parent="now"), more("now", 10, "model_call", "a", parent="think-a")), "parent-cycle",
     '/events/3: "think-a" (model_call): is part of "now", which is part of it'),
    # agents
    ("an agent spawns itself", more("own", 20, "spawn", "a", to="a"), "spawns-itself", '/events/10: "own" (spawn): "a" spawns itself'),
    ("a message to oneself", more("note", 31, "message", "a", to="a"), "sent-to-itself",
     '/events/10: warning: "note" (message): "a" addresses itself'),
    ("an agent missing from the list", top(agents=[{"id": "lead"}, {"id": "a"}]), "unlisted-agent",
     '/events/6: warning: "think-b" (model_call): "b" acts, but is not in the list of agents'),
    ("an agent listed twice", top(agents=[{"id": "lead"}, {"id": "a"}, {"id": "b"}, {"id": "a"}]), "duplicate-id",
     '/agents/3/id: warning: the id "a" is already used by /agents/1'),
    # the head
    ("a label of no event", top(labels=[{"event": "zz", "label": "decisive_error"}]), "unknown-event", '/labels/0/event: no event has the id "zz"'),
    ("a counterfactual of itself", top(counterfactual_of={"trace_id": "run"}), "counterfactual",
     '/counterfactual_of/trace_id: found "run", the id of this trace, expected that of the original run'),
    ("rollout 9 of 8", top(group={"id": "g", "rollout": 9, "size": 8}), "group",
     "/group/rollout: found 9, expected less than 8 (the size of the group; rollouts count from 0)"),
    ("rollout 8 of 8", top(group={"id": "g", "rollout": 8, "size": 8}), "group",
     "/group/rollout: found 8, expected less than 8 (the size of the group; rollouts count from 0)"),
    # figures
    ("milliseconds for seconds", milliseconds, "total", "/costs/wall_clock_s: found 60, but the events span 60000 seconds"),
    ("too short a run", cost(wall_clock_s=30), "total", "/costs/wall_clock_s: found 30, but the events span 60 seconds"),
    ("too long a run", cost(wall_clock_s=6000), "total",
     "/costs/wall_clock_s: warning: found 6000, but the events span only 60 seconds"),
    ("negative tokens", event("think-a", tokens=-10), "schema", "/events/3/tokens: found -10, which the schema does not allow here"),
    ("more reasoning than output", event("think-a", tokens={"output": 10, "reasoning": 12}), "tokens",
     '/events/3: warning: "think-a" (model_call): has 12 reasoning tokens, but only 10 output tokens, which include them'),
    ("a time as a text", event("call", t="30"), "schema", '/events/4/t: found "30", expected a number'),
    ("a date as a time", event("call", t="2026-01-01T00:00:30Z"), "schema", '/events/4/t: found "2026-01-01T00:00:30Z", expected a number'),
]  # fmt: skip


@pytest.mark.parametrize(("change", "kind", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_one_change_of_a_sound_trace_is_reported_once(change: Change, kind: str, message: str) -> None:
    assert [(problem.kind, str(problem)) for problem in checked(changed(change))] == [(kind, message)]


def test_the_sound_trace_has_no_problem() -> None:
    assert list(checked(json.dumps(SOUND))) == []


def test_work_after_a_stop_is_an_error_for_each_agent() -> None:
    found = checked(changed(more("halt", 20, "stop", "lead")))
    assert [(problem.kind, problem.events) for problem in found] == [
        ("work-after-stop", ("call", "halt")),
        ("work-after-stop", ("join", "halt")),
    ]


def test_a_log_that_ends_in_the_middle_of_a_call_is_reported_once() -> None:
    (problem,) = checked(changed(without("result", "back-a")))
    assert str(problem) == '/events/4: warning: "call" (tool_call): "a" never gets a result'


def test_a_parent_that_an_edge_puts_first_is_reported_for_the_edge() -> None:
    (problem,) = checked(changed(event("result", t=25)))
    assert str(problem) == '/events/5: "result" (t = 25) follows from "call" (t = 30), which is later'


def test_a_duplicate_key_and_an_empty_file_are_errors() -> None:
    (problem,) = checked(json.dumps(SOUND).replace('"t": 30', '"t": 30, "t": 31'))
    assert str(problem) == '/events/4/t: the field "t" appears twice; the later value is used'
    assert [str(problem) for problem in checked(" \n")] == ["found nothing, expected a trace"]


LEGITIMATE: list[tuple[str, Change]] = [
    # a result may be recorded by the tool, or by the environment
    ("a result by the tool itself", event("result", agent="web")),
    ("a result by the environment", event("result", agent="environment")),
    # an agent may work and return again once anything gives it more to do
    ("a second return for a second task", both(
        more("more", 41, "delegate", "lead", to="a"), more("again", 45, "return", "a", to="lead"))),
    ("two tasks at once, two returns", both(
        more("more", 15, "delegate", "lead", to="a"), more("again", 45, "return", "a", to="lead"))),
    ("work after a message", both(more("ask", 41, "message", "lead", to="a"), more("late", 45, "model_call", "a"))),
    ("work after a message to all", both(more("ask", 41, "message", "lead", to="team"), top(agents=[
        {"id": "lead"}, {"id": "a", "name": "team"}, {"id": "b", "name": "team"}]), more("late", 45, "model_call", "a"))),
    ("work that another's act led to", both(more("late", 55, "model_call", "a"), edge("join", "late", "causal"))),
    ("work after a person stepped in", both(more("person", 41, "human_intervention", "user"), more("late", 45, "model_call", "a"))),
    # within one moment the order is unknown
    ("work and return at one time", more("last", 40, "model_call", "a")),
    # after a return an agent may still speak, decide, pass work on, and be cleaned up
    ("a message after the return", more("thanks", 41, "message", "a", to="b")),
    ("work passed on after the return", more("next", 41, "delegate", "a", to="b")),
    ("a despawn after the return", more("gone", 41, "despawn", "a")),
    # not every sub-agent returns
    ("a sub-agent that was despawned", both(without("back-a"), more("gone", 41, "despawn", "a"))),
    ("a sub-agent that was stopped", both(without("back-a"), more("halt", 41, "stop", "lead", to="a"))),
    ("a sub-agent that handed its work to another", both(without("back-a"), more("hand", 41, "message", "a", to="b"))),
    ("a sub-agent whose act the lead goes on from", both(without("back-a"), edge("result", "join", "aggregate"))),
    ("a system that records no returns", without("back-a", "back-b")),
    ("a run that was stopped", both(without("back-a"), more("halt", 60, "stop", "lead"))),
    # returns need not go to whoever gave the task
    ("a return to one who wrote to it", both(more("ask", 12, "message", "b", to="a"), event("back-a", to="b"))),
    ("a return to the user", event("back-a", to="user")),
    ("a return to a sub-agent that gave a task back", both(
        more("ask", 36, "delegate", "a", to="lead"), more("answer", 38, "return", "lead", to="a"))),
    # edges
    ("a message edge from a spawn, as in the published example", edge("new-a", "back-b", "message")),
    ("a message to a name reaches one of its instances", both(
        top(agents=[{"id": "lead"}, {"id": "a", "name": "worker"}, {"id": "b", "name": "worker"}]),
        more("note", 12, "message", "lead", to="worker"), edge("note", "back-b", "message"))),
    ("a task that an agent assigns to itself, as in real teams of Claude Code", more("take", 31, "message", "a", to="a", protocol=True)),
    # parents
    ("a part of the act that gave the work", event("think-a", parent="new-a")),
    ("a part of an act of the lead", event("think-a", parent="plan")),
    # figures
    ("a slow start", cost(wall_clock_s=600)),
    ("reasoning without an output", event("think-a", tokens={"input": 10, "reasoning": 12})),
    ("all output is reasoning", event("think-a", tokens={"output": 10, "reasoning": 10})),
    ("the last rollout", top(group={"id": "g", "rollout": 7, "size": 8})),
    ("a trace without a version may list some agents", both(top(agents=[{"id": "a"}]), lambda trace: trace.pop("schema_version"))),
]  # fmt: skip


@pytest.mark.parametrize("change", [case[1] for case in LEGITIMATE], ids=[case[0] for case in LEGITIMATE])
def test_what_may_have_happened_is_not_reported(change: Change) -> None:
    assert [str(problem) for problem in checked(changed(change))] == []


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_simulated_runs_have_no_problem(topology: Any) -> None:
    runs = (simulate(Setting(topology, agents=agents, seed=seed)).trace for agents in (3, 6) for seed in range(3))
    assert [str(problem) for run in runs for problem in replay(run).problems] == []


# the folder of broken traces, if it is beside the checkout


def broken() -> Iterator[tuple[Path, str]]:
    if not BROKEN.is_dir():
        pytest.skip("the folder of broken traces is not beside the checkout (REAL_TRACES names that of real ones)")
    for name, expected in json.loads((BROKEN / "expected.json").read_text()).items():
        yield BROKEN / f"{name}.jsonl", expected


def test_every_broken_trace_is_reported_as_expected() -> None:
    wrong = []
    for path, expected in broken():
        errors = warnings = 0
        for reading in readings_of(path):
            if reading.trace is not None:
                reading.problems.extend(replay(reading.trace).problems)
            errors, warnings = errors + reading.problems.errors, warnings + reading.problems.warnings
        fits = {"nothing": not errors + warnings, "an error": errors > 0, "at least a warning": errors + warnings > 0}
        if not fits[expected]:
            wrong.append(f"{path.name}: found {errors} errors and {warnings} warnings, expected {expected}")
    assert wrong == []
