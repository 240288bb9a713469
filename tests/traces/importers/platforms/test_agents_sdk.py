"""Exports of the OpenAI Agents SDK become traces: agents as tools, handoffs, model calls with tokens, failures."""

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
from survey.traces.importers.platforms.agents_sdk import IMPORTER
from survey.traces.model import Content, Trace
from survey.traces.replay import check
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "openai-agents"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def traces_of(*values: Any) -> list[Trace]:
    data = "\n".join(map(json.dumps, values)).encode()
    return list(IMPORTER.read(Log(Path("log.jsonl"), data), Content(salt="")))


def span(type: str, id: str = "1", trace: str = "trace_1", **said: Any) -> dict[str, Any]:
    times = {"started_at": "2026-03-08T09:00:00+00:00", "ended_at": "2026-03-08T09:00:02+00:00"}
    exported = {"object": "trace.span", "id": id, "trace_id": trace, "parent_id": None, **times, "error": None}
    return {**exported, "span_data": {"type": type, **said}}


def lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (LOGS / name).read_text().splitlines()]


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_exported_spans(name: str) -> None:
    assert recognised(Log(LOGS / name)) is IMPORTER
    assert [str(problem) for problem in check(imported(name)) if not problem.warning] == []


@pytest.mark.parametrize("name", ["claude-code/parallel6-sync.jsonl", "langfuse/openai-agents-2025-09-30.json"])
def test_logs_of_others_are_not_taken_for_exported_spans(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


def test_agents_as_tools_are_spawned_and_return_and_a_handoff_passes_control() -> None:
    story = [(e.t, e.type, e.agent, *filter(None, (e.to, e.tool))) for e in imported("team.jsonl")]
    start = imported("team.jsonl").events[0].t
    assert [(round(t - start, 3), *rest) for t, *rest in story] == [
        (0.0, "orchestrator_decision", "lead"),
        (2.0, "spawn", "lead", "researcher", "ask_researcher"),
        (2.1, "spawn", "lead", "writer", "ask_writer"),
        (2.2, "model_call", "researcher"),
        (2.3, "model_call", "writer"),
        (4.0, "tool_call", "researcher", "search"),
        (4.1, "tool_call", "researcher", "archive"),
        (4.6, "tool_result", "researcher", "archive"),
        (6.0, "tool_result", "researcher", "search"),
        (6.0, "model_call", "researcher"),
        (7.0, "return", "writer", "lead"),
        (7.0, "despawn", "writer"),
        (9.0, "return", "researcher", "lead"),
        (9.0, "despawn", "researcher"),
        (9.3, "orchestrator_decision", "lead"),
        (11.0, "message", "lead", "closer"),
        (11.3, "model_call", "closer"),
        (11.3, "safety_event", "closer"),
        (14.1, "stop", "closer"),
    ]


def test_a_handoff_is_a_message_that_transfers_control_to_the_next_agent_of_that_name() -> None:
    trace = imported("team.jsonl")
    [message] = [event for event in trace if event.type == "message"]
    assert message.optional_fields["transfer"] is True
    heard = [edge.dst for edge in trace.edges if (edge.src, edge.type) == (message.id, "message")]
    assert [event.agent for event in trace if event.id in heard] == ["closer"]


def test_both_agents_that_ran_at_once_return_to_the_turn_that_reads_them() -> None:
    trace = imported("team.jsonl")
    agent = {event.id: event.agent for event in trace}
    read = {(agent[edge.src], edge.dst) for edge in trace.edges if edge.type == "return"}
    [reader] = [event.id for event in trace if event.type == "orchestrator_decision" and event.id != "e1"]
    assert read == {("writer", reader), ("researcher", reader)}


def test_tokens_are_those_of_the_calls_and_not_again_of_turns_and_tasks() -> None:
    trace = imported("team.jsonl")
    tokens = [event.optional_fields["tokens"] for event in trace if event.tokens_ is not None]
    assert tokens == [
        {"input": 60, "output": 20, "cache_read": 40, "reasoning": 2},
        {"input": 50, "output": 10, "reasoning": 2},
        {"input": 30, "output": 9, "cache_write": 30, "reasoning": 0},
        {"input": 20, "output": 8, "cache_read": 60, "reasoning": 2},
        {"input": 20, "output": 5, "cache_read": 100, "reasoning": 2},
        {"input": 130, "output": 30, "reasoning": 2},
    ]
    assert trace.costs["tokens"] == 540 + 82, "what the outermost task states"


def test_a_response_names_no_model_unless_a_program_adds_the_response() -> None:
    assert {id: agent.get("model") for id, agent in imported("team.jsonl").agents.items()} == {
        "lead": "m-large", "researcher": "m-small", "writer": None, "closer": "m-large",
    }  # fmt: skip
    [trace] = traces_of(span("response", response={"model": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}))
    assert trace.agents["main"]["model"] == "m"
    assert trace.costs["tokens"] == 4


def test_an_error_is_the_status_of_the_call_that_failed() -> None:
    results = {event.tool: event.status for event in imported("team.jsonl") if event.type == "tool_result"}
    assert results == {"search": "ok", "archive": "error"}


def test_a_guardrail_that_intervened_is_a_safety_event() -> None:
    assert [event.status for event in imported("team.jsonl") if event.type == "safety_event"] == ["rejected"]


def test_records_of_start_and_end_are_one_span_and_what_a_platform_refuses_stands_in_the_details() -> None:
    trace = imported("events.jsonl")
    assert [event.type for event in trace] == ["model_call", "tool_call", "tool_result", "model_call", "stop"]
    assert trace.events[0].optional_fields["tokens"] == {"input": 20, "output": 6, "cache_read": 10}


def test_a_run_that_was_cut_off_keeps_what_had_begun() -> None:
    begun = [line for line in lines("events.jsonl") if line["event"] == "span_start"]
    [trace] = traces_of(*begun)
    assert [event.type for event in trace] == ["model_call", "tool_call", "model_call"]
    assert lost(trace)["agents whose end is missing"] == 1


def test_lines_a_list_a_body_of_a_request_and_a_trace_with_spans_are_the_same() -> None:
    exported = lines("team.jsonl")
    trace, *spans = exported
    events = [
        traces_of(value)[0].to_json()["events"]
        for value in (exported, {"data": exported}, {"trace": trace, "spans": spans})
    ]
    assert events == [imported("team.jsonl").to_json()["events"]] * 3


def test_calls_of_voice_are_model_calls_too() -> None:
    [trace] = traces_of(span("transcription", "1", model="m-ear"), span("speech", "2", model="m-mouth"))
    assert [event.type for event in trace] == ["model_call", "model_call"]
    assert [trace.agents["main"]["model"], trace.events[1].model] == ["m-ear", "m-mouth"]


def test_each_trace_id_is_a_trace() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    found = traces_of(span("generation", "1", usage=usage), span("generation", "2", "trace_2", usage=usage))
    assert [trace.id for trace in found] == ["trace_1", "trace_2"]


def test_what_is_missing_is_counted() -> None:
    assert lost(imported("team.jsonl")) == {
        "guardrails that did not intervene": 1,
        "references to a group of traces": 1,
        "spans that are not acts of an agent": 9,
    }
    assert lost(imported("events.jsonl")) == {"model calls without tokens": 1, "objects that are not spans": 1}
    [twice] = traces_of(span("function", name="look"), span("function", name="look"))
    assert lost(twice) == {"repeated spans": 1}


def test_a_log_without_acts_says_what_was_found() -> None:
    with pytest.raises(BadLog) as error:
        traces_of(span("custom", name="step"))
    assert str(error.value) == (
        "log.jsonl: found 1 trace, without acts of an agent "
        "(expected exported objects trace.span with span_data, of agents, models or tools)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(60):
        held = lines(FIXTURES[number % len(FIXTURES)])
        damaged = mutant(held, chance)
        assert faults(partial(traces_of, damaged)) == []
