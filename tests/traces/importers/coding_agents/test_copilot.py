"""Sessions of GitHub Copilot CLI, read as traces."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers import recognised
from survey.traces.importers.coding_agents.copilot import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from survey.traces.replay import replay
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant
from tests.traces.importers.samples import sample

LOGS = Path(__file__).parent / "logs" / "copilot"
PAINTER, FINDER, SECOND = (f"{letter}0000000-0000-4000-8000-00000000000{letter}" for letter in "abc")


def traces(path: Path) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(salt="test")))


def the_trace(name: str) -> Trace:
    (trace,) = traces(LOGS / f"{name}.jsonl")
    return trace


def session(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LOGS / f"{name}.jsonl").read_text().splitlines()]


def written(folder: Path, lines: list[Any]) -> Path:
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "events.jsonl"


def acts(trace: Trace, agent: str) -> list[str]:
    return [event.type for event in trace if event.agent == agent]


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    names = {id: agent.get("name", id[:4]) for id, agent in trace.agents.items()}
    events = {event.id: f"{event.type} {names.get(event.agent, event.agent)}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


def line(kind: str, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": "x", "parentId": None, "timestamp": "2026-03-08T09:31:50Z", **more}


@pytest.mark.parametrize("name", ["calls", "agents", "stream"])
def test_a_session_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    log = Log(LOGS / f"{name}.jsonl")
    assert recognised(log) is IMPORTER
    assert [str(problem) for problem in check(the_trace(name)) if not problem.warning] == []


def test_a_folder_of_sessions_gives_a_trace_for_each() -> None:
    assert recognised(Log(LOGS)) is IMPORTER
    assert [trace.id[-1] for trace in traces(LOGS)] == ["2", "1", "3"]


def test_a_log_of_something_else_is_not_recognised(tmp_path: Path) -> None:
    others = [
        "",
        "{}",
        '{"type": "user.message", "data": {}}',
        '{"type": "session.start", "data": {"sessionId": "s"}}',
        '{"type": "session.start", "data": "producer"}',
        '{"type": "assistant", "id": "1", "parentId": null, "data": {}}',
    ]
    for number, text in enumerate(others):
        (tmp_path / f"{number}.jsonl").write_text(text)
        assert not IMPORTER.recognises(Log(tmp_path / f"{number}.jsonl"))
    assert not IMPORTER.recognises(Log(tmp_path))
    for other in ("codex/person.jsonl", "claude-code/inline.jsonl", "marble/flat.jsonl"):
        assert not IMPORTER.recognises(Log(sample(other)))


def test_a_session_is_told_agent_by_agent() -> None:
    trace = the_trace("calls")
    assert acts(trace, "main") == [
        "orchestrator_decision", "spawn", "spawn", "aggregate", "tool_call", "tool_result", "aggregate",
        "orchestrator_decision", "spawn",
    ]  # fmt: skip
    assert acts(trace, "t1") == [
        "model_call", "tool_call", "tool_call", "tool_result", "tool_result", "model_call", "return",
    ]  # fmt: skip
    assert acts(trace, "t2") == ["model_call", "return"]
    assert acts(trace, "user") == ["message", "human_intervention"]


def test_the_head_says_whose_session_it_is() -> None:
    trace = the_trace("calls")
    assert (trace.id, trace.time) == ("5e551011-0000-4000-8000-000000000001", "seconds")
    assert (trace.source["system"], trace.source["version"]) == ("copilot-cli", "1.0.5")
    assert trace.agents["t1"] == {"id": "t1", "name": "berths", "role": "explore", "model": "m-small"}
    assert trace.agents["main"] == {"id": "main", "model": "m-large"}


def test_an_agent_in_the_background_returns_with_its_answer_and_who_reads_it_is_linked() -> None:
    trace = the_trace("calls")
    returned = next(event for event in trace if event.type == "return" and event.agent == "t1")
    assert returned.t == 19
    assert ("return berths", "aggregate main") in links(trace, "aggregate")
    assert ("return berths", "tool_result main") in links(trace, "causal")
    waits = next(event for event in trace if event.tool == "read_agent")
    assert waits.waits_for == "agents"


def test_an_agent_that_still_worked_at_the_end_has_not_returned() -> None:
    trace = the_trace("calls")
    assert acts(trace, "t3") == ["model_call", "tool_call"]
    assert "stop" not in acts(trace, "main")


def test_lines_that_name_their_agent_belong_to_it_at_any_depth() -> None:
    trace = the_trace("agents")
    assert acts(trace, PAINTER) == [
        "orchestrator_decision", "spawn", "tool_call", "tool_result", "aggregate", "return", "model_call", "return",
    ]  # fmt: skip
    assert acts(trace, FINDER) == ["model_call", "return"]
    assert links(trace, "spawn") == [
        ("spawn main", "orchestrator_decision painter"),
        ("spawn painter", "model_call b000"),
    ]
    assert ("return b000", "aggregate painter") in links(trace, "aggregate")


def test_a_turn_in_parts_is_one_turn_whose_tokens_count_once() -> None:
    first = next(event for event in the_trace("agents") if event.agent == "main" and event.tokens)
    assert first.by_kind == {"output": 80}
    assert first.end - first.t == pytest.approx(4.45)


def test_a_message_to_an_agent_is_a_message_and_its_prompt_does_not_repeat_it() -> None:
    trace = the_trace("agents")
    [sent] = [event for event in trace if event.type == "message" and event.agent != "user"]
    assert (sent.agent, sent.to, sent.content_ref is not None) == ("main", PAINTER, True)
    assert ("message main", "model_call painter") in links(trace, "message")
    assert "write_agent" not in {event.tool for event in trace}


def test_a_prompt_that_no_call_sent_is_a_message_of_the_agent_it_names(tmp_path: Path) -> None:
    lines = session("agents")
    place = next(place for place, each in enumerate(lines) if each["data"].get("messageId") == "p3")
    prompt = {**lines[place], "type": "user.message", "data": {"content": "Hurry.", "source": f"agent-{FINDER}"}}
    later = {**lines[place], "data": {**lines[place]["data"], "messageId": "p4", "apiCallId": "api-7b"}}
    [trace] = traces(written(tmp_path, [*lines[: place + 1], prompt, later, *lines[place + 1 :]]))
    assert ("message b000", "model_call painter") in links(trace, "message")


def test_a_failed_agent_returns_so_and_has_the_tokens_that_the_log_gives_for_it() -> None:
    trace = the_trace("agents")
    [returned] = [event for event in trace if event.agent == SECOND]
    assert (returned.type, returned.status, returned.tokens) == ("return", "error", 700)
    assert lost(trace)["sub-agents whose own records are missing"] == 1


def test_what_people_say_about_calls_lies_between_the_call_and_its_result() -> None:
    trace = the_trace("agents")
    refused = next(event for event in trace if event.type == "human_intervention" and event.to == PAINTER)
    assert refused.status == "rejected"
    assert [link for link in links(trace, "causal") if "human_intervention user" in link] == [
        ("tool_call painter", "human_intervention user"),
        ("human_intervention user", "tool_result painter"),
        ("tool_call main", "human_intervention user"),
        ("human_intervention user", "tool_result main"),
        ("aggregate main", "human_intervention user"),
        ("human_intervention user", "model_call main"),
        ("human_intervention user", "model_call main"),
    ]


def test_a_compaction_has_its_time_and_its_tokens() -> None:
    [compaction] = [event for event in the_trace("agents") if event.type == "compaction"]
    assert compaction.end - compaction.t == 2
    assert compaction.by_kind == {"input": 2000, "output": 200, "cache_read": 1000}


def test_tokens_of_single_turns_are_taken_where_the_log_has_them() -> None:
    trace = the_trace("stream")
    assert [event.by_kind for event in trace if event.type == "model_call"] == [
        {"input": 300, "output": 20, "cache_read": 600, "cache_write": 100, "reasoning": 5},
        {"input": 100, "output": 8, "cache_read": 1000},
    ]
    assert lost(trace) == {}


def test_totals_of_a_session_are_figures_beside_those_of_its_turns() -> None:
    trace = the_trace("calls")
    assert trace.head["metrics"] == {
        "cacheReadTokens": 7000, "cacheWriteTokens": 500, "inputTokens": 11000, "outputTokens": 360, "requests": 8,
        "totalApiDurationMs": 30000, "totalPremiumRequests": 4,
    }  # fmt: skip
    assert trace.costs["tokens"] == 360
    assert lost(trace) == {"turns without input tokens": 8}


def test_totals_are_added_up_over_the_times_a_session_was_entered(tmp_path: Path) -> None:
    [trace] = traces(written(tmp_path, [*session("calls"), session("calls")[-1]]))
    assert trace.head["metrics"]["requests"] == 16


def test_what_a_trace_has_no_place_for_is_counted() -> None:
    assert lost(the_trace("agents")) == {
        "errors without an event": 1,
        "messages of the program": 1,
        "sub-agents whose own records are missing": 1,
        "turns without input tokens": 10,
    }


@pytest.mark.parametrize(
    ("more", "loss"),
    [
        (line("brand.new", {}), "records of unknown kinds"),
        ({"a": 1}, "records of unknown kinds"),
        (line("tool.execution_complete", {"toolCallId": "none"}), "results of missing or already answered calls"),
        (line("tool.execution_start", {"toolName": "bash"}), "calls without an id of their own"),
        (line("session.handoff", {}), "handoffs between sessions"),
        (line("permission.completed", {"result": {"kind": "approved"}}), "permissions without an event"),
        (line("assistant.usage", {"outputTokens": 1}), "token counts without a turn"),
        (line("session.snapshot_rewind", {}), "turns that were rolled back, kept in the trace"),
    ],
)
def test_a_line_without_a_place_is_counted(more: dict[str, Any], loss: str, tmp_path: Path) -> None:
    lines = [*session("stream"), more]
    [trace] = traces(written(tmp_path, lines))
    assert lost(trace) == {loss: 1}


def test_a_tool_that_a_person_runs_follows_from_their_wish(tmp_path: Path) -> None:
    call = {"toolCallId": "mine", "toolName": "bash"}
    lines = [line("tool.user_requested", call), line("tool.execution_start", call)]
    [trace] = traces(written(tmp_path, [*session("stream"), *lines]))
    assert ("human_intervention user", "tool_call main") in links(trace, "causal")


def test_an_agent_that_no_call_started_is_spawned_with_its_first_line(tmp_path: Path) -> None:
    said = line("assistant.message", {"messageId": "z", "content": "Hello"}, agentId="loose")
    [trace] = traces(written(tmp_path, [*session("stream"), said]))
    assert acts(trace, "loose") == ["model_call", "return"]
    assert links(trace, "spawn") == [("spawn main", "model_call loos")]


def test_without_times_a_trace_has_an_order(tmp_path: Path) -> None:
    lines = [{key: value for key, value in each.items() if key != "timestamp"} for each in session("agents")]
    [trace] = traces(written(tmp_path, lines))
    assert trace.time == "ordinal"
    assert [str(problem) for problem in check(trace) if not problem.warning] == []
    assert acts(trace, PAINTER) == acts(the_trace("agents"), PAINTER)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", 'found no session of Copilot (expected lines with a "type" and a "data")'),
        (json.dumps(session("calls")[0]), "empty session (expected messages of an agent)"),
    ],
)
def test_a_log_without_a_run_says_what_is_expected(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(BadLog) as caught:
        traces(tmp_path / "log.jsonl")
    assert str(caught.value) == f"log.jsonl: {message}"


@pytest.mark.parametrize("seed", range(6))
def test_mutated_logs_give_sound_traces_or_say_that_they_are_none(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    logs = [session(name) for name in ("calls", "agents", "stream")]
    for _ in range(60):
        text = "\n".join(json.dumps(each) for each in mutant(chance.choice(logs), chance))
        cut = chance.randrange(len(text) + 1) if chance.random() < 0.2 else len(text)
        (tmp_path / "log.jsonl").write_text(text[:cut])
        log = Log(tmp_path / "log.jsonl")
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test"))) == []


def test_a_team_that_others_invented_is_read_whole(real: Callable[[str], Path]) -> None:
    [trace] = traces(real("copilot-cli-synthetic/test-multiagent.jsonl"))
    assert check(trace).errors == 0
    assert {agent.get("role") for agent in trace.agents.values()} == {"explore", "code-review", "general-purpose", None}
    assert [event.status for event in trace if event.type == "return"] == ["ok", "ok", "error"]
    assert measure(replay(trace))["sub_agents_at_once"].value == 2
