"""The statements of the notebook on building a trace: the published example, and defective traces."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from survey.traces import Trace, check, readings, replay, schema, states
from survey.traces.metrics import Run, measure
from survey.traces.model import Builder, Content
from tests.traces.strategies import published_example

Json = dict[str, Any]


def story() -> Trace:
    """Build the published example as a system would log it: with spans, returns, departures and a stop."""
    builder = Builder("run", "task", importer="by hand", content=Content(salt="s"))
    builder.head = {"topology": "centralized", "rewards": {"team": 1.0}}
    act = builder.event
    plan = act("orchestrator_decision", "lead", 0, t_end=18, tokens=900)
    planner = act("spawn", "lead", 20, to="planner")
    executor = act("spawn", "lead", 21, to="executor")
    think = act("model_call", "planner", 22, t_end=90, tokens=2600)
    tell = act("message", "planner", 95, to="executor", delivered=97.5, text="Find it.")
    done = act("return", "planner", 96, to="lead")
    act("despawn", "planner", 97)
    ask = act("model_call", "executor", 98, t_end=118, tokens=1400)
    call = act("tool_call", "executor", 120, tool="browser.search", parent=ask)
    page = act("tool_result", "executor", 290, tool="browser.search", parent=call, trusted=False)
    read = act("model_call", "executor", 292, t_end=390, tokens=5200)
    found = act("return", "executor", 395, to="lead")
    act("despawn", "executor", 396)
    merge = act("aggregate", "lead", 398, t_end=418, tokens=1900)
    act("stop", "lead", 420)
    for src, dst, type in [
        (plan, planner, "causal"), (plan, executor, "causal"), (planner, think, "spawn"), (executor, ask, "spawn"),
        (tell, ask, "message"), (call, page, "tool_dependency"), (page, read, "tool_dependency"),
        (done, merge, "aggregate"), (found, merge, "aggregate"),
    ]:  # fmt: skip
        builder.link(src, dst, type)
    return builder.build()


def broken(*gone: str, more: list[Json] | None = None, link: list[Json] | None = None, **changes: Json) -> Json:
    trace = story()
    document = trace.keep({event.id for event in trace} - {*gone}).to_json()
    for event in document["events"]:
        event |= changes.get(event["id"], {})
    document["events"] += more or []
    document["edges"] += link or []
    return document


def test_the_published_story_leaves_the_planners_work_open_and_no_one_stops_the_run() -> None:
    trace = Trace.of(published_example())
    assert not check(trace)
    state = replay(trace).state
    assert dict(state.tasks) == {"p1": "e2"}
    assert set(state.alive) == {"boss", "p1", "x1"}
    assert not state.stopped


def test_the_longer_story_has_no_problem_and_leaves_nothing_open() -> None:
    trace = story()
    assert not check(trace)
    state = replay(trace).state
    assert (dict(state.tasks), dict(state.calls), dict(state.in_flight)) == ({}, {}, {})
    assert list(state.alive) == ["lead"]
    assert state.stopped == "e15"


def test_the_builder_adds_up_tokens_calls_messages_and_time() -> None:
    costs = story().costs
    assert costs == {"tokens": 12_000, "wall_clock_s": 420, "tool_calls": 1, "messages": 1}


def test_free_text_is_a_hash_and_a_length_and_equal_salts_give_equal_hashes() -> None:
    (message,) = [event for event in story() if event.type == "message"]
    assert message.content is None
    assert message.content_ref is not None
    assert message.content_ref.endswith(":8")
    assert message == next(event for event in story() if event.type == "message")


def test_a_call_is_open_until_its_result_and_a_message_flies_until_it_arrives() -> None:
    seen = {event.id: state for event, state in states(story())}
    assert [id for id, state in seen.items() if state.calls] == ["e9"]
    assert [id for id, state in seen.items() if state.in_flight] == ["e5", "e6", "e7"]


def test_a_team_of_three_that_hands_on_from_one_to_the_next_is_a_relay() -> None:
    run = Run(replay(story()))
    assert max(run.profile) == 1
    found = measure(run.replayed, ["critical_path_s", "wall_s", "agents", "speedup_graph"])
    assert (found["agents"].value, found["critical_path_s"].value, found["wall_s"].value) == (3, 405, 420), (
        "a return takes no time"
    )
    slowest = max(range(15), key=lambda place: run.timeline.ends[place] - run.timeline.starts[place])
    assert run.events[slowest].tool == "browser.search"
    assert slowest in run.timeline.critical_path()


def edge(src: str, dst: str) -> Json:
    return {"src": src, "dst": dst, "type": "causal"}


STOP: Json = {"id": "e16", "t": 300, "type": "stop", "agent": "lead"}
AGAIN: Json = {"id": "e16", "t": 291, "type": "tool_result", "agent": "executor", "parent": "e9"}
CUT = ("e10", "e11", "e12", "e13", "e14", "e15")

BREAKS: list[tuple[Json, bool, list[str], str]] = [
    (broken(e10={"type": "tool_response"}), False, ["schema"], 'did you mean "tool_result"?'),
    (broken(link=[edge("e12", "e99")]), True, ["unknown-event"], 'no event has the id "e99"'),
    (broken(e11={"agent": "exectuor"}), True, ["never-spawned"], 'did you mean "executor"?'),
    (broken(e3={"t": 96}), True, ["message-to-nobody"], 'who is spawned later, by "e3"'),
    (broken(e10={"t": 112}), True, ["effect-before-cause"], 'follows from "e9" (t = 120), which is later'),
    (broken(link=[edge("e12", "e8")]), True, ["causal-cycle"], "which leads back to it"),
    (broken("e15", more=[STOP]), True, ["work-after-stop"], '"lead" continues although "e16" stopped it'),
    (broken("e9"), True, ["result-without-call", "total", "unknown-event"], "has no matching call"),
    (broken(more=[AGAIN]), True, ["second-result"], 'is a second result of "e9"'),
    (
        broken(e8={"tokens": 4900}, e11={"tokens": 10100}, e14={"tokens": 12000}),
        True,
        ["total"],
        "found 12000, but the events add up to",
    ),
    (broken(*CUT), True, ["call-without-result"], "warning: "),
]


@pytest.mark.parametrize(("document", "fits", "kinds", "words"), BREAKS, ids=[row[3] for row in BREAKS])
def test_one_thing_wrong_is_said_in_words_and_mostly_passes_the_json_schema(
    document: Json, fits: bool, kinds: list[str], words: str
) -> None:
    assert Draft202012Validator(dict(schema())).is_valid(document) == fits
    (reading,) = readings(io.BytesIO(json.dumps(document).encode()), "run")
    problems = check(reading.trace) if reading.trace else reading.problems
    assert sorted(problems.kinds) == kinds
    assert any(words in str(problem) for problem in problems)


def test_only_the_log_that_ends_in_the_middle_of_a_call_is_possible() -> None:
    (reading,) = readings(io.BytesIO(json.dumps(broken(*CUT)).encode()), "run")
    problems = check(reading.valid())
    assert (problems.errors, problems.warnings) == (0, 1)
