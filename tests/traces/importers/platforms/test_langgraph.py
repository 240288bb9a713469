"""Graphs: which nodes are agents, and which step led to which, whatever the format of the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from survey.traces.importers.log import Importer, Log
from survey.traces.importers.platforms import langfuse, langsmith, opentelemetry
from survey.traces.model import Content, Trace
from survey.traces.replay import check

LOGS = Path(__file__).parent / "logs"
KINDS = {"llm": "LLM", "tool": "TOOL", "agent": "AGENT", "chain": "CHAIN"}


def imported(importer: Importer, name: str) -> Trace:
    [trace] = importer.read(Log(LOGS / name), Content(salt=""))
    return trace


def run(number: int, parent: int, kind: str, name: str, start: float, end: float, **said: Any) -> dict[str, Any]:
    """A span of OpenInference; ``node`` and ``step`` are LangGraph's, as they are in all spans inside a node."""
    node, step, space = said.pop("node", None), said.pop("step", None), said.pop("space", None)
    attributes = {"openinference.span.kind": KINDS[kind], **{key.replace("__", "."): said[key] for key in said}}
    if node:
        space = space or f"{node}:{step}"
        place = {"langgraph_node": node, "langgraph_step": step, "langgraph_checkpoint_ns": space}
        attributes["metadata"] = json.dumps(place)
    return {
        "name": name,
        "context": {"trace_id": "ab" * 16, "span_id": f"{number:016x}"},
        "parent_id": f"{parent:016x}" if parent else None,
        "start_time": 1772960400 + start,
        "end_time": 1772960400 + end,
        "attributes": attributes,
    }


GRAPH = run(1, 0, "chain", "LangGraph", 0, 20)


def traced(*runs: dict[str, Any]) -> Trace:
    text = json.dumps([GRAPH, *runs])
    [trace] = opentelemetry.IMPORTER.read(Log(Path("log.json"), text.encode()), Content(salt=""))
    assert [str(problem) for problem in check(trace) if not problem.warning] == []
    return trace


def acts(trace: Trace) -> list[tuple[str, str]]:
    return [(event.type, event.agent) for event in trace if event.type in ("model_call", "tool_call")]


