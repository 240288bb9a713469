"""Sessions of Gemini CLI, read as traces."""

from __future__ import annotations

import json
import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers import recognised
from survey.traces.importers.coding_agents.gemini import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant
from tests.traces.importers.samples import sample

LOGS = Path(__file__).parent / "logs" / "gemini"
ROOT = "11111111-0000-4000-8000-000000000001"
READER, KEEPER, PAINTER = (f"{letter * 8}-0000-4000-8000-00000000000{letter}" for letter in "abd")
CHAT = LOGS / "chats" / "session-2026-05-04T08-00-11111111.jsonl"


def traces(path: Path) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(salt="test")))


def the_trace(name: str) -> Trace:
    (trace,) = traces(LOGS / name)
    return trace


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def acts(trace: Trace, agent: str) -> list[str]:
    return [event.type for event in trace if event.agent == agent]


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    events = {event.id: f"{event.type} {trace.agents.get(event.agent, {}).get('role', event.agent)}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


@pytest.mark.parametrize("name", ["chats", "older.json", "plain.json"])
def test_a_session_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    assert recognised(Log(LOGS / name)) is IMPORTER
    assert [str(problem) for problem in check(the_trace(name)) if not problem.warning] == []
    assert the_trace(name).source["experimental"] is True


def test_a_log_of_something_else_is_not_recognised(tmp_path: Path) -> None:
    others = ["", "{}", "[]", '{"sessionId": "s"}', '{"sessionId": "s", "projectHash": "", "messages": []}']
    for number, text in enumerate(others):
        (tmp_path / f"{number}.json").write_text(text)
        assert not IMPORTER.recognises(Log(tmp_path / f"{number}.json"))
    assert not IMPORTER.recognises(Log(tmp_path))
    for other in ("codex/person.jsonl", "claude-code/inline.jsonl", "copilot/calls.jsonl", "atif/team.json"):
        assert not IMPORTER.recognises(Log(sample(other)))


def test_the_conversations_of_a_team_are_one_trace() -> None:
    trace = the_trace("chats")
    assert (trace.id, trace.time, trace.source["system"]) == (ROOT, "seconds", "gemini-cli")
    assert acts(trace, "main") == [
        "orchestrator_decision", "spawn", "spawn", "tool_call", "tool_result", "aggregate",
        "orchestrator_decision", "spawn", "aggregate", "model_call", "tool_call", "tool_result", "compaction",
        "model_call", "stop",
    ]  # fmt: skip
    assert acts(trace, READER) == [
        "model_call", "tool_call", "tool_result", "model_call", "tool_call", "tool_result", "return",
    ]  # fmt: skip
    assert acts(trace, KEEPER) == ["model_call", "tool_call", "tool_result", "return"]
    assert acts(trace, PAINTER) == ["return"]


def test_agents_have_the_roles_and_models_that_the_log_gives() -> None:
    assert list(the_trace("chats").agents.values()) == [
        {"id": "main", "model": "gemini-3-pro"},
        {"id": READER, "role": "codebase_investigator", "model": "gemini-3-flash"},
        {"id": KEEPER, "role": "keeper", "model": "gemini-3-flash"},
        {"id": PAINTER, "role": "painter"},
    ]


def test_sub_agents_return_with_their_last_act_to_the_turn_after_their_calls() -> None:
    trace = the_trace("chats")
    returns = [(event.agent, event.t, event.status) for event in trace if event.type == "return"]
    assert returns == [(READER, 19, "ok"), (KEEPER, 23, "timeout"), (PAINTER, 44, "error")]
    assert links(trace, "aggregate") == [
        ("return codebase_investigator", "aggregate main"),
        ("return keeper", "aggregate main"),
        ("return painter", "aggregate main"),
    ]
    assert links(trace, "spawn") == [
        ("spawn main", "model_call codebase_investigator"),
        ("spawn main", "model_call keeper"),
    ]


def test_each_message_counts_once_however_often_the_file_repeats_it() -> None:
    trace = the_trace("chats")
    first = next(event for event in trace if event.agent == "main")
    assert first.by_kind == {"input": 800, "output": 100, "cache_read": 200, "reasoning": 60}
    assert trace.costs["tokens"] == 9359


def test_input_that_tools_add_counts_and_thoughts_are_output() -> None:
    asking = next(event for event in the_trace("chats") if event.by_kind.get("reasoning") == 8)
    assert asking.by_kind == {"input": 1755, "output": 20, "cache_read": 0, "reasoning": 8}


def test_what_a_person_took_back_was_done_and_is_counted() -> None:
    trace = the_trace("chats")
    assert acts(trace, "user") == ["message", "human_intervention", "human_intervention"]
    assert lost(trace) == {
        "messages of the program": 3,
        "sub-agents whose own records are missing": 1,
        "times of results, set to those of their calls": 1,
        "turns that were rolled back, kept in the trace": 2,
    }


def test_a_checkpoint_that_drops_messages_is_a_compaction_and_one_that_adds_some_is_none(tmp_path: Path) -> None:
    assert acts(the_trace("chats"), "main").count("compaction") == 1
    head, *rest = lines(CHAT)
    first = [record for record in rest if "id" in record][:2]
    [trace] = traces(written(tmp_path / "session.jsonl", [head, {"$set": {"messages": first}}, *rest[3:5]]))
    assert acts(trace, "user") == ["message"]
    assert acts(trace, "main") == ["model_call", "stop"]


def test_a_turn_without_words_that_is_dated_with_its_calls_ends_with_its_last_thought() -> None:
    trace = the_trace("older.json")
    turn, call, result = (event for event in list(trace)[1:4])
    assert [(event.type, event.t, event.end) for event in (turn, call, result)] == [
        ("model_call", 0, 4), ("tool_call", 4, 4), ("tool_result", 10, 10),
    ]  # fmt: skip


def test_a_message_without_words_thoughts_and_tokens_has_calls_of_the_turn_before() -> None:
    trace = the_trace("older.json")
    call = next(event for event in trace if event.tool == "write_file")
    assert trace.events[int(call.parent[1:]) - 1].type == "aggregate" if call.parent else False
    assert [event.status for event in trace if event.type == "tool_result"] == ["ok", "cancelled"]
    assert sum(event.type in ("model_call", "orchestrator_decision", "aggregate") for event in trace) == 4


def test_an_older_sub_agent_is_known_by_its_result() -> None:
    trace = the_trace("older.json")
    assert trace.agents["o2"] == {"id": "o2", "role": "codebase_investigator"}
    assert acts(trace, "o2") == ["return"]
    assert lost(trace) == {
        "errors without an event": 1,
        "messages of the program": 1,
        "sub-agents whose own records are missing": 1,
    }


def test_a_session_in_which_all_has_its_place_loses_nothing() -> None:
    assert lost(the_trace("plain.json")) == {}


def test_a_session_alone_lacks_the_records_of_its_sub_agents() -> None:
    [trace] = traces(CHAT)
    assert acts(trace, READER) == acts(trace, KEEPER) == ["return"]
    assert lost(trace)["sub-agents whose own records are missing"] == 3


def test_a_sub_agent_that_no_call_names_belongs_to_the_session_its_folder_names(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "chats", tmp_path / "chats")
    place = tmp_path / "chats" / ROOT / f"{READER}.jsonl"
    head, *rest = lines(place)
    written(place, [{**head, "sessionId": "stray"}, *rest])
    [trace] = traces(tmp_path / "chats")
    assert acts(trace, "stray")[-1] == "tool_result"
    assert ("spawn main", "model_call stray") in links(trace, "spawn")


def test_a_sub_agent_with_the_id_of_its_session_belongs_to_the_call_around_it(tmp_path: Path) -> None:
    document = json.loads((LOGS / "older.json").read_text())
    (tmp_path / "main.json").write_text(json.dumps(document))
    child = {**document, "kind": "subagent", "startTime": "2026-05-04T08:01:54.000Z"}
    said = {**document["messages"][3], "id": "own", "timestamp": "2026-05-04T08:02:10.000Z"}
    (tmp_path / "child.json").write_text(json.dumps({**child, "messages": [said]}))
    [trace] = traces(tmp_path)
    assert acts(trace, "o2") == ["model_call", "return"]


def test_sub_agents_without_their_main_agent_stand_alone() -> None:
    [trace] = traces(LOGS / "chats" / ROOT / f"{READER}.jsonl")
    assert trace.id == READER
    assert acts(trace, "main")[:2] == ["model_call", "tool_call"]


def test_without_times_a_trace_has_an_order(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "chats", tmp_path / "chats")
    for path in (tmp_path / "chats").rglob("*.jsonl"):
        path.write_text(path.read_text().replace('"timestamp"', '"then"'))
    [trace] = traces(tmp_path / "chats")
    assert trace.time in ("ordinal", "mixed")
    assert [str(problem) for problem in check(trace) if not problem.warning] == []
    assert acts(trace, READER) == acts(the_trace("chats"), READER)


@pytest.mark.parametrize(
    ("more", "loss"),
    [
        ({"id": "n", "type": "brand-new"}, "records of unknown kinds"),
        ({"type": "gemini"}, "records of unknown kinds"),
        ({"id": "n", "type": "gemini", "content": ""}, "messages without text"),
        ({"id": "n", "type": "warning", "content": "Slow"}, "messages of the program"),
    ],
)
def test_a_record_without_a_place_is_counted(more: dict[str, Any], loss: str, tmp_path: Path) -> None:
    before = lost(traces(CHAT)[0]).get(loss, 0)
    [trace] = traces(written(tmp_path / "session.jsonl", [*lines(CHAT), more]))
    assert lost(trace)[loss] == before + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", 'found no session of Gemini CLI (expected a "sessionId" and a "projectHash")'),
        ('{"sessionId": "s", "projectHash": "h", "messages": []}', "empty sessions (expected messages of a model)"),
    ],
)
def test_a_log_without_a_run_says_what_is_expected(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(BadLog) as caught:
        traces(tmp_path / "log.json")
    assert str(caught.value) == f"log.json: {message}"


@pytest.mark.parametrize("seed", range(6))
def test_mutated_logs_give_sound_traces_or_say_that_they_are_none(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    shutil.copytree(LOGS / "chats", tmp_path / "chats")
    shutil.copy(LOGS / "older.json", tmp_path / "chats" / "older.jsonl")
    files = {path: lines(path) for path in (tmp_path / "chats").rglob("*.jsonl") if path.stem != "older"}
    files[tmp_path / "chats" / "older.jsonl"] = [json.loads((LOGS / "older.json").read_text())]
    for _ in range(40):
        damaged = chance.choice(list(files))
        for path, records in files.items():
            text = "\n".join(json.dumps(each) for each in (mutant(records, chance) if path == damaged else records))
            cut = chance.randrange(len(text) + 1) if path == damaged and chance.random() < 0.2 else len(text)
            path.write_text(text[:cut])
        log = Log(tmp_path / "chats" if chance.random() < 0.7 else damaged)
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test"))) == []
