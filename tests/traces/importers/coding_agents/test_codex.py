"""Codex rollouts, read as traces."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents.codex import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "codex"
ROOT, KEPLER, NEWTON, CURIE = (
    "019cccc8-39c0-7000-8000-000000000001",
    "019cccc8-68a0-7000-8000-000000000002",
    "019cccc8-6a94-7000-8000-000000000003",
    "019cccc8-6bc0-7000-8000-000000000004",
)


def traces(path: Path) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(salt="test")))


def the_trace(name: str) -> Trace:
    (trace,) = traces(LOGS / name)
    return trace


def rollout(name: str) -> list[dict[str, Any]]:
    path = next((LOGS / "team").rglob(f"*{name}.jsonl"), LOGS / f"{name}.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(folder: Path, name: str, lines: list[Any]) -> Path:
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / name


def acts(trace: Trace, agent: str) -> list[str]:
    return [event.type for event in trace if event.agent == agent]


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    events = {event.id: f"{event.type} {trace.agents.get(event.agent, {}).get('name', event.agent)}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


@pytest.mark.parametrize("name", ["team", "person.jsonl", "fork.jsonl", "orphan.jsonl"])
def test_a_rollout_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(the_trace(name)) if not problem.warning] == []
    assert the_trace(name).source["experimental"] is True


def test_a_log_of_something_else_is_not_recognised(tmp_path: Path) -> None:
    for number, text in enumerate(["", "{}", '{"type": "user", "message": {}}', '{"type": "session_meta"}']):
        (tmp_path / f"{number}.jsonl").write_text(text)
        assert not IMPORTER.recognises(Log(tmp_path / f"{number}.jsonl"))
    assert not IMPORTER.recognises(Log(tmp_path))


@pytest.mark.parametrize(
    "line",
    [
        {"type": "brand-new", "payload": {}},
        {"payload": {"type": "message"}},
        {"uuid": 5},
        {"type": "response_item", "payload": {"type": "brand-new"}},
        {"type": "response_item", "payload": {"type": "message", "content": []}},
        {"type": "event_msg", "payload": {"kind": "user_message"}},
    ],
)
def test_a_line_of_an_unknown_kind_is_counted(line: dict[str, Any], tmp_path: Path) -> None:
    assert "records of unknown kinds" not in lost(the_trace("person.jsonl"))
    [trace] = traces(written(tmp_path, "person.jsonl", [*rollout("person"), line]))
    assert lost(trace)["records of unknown kinds"] == 1


def test_a_message_of_the_model_without_words_is_counted(tmp_path: Path) -> None:
    line = {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "x"}]}}
    [trace] = traces(written(tmp_path, "person.jsonl", [*rollout("person"), line]))
    assert lost(trace)["messages without text"] == 1


def test_the_threads_of_a_team_are_one_trace() -> None:
    trace = the_trace("team")
    assert (trace.id, trace.time, trace.source["version"]) == (ROOT, "seconds", "0.144.1")
    assert acts(trace, "main") == [
        "model_call", "tool_call", "tool_result",
        "orchestrator_decision", "spawn", "spawn", "spawn", "tool_call", "tool_result",
        "orchestrator_decision", "message", "model_call", "tool_call", "tool_result",
        "aggregate", "orchestrator_decision", "model_call", "stop",
    ]  # fmt: skip
    assert acts(trace, KEPLER) == ["model_call", "tool_call", "tool_result", "model_call", "return", "despawn"]
    assert acts(trace, NEWTON) == [
        "model_call", "tool_call", "tool_result", "tool_call", "tool_result", "compaction", "model_call", "return",
    ]  # fmt: skip
    assert acts(trace, CURIE) == ["return"]


def test_agents_have_the_names_roles_and_models_that_the_logs_give() -> None:
    assert the_trace("team").agents == {
        "main": {"id": "main", "model": "m-large"},
        KEPLER: {"id": KEPLER, "name": "Kepler", "role": "explorer", "model": "m-small"},
        NEWTON: {"id": NEWTON, "name": "Newton", "role": "explorer", "model": "m-small"},
        CURIE: {"id": CURIE, "name": "Curie"},
    }


def test_a_turn_says_which_sub_decisions_it_takes() -> None:
    decided = [event for event in the_trace("team") if event.decision]
    assert [(event.type, event.decision) for event in decided] == [
        ("orchestrator_decision", ["O1", "O2"]),
        ("orchestrator_decision", ["O3"]),
        ("aggregate", ["O4"]),
        ("orchestrator_decision", ["O5"]),
        ("stop", ["O5"]),
    ]


def test_each_generation_counts_once_and_neither_totals_nor_repeated_or_copied_counts_do() -> None:
    trace = the_trace("team")
    spent = {
        agent: sum(event.tokens or 0 for event in trace if event.agent == agent) for agent in ("main", KEPLER, NEWTON)
    }
    assert spent == {"main": 14235, KEPLER: 730 + 920, NEWTON: 625 + 315}
    first = next(event for event in trace if event.type == "model_call")
    assert first.by_kind == {"input": 800, "output": 50, "cache_read": 200, "reasoning": 20}


def test_the_history_that_a_child_copies_is_skipped() -> None:
    trace = the_trace("team")
    assert lost(trace) == {
        "lines copied from the history of another thread": 11,
        "sub-agents whose own rollout is missing": 1,
    }
    assert all(event.t > 12 for event in trace if event.agent == KEPLER)


def test_the_fork_of_a_session_begins_where_its_copy_ends() -> None:
    trace = the_trace("fork.jsonl")
    assert acts(trace, "main") == ["model_call", "stop"]
    assert (trace.costs["tokens"], lost(trace)) == (44, {"lines copied from the history of another thread": 4})


def test_spawns_messages_and_returns_are_linked_across_threads() -> None:
    trace = the_trace("team")
    assert links(trace, "spawn") == [("spawn main", "model_call Kepler"), ("spawn main", "model_call Newton")]
    assert ("message main", "model_call Newton") in links(trace, "message")
    assert sorted(links(trace, "aggregate")) == [
        ("return Curie", "aggregate main"), ("return Kepler", "aggregate main"), ("return Newton", "aggregate main"),
    ]  # fmt: skip
    assert ("spawn main", "return Curie") in links(trace, "causal")
    assert ("orchestrator_decision main", "despawn Kepler") in links(trace, "causal")


def test_how_calls_and_agents_ended_is_kept() -> None:
    trace = the_trace("team")
    assert [(event.type, event.status) for event in trace if event.status != "ok"] == [
        ("tool_result", "error"),  # a command with an exit code
        ("tool_result", "error"),  # a spawn that failed
        ("tool_result", "cancelled"),
        ("return", "error"),
    ]


def test_a_person_prompts_refuses_and_interrupts() -> None:
    trace = the_trace("person.jsonl")
    assert acts(trace, "user") == ["message", "human_intervention", "human_intervention", "human_intervention"]
    results = [event.status for event in trace if event.type == "tool_result"]
    assert results == ["rejected", "error"]
    assert "stop" not in acts(trace, "main")
    assert lost(trace) == {"results of missing or already answered calls": 1}


def test_a_child_without_its_parent_says_that_it_was_spawned() -> None:
    trace = the_trace("orphan.jsonl")
    assert trace.id == "lost-parent"
    assert acts(trace, "main") == ["spawn"]
    assert acts(trace, "child") == ["orchestrator_decision", "message", "model_call", "return"]
    assert lost(trace)["parents whose own rollout is missing"] == 1


def test_a_spawn_that_only_the_child_tells_of_comes_from_the_last_turn_before_it(tmp_path: Path) -> None:
    root = [line for line in rollout(ROOT) if line["payload"].get("call_id") != "call_s2"]
    written(tmp_path, "root.jsonl", root)
    written(tmp_path, "newton.jsonl", rollout(NEWTON))
    (trace,) = traces(tmp_path)
    spawn = next(event for event in trace if event.type == "spawn" and event.to == NEWTON)
    assert (spawn.agent, spawn.role) == ("main", "explorer")
    assert ("orchestrator_decision main", "spawn main") in links(trace, "causal")


def test_roots_in_one_folder_are_traces_of_their_own(tmp_path: Path) -> None:
    written(tmp_path, "a.jsonl", rollout("person"))
    written(tmp_path, "b.jsonl", rollout("fork"))
    assert sorted(trace.id for trace in traces(tmp_path)) == ["fork", "solo"]


def test_the_same_thread_in_two_files_counts_once(tmp_path: Path) -> None:
    written(tmp_path, "live.jsonl", rollout("person"))
    written(tmp_path, "archived.jsonl", rollout("person")[:5])
    (trace,) = traces(tmp_path)
    assert trace.costs["tokens"] == 75


def test_threads_that_name_each_other_as_parents_are_still_read(tmp_path: Path) -> None:
    for one, other in [("a", "b"), ("b", "a")]:
        lines = rollout("orphan")
        lines[0]["payload"] |= {"id": one, "source": {"subagent": {"thread_spawn": {"parent_thread_id": other}}}}
        written(tmp_path, f"{one}.jsonl", lines)
    (trace,) = traces(tmp_path)
    assert sorted(trace.agents) == ["b", "main"]


FIRST_AGENT = "/root"
"""Codex's path of the first agent of a tree; not a path of a file."""


