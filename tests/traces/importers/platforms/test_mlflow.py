"""MLflow traces become traces: agents, nodes of graphs, calls with tokens and money, errors, feedback."""

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
from survey.traces.importers.platforms.mlflow import IMPORTER
from survey.traces.model import Content, Trace
from survey.traces.replay import check
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "mlflow"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def traces_of(value: Any) -> list[Trace]:
    return list(IMPORTER.read(Log(Path("log.json"), json.dumps(value).encode()), Content(salt="")))


def span(type: str, **attributes: Any) -> dict[str, Any]:
    start = 1772960400 * 10**9
    stated = {f"mlflow.{key}": json.dumps(value) for key, value in {"spanType": type, **attributes}.items()}
    times = {"start_time_unix_nano": start, "end_time_unix_nano": start + 2 * 10**9}
    return {"span_id": "AAAAAAAAAAE=", "name": "step", **times, "attributes": stated}


def trace(*spans: dict[str, Any], **info: Any) -> dict[str, Any]:
    return {"info": {"trace_id": "tr-1", **info}, "data": {"spans": list(spans)}}


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_traces_of_mlflow(name: str) -> None:
    assert recognised(Log(LOGS / name)) is IMPORTER
    assert [str(problem) for problem in check(imported(name)) if not problem.warning] == []


