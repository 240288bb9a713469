"""Traces, written as ATIF trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory  # models of the format, by others

from survey.traces import Edge, Event, Trace, check
from survey.traces.exporters.atif import atif
from survey.traces.importers.coding_agents.codex import IMPORTER as CODEX
from survey.traces.importers.log import Importer, Log
from survey.traces.importers.rollouts.atif import IMPORTER
from survey.traces.model import Builder, Content
from tests.traces.importers.samples import sample


def imported(importer: Importer, path: Path) -> Trace:
    (trace,) = importer.read(Log(path), Content(keep=True, salt="test"))
    return trace


def and_back(trace: Trace, folder: Path) -> Trace:
    """The trace that our importer reads from what the exporter wrote, once the models have accepted it."""
    document = atif(trace)
    Trajectory.model_validate(document)
    (folder / "trace.json").write_text(json.dumps(document))
    return imported(IMPORTER, folder / "trace.json")


def essence(trace: Trace) -> list[tuple[Any, ...]]:
    """Return what a round trip preserves of the events: agents, receivers, status and costs."""
    return sorted(
        (event.agent, event.type, event.to or "", event.tool or "", event.status, json.dumps(event.to_json().get("tokens")),
         event.cost or 0, event.decision or [], event.content or "")
        for event in trace
    )  # fmt: skip


def tree(trace: Trace) -> dict[str, str]:
    return {event.to or "": event.agent for event in trace if event.type == "spawn"}


def pairs(trace: Trace) -> list[tuple[str, str, str]]:
    """Of every tool call the agent, the tool and how the result went."""
    calls = {event.id: event for event in trace if event.type == "tool_call"}
    results = (event for event in trace if event.type == "tool_result")
    return sorted((event.agent, calls[event.parent or ""].tool or "", event.status) for event in results)


RUNS: Iterable[tuple[Importer, str]] = [
    (IMPORTER, "atif/team.json"),
    (IMPORTER, "atif/untimed.json"),
    (IMPORTER, "atif/segments"),
    (IMPORTER, "atif/sidechains.json"),
    (CODEX, "codex/team"),
    (CODEX, "codex/person.jsonl"),
    (CODEX, "codex/orphan.jsonl"),
]


@pytest.mark.parametrize(("importer", "name"), RUNS, ids=[name for _, name in RUNS])
def test_export_and_import_keep_agents_turns_calls_results_tokens_and_the_spawn_tree(
    importer: Importer, name: str, tmp_path: Path
) -> None:
    trace = imported(importer, sample(name))
    back = and_back(trace, tmp_path)
    assert [str(problem) for problem in check(back) if not problem.warning] == []
    without = {"despawn"}  # a despawn follows from a return
    assert [e for e in essence(back) if e[1] not in without] == [e for e in essence(trace) if e[1] not in without]
    assert (tree(back), pairs(back)) == (tree(trace), pairs(trace))
    assert back.agents.keys() == trace.agents.keys()
    assert (back.id, back.task, back.time, back.costs["tokens"]) == (
        trace.id,
        trace.task,
        trace.time,
        trace.costs["tokens"],
    )


@pytest.mark.parametrize("name", ["atif/team.json", "codex/team"])
def test_times_survive(name: str, tmp_path: Path) -> None:
    trace = imported(IMPORTER if name.startswith("atif") else CODEX, sample(name))
    back = and_back(trace, tmp_path)
    kept = {"model_call", "orchestrator_decision", "aggregate", "tool_call", "tool_result", "spawn", "return"}
    when = [sorted((e.agent, e.type, e.t) for e in each if e.type in kept) for each in (trace, back)]
    assert when[0] == when[1]
    assert back.source["started"] == trace.source["started"]


def test_a_trajectory_says_what_the_definition_asks_for() -> None:
    document = atif(imported(IMPORTER, sample("atif/team.json")))
    assert (document["schema_version"], document["session_id"], document["trajectory_id"]) == (
        "ATIF-v1.7",
        "run-1",
        "main",
    )
    assert document["agent"]["name"] == "lead"
    assert [step["step_id"] for step in document["steps"]] == list(range(1, len(document["steps"]) + 1))
    assert [step["source"] for step in document["steps"]] == [
        "user",
        "agent",
        "agent",
        "agent",
        "user",
        "agent",
        "system",
        "agent",
    ]
    first = document["steps"][1]
    assert first["timestamp"] == "2026-03-08T09:30:02+00:00"
    assert first["metrics"] == {
        "prompt_tokens": 1000, "completion_tokens": 50, "cached_tokens": 600, "cost_usd": 0.01,
        "extra": {"cache_creation_input_tokens": 100, "reasoning_tokens": 30},
    }  # fmt: skip
    calls = [call["tool_call_id"] for call in first["tool_calls"]]
    assert [result["source_call_id"] for result in first["observation"]["results"]] == calls
    assert document["steps"][5]["llm_call_count"] == 0 and "metrics" not in document["steps"][5]
    assert document["steps"][6]["extra"]["context_management"] == {"type": "compaction", "boundary": "replace"}


def test_sub_agents_are_embedded_in_the_trajectory_of_who_spawned_them() -> None:
    document = atif(imported(IMPORTER, sample("atif/team.json")))
    assert [child["trajectory_id"] for child in document["subagent_trajectories"]] == ["reader-1", "writer-1", "lost-1"]
    assert [child["trajectory_id"] for child in document["subagent_trajectories"][0]["subagent_trajectories"]] == [
        "digger-1"
    ]
    references = [
        reference["trajectory_id"]
        for result in document["steps"][2]["observation"]["results"]
        for reference in result.get("subagent_trajectory_ref", [])
    ]
    assert references == ["reader-1", "writer-1", "lost-1"]


def test_the_totals_of_a_trajectory_are_its_own_but_for_the_cost_that_counts_its_sub_agents() -> None:
    document = atif(imported(IMPORTER, sample("atif/team.json")))
    assert document["final_metrics"] == {
        "total_prompt_tokens": 4100, "total_completion_tokens": 200, "total_cached_tokens": 600,
        "total_cost_usd": pytest.approx(0.06), "total_steps": 8,
        "extra": {"cache_creation_input_tokens": 100, "reasoning_tokens": 30},
    }  # fmt: skip


def team() -> Builder:
    """Export two agents without a spawn that exchange messages, and a spawned one without further events."""
    made = Builder("r", "t", importer="by hand", content=Content(keep=True, salt=""))
    first = made.event("model_call", "ada", 1.0, tokens={"input": 5}, decision=["O3"])
    sent = made.event("message", "ada", 2.0, to="bob", text="Over to you.", transfer=True)
    read = made.event("orchestrator_decision", "bob", 3.0, tokens=12.0, decision=["O1"])
    lost = made.event("spawn", "bob", 4.0, to="cy", role="scout")
    made.event("delegate", "ada", 5.0, to="bob", text="And this.")
    made.event("safety_event", "bob", 6.0, status="rejected")
    for source, target, type in [(first, sent, "causal"), (sent, read, "message"), (read, lost, "causal")]:
        made.link(source, target, type)
    return made


def test_what_the_format_has_no_word_for_comes_back(tmp_path: Path) -> None:
    trace = team().build()
    back = and_back(trace, tmp_path)
    assert essence(back) == essence(trace)
    message = next(event for event in back if event.type == "message")
    assert (message.agent, message.to, message.transfer, message.content) == ("ada", "bob", True, "Over to you.")
    assert tree(back) == {"cy": "bob"}
    assert not [event for event in back if event.type in ("return", "despawn", "stop")]


def test_agents_that_nobody_spawned_stand_in_the_trajectory_of_the_one_that_spawned_most() -> None:
    document = atif(team().build())
    assert document["trajectory_id"] == "bob"
    assert [child["trajectory_id"] for child in document["subagent_trajectories"]] == ["cy", "ada"]


@pytest.mark.parametrize(
    "events",
    [
        [],
        [{"id": "e1", "t": 0, "type": "human_intervention", "agent": "user"}],
        [{"id": "e1", "t": 0, "type": "tool_result", "agent": "a", "parent": "e9"}],
        [{"id": "e1", "t": 0, "type": "tool_result", "agent": "a", "parent": "e1"}, {"id": "e1", "t": 0, "type": "stop", "agent": "b"}],
        [{"id": "e1", "t": 0, "type": "spawn", "agent": "a", "to": "b"}, {"id": "e2", "t": 1, "type": "spawn", "agent": "b", "to": "a"}],
        [{"id": "e1", "t": 0, "type": "spawn", "agent": "a", "to": "a"}, {"id": "e2", "t": 1, "type": "spawn", "agent": "a"}],
        [{"id": "e1", "t": 0, "type": "spawn", "agent": "a", "to": "user"}, {"id": "e2", "t": 1, "type": "return", "agent": "user", "to": "a"}],
        [{"id": "e1", "t": 1e15, "type": "model_call", "agent": "a", "tokens": {"input": 2.5}, "t_end": 2e15}],
    ],
    ids=["nothing", "a person alone", "no such call", "one id twice", "each spawned by the other", "by itself", "a person", "far away"],
)  # fmt: skip
def test_any_trace_makes_a_valid_trajectory(events: list[dict[str, Any]]) -> None:
    Trajectory.model_validate(atif(Trace([Event.of(event) for event in events], [], {"trace_id": "r"})))


def test_a_long_chain_of_spawns_is_no_deep_recursion() -> None:
    events = [
        Event.of({"id": f"e{n}", "t": n, "type": "spawn", "agent": f"a{n}", "to": f"a{n + 1}"}) for n in range(5000)
    ]
    document = atif(Trace(events, [Edge("e0", "e1", "causal")], {"trace_id": "r"}))
    depth = 0
    while document.get("subagent_trajectories"):
        (document,) = document["subagent_trajectories"]
        depth += 1
    assert depth == 5000