def test_newer_words_for_the_same_things_are_understood(tmp_path: Path) -> None:
    lines = [line for line in rollout(ROOT) if line["payload"].get("type") != "collab_agent_spawn_end"]
    answers = {"call_s1": {"task_name": f"{FIRST_AGENT}/first"}}
    for line in lines:
        if (call := line["payload"].get("call_id")) in answers and "output" in line["payload"]:
            line["payload"]["output"] = json.dumps(answers[call])
    item = {
        "type": "SubAgentActivity",
        "id": "call_s1",
        "kind": "started",
        "agent_thread_id": KEPLER,
        "agent_path": f"{FIRST_AGENT}/first",
    }
    told = {
        "timestamp": "2026-03-08T09:30:12.150Z",
        "type": "event_msg",
        "payload": {"type": "item_completed", "item": item},
    }
    place = next(
        n for n, line in enumerate(lines) if line["payload"].get("call_id") == "call_s1" and "output" in line["payload"]
    )
    (trace,) = traces(written(tmp_path, "root.jsonl", [*lines[:place], told, *lines[place:]]))
    assert [event.to for event in trace if event.type == "spawn"] == [KEPLER, NEWTON, CURIE]


def test_without_times_a_trace_has_an_order(tmp_path: Path) -> None:
    lines = [{key: value for key, value in line.items() if key != "timestamp"} for line in rollout("person")]
    (trace,) = traces(written(tmp_path, "untimed.jsonl", lines))
    assert trace.time == "ordinal"
    assert acts(trace, "main") == acts(the_trace("person.jsonl"), "main")


