"""Streams and conversations of OpenHands, read as traces."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents.openhands import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "openhands"
SAMPLES = sorted(path.name for path in LOGS.iterdir())


def traces(path: Path, keep: bool = False) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(keep=keep, salt="")))


def read(document: Any, keep: bool = False) -> list[Trace]:
    log = Log(Path("run.json"), json.dumps(document).encode())
    return list(IMPORTER.read(log, Content(keep=keep, salt="")))


def the_trace(name: str) -> Trace:
    return traces(LOGS / name)[0]


def stream() -> Any:
    return json.loads((LOGS / "delegates.json").read_text())


def acts(trace: Trace, agent: str) -> list[str]:
    return [event.type for event in trace if event.agent == agent]


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    events = {event.id: f"{event.type} {event.agent}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_is_recognised_by_its_content_and_gives_traces_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    for trace in traces(LOGS / name):
        assert [str(problem) for problem in check(trace)] == []


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[]", '[{"source": "agent", "action": "run"}]', '[{"action": "run", "args": {}}]',
        '{"kind": "ActionEvent", "id": "1"}', '{"kind": [], "id": "1", "source": "agent"}', '{"history": [{"role": "user"}]}',
    ],
)  # fmt: skip
def test_a_log_of_something_else_is_not_recognised(text: str) -> None:
    assert not IMPORTER.recognises(Log(Path("run.json"), text.encode()))


def test_the_logs_of_other_formats_are_not_recognised() -> None:
    others = [path for path in LOGS.parents[2].glob("*/logs/*/*") if path.parent != LOGS]
    assert len(others) > 40
    assert not any(IMPORTER.recognises(Log(path)) for path in others)


# the older streams


def test_a_delegate_has_the_events_between_the_action_that_starts_it_and_the_observation_that_it_ended() -> None:
    trace = the_trace("delegates.json")
    assert acts(trace, "main") == [
        "model_call", "tool_call", "tool_result", "tool_call", "tool_result", "orchestrator_decision", "spawn",
        "compaction", "orchestrator_decision", "spawn", "aggregate", "model_call", "tool_call", "tool_result",
        "model_call", "stop",
    ]  # fmt: skip
    assert acts(trace, "BrowsingAgent-1") == [
        "model_call", "tool_call", "tool_result", "model_call", "tool_call", "tool_result", "model_call", "return",
        "despawn",
    ]  # fmt: skip
    assert acts(trace, "BrowsingAgent-2") == ["return", "despawn"]
    assert acts(trace, "user") == ["message", "human_intervention"]
    assert links(trace, "spawn") == [("spawn main", "model_call BrowsingAgent-1")]
    assert links(trace, "return") == [("return BrowsingAgent-1", "orchestrator_decision main")]
    assert links(trace, "aggregate") == [("return BrowsingAgent-2", "aggregate main")]


def test_several_calls_of_one_response_are_one_turn_and_its_tokens_count_once() -> None:
    trace = the_trace("delegates.json")
    turn = next(event for event in trace if event.type == "model_call")
    assert turn.by_kind == {"input": 1000, "output": 50, "cache_read": 0}
    assert [event.parent for event in trace if event.tool == "execute_bash" and event.type == "tool_call"] == [
        turn.id
    ] * 2


def test_a_turn_begins_where_its_latency_says_else_at_its_cause() -> None:
    turns = [event for event in the_trace("delegates.json") if event.type == "orchestrator_decision"]
    assert [(round(turn.t, 1), round(turn.end, 1)) for turn in turns] == [(7.4, 9.9), (29.9, 33.9)]


def test_what_a_message_or_a_compaction_spent_is_what_the_totals_grew_by() -> None:
    trace = the_trace("delegates.json")
    [compaction] = [event for event in trace if event.type == "compaction"]
    [asked] = [event for event in trace if event.type == "aggregate"]
    assert compaction.by_kind == {"input": 500, "output": 100, "cache_read": 0, "cache_write": 0}
    assert asked.by_kind == {"input": 50, "output": 25, "cache_read": 700, "cache_write": 0}
    assert (trace.costs["tokens"], trace.costs["usd"]) == (8845, 0.011)


def test_how_calls_and_delegates_ended_is_kept() -> None:
    trace = the_trace("delegates.json")
    assert [(event.type, event.agent, event.status) for event in trace if event.status != "ok"] == [
        ("tool_result", "main", "error"),
        ("tool_result", "BrowsingAgent-1", "error"),
        ("return", "BrowsingAgent-2", "error"),
        ("tool_result", "main", "rejected"),
    ]


def test_the_wait_for_a_delegate_and_for_a_person_is_no_work() -> None:
    found = measure(the_trace("delegates.json"))
    assert found["waiting_people_s"].value["main"] == pytest.approx(20)
    assert found["waiting_s"].value["main"] == pytest.approx(20.3)


def test_a_record_of_an_evaluation_says_what_the_run_cost_and_whether_it_solved_the_task() -> None:
    first, second = traces(LOGS / "evaluation.jsonl")
    assert (first.task, first.head["outcome"]["success"], first.costs["usd"]) == ("harbour__tides-7", True, 0.03)
    assert first.agents["main"]["name"] == "CodeActAgent"
    assert (second.time, second.costs["usd"], "outcome" in second.head) == ("ordinal", 0.5, False)


def test_tokens_beyond_those_of_the_turns_are_counted_in_the_totals() -> None:
    record = json.loads((LOGS / "evaluation.jsonl").read_text().split("\n")[0])
    record["metrics"]["accumulated_token_usage"]["prompt_tokens"] += 1000
    [trace] = read(record)
    assert trace.costs["tokens"] == 4420
    assert lost(trace)["tokens in the totals of agents beyond those of their model calls"] == 1


def test_a_folder_with_a_file_for_each_event_is_a_stream(tmp_path: Path) -> None:
    place = tmp_path / "s1" / "events"
    place.mkdir(parents=True)
    for event in stream():
        (place / f"{event['id']}.json").write_text(json.dumps(event))
    [trace] = traces(tmp_path)
    assert trace.id == "s1"
    assert Counter(event.type for event in trace) == Counter(event.type for event in the_trace("delegates.json"))


# the conversations of the current version


def test_a_team_is_read_from_the_folders_of_its_members() -> None:
    trace = the_trace("team")
    assert acts(trace, "task_00000001") == ["model_call", "tool_call", "tool_result", "model_call", "return"]
    assert acts(trace, "task_00000002") == ["model_call", "tool_call", "tool_result", "model_call", "return"]
    assert acts(trace, "task_00000003") == ["return"]
    assert trace.agents["task_00000001"]["role"] == "web-researcher"
    assert links(trace, "spawn") == [
        ("spawn main", "model_call task_00000001"),
        ("spawn main", "model_call task_00000002"),
    ]
    assert lost(trace) == {"sub-agents whose own log is missing": 1}


def test_an_agent_can_be_named_first_and_asked_later() -> None:
    trace = the_trace("critics")
    assert [(event.type, event.to) for event in trace if event.to in ("critic", "clerk")] == [
        ("spawn", "critic"), ("spawn", "clerk"), ("delegate", "critic"), ("delegate", "clerk"),
    ]  # fmt: skip
    assert links(trace, "aggregate") == [("return critic", "aggregate main"), ("return clerk", "aggregate main")]
    assert acts(trace, "critic") == acts(trace, "clerk") == ["return"]


def test_a_response_has_the_tokens_that_the_state_lists_for_it() -> None:
    trace = the_trace("team")
    first = next(event for event in trace if event.type == "orchestrator_decision")
    assert first.by_kind == {"input": 600, "output": 60, "cache_read": 0, "cache_write": 400, "reasoning": 20}
    assert (first.t, first.end) == (1.0, 5.5)
    assert trace.costs["tokens"] == 9637 + 750


def test_what_an_agent_without_a_log_spent_is_on_its_return() -> None:
    [returned] = [event for event in the_trace("team") if event.type == "return" and event.agent == "task_00000003"]
    assert (returned.tokens, returned.cost) == (750, 0.02)


def test_tasks_that_ran_side_by_side_are_side_by_side() -> None:
    found = measure(the_trace("team"))
    assert found["critical_path_s"].value < found["work_s"].value - 5


def test_totals_between_the_events_tell_what_each_response_spent() -> None:
    trace = the_trace("events.jsonl")
    turns = [event for event in trace if event.type == "model_call"]
    assert [turn.by_kind for turn in turns] == [
        {"input": 800, "output": 30, "cache_read": 0, "cache_write": 0, "reasoning": 0},
        {"input": 100, "output": 40, "cache_read": 800, "cache_write": 0, "reasoning": 0},
    ]
    assert [event.status for event in trace if event.type == "tool_result"] == ["error", "timeout"]
    assert lost(trace) == {"errors without an event": 1, "lines that are not JSON objects": 1}


def test_a_sub_agent_whose_task_nobody_gave_is_counted(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "team", tmp_path / "team")
    shutil.copytree(tmp_path / "team" / "subagents" / "aaaa", tmp_path / "team" / "subagents" / "cccc")
    [trace] = traces(tmp_path / "team")
    assert lost(trace)["sub-agents whose spawning call is missing"] == 1


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps(stream()[1]))
    place = tmp_path / "s1" / "events"
    place.mkdir(parents=True)
    (place / "0.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(BadLog, match="a link to a file outside"):
        traces(tmp_path / "s1")


def test_texts_stay_out_unless_they_are_asked_for() -> None:
    for name in SAMPLES:
        assert "harbour B" not in json.dumps(the_trace(name).to_json())
    assert "harbour B" in json.dumps(traces(LOGS / "team", keep=True)[0].to_json())


def test_a_log_without_a_run_says_so() -> None:
    with pytest.raises(BadLog) as caught:
        read([{"a": 1}])
    assert str(caught.value) == (
        "run.json: found no run of OpenHands (expected events with a source and an action or kind)"
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(seed: int) -> None:
    chance = random.Random(seed)
    events = [json.loads(line) for line in (LOGS / "events.jsonl").read_text().split("\n")[:-2]]
    records = [json.loads(line) for line in (LOGS / "evaluation.jsonl").read_text().split("\n")[:-1]]
    for _ in range(100):
        assert faults(partial(read, mutant(chance.choice([stream(), events, records]), chance))) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_mutated_folder_gives_sound_traces_or_says_that_it_is_none(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    files = sorted((LOGS / "team").glob("**/*.json"))
    for round in range(20):
        folder = tmp_path / str(round)
        shutil.copytree(LOGS / "team", folder)
        for file in chance.sample(files, 4):
            changed = mutant(json.loads(file.read_text()), chance)
            (folder / file.relative_to(LOGS / "team")).write_text(json.dumps(changed))
        assert faults(partial(traces, folder)) == []
