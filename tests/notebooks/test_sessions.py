"""The basis of "Analysing your own sessions": no content, reported losses, and no outcome from a log alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check, metrics, replay
from survey.traces.credit import NotMeasurable, assign, outcome
from survey.traces.files import anonymised
from survey.traces.importers import Log, recognised
from survey.traces.metrics import Run
from survey.traces.model import Content
from survey.traces.rewards import rewards


def line(agent: str, second: int, content: Any, read: int = 0, **more: Any) -> dict[str, Any]:
    """Return a line as Claude Code writes it: of a model if it read tokens, else of the user."""
    role = "assistant" if read else "user"
    message: dict[str, Any] = {"role": role, "content": content}
    if read:
        message |= {"id": f"{agent}-{second}", "model": "large", "usage": {"input_tokens": read, "output_tokens": 10}}
    place = {"isSidechain": True, "agentId": agent} if agent != "main" else {}
    stamp = f"2026-03-02T09:{second // 60:02}:{second % 60:02}Z"
    record = {"type": role, "sessionId": "s", "uuid": f"{agent}/{second}", "parentUuid": None, "timestamp": stamp}
    return record | place | {"message": message} | more


def call(id: str, tool: str, **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": tool, "input": given}


def result(id: str, words: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": words}]


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Return a session with two parallel sub-agents, and a third whose own log is missing."""
    both = [call(id, "Agent", subagent_type=who, prompt=f"Go, {who}.") for id, who in (("c1", "seer"), ("c2", "doer"))]
    spent = {"usage": {"input_tokens": 300, "output_tokens": 20}, "totalTokens": 900}
    session = [
        line("main", 0, "Mend the secret thing."),
        line("main", 5, [call("r", "Read", file="secret.py")], 90),
        line("main", 6, result("r", "secret = 1")),
        line("main", 10, both, 100),
        line("main", 30, result("c1", "Seen."), toolUseResult={"agentId": "a1"}),
        line("main", 90, result("c2", "Done."), toolUseResult={"agentId": "a2"}),
        line("main", 95, [call("e", "Edit", file="secret.py")], 190),
        line("main", 96, result("e", "edited")),
        line("main", 100, [call("c3", "Agent", subagent_type="judge", prompt="Good?")], 200),
        line("main", 150, result("c3", "Good."), toolUseResult={"agentId": "a3"} | spent),
        line("main", 160, words("All is well."), 250),
    ]
    first = [
        line("a1", 11, "Go."),
        line("a1", 15, [call("g", "Grep", pattern="secret")], 50),
        line("a1", 16, result("g", "one")),
        line("a1", 29, words("Seen."), 60),
    ]
    second = [
        line("a2", 11, "Go."),
        line("a2", 15, [call("t", "Bash", command="make secret")], 50),
        line("a2", 80, result("t", "ok")),
        line("a2", 89, words("Done."), 60),
    ]
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, session)))
    (folder / "agent-a1.jsonl").write_text("\n".join(map(json.dumps, first)))
    (folder / "agent-a2.jsonl").write_text("\n".join(map(json.dumps, second)))
    return Log(tmp_path / "s.jsonl")


@pytest.fixture
def trace(log: Log) -> Trace:
    importer = recognised(log)
    assert importer is not None
    [trace] = importer.read(log, Content(salt="test"))
    return trace


def test_a_session_is_recognised_by_its_content_whatever_it_is_called(log: Log) -> None:
    other = log.path.rename(log.path.with_name("notes.txt"))
    importer = recognised(Log(other))
    assert importer is not None
    assert importer.name == "claude-code"


def test_the_trace_contains_no_text_and_equal_texts_have_equal_hashes(trace: Trace) -> None:
    assert "secret" not in json.dumps(trace.to_json())
    answers = {event.agent: event.optional_fields.get("content_ref") for event in trace if event.type == "model_call"}
    returned = {event.agent: event.optional_fields.get("content_ref") for event in trace if event.type == "return"}
    assert answers["a1"] == returned["a1"] is not None


def test_a_sub_agent_without_a_log_is_counted_as_lost_and_nothing_is_made_up_for_it(trace: Trace) -> None:
    lost = {item["what"]: item["count"] for item in trace.source["lost"]}
    assert lost["sub-agents whose own log is missing"] == 1
    assert [event.type for event in trace if event.agent == "a3"] == ["return", "despawn"]
    assert trace.head["link_quality"]["exact"] > trace.head["link_quality"]["derived"] > 0
    assert not list(check(trace))


def test_the_sub_agent_that_is_done_first_lies_off_the_critical_path(trace: Trace) -> None:
    run = Run(replay(trace))
    on_path = {run.timeline.actors[place] for place in run.timeline.critical_path()}
    assert on_path - {"user"} == {"main", "a2", "a3"}
    assert set(metrics.waiting_s(run)) == {"main"}


def test_a_log_pays_for_tools_and_organisation_and_only_an_outcome_adds_the_team(trace: Trace) -> None:
    assert {one.family for one in rewards(trace).rewards} == {"R5", "R7"}
    judged = rewards(trace.with_head(outcome={"success": True, "score": 1.0}))
    assert {one.family for one in judged.rewards} == {"R1", "R5", "R7"}


def test_that_one_turn_came_after_another_is_all_that_links_the_mending_to_the_judging(trace: Trace) -> None:
    [edited] = [event.id for event in trace if event.tool == "Edit" and event.type == "tool_result"]
    assert {edge.type for edge in trace.edges if edge.src == edited} == {"temporal"}


def test_who_is_credited_hangs_on_what_the_outcome_is_taken_to_have_needed(trace: Trace) -> None:
    judged = trace.with_head(outcome={"success": True, "score": 1.0})
    [last] = assign(judged, "agent", "shapley", value=outcome)
    [every] = assign(judged, "agent", "shapley", value=lambda run: outcome(run, needs="returns"))
    assert {one.unit: one.value for one in last} == pytest.approx({"main": 0.5, "a1": 0, "a2": 0, "a3": 0.5})
    assert [one.value for one in every] == pytest.approx([0.25] * 4)


@pytest.mark.parametrize(
    ("unit", "method"),
    [("message", "counterfactual"), ("agent", "agent-wise"), ("agent", "two-level"), ("turn", "gae")],
)
def test_methods_that_need_other_runs_or_an_outcome_refuse_a_log(trace: Trace, unit: str, method: str) -> None:
    with pytest.raises(NotMeasurable, match="needs"):
        assign(trace, unit, method)


def test_anonymising_takes_every_name_out_and_leaves_every_figure(trace: Trace) -> None:
    shared = anonymised(trace, salt="test")
    dumped = json.dumps(shared.to_json())
    assert not [name for name in ("seer", "doer", "judge", "Bash", "Grep", "large", "a2") if f'"{name}"' in dumped]
    for name, before in metrics.measure(trace).items():
        if isinstance(before.value, (int, float)):
            assert metrics.measure(shared, [name])[name].value == pytest.approx(before.value)
