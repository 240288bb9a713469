"""LangSmith runs become traces: models and tools by type, agents by LangGraph's metadata."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces.importers import recognised
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.platforms.langsmith import IMPORTER
from survey.traces.importers.platforms.opentelemetry import IMPORTER as OPENTELEMETRY
from survey.traces.metrics import measure
from survey.traces.model import Content, Trace
from survey.traces.replay import check, replay
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "langsmith"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def traces_of(value: Any) -> list[Trace]:
    return list(IMPORTER.read(Log(Path("log.json"), json.dumps(value).encode()), Content(salt="")))


def called(id: str = "r1", **said: Any) -> dict[str, Any]:
    times = {"start_time": "2026-03-08T09:00:00", "end_time": "2026-03-08T09:00:02"}
    return {"id": id, "trace_id": "t", "run_type": "llm", "name": "model", **times, **said}


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_runs(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(imported(name)) if not problem.warning] == []


@pytest.mark.parametrize(
    "name", ["claude-code/parallel6-sync.jsonl", "langfuse/langgraph-2025-08-22.json", "marble/star.jsonl"]
)
def test_logs_of_others_are_not_taken_for_runs(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


def test_runs_have_their_own_start_and_end() -> None:
    trace = imported("team.json")
    assert [(event.t, event.t_end) for event in trace if event.type == "model_call"] == [
        (0.1, 1.4),
        (2.0, 3.5),
        (2.0, 7.0),
        (9.1, 10.9),
    ]
    assert [event.t for event in trace if event.type.startswith("tool")] == [3.5, 5.0]


def test_tokens_come_from_the_answer_or_from_the_run() -> None:
    trace = imported("team.json")
    assert [event.optional_fields["tokens"] for event in trace if event.tokens_ is not None] == [
        {"input": 30, "output": 10, "cache_read": 60, "cache_write": 10, "reasoning": 0},
        {"input": 50, "output": 5, "reasoning": 0},
        {"input": 200, "output": 20},
    ]
    assert trace.costs["usd"] == 0.001
    assert lost(trace) == {"model calls without tokens": 1, "spans that are not acts of an agent": 1}


def test_an_error_is_a_status_and_so_is_the_error_in_a_message_of_a_tool() -> None:
    statuses = [
        [event.status for event in imported(name) if event.type == "tool_result"]
        for name in ("team.json", "loop.jsonl")
    ]
    assert statuses == [["timeout"], ["error"]]


def test_a_tool_call_follows_from_the_turn_that_asked_for_it_by_id() -> None:
    assert imported("loop.jsonl").head["link_quality"] == {"exact": 2, "derived": 0, "missing": 0}


def test_child_runs_are_inside_the_run_that_holds_them_and_dotted_orders_name_the_rest() -> None:
    ids = [f"01a20000-0000-7000-8000-{number:012d}" for number in (1, 2)]
    order = ".".join(f"20260308T090000000000Z{id}" for id in ids)
    [trace] = traces_of([called(ids[0], run_type="tool", name="ask"), called(ids[1], dotted_order=order, trace_id="t")])
    assert {(edge.src, edge.dst) for edge in trace.edges if edge.type == "causal"} == {("e1", "e2")}


def test_the_mean_of_feedback_is_a_reward_of_the_run_or_of_what_it_stands_on() -> None:
    feedback: dict[str, Any] = {"feedback_stats": {"correct": {"n": 2, "avg": 0.5}}}
    [trace] = traces_of([called(**feedback), called("r2", parent_run_id="r1", run_type="tool", **feedback)])
    assert trace.rewards == {"correct": 0.5}
    assert [event.type for event in trace if event.reward] == ["tool_result"]


def test_a_run_without_an_end_never_ended() -> None:
    [trace] = traces_of([called(end_time=None), called("r2", run_type="tool", end_time=None), {}])
    assert lost(trace) == {
        "model calls without a duration": 1,
        "model calls without tokens": 1,
        "objects that are not spans": 1,
        "tool calls that never ended": 1,
    }


def test_a_log_without_acts_says_what_was_found() -> None:
    with pytest.raises(BadLog) as error:
        traces_of([called(run_type="chain")])
    assert str(error.value) == (
        "log.json: found 1 trace, without acts of an agent "
        "(expected runs with an id, a run_type and a start_time, of models or tools)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(60):
        text = (LOGS / FIXTURES[number % len(FIXTURES)]).read_text()
        damaged = mutant(json.loads(text), chance)
        assert faults(partial(traces_of, damaged)) == []


def test_a_real_run_of_five_nodes_three_of_them_in_parallel(real: Callable[[str], Path]) -> None:
    log = Log(real("langgraph/langsmith_runs.json"))
    assert recognised(log) is IMPORTER
    [trace] = IMPORTER.read(log, Content())
    raw = json.loads(log.text)
    nodes = [each for each in raw if each["extra"]["metadata"].get("langgraph_node") == each["name"]]
    assert sorted(agent["name"] for id, agent in trace.agents.items() if id != "main") == sorted(
        node["name"] for node in nodes
    )
    times = [datetime.fromisoformat(node[key]).timestamp() for node in nodes for key in ("start_time", "end_time")]
    measures = measure(replay(trace))
    assert measures["sub_agents_at_once"].value == 3
    assert measures["sub_agent_work_s"].value == pytest.approx(sum(times[1::2]) - sum(times[::2]), abs=1e-4)
    assert trace.costs["wall_clock_s"] == pytest.approx(max(times) - min(times), abs=0.01)
    assert trace.costs["tool_calls"] == sum(each["run_type"] == "tool" for each in raw) == 3
    assert sum(event.type == "model_call" for event in trace) == sum(each["run_type"] == "llm" for each in raw) == 8
    assert lost(trace)["model calls without tokens"] == 8
    assert check(trace).errors == 0


def test_the_same_run_is_the_same_team_in_two_formats(real: Callable[[str], Path]) -> None:
    [runs] = IMPORTER.read(Log(real("langgraph/langsmith_runs.json")), Content())
    [spans] = OPENTELEMETRY.read(Log(real("langgraph/langgraph_openinference_otlp.json")), Content())
    shapes = [sorted((event.agent, event.type, event.to or "", event.tool or "") for event in t) for t in (runs, spans)]
    assert shapes[0] == shapes[1]
    figures = [measure(replay(trace)) for trace in (runs, spans)]
    for name in ("work_s", "critical_path_s", "sub_agent_work_s"):
        assert figures[0][name].value == pytest.approx(figures[1][name].value, abs=0.01), name
