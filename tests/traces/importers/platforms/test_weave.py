"""Calls of W&B Weave become traces: agents, tools, calls of models with what is their own, errors, feedback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces.importers import recognised
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.platforms.weave import IMPORTER
from survey.traces.model import Content, Trace
from survey.traces.replay import check
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "weave"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def traces_of(value: Any) -> list[Trace]:
    return list(IMPORTER.read(Log(Path("log.json"), json.dumps(value).encode()), Content(salt="")))


def calls(name: str) -> list[dict[str, Any]]:
    text = (LOGS / name).read_text()
    found: list[dict[str, Any]] = (
        json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    )
    return found


def call(id: str = "1", op: str = "complete", **said: Any) -> dict[str, Any]:
    times = {"started_at": "2026-03-08T09:00:00Z", "ended_at": "2026-03-08T09:00:02Z"}
    usage = {"usage": {"m": {"prompt_tokens": 3, "completion_tokens": 1}}}
    return {"id": id, "trace_id": "t", "op_name": op, **times, "inputs": {}, "summary": usage, **said}


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_calls(name: str) -> None:
    assert recognised(Log(LOGS / name)) is IMPORTER
    assert [str(problem) for problem in check(imported(name)) if not problem.warning] == []


@pytest.mark.parametrize("name", ["claude-code/parallel6-sync.jsonl", "langgraph/langsmith_runs.json"])
def test_logs_of_others_are_not_taken_for_calls(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


def test_calls_of_the_integration_of_the_agents_sdk_are_told_by_their_operations() -> None:
    assert [(e.type, e.agent, *filter(None, (e.to, e.tool))) for e in imported("team.jsonl")] == [
        ("orchestrator_decision", "lead"),
        ("spawn", "lead", "researcher", "ask_researcher"),
        ("spawn", "lead", "writer", "ask_writer"),
        ("model_call", "researcher"),
        ("model_call", "writer"),
        ("tool_call", "researcher", "search"),
        ("tool_call", "researcher", "archive"),
        ("tool_result", "researcher", "archive"),
        ("tool_result", "researcher", "search"),
        ("model_call", "researcher"),
        ("return", "writer", "lead"),
        ("despawn", "writer"),
        ("return", "researcher", "lead"),
        ("despawn", "researcher"),
        ("safety_event", "lead"),
        ("orchestrator_decision", "lead"),
        ("message", "lead", "closer"),
        ("model_call", "closer"),
        ("stop", "closer"),
    ]


def test_tokens_and_money_of_a_call_are_what_is_left_without_the_calls_inside_it() -> None:
    trace = imported("team.jsonl")
    tokens = [event.optional_fields["tokens"] for event in trace if event.tokens_ is not None]
    assert tokens == [
        {"input": 60, "output": 20, "cache_read": 40, "reasoning": 2},
        {"input": 50, "output": 10, "reasoning": 2},
        {"input": 60, "output": 9},
        {"input": 20, "output": 8, "cache_read": 60, "reasoning": 2},
        {"input": 20, "output": 5, "cache_read": 100, "reasoning": 2},
        {"input": 130, "output": 30, "reasoning": 2},
    ]
    assert trace.costs["usd"] == pytest.approx(0.003)


def test_what_anthropic_counts_beside_the_input_is_told_apart() -> None:
    tokens = imported("operations.json").events[0].optional_fields["tokens"]
    assert tokens == {"input": 10, "output": 5, "cache_read": 90, "cache_write": 20}


def test_an_operation_says_its_kind_and_one_with_tokens_of_its_own_is_a_call_of_a_model() -> None:
    assert [(e.type, e.agent, *filter(None, (e.to, e.tool))) for e in imported("operations.json")] == [
        ("orchestrator_decision", "smolagents.CodeAgent"),
        ("tool_call", "smolagents.CodeAgent", "fetch"),
        ("tool_result", "smolagents.CodeAgent", "fetch"),
        ("tool_call", "smolagents.CodeAgent", "find"),
        ("tool_result", "smolagents.CodeAgent", "find"),
        ("spawn", "smolagents.CodeAgent", "critic"),
        ("model_call", "critic"),
        ("return", "critic", "smolagents.CodeAgent"),
        ("despawn", "critic"),
        ("stop", "smolagents.CodeAgent"),
    ]


def test_methods_of_a_class_of_agents_that_call_each_other_are_one_agent() -> None:
    assert list(imported("operations.json").agents) == ["smolagents.CodeAgent", "critic"]


def test_tokens_of_calls_that_were_not_exported_are_no_call_of_the_one_around_them() -> None:
    assert lost(imported("operations.json"))["tokens of calls that are not in the log"] == 33
    root = call(summary={"usage": {"m": {"total_tokens": 90}}, "status_counts": {"success": 4, "error": 0}})
    [trace] = traces_of([root, call("2")])
    assert (trace.costs["tokens"], lost(trace)["tokens of calls that are not in the log"]) == (4, 90)


def test_nodes_of_a_graph_are_agents_by_the_metadata_in_their_output() -> None:
    trace = imported("graph.jsonl")
    assert [event.to for event in trace if event.type == "spawn"] == ["planner", "worker", "worker#2", "joiner"]
    [asked] = [event.id for event in trace if event.type == "tool_call"]
    assert [edge.type for edge in trace.edges if edge.dst == asked] == ["causal"]
    assert trace.costs["tokens"] == 7 + 13 + 9 + 10


def test_an_exception_is_a_status_by_its_type() -> None:
    results = {event.tool: event.status for event in imported("operations.json") if event.type == "tool_result"}
    assert results == {"fetch": "timeout", "find": "ok"}
    results = {event.tool: event.status for event in imported("team.jsonl") if event.type == "tool_result"}
    assert results == {"search": "ok", "archive": "error"}


def test_annotations_and_scores_are_rewards_and_words_are_labels() -> None:
    trace = imported("team.jsonl")
    assert trace.rewards == {"helpful": 4, "judge.grounded": 1.0, "judge.deep.score": 0.5}
    [label] = trace.labels
    assert (label["name"], label["label"], label["by"]) == ("tone", "dry", "human")


def test_a_call_that_came_from_opentelemetry_says_itself_what_it_is() -> None:
    own = {"gen_ai": {"operation": {"name": "chat"}, "request": {"model": "m"}, "usage": {"input_tokens": 7}}}
    [trace] = traces_of(call(attributes={"otel_span": {"attributes": own}}))
    assert (trace.agents["main"]["model"], trace.costs["tokens"]) == ("m", 7)


def test_a_call_that_still_runs_has_no_end() -> None:
    [trace] = traces_of(call(ended_at=None))
    assert lost(trace)["model calls without a duration"] == 1


def test_lines_a_list_and_a_page_of_the_api_are_the_same() -> None:
    held = calls("team.jsonl")
    alone = imported("team.jsonl").to_json()["events"]
    assert [traces_of(value)[0].to_json()["events"] for value in (held, {"calls": held})] == [alone, alone]
    assert traces_of({"call": call()})[0].costs["tokens"] == 4


def test_each_trace_id_is_a_trace() -> None:
    assert [trace.id for trace in traces_of([call(), call(trace_id="u")])] == ["t", "u"]


def test_what_is_missing_is_counted() -> None:
    assert lost(imported("team.jsonl")) == {
        "guardrails that did not intervene": 1,
        "judgements without numbers": 2,
        "references to a group of traces": 1,
        "spans that are not acts of an agent": 1,
        "spans that repeat the act of another span": 1,
    }
    [trace] = traces_of([call(), 7])
    assert lost(trace) == {"objects that are not spans": 1}


def test_a_log_without_acts_says_what_was_found() -> None:
    with pytest.raises(BadLog) as error:
        traces_of(call(summary={}))
    assert str(error.value) == (
        "log.json: found 1 trace, without acts of an agent "
        "(expected calls with an id, a trace_id, an op_name and a started_at, of agents, models or tools)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(60):
        held = calls(FIXTURES[number % len(FIXTURES)])
        damaged = mutant(held, chance)
        assert faults(partial(traces_of, damaged)) == []
