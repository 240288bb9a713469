"""Langfuse observations become traces: by type, with the tokens, the money, the errors and the scores they state."""

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
from survey.traces.importers.platforms.langfuse import IMPORTER
from survey.traces.model import Content, Trace
from survey.traces.replay import check
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "langfuse"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> Trace:
    [trace] = IMPORTER.read(Log(LOGS / name), Content(salt=""))
    return trace


def traces_of(value: Any) -> list[Trace]:
    return list(IMPORTER.read(Log(Path("log.json"), json.dumps(value).encode()), Content(salt="")))


def generation(id: str = "o1", **said: Any) -> dict[str, Any]:
    times = {"startTime": "2026-03-08T09:00:00.000Z", "endTime": "2026-03-08T09:00:02.000Z"}
    return {"id": id, "traceId": "t", "type": "GENERATION", "name": "chat", **times, **said}


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_observations(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(imported(name)) if not problem.warning] == []


@pytest.mark.parametrize("name", ["claude-code/parallel6-sync.jsonl", "langgraph/langsmith_runs.json"])
def test_logs_of_others_are_not_taken_for_observations(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


def test_types_are_agents_model_calls_tools_and_guardrails() -> None:
    story = [(e.t, e.type, e.agent, *([e.tool] if e.tool else [])) for e in imported("team.json")]
    assert story == [
        (0.0, "orchestrator_decision", "supervisor"),
        (2.0, "spawn", "supervisor", "ask_researcher"),
        (2.0, "spawn", "supervisor", "ask_writer"),
        (2.2, "model_call", "researcher"),
        (2.2, "model_call", "writer"),
        (4.0, "tool_call", "researcher", "archive"),
        (6.0, "tool_result", "researcher", "archive"),
        (6.0, "tool_call", "researcher", "web"),
        (7.0, "tool_result", "researcher", "web"),
        (7.0, "model_call", "researcher"),
        (9.9, "return", "researcher"),
        (9.9, "despawn", "researcher"),
        (13.9, "return", "writer"),
        (13.9, "despawn", "writer"),
        (14.5, "safety_event", "supervisor"),
        (16.0, "aggregate", "supervisor"),
        (20.0, "stop", "supervisor"),
    ]


def test_a_model_call_has_its_own_start_and_end() -> None:
    turns = [(event.t, event.t_end) for event in imported("team.json") if event.tokens_ is not None]
    assert turns == [(0.0, 2.0), (2.2, 4.0), (2.2, 13.8), (7.0, 9.8)]


def test_tokens_are_told_apart_whether_the_input_includes_the_cached_ones_or_not() -> None:
    tokens = [event.optional_fields["tokens"] for event in imported("team.json") if event.tokens_ is not None]
    assert tokens == [
        {"input": 100, "output": 50, "cache_read": 900, "cache_write": 50, "reasoning": 10},
        {"input": 50, "output": 5},
        {"input": 70, "output": 7},
        {"input": 40, "output": 6, "cache_read": 20, "reasoning": 2},
    ]


def test_money_is_what_the_log_states_and_a_price_of_zero_is_none() -> None:
    assert imported("team.json").costs["usd"] == 0.0035
    [trace] = traces_of([generation(usageDetails={"input": 5}, totalCost=0)])
    assert "usd" not in trace.costs


def test_an_error_is_a_status() -> None:
    results = {event.tool: event.status for event in imported("team.json") if event.type == "tool_result"}
    assert results == {"archive": "ok", "web": "error"}
    [trace] = traces_of([generation(level="ERROR", statusMessage="Cancelled by the user")])
    assert trace.events[0].status == "cancelled"


def test_scores_are_rewards_of_the_run_or_of_what_they_stand_on() -> None:
    trace = imported("team.json")
    assert trace.rewards == {"helpful": 0.75}
    assert [event.optional_fields["reward"] for event in trace if event.reward] == [{"grounded": 0.5}]


def test_what_is_missing_is_counted() -> None:
    assert lost(imported("team.json")) == {
        "model calls without tokens": 1,
        "scores of observations that are not in the log": 1,
        "spans that are not acts of an agent": 2,
    }
    [trace] = traces_of([generation(endTime=None), 7])
    assert lost(trace) == {
        "model calls without a duration": 1,
        "model calls without tokens": 1,
        "objects that are not spans": 1,
    }


def test_a_list_a_page_of_the_api_and_a_trace_with_observations_are_the_same() -> None:
    alone = [trace.to_json()["events"] for trace in (imported("loop.json"), imported("page.jsonl"))]
    held = traces_of({"id": "lf-2", "observations": json.loads((LOGS / "loop.json").read_text())})
    assert alone[0] == alone[1] == held[0].to_json()["events"]


def test_each_trace_id_is_a_trace() -> None:
    one, other = generation(), generation("o2", traceId="u")
    assert [trace.id for trace in traces_of([one, other])] == ["t", "u"]
    assert [trace.id for trace in traces_of([{"id": "t", "observations": [one]}, {"observations": [other]}])] == [
        "t",
        "u",
    ]


def test_a_tool_of_a_version_that_knew_no_tools_is_known_by_the_call_that_it_answers() -> None:
    [result] = [event for event in imported("loop.json") if event.type == "tool_result"]
    assert result.tool == "web"


def test_attributes_of_the_span_that_langfuse_received_name_the_agent() -> None:
    named = generation("a", type="AGENT", name="run", metadata={"attributes": {"gen_ai.agent.name": "clerk"}})
    [trace] = traces_of([named, generation(parentObservationId="a")])
    assert list(trace.agents) == ["clerk"]


def test_a_log_without_acts_says_what_was_found() -> None:
    with pytest.raises(BadLog) as error:
        traces_of([generation(type="SPAN")])
    assert str(error.value) == (
        "log.json: found 1 trace, without acts of an agent "
        "(expected a trace with observations, or a list of observations with ids and types)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(60):
        text = (LOGS / FIXTURES[number % len(FIXTURES)]).read_text()
        damaged = mutant(json.loads(text), chance)
        assert faults(partial(traces_of, damaged)) == []


REAL = {
    "autogen-2025-06-06": ("main", 1, 0),
    "google-adk-2025-08-28": ("hello_agent", 2, 1),
    "langgraph-2025-08-22": ("main", 2, 1),
    "llamaindex-2025-06-05": ("main", 1, 0),
    "microsoft-agent-2025-10-14": ("99981f6a-abd1-4d09-9fba-00e2ab172193", 2, 1),
    "openai-agents-2025-09-30": ("Hello world", 2, 1),
}
"""The agent, the model calls and the tool calls of each real export, counted by hand."""


@pytest.mark.parametrize("name", REAL)
def test_real_exports_of_six_frameworks(name: str, real: Callable[[str], Path]) -> None:
    log = Log(real(f"langfuse/{name}.json"))
    assert recognised(log) is IMPORTER
    [trace] = IMPORTER.read(log, Content())
    agent, turns, calls = REAL[name]
    assert set(trace.agents) == {agent}
    assert sum(event.type in ("model_call", "orchestrator_decision") for event in trace) == turns
    assert trace.costs["tool_calls"] == calls
    raw = json.loads(log.text)["observations"]
    stated = [each["usageDetails"] for each in raw if each["type"] == "GENERATION"]
    assert trace.costs["tokens"] == sum(usage["input"] + usage["output"] for usage in stated)
    assert trace.costs["usd"] == pytest.approx(sum(each["totalCost"] or 0 for each in raw), abs=1e-9)
    assert check(trace).errors == 0
