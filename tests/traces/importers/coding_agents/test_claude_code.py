"""Claude Code sessions: the layouts of all versions, and real logs with known figures."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.coding_agents.claude_code.lines import Lines, opening
from survey.traces.importers.coding_agents.claude_code.session import sessions
from survey.traces.importers.log import BadLog, Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import damage

LOGS = Path(__file__).parent / "logs" / "claude-code"


def imported(path: Path) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(keep=True)))


def session(name: str) -> Trace:
    [trace] = imported(LOGS / name)
    return trace


def kinds(trace: Trace) -> Counter[str]:
    return Counter(event.type for event in trace)


def said(trace: Trace, words: str) -> str:
    """The id of the event with this content."""
    [id] = [event.id for event in trace if event.optional_fields.get("content") == words]
    return id


def edges(trace: Trace, type: str) -> set[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    names = {event.id: f"{event.type} {event.agent}" for event in trace}
    return {(names[edge.src], names[edge.dst]) for edge in trace.edges if edge.type == type}


def decisions(trace: Trace) -> list[list[str]]:
    return [event.optional_fields["decision"] for event in trace if event.type in ("orchestrator_decision", "stop")]


def spans(trace: Trace) -> list[tuple[float, float]]:
    """From spawn to return, for each sub-agent that returned.

    The spawn is the record of the call's own block (a turn is written block by block, so the calls of one turn
    differ by seconds), and the return is the record in which the work reached the parent: the tool result of a
    sub-agent that was waited for, the ``enqueue`` of the notice of one in the background. The result of a
    background launch comes within a second and is no return; reading the notice, or asking for the output, may
    come much later and measures the orchestrator. Only this pair gives the figures known of the real logs.
    """
    spawned = {event.to: event.t for event in trace if event.type == "spawn"}
    return sorted((spawned[event.agent], event.t) for event in trace if event.type == "return")


def at_once(spans: list[tuple[float, float]]) -> int:
    return max(sum(start <= moment < end for start, end in spans) for moment, _ in spans)


def union(spans: list[tuple[float, float]]) -> float:
    covered, reached = 0.0, float("-inf")
    for start, end in spans:
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return covered


# log, sub-agents, at most at once, their work, its union in seconds; tokens, people, compactions, stops
REAL = [
    ("parallel6-sync", (6, 6, 408, 83), (1_175_318, 2, 0)),
    ("parallel6-async", (6, 6, 614, 130), (10_635_024, 7, 1)),
    ("parallel5-progress", (6, 5, 2891, 2041), (10_358_503, 7, 0)),
    ("parallel3-interrupted", (5, 3, 339, 178), (1_566_523, 5, 0)),
    ("parallel3-ask", (4, 3, 1419, 766), (6_883_375, 3, 0)),
]


@pytest.mark.parametrize(("name", "parallel", "rest"), REAL, ids=[row[0] for row in REAL])
def test_real_sessions_have_the_figures_that_are_known_of_them(
    name: str, parallel: tuple[int, ...], rest: tuple[int, ...], real: Callable[[str], Path]
) -> None:
    log = Log(real(f"claude-code/{name}.jsonl"))
    assert IMPORTER.recognises(log)
    [trace] = IMPORTER.read(log, Content())
    found = spans(trace)
    work = sum(end - start for start, end in found)
    assert (kinds(trace)["spawn"], at_once(found), round(work), round(union(found))) == parallel
    assert len(found) == kinds(trace)["return"] == kinds(trace)["despawn"] == parallel[0]
    assert (trace.costs["tokens"], kinds(trace)["human_intervention"], kinds(trace)["compaction"]) == rest
    assert kinds(trace)["stop"] == 1
    assert trace.time == "seconds"
    assert not list(check(trace))


@pytest.mark.parametrize("name", [row[0] for row in REAL])
def test_tokens_of_real_sessions_are_counted_once_per_message(name: str, real: Callable[[str], Path]) -> None:
    path = real(f"claude-code/{name}.jsonl")
    usages: dict[str, Counter[str]] = {}
    by_return = 0
    for line in path.read_text().splitlines():
        record = json.loads(line)
        message = (record.get("data") or {}).get("message", record).get("message") or {}
        if message.get("role") == "assistant":
            for kind, count in message["usage"].items():
                if kind.endswith("_tokens"):
                    usage = usages.setdefault(message["id"], Counter())
                    usage[kind] = max(usage[kind], count)
        result = record.get("toolUseResult")
        by_return += result.get("totalTokens", 0) if isinstance(result, dict) else 0
    [trace] = IMPORTER.read(Log(path), Content())
    generations = [event for event in trace if event.type in ("model_call", "orchestrator_decision", "aggregate")]
    assert len(generations) == len(usages)
    assert sum(event.tokens or 0 for event in generations) == sum(usage.total() for usage in usages.values())
    assert sum(event.tokens or 0 for event in trace if event.type == "return") == by_return


def test_a_real_sub_agent_cut_short_before_the_log_names_it_is_a_cancelled_call(real: Callable[[str], Path]) -> None:
    [trace] = IMPORTER.read(Log(real("claude-code/parallel3-interrupted.jsonl")), Content())
    results = Counter(event.status for event in trace if event.type == "tool_result" and event.tool == "Task")
    assert results == {"error": 3, "cancelled": 1}
    assert Counter(event.status for event in trace if event.type == "despawn") == {"ok": 5}
    assert Counter(event.status for event in trace if event.type == "human_intervention") == {"ok": 4, "cancelled": 1}


def test_no_text_of_a_log_is_in_its_trace_unless_it_is_asked_for() -> None:
    for path in (LOGS / "people.jsonl", LOGS / "teammates.jsonl", LOGS / "workflow"):
        for trace in IMPORTER.read(Log(path), Content()):
            written = json.dumps(trace.to_json())
            for secret in ("Change the plan", "rm", "Hello all", "Sweep", "It is written", "/w"):
                assert f'"{secret}' not in written


# inline, sibling and folder layouts


def test_inline_sidechains_that_nobody_names_are_told_apart_and_matched_by_their_task() -> None:
    trace = session("inline.jsonl")
    assert kinds(trace) == {
        "message": 1, "orchestrator_decision": 1, "spawn": 2, "model_call": 3, "tool_call": 1, "tool_result": 1,
        "return": 2, "despawn": 2, "aggregate": 1, "stop": 1,
    }  # fmt: skip
    red, blue = (event.to for event in trace if event.type == "spawn")
    events = {event.id: event for event in trace}
    assert events[said(trace, "blue blue")].agent == blue
    assert [event.agent for event in trace if event.optional_fields.get("content") == "Three red."] == [red, red]
    assert spans(trace) == [(2.5, 9.0), (3.0, 9.5)]
    assert trace.costs["tokens"] == 190 + 3 * 20 + 240
    assert lost(trace) == {}


def test_a_sibling_file_of_the_same_session_is_the_sub_agents_own_log() -> None:
    one, two = imported(LOGS / "siblings")
    assert (one.id, two.id) == ("one", "two")
    assert [event.type for event in one if event.agent == "a1"] == [
        "model_call", "tool_call", "tool_result", "model_call", "return", "despawn",
    ]  # fmt: skip
    assert kinds(one) == kinds(session("siblings/one.jsonl"))


def test_the_last_turn_of_a_sub_agent_is_counted_once_with_the_output_that_its_parent_was_told() -> None:
    one, _ = imported(LOGS / "siblings")
    [last] = [event for event in one if event.optional_fields.get("content") == "Found." and event.type == "model_call"]
    [back] = [event for event in one if event.type == "return"]
    assert last.optional_fields["tokens"] == {"input": 4, "output": 30, "cache_read": 20, "cache_write": 2}
    assert back.tokens is None


def test_files_without_a_parent_are_sessions_of_their_own_and_say_so() -> None:
    _, two = imported(LOGS / "siblings")
    assert [(event.type, event.agent) for event in two] == [("model_call", "b9")]
    assert lost(two)["sub-agents whose spawning call is missing"] == 1
    assert two.head["link_quality"]["missing"] == 1
    assert [trace.id for trace in imported(LOGS / "folders")] == ["deep", "lost"]
    [alone] = imported(LOGS / "siblings" / "agent-b9.jsonl")
    assert [event.agent for event in alone] == ["b9"]


def test_sidecars_name_the_call_that_spawned_a_sub_agent_of_a_sub_agent() -> None:
    deep, _ = imported(LOGS / "folders")
    assert [(event.agent, event.to, event.role) for event in deep if event.type == "spawn"] == [
        ("main", "b1", "builder"),
        ("b1", "b2", "tester"),
    ]
    assert edges(deep, "aggregate") == {("return b2", "aggregate b1"), ("return b1", "aggregate main")}
    assert {id: agent.get("model") for id, agent in deep.agents.items()} == {
        "main": "m-large", "b1": "m-large", "b2": "m-tiny", "guest": "m-large",
    }  # fmt: skip
    assert lost(deep) == {
        "sub-agents whose end is not in the log": 1,
        "sub-agents whose spawning call is missing": 1,
    }


def test_what_the_main_file_repeats_of_a_sub_agents_log_is_counted_once() -> None:
    deep, _ = imported(LOGS / "folders")
    assert [event.tokens for event in deep if event.agent == "b1" and event.tokens] == [10, 18]
    assert deep.costs["tokens"] == (90 + 99) + (10 + 18) + 4 + 2


def test_internal_logs_of_compactions_count_where_the_main_log_has_none() -> None:
    deep, _ = imported(LOGS / "folders")
    assert [(event.agent, event.t) for event in deep if event.type == "compaction"] == [("main", 35.0)]
    assert all("acompact" not in event.agent for event in deep)


def test_a_session_is_found_whole_from_its_file_and_from_its_folder(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "folders", tmp_path / "project")
    (tmp_path / "elsewhere").mkdir()
    whole = [kinds(trace) for trace in imported(LOGS / "folders")]
    assert [kinds(trace) for trace in imported(tmp_path)] == whole
    assert [kinds(session("folders/deep.jsonl"))] == whole[:1]
    assert [kinds(trace) for trace in imported(LOGS / "folders" / "deep")] == whole[:1]
    assert [kinds(trace) for trace in imported(LOGS / "folders" / "lost")] == whole[1:]


def test_progress_records_are_the_sub_agents_own_acts_and_its_last_turn_is_on_the_return() -> None:
    trace = session("progress.jsonl")
    assert [(event.type, event.tool, event.status, event.tokens) for event in trace if event.agent == "p1"] == [
        ("model_call", None, "ok", 20),
        ("tool_call", "Read", "ok", None),
        ("tool_call", "Read", "ok", None),
        ("tool_result", "Read", "ok", None),
        ("tool_result", "Read", "error", None),
        ("return", None, "ok", 60),
        ("despawn", None, "ok", None),
    ]
    assert lost(trace) == {"turns of sub-agents known only by their tokens": 1}


# times and tokens


def log_of(tmp_path: Path, *records: tuple[float, str, dict[str, Any]]) -> Trace:
    """The trace of a session of one agent: seconds, type and message of each record."""
    lines = [
        {"sessionId": "s", "uuid": f"u{place}", "parentUuid": None, "type": kind, "message": message,
         "timestamp": f"2026-01-05T14:{int(at // 60):02}:{at % 60:06.3f}Z"}
        for place, (at, kind, message) in enumerate(records)
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    [trace] = imported(path)
    return trace


def wrote(id: str, *blocks: dict[str, Any], model: str = "claude", output: int = 5) -> dict[str, Any]:
    return {"role": "assistant", "id": id, "model": model, "content": list(blocks), "usage": {"input_tokens": 10 if output else 0, "output_tokens": output}}  # fmt: skip


PROMPT = {"role": "user", "content": "Go."}
TEXT = {"type": "text", "text": "I look."}
CALL = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a"}}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "b"}]}


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_turn_lasts_from_its_cause_to_its_last_record_however_many_records_it_has(
    tmp_path: Path, blocks: int
) -> None:
    thought: list[tuple[float, str, dict[str, Any]]] = [(59.5, "assistant", wrote("m1", TEXT))][: blocks - 1]
    trace = log_of(
        tmp_path, (0, "user", PROMPT), *thought, (60, "assistant", wrote("m1", CALL)), (61, "user", RESULT),
        (121, "assistant", wrote("m2", TEXT)),
    )  # fmt: skip
    assert [(event.t, event.t_end) for event in trace if event.type == "model_call"] == [(0, 60), (61, 121)]
    found = measure(trace)
    assert [found[name].value for name in ("wall_s", "work_s", "union_s", "critical_path_s")] == [121] * 4
    assert (found["model_s"].value, found["tool_s"].value, found["idle_s"].value) == ({"main": 120}, {"main": 1}, {})


def test_a_placeholder_of_the_program_is_no_turn(tmp_path: Path) -> None:
    again = wrote("x", {"type": "text", "text": "No response requested."}, model="<synthetic>", output=0)
    trace = log_of(tmp_path, (0, "user", PROMPT), (20, "assistant", wrote("m1", TEXT)), (3000, "assistant", again))
    assert measure(trace)["critical_path_s"].value == 20
    assert lost(trace) == {"placeholders of the program": 1}


def test_turns_that_wrote_more_than_their_tokens_can_hold_are_counted(tmp_path: Path) -> None:
    long = {"type": "text", "text": "word " * 50}
    trace = log_of(tmp_path, (0, "user", PROMPT), (5, "assistant", wrote("m1", long, output=1)), (9, "assistant", wrote("m2", long, output=60)))  # fmt: skip
    assert lost(trace) == {"turns whose text needs more output tokens than the log counts": 1}


# in the background


def test_background_sub_agents_return_when_their_notice_arrives_and_are_read_later() -> None:
    trace = session("background.jsonl")
    ends = [(e.t, e.agent, e.type, e.status) for e in trace if e.type in ("return", "despawn")]
    assert ends == [
        (20.0, "d2", "return", "ok"), (20.0, "d2", "despawn", "ok"),
        (29.0, "d3", "despawn", "cancelled"),
        (31.0, "d1", "return", "ok"), (31.0, "d1", "despawn", "ok"),
        (50.0, "d4", "return", "error"), (50.0, "d4", "despawn", "error"),
    ]  # fmt: skip
    assert edges(trace, "return") == {
        ("return d2", "orchestrator_decision main"),
        ("return d1", "model_call main"),
    }
    assert edges(trace, "aggregate") == {(f"return d{number}", "aggregate main") for number in (1, 2, 4)}


def test_asking_for_output_that_is_not_there_is_a_call_that_timed_out() -> None:
    trace = session("background.jsonl")
    asked = [(event.tool, event.status) for event in trace if event.type == "tool_result"]
    assert asked == [("TaskOutput", "timeout"), ("TaskStop", "ok"), ("TaskOutput", "ok")]
    assert decisions(trace) == [["O1", "O2"], ["O5"], ["O5"]]


def test_a_sub_agent_asked_again_is_delegated_to_and_leaves_once() -> None:
    trace = session("resumed.jsonl")
    life = [(event.type, event.t) for event in trace if "r1" in (event.agent, event.to)]
    assert life == [("spawn", 2.0), ("return", 10.0), ("delegate", 12.5), ("return", 20.0), ("despawn", 20.0)]
    assert ("delegate main", "return r1") in edges(trace, "causal")
    assert edges(trace, "return") == {("return r1", "orchestrator_decision main")}


# people and rules


def test_each_act_of_a_person_is_one_intervention() -> None:
    trace = session("people.jsonl")
    people = [(event.t, event.status) for event in trace if event.type == "human_intervention"]
    assert people == [
        (9.0, "ok"),
        (15.0, "rejected"),
        (20.0, "ok"),
        (30.0, "cancelled"),
        (40.0, "ok"),
        (47.0, "cancelled"),
    ]
    assert [event.agent for event in trace if event.type == "message"] == ["user"]


def test_refusals_stand_between_a_call_and_its_result() -> None:
    trace = session("people.jsonl")
    results = [(event.tool, event.status) for event in trace if event.type == "tool_result"]
    assert results == [
        ("AskUserQuestion", "ok"), ("ExitPlanMode", "rejected"), ("Bash", "rejected"), ("Bash", "timeout"), ("Task", "error"),
    ]  # fmt: skip
    assert edges(trace, "safety_flow") == {
        ("safety_event main", "tool_result main"),
        ("safety_event main", "model_call main"),
    }
    assert {("tool_call main", "human_intervention user"), ("human_intervention user", "tool_result main")} <= edges(
        trace, "causal"
    )


def test_an_interrupted_sub_agent_that_the_log_names_leaves_cancelled_and_returns_nothing() -> None:
    trace = session("people.jsonl")
    assert [(event.type, event.status) for event in trace if event.agent == "w1"][-1] == ("despawn", "cancelled")
    assert kinds(trace)["return"] == 0
    assert ("human_intervention user", "despawn w1") in edges(trace, "causal")


def test_compactions_of_both_kinds_are_told_and_tied_to_what_was_before() -> None:
    trace = session("people.jsonl")
    assert [event.t for event in trace if event.type == "compaction"] == [41.0, 43.0]
    before = ("orchestrator_decision main", "compaction main")
    assert before in edges(trace, "temporal"), "the turn before the request that failed"


def test_a_run_that_a_person_ended_has_no_stop() -> None:
    assert kinds(session("people.jsonl"))["stop"] == 0
    assert lost(session("people.jsonl"))["lines that are not JSON objects"] == 1
    assert lost(session("people.jsonl"))["records of unknown kinds"] == 1


def with_parts(path: Path, record: dict[str, Any], *parts: dict[str, Any]) -> Trace:
    """A session that ends with a record whose message has these parts."""
    message = {"role": record["type"], "content": list(parts), **record.pop("message", {})}
    last = {
        "sessionId": "inline",
        "uuid": "last",
        "timestamp": "2026-03-01T11:00:00.000Z",
        **record,
        "message": message,
    }
    path.write_text((LOGS / "inline.jsonl").read_text() + json.dumps(last) + "\n")
    [trace] = imported(path)
    return trace


def test_words_beside_the_results_of_tools_are_somebodys_words_too(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "nowhere", "content": "x"}
    trace = with_parts(tmp_path / "a.jsonl", {"type": "user"}, result, {"type": "text", "text": "And then rest."})
    [spoken] = [event for event in trace if event.optional_fields.get("content") == "And then rest."]
    assert (spoken.type, spoken.agent) == ("human_intervention", "user")
    assert lost(trace)["tool results whose call is missing"] == 1


def test_a_person_who_shows_a_picture_and_says_nothing_has_acted(tmp_path: Path) -> None:
    before = kinds(session("inline.jsonl"))
    trace = with_parts(tmp_path / "a.jsonl", {"type": "user"}, {"type": "image", "source": {}})
    assert kinds(trace) - before == {"human_intervention": 1}
    assert lost(trace)["pictures and documents in messages"] == 1


def test_a_picture_in_the_result_of_a_tool_is_no_act_of_a_person(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "nowhere", "content": "x"}
    trace = with_parts(tmp_path / "a.jsonl", {"type": "user"}, result, {"type": "image", "source": {}})
    assert kinds(trace) == kinds(session("inline.jsonl"))


@pytest.mark.parametrize("kind", ["web_search_tool_result", "brand-new", None, 7])
def test_parts_of_a_message_that_a_trace_has_no_place_for_are_counted_once(tmp_path: Path, kind: object) -> None:
    record = {"type": "assistant", "message": {"id": "m99", "model": "m"}}
    trace = with_parts(tmp_path / "a.jsonl", record, {"type": kind}, {"type": "thinking", "thinking": "Hm."})
    assert lost(trace)["parts of messages of unknown kinds"] == 1
    twice = (tmp_path / "a.jsonl").read_text().splitlines()
    (tmp_path / "b.jsonl").write_text("\n".join([*twice, twice[-1]]))
    assert lost(imported(tmp_path / "b.jsonl")[0])["parts of messages of unknown kinds"] == 1


# streams, teammates, workflows


def test_a_stream_has_an_order_and_no_seconds() -> None:
    trace = session("stream.jsonl")
    assert (trace.time, trace.costs["wall_clock_s"], trace.costs["usd"]) == ("ordinal", 0.0, 0.25)
    assert [event.type for event in trace] == [
        "orchestrator_decision", "spawn", "model_call", "tool_call", "tool_result", "model_call", "return", "despawn",
        "aggregate", "tool_call", "safety_event", "tool_result", "model_call", "stop",
    ]  # fmt: skip
    assert trace.costs["tokens"] == 30 + 7 + 9 + 28 + 39
    assert ("return c1", "aggregate main") in edges(trace, "aggregate")


def test_messages_to_and_from_teammates_are_messages() -> None:
    trace = session("teammates.jsonl")
    assert [(event.agent, event.to, event.optional_fields.get("protocol")) for event in trace if event.type == "message"] == [
        ("user", "main", None), ("main", "ann@t", None), ("main", "ann@t", None), ("main", "bob@t", None),
        ("ann@t", "main", None), ("bob@t", "main", True), ("main", "ann@t", True),
    ]  # fmt: skip
    assert decisions(trace) == [["O1", "O2"], ["O3"], ["O3"], ["O5"]]
    assert kinds(trace)["despawn"] == 0


def test_agents_of_a_workflow_are_spawned_by_its_call_and_return_if_the_journal_says_so() -> None:
    [trace] = imported(LOGS / "workflow")
    assert [(event.type, event.t) for event in trace if "v1" in (event.agent, event.to)] == [
        ("spawn", 6.0), ("model_call", 6.0), ("return", 11.0), ("despawn", 11.0),
    ]  # fmt: skip
    assert ("tool_call main", "spawn main") in edges(trace, "causal")
    assert lost(trace) == {"sub-agents whose end is not in the log": 1}


def test_nobody_is_spawned_before_the_workflow_that_spawns_them(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "workflow", tmp_path, dirs_exist_ok=True)
    own = tmp_path / "flow" / "subagents" / "workflows" / "wf_1" / "agent-v1.jsonl"
    own.write_text(own.read_text().replace("2026-03-01T10:00:", "2026-03-01T09:00:"))
    [trace] = imported(tmp_path)
    began = next(event.t for event in trace if event.tool == "Workflow")
    assert [event.t for event in trace if "v1" in (event.agent, event.to)] == [began] * 4
    assert lost(trace)["acts dated before their cause, moved to its time"] == 1
    assert not check(trace).errors


def test_nobody_spawns_themselves_or_those_who_spawned_them(tmp_path: Path) -> None:
    text = (LOGS / "stream.jsonl").read_text()
    (tmp_path / "stream.jsonl").write_text(text.replace('"parent_tool_use_id":null', '"parent_tool_use_id":"c1"', 3))
    [trace] = imported(tmp_path / "stream.jsonl")
    assert "spawn" not in kinds(trace)
    assert not check(trace).errors


# any log


FIXTURES = sorted(path for path in LOGS.rglob("*.jsonl") if path.name != "journal.jsonl")


@pytest.mark.parametrize("path", [*FIXTURES, LOGS / "siblings", LOGS / "folders", LOGS / "workflow"], ids=str)
def test_every_trace_of_the_fixtures_is_sound(path: Path) -> None:
    assert IMPORTER.recognises(Log(path))
    for trace in imported(path):
        assert not check(trace).errors, list(check(trace))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "log.jsonl: found no record of a Claude Code session (expected JSON lines of user and assistant)"),
        ('{"type":"summary","leafUuid":"x"}\n', "log.jsonl: found no record of a Claude Code session (expected JSON lines of user and assistant)"),
    ],
    ids=["nothing", "no act"],
)  # fmt: skip
def test_a_log_without_an_act_is_refused_in_words(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(BadLog) as error:
        imported(tmp_path / "log.jsonl")
    assert str(error.value) == message


def test_a_log_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    assert not IMPORTER.recognises(Log(tmp_path / "none.jsonl"))
    with pytest.raises(BadLog, match=r"none\.jsonl: cannot be read"):
        imported(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"type":"user"}', '{"resourceSpans":[]}', '{"type":"assistant","message":7,"uuid":1}', "\x00"],
)
def test_other_peoples_logs_are_not_recognised(text: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(text)
    assert not IMPORTER.recognises(Log(tmp_path / "log.jsonl"))
    assert not IMPORTER.recognises(Log(tmp_path))


def test_a_log_from_standard_input_has_no_neighbours() -> None:
    data = (LOGS / "siblings" / "one.jsonl").read_bytes()
    log = Log(LOGS / "siblings" / "one.jsonl", data)
    [trace] = IMPORTER.read(log, Content())
    assert [event.type for event in trace if event.agent == "a1"] == ["return", "despawn"]
    assert lost(trace)["sub-agents whose own log is missing"] == 1


def test_two_files_of_one_session_have_two_names(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(LOGS / "resumed.jsonl", tmp_path / f"{name}.jsonl")
    assert [trace.id for trace in imported(tmp_path)] == ["resumed", "resumed-2"]


def test_a_sub_agent_that_is_called_like_the_session_is_told_apart(tmp_path: Path) -> None:
    log = (LOGS / "people.jsonl").read_text()
    before = imported(LOGS / "people.jsonl")[0]
    (tmp_path / "people.jsonl").write_text(log.replace('"agentId":"w1"', '"agentId":"main"'))
    [trace] = imported(tmp_path / "people.jsonl")
    assert "w1" in before.agents
    assert trace.agents.keys() == {"main-agent" if id == "w1" else id for id in before.agents}
    assert not check(trace).errors


def test_an_instance_whose_id_means_somebody_outside_is_told_apart(tmp_path: Path) -> None:
    log = (LOGS / "people.jsonl").read_text().replace('"agentId":"w1"', '"agentId":"user"')
    (tmp_path / "people.jsonl").write_text(log)
    [trace] = imported(tmp_path / "people.jsonl")
    assert "user-agent" in trace.agents
    assert {event.agent for event in trace if event.type == "human_intervention"} == {"user"}
    assert not check(trace).errors


# line by line

LINES = {
    "blank": b"\n \t\n\xc2\xa0\n\x1c\n",
    "no JSON": b"no\n{\n{}x\n{'a':1}\n\xef\xbb\xbf{}\n",
    "no object": b'[1]\n"x"\n7\nnull\ntrue\n',
    "a byte order mark": b"\xef\xbb\xbf{}\n{}\n",
    "bytes that are no UTF-8": b'{"a":"\xff\xe2\x82"}\n{"\xff":1}\n{"a":"\xe2\x82\n',
    "half of a surrogate pair": b'{"a":"\\ud800"}\n{"a":"\\ude00\\ud83d"}\n',
    "numbers beyond a float": b'{"a":NaN}\n{"a":1e999}\n{"a":-Infinity}\n{"a":123456789012345678901234567890}\n',
    "numbers beyond all bounds": b'{"a":' + b"9" * 5000 + b"}\n",
    "deep nesting": b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n{}\n",
    "the same name twice": b'{"a":1,"a":2}\n',
    "control characters": b'{"a":"\t"}\n{"a":"\x00"}\n{"a":"\x7f"}\r\n',
    "no end": b'{"a":1}\n{"a":',
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_lines_are_read_as_the_standard_library_reads_them(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(text)
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(text))
    known = Log(path)
    expected = [(record.line, repr(record.fields)) for record in known.records()]
    for log in (Log(path), Log(tmp_path / "log.jsonl.gz"), Log(path, text)):
        lines = Lines(log)
        found = list(lines)
        assert [(line.number, repr(line.fields)) for line in found] == expected
        assert lines.unreadable == known.unreadable
        assert [repr(lines.again(line.start, line.size)) for line in found] == [shown for _, shown in expected]
        assert repr(opening(log, 3)) == repr(known.opening(3))


def test_of_the_texts_of_a_session_nothing_is_held_until_it_is_told(tmp_path: Path) -> None:
    def held(length: int) -> int:
        path = tmp_path / f"{length}.jsonl"
        with path.open("w") as log:
            for number in range(60):
                text = "x" * length
                block = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
                call = {"type": "tool_use", "id": f"c{number}", "name": "Task", "input": {"prompt": text, "file": text}}
                for kind, content in (("assistant", [call, {"type": "text", "text": text}]), ("user", [block])):
                    record = {"type": kind, "sessionId": "s", "message": {"id": f"m{number}", "content": content}}
                    log.write(
                        json.dumps({**record, "toolUseResult": {"stdout": text, "task": {"output": text}}}) + "\n"
                    )
        tracemalloc.start()
        try:
            _ = list(sessions(Log(path), Content()))
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    held(10)
    assert held(20_000) - held(100) < 20_000


def test_a_log_that_changes_under_the_reading_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    lines = Lines(Log(path))
    *_, last = lines
    path.write_text('{"a": 1}\n')
    with pytest.raises(BadLog, match=r"^log\.jsonl: changed while it was read \(expected a log that only grows\)$"):
        lines.again(last.start, last.size)


ODD: list[Any] = [
    None, True, 0, -1, 1e300, "", "x", [], {}, [[]], {"a": 1}, "main", "2026-03-01T09:00:00Z", "1969-01-01T00:00:00Z",
]  # fmt: skip


def mutants(text: str, chance: random.Random) -> Iterator[str]:
    """Mutate a log: truncated, shuffled, doubled, with fields dropped or replaced."""
    lines = text.splitlines()
    yield text[: chance.randrange(len(text))]
    yield "\n".join(chance.sample(lines, len(lines)))
    yield "\n".join(chance.choices(lines, k=2 * len(lines)))
    for _ in range(18):
        records = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        for _ in range(chance.choice((1, 1, 3, 12))):
            damage(chance.choice(records), chance, ODD, 0.4)
        yield "\n".join(map(json.dumps, records))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_damaged_log_gives_sound_structure_or_a_refusal(path: Path, tmp_path: Path) -> None:
    chance = random.Random(path.name)
    for number, text in enumerate(mutants(path.read_text(), chance)):
        log = tmp_path / f"{number}" / path.name
        log.parent.mkdir()
        log.write_text(text)
        IMPORTER.recognises(Log(log))
        try:
            traces = imported(log)
        except BadLog:
            continue
        for trace in traces:
            problems = check(trace)
            assert not problems.errors, [*map(str, problems), text]