@pytest.mark.parametrize(
    "name", ["claude-code/parallel6-sync.jsonl", "langgraph/langsmith_runs.json", "langfuse/langgraph-2025-08-22.json"]
)
def test_logs_of_others_are_not_taken_for_traces_of_mlflow(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


def test_types_of_spans_are_agents_calls_tools_and_guardrails_and_a_handoff_is_told_by_what_it_holds() -> None:
    assert [(e.type, e.agent, *filter(None, (e.to, e.tool))) for e in imported("team.json")] == [
        ("orchestrator_decision", "lead"),
        ("spawn", "lead", "researcher", "ask_researcher"),
        ("spawn", "lead", "writer", "ask_writer"),
        ("model_call", "researcher"),
        ("model_call", "writer"),
        ("tool_call", "researcher", "search"),
        ("tool_call", "researcher", "archive"),
        ("tool_result", "researcher", "archive"),
        ("tool_result", "researcher", "search"),
        ("tool_call", "researcher", "recall"),
        ("tool_result", "researcher", "recall"),
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


def test_a_call_that_two_tracers_saw_counts_once() -> None:
    trace = imported("team.json")
    tokens = [event.optional_fields["tokens"] for event in trace if event.tokens_ is not None]
    assert tokens == [
        {"input": 50, "output": 20, "cache_read": 40, "cache_write": 10},
        {"input": 50, "output": 10},
        {"input": 20, "output": 8, "cache_read": 60},
        {"input": 20, "output": 5, "cache_read": 100},
        {"input": 130, "output": 30},
    ]
    assert trace.costs["tokens"] == 480 + 73, "what the trace states"
    assert trace.costs["usd"] == 0.003


def test_the_model_is_stated_by_mlflow_or_among_the_parameters_of_the_call() -> None:
    models = {id: agent.get("model") for id, agent in imported("team.json").agents.items()}
    assert models == {"lead": "m-large", "researcher": "m-small", "writer": "m-small", "closer": "m-large"}


def test_an_error_is_a_status_by_the_kind_of_the_exception() -> None:
    results = {event.tool: event.status for event in imported("team.json") if event.type == "tool_result"}
    assert results == {"search": "ok", "archive": "timeout", "recall": "ok"}
    assert imported("old.json").head["outcome"] == {"status": "error"}


def test_feedback_is_a_reward_of_the_run_or_of_a_call_and_yes_is_one() -> None:
    trace = imported("team.json")
    assert trace.rewards == {"helpful": 0.75, "correct": 1.0}
    assert [(e.agent, e.optional_fields["reward"]) for e in trace if e.reward] == [("researcher", {"grounded": 1.0})]
    [label] = trace.labels
    assert (label["name"], label["label"], label["by"]) == ("tone", "friendly", "LLM_JUDGE")


def test_version_2_has_other_names_for_the_same() -> None:
    trace = imported("old.json")
    assert [(event.type, event.tool) for event in trace] == [
        ("model_call", None), ("tool_call", "lookup"), ("tool_result", "lookup"), ("model_call", None), ("stop", None),
    ]  # fmt: skip
    assert (trace.id, trace.agents["predict"]["model"]) == ("c0ffee00000000000000000000000c33", "m-old")


def test_tokens_stand_in_the_answer_where_an_old_version_copied_them_nowhere() -> None:
    assert imported("old.json").events[0].optional_fields["tokens"] == {"input": 25, "output": 7, "cache_read": 15}
    usage = {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 1}
    [beside] = traces_of(trace(span("CHAT_MODEL", spanOutputs={"usage": usage})))
    tokens = {"input": 10, "output": 2, "cache_read": 6, "cache_write": 1}
    assert beside.events[0].optional_fields["tokens"] == tokens


def test_a_tool_call_is_led_to_by_the_call_of_the_model_that_asked_for_it() -> None:
    trace = imported("team.json")
    acts = {event.id: (event.type, event.tool) for event in trace if event.agent == "researcher"}
    asked = {acts[edge.dst][1] for edge in trace.edges if edge.type == "causal" and edge.dst in acts}
    assert asked == {"search", "archive", "recall"}


def test_nodes_of_a_graph_are_agents_and_each_step_leads_to_the_next() -> None:
    trace = imported("graph.jsonl")
    assert [event.to for event in trace if event.type == "spawn"] == ["planner", "worker", "worker#2", "joiner"]
    agents = {event.id: event.to or event.agent for event in trace if event.type in ("spawn", "return")}
    returns = {event.id: event.agent for event in trace if event.type == "return"}
    led = {(returns[e.src], agents[e.dst]) for e in trace.edges if e.type == "causal" and e.src in returns}
    assert led == {("planner", "worker"), ("planner", "worker#2"), ("worker", "joiner"), ("worker#2", "joiner")}


def test_a_trace_a_row_of_a_table_and_a_page_are_the_same() -> None:
    row = json.loads((LOGS / "graph.jsonl").read_text())
    alone = imported("graph.jsonl").to_json()["events"]
    whole = json.loads(row["trace"])
    for value in (whole, [whole], {"traces": [whole]}, {"trace": row["trace"]}, {"trace": whole}):
        assert [found.to_json()["events"] for found in traces_of(value)] == [alone]


def test_attributes_of_other_conventions_are_kept_where_mlflow_states_nothing() -> None:
    named = span("AGENT")
    named["attributes"]["gen_ai.agent.name"] = json.dumps("clerk")
    call = {**span("LLM"), "span_id": "AAAAAAAAAAI=", "parent_span_id": "AAAAAAAAAAE="}
    [found] = traces_of(trace(named, call))
    assert list(found.agents) == ["clerk"]


def test_what_is_missing_is_counted() -> None:
    assert lost(imported("team.json")) == {
        "expected answers": 1,
        "failed evaluations": 1,
        "guardrails that did not intervene": 1,
        "judgements of spans that are not in the log": 1,
        "judgements on a whole trace without numbers": 1,
        "judgements replaced by a later one": 1,
        "model calls without tokens": 1,
        "references to a group of traces": 1,
        "spans that are not acts of an agent": 2,
        "spans that repeat the act of another span": 1,
    }
    stated = {"mlflow.trace.tokenUsage": json.dumps({"total_tokens": 30})}
    [only_total] = traces_of([trace(span("LLM"), trace_metadata=stated), 7])
    assert lost(only_total) == {
        "model calls without tokens": 1,
        "objects that are not spans": 1,
        "tokens of a trace beyond those of its model calls": 30,
    }


def test_a_log_without_acts_says_what_was_found() -> None:
    with pytest.raises(BadLog) as error:
        traces_of(trace(span("CHAIN")))
    assert str(error.value) == (
        "log.json: found 1 trace, without acts of an agent "
        "(expected a trace with info and data, or an object with spans that have attributes of MLflow)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(60):
        text = (LOGS / FIXTURES[number % len(FIXTURES)]).read_text()
        damaged = mutant(json.loads(text), chance)
        assert faults(partial(traces_of, damaged)) == []