def test_lines_that_are_none_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "broken.jsonl", rollout("person"))
    path.write_text("{broken\n" + path.read_text() + '["a list"]\n')
    (trace,) = traces(path)
    assert lost(trace)["lines that are not JSON objects"] == 2


def test_texts_stay_out(tmp_path: Path) -> None:
    told = json.dumps(the_trace("team").to_json())
    assert not [words for words in ("Two faults", "Read the first", "somewhere", "no such folder") if words in told]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'log.jsonl: found no Codex rollout (expected lines with a "type" and a "payload")'),
        (
            '{"type": "session_meta", "payload": {"id": "x"}}',
            "log.jsonl: empty rollouts (expected turns of an agent)",
        ),
    ],
)
def test_a_log_without_a_run_says_so(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(BadLog) as caught:
        traces(tmp_path / "log.jsonl")
    assert str(caught.value) == message


@pytest.mark.parametrize("seed", range(4))
def test_mutated_logs_give_sound_traces_or_say_that_they_are_none(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    files = {name: rollout(name) for name in (ROOT, KEPLER, NEWTON)} | {"alone": rollout("person")}
    for _ in range(60):
        name = chance.choice([*files])
        for other, lines in files.items():
            damaged = mutant(lines, chance) if other == name else lines
            text = "\n".join(json.dumps(line) for line in damaged)
            cut = chance.randrange(len(text) + 1) if other == name and chance.random() < 0.2 else len(text)
            (tmp_path / f"{other}.jsonl").write_text(text[:cut])
        log = Log(tmp_path if chance.random() < 0.7 else tmp_path / f"{name}.jsonl")
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test")), warned=False) == []
