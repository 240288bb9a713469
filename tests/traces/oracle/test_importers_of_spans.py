"""Importers of spans against independent readings of the same logs: every real one, and a hundred invented ones.

Where the two count differently, a definition says so:

- THE PROGRAM around the agents is in the trace because it spawns them; it is an agent only if it acts, and only then
  it waits for others.
- A DELEGATION is a tool call in a log; in a trace it is the spawn of the agent inside it, and the return is the end of
  that agent rather than of the tool.
- THE INPUT of a model call excludes what was read from a cache or written to it. Where the log includes these, they are
  subtracted, unless they exceed it: then they were never part of it.
- THE RUN lasts from the first spawn to the last return. In LangGraph a node begins before its first call and ends after
  its last one.
- A CALL THAT IS NOT IN THE LOG took time, which the toolkit takes for work of its agent and the readings for none.
- A HANDOFF has no spawn: for the readings every agent below the run is a sub-agent.
- THE HANDOVER between a call and the agent inside it is work or waiting for the readings, which count the call; in a
  trace the spawn takes no time, and the wait lasts from the spawn to the end of the agent.
- THE LONGEST CHAIN is the critical path of a trace; the readings walk back from the act that ended last. They are the
  same where no agent waits for people.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from survey.traces.importers.log import Importer, Log
from survey.traces.importers.platforms import agents_sdk, langfuse, langsmith, mlflow, opentelemetry, weave
from survey.traces.metrics import measure
from survey.traces.model import Content, Trace
from survey.traces.replay import check, replay
from tests.traces.importers.samples import sample
from tests.traces.oracle import generator
from tests.traces.oracle.platforms import agents_sdk as agents_sdk_oracle
from tests.traces.oracle.platforms import langfuse as langfuse_oracle
from tests.traces.oracle.platforms import langsmith as langsmith_oracle
from tests.traces.oracle.platforms import mlflow as mlflow_oracle
from tests.traces.oracle.platforms import opentelemetry as opentelemetry_oracle
from tests.traces.oracle.platforms import weave as weave_oracle
from tests.traces.oracle.timeline import Reading

TURNS = ("model_call", "orchestrator_decision", "aggregate")
ACTS = (*TURNS, "tool_call", "tool_result", "spawn", "return")
EXACT = ("agents", "sub_agents", "at_once", "tool_calls", "failed_tool_calls", "turns")
KINDS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
}
TIMES = ("work", "union", "waiting_people", "waiting_agents", "critical_path", "critical_path_with_people")
HANDOVER = 0.25
"""Seconds between the beginning or the end of a call and that of the agent inside it, at most."""
OVERHEAD = 0.04
"""Seconds between the start of a node of the real run of LangGraph and its first call."""


def figures(trace: Trace) -> dict[str, Any]:
    events = list(trace)
    turns = [event for event in events if event.type in TURNS]
    spawned = {event.to for event in events if event.type == "spawn"}
    acting = {event.agent for event in events if event.type in (*TURNS, "tool_call")}  # THE PROGRAM
    delegations = sum(event.type == "spawn" and event.tool is not None for event in events)  # A DELEGATION
    acts = [event for event in events if event.type in ACTS]
    measures = measure(replay(trace))

    def seconds(name: str) -> float:
        value: Any = measures[name].value or 0.0
        if isinstance(value, dict):
            return float(sum(each for agent, each in value.items() if agent in acting))  # THE PROGRAM
        return float(value)

    return {
        "agents": len(spawned | acting),
        "sub_agents": len(spawned),
        "at_once": measures["sub_agents_at_once"].value or 0,
        "tool_calls": sum(event.type == "tool_call" for event in events) + delegations,
        "failed_tool_calls": sum(event.type == "tool_result" and event.status != "ok" for event in events),
        "turns": len(turns),
        "wall": max(event.end for event in acts) - min(event.t for event in acts),
        "work": seconds("work_s"),
        "union": seconds("union_s"),
        "waiting_people": seconds("waiting_people_s") + seconds("waiting_permission_s"),
        "waiting_agents": seconds("waiting_s"),
        "critical_path": seconds("critical_path_s"),
        "critical_path_with_people": seconds("critical_path_with_people_s"),
        **{
            name: sum(getattr(event.tokens_, kind) or 0 for event in turns if event.tokens_ is not None)
            for kind, name in KINDS.items()
        },
    }


def held_against(log: Path, importer: Importer, reading: Reading, off: float) -> dict[str, Any]:
    """Compare all but the input, and return the figures of the trace. Times may be off by so many seconds."""
    [trace] = importer.read(Log(log), Content())
    assert check(trace).errors == 0
    found, known = figures(trace), asdict(reading)
    names = [*EXACT, *KINDS.values()]
    names.remove("input_tokens")
    assert {name: found[name] for name in names} == {name: known[name] or 0 for name in names}
    assert found["wall"] == pytest.approx(known["wall"], abs=off)
    off += HANDOVER * max(reading.delegations, reading.sub_agents)
    for name in TIMES:
        if name == "critical_path" and known["waiting_people"]:  # THE LONGEST CHAIN
            assert known[name] - off <= found[name] <= min(found["union"], found["critical_path_with_people"]) + off
        else:
            assert found[name] == pytest.approx(known[name] or 0, abs=off), name
    return found


def skew(seed: int, reading: Reading) -> float:
    """How far clocks that are off may move the ends of a run."""
    return 2 * generator.SKEW * reading.agents if generator.skewed(seed) else 0.25


SEEDS = range(1, 101)
"""The first trace id of the generator is all zeros, which is none in OTLP."""


@pytest.mark.parametrize("tens", range(10))
def test_invented_otlp_logs(tens: int, tmp_path: Path) -> None:
    for seed in SEEDS[10 * tens : 10 * tens + 10]:
        log, truth = generator.opentelemetry(seed, tmp_path)
        found = held_against(log, opentelemetry.IMPORTER, opentelemetry_oracle.read(log), skew(seed, truth))
        [scope] = json.loads(log.read_text())["resourceSpans"][0]["scopeSpans"]
        usage = [
            {each["key"].removeprefix("gen_ai.usage."): int(each["value"].get("intValue", 0)) for each in attributes}
            for attributes in (span["attributes"] for span in scope["spans"])
        ]
        rest = 0
        for each in usage:  # THE INPUT
            cached = each.get("cache_read.input_tokens", 0) + each.get("cache_creation.input_tokens", 0)
            stated = each.get("input_tokens", 0)
            rest += stated - cached if cached <= stated else stated
        assert found["input_tokens"] == rest


@pytest.mark.parametrize("tens", range(10))
def test_invented_langfuse_logs(tens: int, tmp_path: Path) -> None:
    for seed in SEEDS[10 * tens : 10 * tens + 10]:
        log, truth = generator.langfuse(seed, tmp_path)
        found = held_against(log, langfuse.IMPORTER, langfuse_oracle.read(log), skew(seed, truth))
        assert found["input_tokens"] == truth.input_tokens, "which Langfuse states without the cached ones"


@pytest.mark.parametrize("tens", range(10))
def test_invented_logs_without_people_have_the_same_critical_path(
    tens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "SPANS", generator.SPANS - {"ask"})
    for seed in SEEDS[10 * tens : 10 * tens + 10]:
        if generator.skewed(seed):  # clocks that differ may hide which agent ended a wait
            continue
        log, truth = generator.opentelemetry(seed, tmp_path)
        assert truth.waiting_people == 0
        held_against(log, opentelemetry.IMPORTER, opentelemetry_oracle.read(log), skew(seed, truth))


SAMPLES: list[tuple[str, Importer, Callable[[Path], Reading]]] = [
    *(
        (f"openai-agents/{name}.jsonl", agents_sdk.IMPORTER, agents_sdk_oracle.read)
        for name in ("team", "tutor", "events", "clerk")
    ),
    *(
        (f"mlflow/{name}", mlflow.IMPORTER, mlflow_oracle.read)
        for name in ("team.json", "old.json", "graph.jsonl", "clerk.json")
    ),
    *(
        (f"weave/{name}", weave.IMPORTER, weave_oracle.read)
        for name in ("team.jsonl", "operations.json", "graph.jsonl", "clerk.jsonl")
    ),
]


@pytest.mark.parametrize(("name", "importer", "read"), SAMPLES, ids=[name for name, *_ in SAMPLES])
def test_samples(name: str, importer: Importer, read: Callable[[Path], Reading]) -> None:
    reading = read(sample(name))
    [trace] = importer.read(Log(sample(name)), Content())
    handed = any("transfer" in event.optional_fields for event in trace)  # A HANDOFF
    found, known = figures(trace), asdict(reading)
    names = {*EXACT, *KINDS.values()} - ({"sub_agents", "at_once"} if handed else set())
    cached = (known["cache_read_tokens"] or 0) + (known["cache_write_tokens"] or 0)
    known["input_tokens"] -= cached  # THE INPUT
    assert {name: found[name] for name in names} == {name: known[name] or 0 for name in names}
    assert found["wall"] == pytest.approx(known["wall"], abs=0.25), "THE RUN"
    missing = any("calls that are not in the log" in loss["what"] for loss in trace.source.get("lost", []))
    if not missing:  # A CALL THAT IS NOT IN THE LOG
        assert measure(trace)["work_s"].value == pytest.approx(known["work"], rel=0.05), "THE RUN"


REAL: list[tuple[str, Importer, Callable[[Path], Reading]]] = [
    *(
        (f"langfuse/{name}.json", langfuse.IMPORTER, langfuse_oracle.read)
        for name in (
            "autogen-2025-06-06",
            "google-adk-2025-08-28",
            "langgraph-2025-08-22",
            "llamaindex-2025-06-05",
            "microsoft-agent-2025-10-14",
            "openai-agents-2025-09-30",
        )
    ),
    ("langgraph/langgraph_openinference_otlp.json", opentelemetry.IMPORTER, opentelemetry_oracle.read),
    ("langgraph/langsmith_runs.json", langsmith.IMPORTER, langsmith_oracle.read),
]


@pytest.mark.parametrize(("name", "importer", "read"), REAL, ids=[name for name, *_ in REAL])
def test_real_logs(name: str, importer: Importer, read: Callable[[Path], Reading], real: Callable[[str], Path]) -> None:
    reading = read(real(name))
    found = held_against(real(name), importer, reading, OVERHEAD if "langgraph" in name else 0.006)  # THE RUN
    assert found["input_tokens"] == (reading.input_tokens or 0)


def test_a_real_run_of_langgraph_in_spans(real: Callable[[str], Path]) -> None:
    path = real("langgraph/langgraph_openinference_otlp.json")
    [trace] = opentelemetry.IMPORTER.read(Log(path), Content())
    spans = json.loads(path.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"]
    said = [(span, {each["key"]: each["value"] for each in span["attributes"]}) for span in spans]
    kinds = [attributes["openinference.span.kind"]["stringValue"] for _, attributes in said]
    counted = [
        int(attributes[f"llm.token_count.{side}"]["intValue"])
        for (_, attributes), kind in zip(said, kinds, strict=True)
        if kind == "LLM"
        for side in ("prompt", "completion")
    ]
    nodes = [span for span in spans if span["name"] in ("planner", "worker", "joiner")]
    times = [int(span[key]) / 1e9 for span in nodes for key in ("startTimeUnixNano", "endTimeUnixNano")]
    measures = measure(replay(trace))
    assert len(trace.agents) == len(nodes) + 1, "and the program"
    assert measures["sub_agents_at_once"].value == 3
    assert sum(event.type == "model_call" for event in trace) == kinds.count("LLM") == 8
    assert trace.costs["tool_calls"] == kinds.count("TOOL") == 3
    assert trace.costs["tokens"] == sum(counted) == 440
    assert trace.costs["wall_clock_s"] == pytest.approx(max(times) - min(times), abs=0.01)
    slowest = max((span for span in nodes if span["name"] == "worker"), key=lambda span: int(span["endTimeUnixNano"]))
    chain = [slowest, *(span for span in nodes if span["name"] != "worker")]
    path_s = sum((int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / 1e9 for span in chain)
    assert measures["critical_path_s"].value == pytest.approx(path_s, abs=OVERHEAD)
