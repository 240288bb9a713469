"""Trajectories of SWE-agent, read as traces."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents.swe_agent import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "swe-agent"
SAMPLES = sorted(path.name for path in LOGS.iterdir())


def read(document: Any, keep: bool = False) -> list[Trace]:
    log = Log(Path("run.traj"), json.dumps(document).encode())
    return list(IMPORTER.read(log, Content(keep=keep, salt="")))


def document(name: str) -> Any:
    return json.loads((LOGS / name).read_text())


def the_trace(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    events = {event.id: f"{event.type} {event.agent}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_trajectory_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(the_trace(name))] == []


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[]", '{"trajectory": []}', '{"trajectory": [{"action": "run", "observation": "done"}]}',
        '{"trajectory": [{"action": "run", "observation": "x", "thought": "y", "source": "agent"}]}',
    ],
)  # fmt: skip
def test_a_log_of_something_else_is_not_recognised(text: str) -> None:
    assert not IMPORTER.recognises(Log(Path("run.traj"), text.encode()))


def test_the_logs_of_other_formats_are_not_recognised() -> None:
    others = [path for path in LOGS.parents[2].glob("*/logs/*/*") if path.parent != LOGS]
    assert len(others) > 40
    assert not any(IMPORTER.recognises(Log(path)) for path in others)


def test_a_step_is_a_turn_its_call_and_the_result() -> None:
    trace = the_trace("submitted.traj")
    assert [event.type for event in trace if event.agent == "main"][:3] == ["model_call", "tool_call", "tool_result"]
    assert Counter(event.type for event in trace) == {
        "message": 1, "model_call": 7, "tool_call": 6, "tool_result": 6, "stop": 1,
    }  # fmt: skip
    assert (trace.task, trace.time, trace.agents["main"]["model"]) == ("harbour-7", "ordinal", "m-large")


def test_the_tool_is_the_one_that_was_called_else_a_command_of_the_program_else_the_shell() -> None:
    called = [event.tool for event in the_trace("submitted.traj") if event.type == "tool_call"]
    assert called == ["find_file", "bash", "open", "bash", "str_replace_editor", "submit"]
    bare = document("submitted.traj")
    bare["history"] = []
    [trace] = read(bare)
    assert [event.tool for event in trace if event.type == "tool_call"] == called


def test_a_line_that_says_a_secret_names_no_tool() -> None:
    run = document("given-up.traj")
    run["trajectory"][0]["action"] = "KEY=sk-ant-api03 ./deploy"
    [trace] = read(run)
    assert "sk-ant" not in json.dumps(trace.to_json())


def test_a_line_that_did_not_run_failed_and_one_that_was_cut_off_took_too_long() -> None:
    ended = [event.status for event in the_trace("submitted.traj") if event.type == "tool_result"]
    assert ended == ["ok", "error", "ok", "timeout", "ok", "ok"]


def test_a_turn_without_an_action_failed() -> None:
    turns = [event.status for event in the_trace("submitted.traj") if event.type == "model_call"]
    assert turns == ["ok", "ok", "error", "ok", "ok", "ok", "ok"]


def test_what_the_program_says_when_it_gives_up_is_no_turn() -> None:
    trace = the_trace("given-up.traj")
    assert sum(event.type == "model_call" for event in trace) == 1
    [stop] = [event for event in trace if event.type == "stop"]
    assert (stop.status, stop.decision) == ("error", None)


def test_tokens_and_money_are_those_of_the_run() -> None:
    trace = the_trace("submitted.traj")
    assert (trace.costs["tokens"], trace.costs["usd"]) == (5420, 0.042)
    assert trace.head["metrics"] == {"input_tokens": 5100, "output_tokens": 320}
    assert lost(trace) == {
        "durations of tool calls, in a log without times": 5,
        "token counts of single acts, known only in total": 1,
    }


def test_the_task_is_the_first_message_that_is_no_example() -> None:
    [trace] = read(document("submitted.traj"), keep=True)
    [task] = [event for event in trace if event.type == "message"]
    assert (task.agent, task.to, task.content) == ("user", "main", "The tide table is wrong by an hour.")


def test_each_attempt_is_an_agent_and_the_best_one_counts_once() -> None:
    trace = the_trace("retries.traj")
    assert list(trace.agents) == ["main", "attempt-1", "attempt-2", "reviewer", "chooser"]
    assert [(event.agent, event.status, event.reward) for event in trace if event.type == "return"] == [
        ("attempt-1", "ok", {"judge": -4.0}),
        ("attempt-2", "ok", {"judge": 8.5}),
    ]
    assert links(trace, "spawn") == [
        ("spawn main", "model_call attempt-1"),
        ("spawn main", "model_call attempt-2"),
    ]
    assert sum(event.agent == "reviewer" for event in trace) == 3
    assert [target for _, target in links(trace, "aggregate")] == ["aggregate chooser"] * 2
    assert trace.costs["tokens"] == 3850


def test_attempts_that_a_run_did_not_outlive_are_read_without_a_choice() -> None:
    [trace] = read({"attempts": document("retries.traj")["attempts"][:1]})
    assert list(trace.agents) == ["main", "attempt-1", "reviewer"]
    assert not check(trace).errors


def test_turns_of_an_agent_without_steps_of_its_own_are_counted() -> None:
    assert lost(the_trace("given-up.traj"))["turns of sub-agents that are not in the trajectory"] == 1


def test_a_total_that_is_less_than_its_parts_is_not_taken() -> None:
    run = document("retries.traj")
    run["info"]["model_stats"] |= {"tokens_sent": 1, "tokens_received": 1}
    [trace] = read(run)
    assert lost(trace)["totals that are less than those of their parts"] == 1
    assert trace.costs["tokens"] == 3300


def test_several_runs_are_several_traces_and_what_is_none_is_counted() -> None:
    first, second = read([document("submitted.traj"), {"a": 1}, document("given-up.traj")])
    assert (first.id, second.id) == ("run", "run:3")
    assert lost(second)["records that are not runs"] == 1


def test_texts_stay_out_unless_they_are_asked_for() -> None:
    assert "tide" not in json.dumps(the_trace("submitted.traj").to_json())
    [kept] = read(document("submitted.traj"), keep=True)
    assert "tide table" in json.dumps(kept.to_json())


def test_a_log_without_a_run_says_so() -> None:
    with pytest.raises(BadLog) as caught:
        read({"trajectory": []})
    assert str(caught.value) == (
        "run.traj: found no trajectory of SWE-agent (expected steps with an action and an observation)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(seed: int) -> None:
    chance = random.Random(seed)
    originals = [document(name) for name in SAMPLES]
    for _ in range(100):
        assert faults(partial(read, mutant(chance.choice(originals), chance))) == []
