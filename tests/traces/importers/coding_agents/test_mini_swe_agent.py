"""Trajectories of mini-SWE-agent, read as traces."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents.mini_swe_agent import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "mini-swe-agent"
SAMPLES = sorted(path.name for path in LOGS.iterdir())


def read(document: Any, keep: bool = False) -> list[Trace]:
    log = Log(Path("run.traj.json"), json.dumps(document).encode())
    return list(IMPORTER.read(log, Content(keep=keep, salt="")))


def document(name: str) -> Any:
    return json.loads((LOGS / f"{name}.traj.json").read_text())


def the_trace(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / f"{name}.traj.json"), Content(salt=""))
    return trace


def statuses(trace: Trace, type: str) -> list[str]:
    return [event.status for event in trace if event.type == type]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_run_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(the_trace(name.removesuffix(".traj.json")))] == []


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"messages": []}', '{"messages": [], "trajectory_format": 3}', '{"trajectory": []}']
)
def test_a_log_of_something_else_is_not_recognised(text: str) -> None:
    assert not IMPORTER.recognises(Log(Path("run.json"), text.encode()))


def test_the_logs_of_other_formats_are_not_recognised() -> None:
    others = [path for path in LOGS.parents[2].glob("*/logs/*/*") if path.parent != LOGS]
    assert len(others) > 40
    assert not any(IMPORTER.recognises(Log(path)) for path in others)


def test_a_turn_takes_the_time_since_the_message_before_and_has_its_tokens_once() -> None:
    trace = the_trace("submitted")
    turns = [event for event in trace if event.type == "model_call"]
    assert [(turn.t, turn.end) for turn in turns] == [(0, 0), (1, 1), (1, 6), (36, 39), (44, 47)]
    assert turns[2].by_kind == {"input": 100, "output": 50, "cache_read": 1100, "reasoning": 0}
    assert [turn.cost for turn in turns] == [0.004, 0.001, 0.002, 0.002, 0.002]
    assert (trace.costs["tokens"], trace.costs["usd"], trace.costs["wall_clock_s"]) == (6150, 0.011, 47)
    assert measure(trace)["critical_path_s"].value == 47


def test_a_turn_in_a_wrong_form_is_a_failed_turn() -> None:
    assert statuses(the_trace("submitted"), "model_call") == ["ok", "error", "ok", "ok", "ok"]
    assert statuses(the_trace("version-1"), "model_call") == ["ok", "error", "ok", "ok", "ok"]


def test_results_find_their_calls_and_say_how_they_ended() -> None:
    trace = the_trace("submitted")
    assert statuses(trace, "tool_result") == ["ok", "error", "timeout", "cancelled", "ok"]
    assert trace.head["link_quality"]["missing"] == 0
    assert statuses(the_trace("version-1"), "tool_result") == ["ok", "error", "rejected", "ok"]


def test_response_objects_are_turns() -> None:
    trace = the_trace("responses")
    assert [event.type for event in trace] == [
        "message", "model_call", "tool_call", "tool_result", "model_call", "tool_call", "tool_result", "stop",
    ]  # fmt: skip
    assert trace.costs["tokens"] == 1140
    assert statuses(trace, "stop") == ["error"]


def test_a_person_who_refuses_a_command_intervenes() -> None:
    for name in ("submitted", "version-1"):
        trace = the_trace(name)
        [event] = [event for event in trace if event.type == "human_intervention"]
        assert (event.agent, event.to) == ("user", "main")


def test_what_was_handed_in_is_the_result_of_the_last_call_and_the_answer() -> None:
    [trace] = read(document("submitted"), keep=True)
    last = [event for event in trace if event.type == "tool_result"][-1]
    assert last.content == "diff --git a/tides.py b/tides.py\n"
    assert trace.head["outcome"]["answer_ref"].startswith("blake2b:")


def test_without_times_a_run_is_ordinal() -> None:
    trace = the_trace("version-1")
    assert (trace.time, trace.costs["usd"], trace.task) == ("ordinal", 0.03, "harbour-7")


def test_what_the_log_does_not_say_is_counted() -> None:
    assert lost(the_trace("submitted")) == {
        "acts without a time, placed beside their neighbours": 3,
        "system messages": 1,
    }
    assert lost(the_trace("version-1"))["model calls without tokens"] == 5


def test_a_command_of_a_person_is_an_intervention() -> None:
    run = document("responses")
    said = {"role": "user", "content": "User command", "extra": {"actions": [{"command": "ls"}]}}
    run["messages"][4:4] = [said, {"role": "user", "content": "", "extra": {"returncode": 0, "timestamp": 1772962204}}]
    [trace] = read(run)
    assert sum(event.type == "human_intervention" for event in trace) == 1
    assert lost(trace)["commands of a person, without their results"] == 1


def test_texts_stay_out_unless_they_are_asked_for() -> None:
    assert "tide" not in json.dumps(the_trace("submitted").to_json())


@pytest.mark.parametrize("record", [{}, {"trajectory_format": "mini-swe-agent-1.1", "messages": []}])
def test_a_log_without_a_run_says_so(record: Any) -> None:
    with pytest.raises(BadLog) as caught:
        read(record)
    assert str(caught.value) == (
        'run.traj.json: found no run of mini-SWE-agent (expected "trajectory_format": "mini-swe-agent-..." and messages)'
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(seed: int) -> None:
    chance = random.Random(seed)
    originals = [json.loads((LOGS / name).read_text()) for name in SAMPLES]
    for _ in range(100):
        assert faults(partial(read, mutant(chance.choice(originals), chance))) == []