def led(trace: Trace) -> set[tuple[str, str]]:
    """Returns that led to spawns, by the agents."""
    events = {event.id: event for event in trace}
    pairs = ((events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == "causal")
    return {(src.agent, str(dst.to)) for src, dst in pairs if (src.type, dst.type) == ("return", "spawn")}


TEAMS = [
    (opentelemetry.IMPORTER, "opentelemetry/langgraph.json", ["fetch"]),
    (langsmith.IMPORTER, "langsmith/team.json", []),
]


@pytest.mark.parametrize(("importer", "name", "more"), TEAMS, ids=["opentelemetry", "langsmith"])
def test_each_execution_of_a_node_of_a_team_is_an_agent(importer: Importer, name: str, more: list[str]) -> None:
    trace = imported(importer, name)
    assert set(trace.agents) == {"main", "planner", "worker", "worker#2", "joiner", *more}
    assert [trace.agents[id]["name"] for id in ("worker", "worker#2")] == ["worker", "worker"]
    lives = {event.to: event.t for event in trace if event.type == "spawn"}
    assert lives.items() >= {"planner": 0.0, "worker": 2.0, "worker#2": 2.0}.items()
    ends = {event.agent: event.t for event in trace if event.type == "return"}
    assert ends.items() >= {"planner": 1.5, "worker": 5.5, "worker#2": 7.5, "joiner": 11.0}.items()


def test_all_agents_of_a_step_lead_to_all_of_the_next() -> None:
    fan_out = {("planner", "worker"), ("planner", "worker#2")}
    join = {("worker", "joiner"), ("worker#2", "joiner")}
    assert led(imported(langsmith.IMPORTER, "langsmith/team.json")) == fan_out | join
    before = {("worker", "fetch"), ("worker#2", "fetch"), ("fetch", "joiner")}
    assert led(imported(opentelemetry.IMPORTER, "opentelemetry/langgraph.json")) == fan_out | before


LOOPS = [(langfuse.IMPORTER, "langfuse/loop.json"), (langfuse.IMPORTER, "langfuse/page.jsonl"),
         (langsmith.IMPORTER, "langsmith/loop.jsonl")]  # fmt: skip


@pytest.mark.parametrize(("importer", "name"), LOOPS, ids=[name for _, name in LOOPS])
def test_a_loop_in_which_one_node_calls_a_model_is_one_agent_with_tools(importer: Importer, name: str) -> None:
    trace = imported(importer, name)
    assert acts(trace) == [("model_call", "main"), ("tool_call", "main"), ("model_call", "main")]


def test_a_node_that_only_sounds_like_an_agent_is_judged_by_the_graph() -> None:
    trace = traced(
        run(2, 1, "agent", "agent", 0, 2, node="agent", step=1),
        run(3, 2, "llm", "model", 0, 2, node="agent", step=1),
        run(4, 1, "chain", "tools", 2, 3, node="tools", step=2),
        run(5, 4, "tool", "look", 2, 3, node="tools", step=2),
        run(6, 1, "agent", "agent", 3, 5, node="agent", step=3),
        run(7, 6, "llm", "model", 3, 5, node="agent", step=3),
    )
    assert acts(trace) == [("model_call", "main"), ("tool_call", "main"), ("model_call", "main")]


def test_one_node_that_runs_several_times_in_a_step_is_a_team() -> None:
    trace = traced(
        *(run(2 + n, 1, "chain", "map", 0, 3 + n, node="map", step=1, space=f"map:{n}") for n in range(3)),
        *(run(8 + n, 2 + n, "llm", "model", 0, 3 + n, node="map", step=1, space=f"map:{n}") for n in range(3)),
    )
    assert acts(trace) == [("model_call", "map"), ("model_call", "map#2"), ("model_call", "map#3")]


def test_a_node_that_runs_the_tools_another_asked_for_is_no_agent_but_a_step_between() -> None:
    asked = {"llm.output_messages.0.message.tool_calls.0.tool_call.id": "call_1"}
    given = {"output.value": '{"output": {"kwargs": {"tool_call_id": "call_1", "status": "success"}}}'}
    trace = traced(
        run(2, 1, "chain", "search", 0, 2, node="search", step=1),
        run(3, 2, "llm", "model", 0, 2, node="search", step=1, **asked),
        run(4, 1, "chain", "tools", 2, 3, node="tools", step=2),
        run(5, 4, "tool", "look", 2, 3, node="tools", step=2, **given),
        run(6, 1, "chain", "write", 3, 5, node="write", step=3),
        run(7, 6, "llm", "model", 3, 5, node="write", step=3),
    )
    assert acts(trace) == [("model_call", "search"), ("tool_call", "main"), ("model_call", "write")]
    events = {event.id: event for event in trace}
    crossing = {
        (events[edge.src].type, events[edge.dst].type)
        for edge in trace.edges
        if edge.type == "causal" and events[edge.src].agent != events[edge.dst].agent
    }
    assert crossing == {("return", "tool_call")}
    assert ("tool_result", "spawn") in {(events[edge.src].type, events[edge.dst].type) for edge in trace.edges}


def test_graphs_inside_nodes_are_agents_under_the_name_of_the_node() -> None:
    inner = [
        each
        for base, node, start in ((10, "research", 0), (20, "report", 5))
        for each in (
            run(base, 1, "chain", node, start, start + 4, node=node, step=1 + start, space=f"{node}:1"),
            run(base + 1, base, "chain", "LangGraph", start, start + 4, node=node, step=1 + start, space=f"{node}:1"),
            run(
                base + 2, base + 1, "chain", "agent", start, start + 1, node="agent", step=1, space=f"{node}:1|agent:1"
            ),
            run(base + 3, base + 2, "llm", "model", start, start + 1, node="agent", step=1, space=f"{node}:1|agent:1"),
            run(
                base + 4, base + 1, "chain", "tools", start + 1, start + 2, node="tools", step=2, space=f"{node}:1|t:1"
            ),
            run(base + 5, base + 4, "tool", "look", start + 1, start + 2, node="tools", step=2, space=f"{node}:1|t:1"),
        )
    ]
    trace = traced(*inner)
    assert acts(trace) == [(act, node) for node in ("research", "report") for act in ("model_call", "tool_call")]
    assert led(trace) == {("research", "report")}


def test_a_span_that_states_the_name_of_its_agent_is_one_whatever_the_graph() -> None:
    trace = traced(
        run(2, 1, "agent", "node", 0, 2, node="solve", step=1, agent__name="solver"),
        run(3, 2, "llm", "model", 0, 2, node="solve", step=1),
    )
    assert acts(trace) == [("model_call", "solver")]


def test_nodes_are_known_from_openllmetry_as_well() -> None:
    def told(node: str, step: int) -> dict[str, Any]:
        prefix = "traceloop.association.properties.langgraph"
        return {f"{prefix}_node": node, f"{prefix}_step": step, f"{prefix}_checkpoint_ns": f"{node}:{step}"}

    trace = traced(
        run(2, 1, "chain", "plan.task", 0, 2, **told("plan", 1), traceloop__entity__name="plan"),
        run(3, 2, "llm", "model", 0, 2, **told("plan", 1)),
        run(4, 1, "chain", "write.task", 2, 4, **told("write", 2), traceloop__entity__name="write"),
        run(5, 4, "llm", "model", 2, 4, **told("write", 2)),
    )
    assert acts(trace) == [("model_call", "plan"), ("model_call", "write")]
    assert led(trace) == {("plan", "write")}


def test_a_step_that_began_before_the_last_one_ended_does_not_follow_from_it() -> None:
    trace = traced(
        run(2, 1, "chain", "plan", 0, 4, node="plan", step=1),
        run(3, 2, "llm", "model", 0, 4, node="plan", step=1),
        run(4, 1, "chain", "write", 2, 6, node="write", step=2),
        run(5, 4, "llm", "model", 2, 6, node="write", step=2),
    )
    assert led(trace) == set()
