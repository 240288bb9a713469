"""Importers of benchmarks, teams and trajectories against independent readings: of every real log that we have.

Where the two count differently, a definition says so:

- TURNS of an orchestrator: a trace has one decision where a log of Magentic-One has a thought and what follows from it,
  and a summary of MARBLE is one aggregation; the acts that assign are delegations there, and no turns.
- THE MAIN AGENT of a group chat spawned nobody; the reading calls the others its sub-agents.
- THE INPUT of a model call excludes what was read from a cache. Some logs include it.
- A DELEGATION is a tool call in a log; in a trace it is the spawn of the agent that it asks for.
- A DISPATCH: from the end of a turn to the moment at which its call began, it is the call's.
- A STAMP ALONE: a turn without a stated end begins with its cause, for the reading with the record before it.
- THE TASK of a sample is there when the sample begins, before the first span of its solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, replay
from survey.traces.importers import Log, importers
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.importers.samples import sample
from tests.traces.oracle.benchmarks import inspect_log, marble, who_and_when
from tests.traces.oracle.coding_agents import claude_code_team
from tests.traces.oracle.rollouts import atif
from tests.traces.oracle.timeline import Reading

TURNS = ("model_call", "orchestrator_decision", "aggregate")
ASKING = ("spawn", "delegate")
COUNTED = ("agents", "sub_agents", "at_once", "tool_calls", "failed_tool_calls", "delegations")
DISPATCH = 0.08
TASK = 1.5


def figures(traces: Iterable[Trace]) -> dict[str, Any]:
    """The figures of the runs in a log, added up; the greatest number at once is that of the busiest."""
    sums: dict[str, Any] = {}
    for trace in traces:
        assert [problem for problem in replay(trace).problems if not problem.warning] == []
        found = measure(trace)
        asked = [event for event in trace if event.type in ASKING]
        kinds = found["tokens_by_kind"].value or {}
        one = {
            "agents": found["agents"].value,
            "sub_agents": len({event.to for event in asked}),
            "tool_calls": sum(event.type == "tool_call" for event in trace),
            "failed_tool_calls": sum((found["failures_by_tool"].value or {}).values()),
            "delegations": len(asked),
            "turns": sum(event.type in TURNS for event in trace),
            "wall": found["wall_s"].value or 0.0,
            "work": found["work_s"].value or 0.0,
            "critical_path": found["critical_path_s"].value or 0.0,
            "output_tokens": kinds.get("output", 0),
            "all_input_tokens": kinds.get("input", 0) + kinds.get("cache_read", 0) + kinds.get("cache_write", 0),
        }
        sums = {name: sums.get(name, 0) + value for name, value in one.items()} | {
            "at_once": max(sums.get("at_once", 0), found["sub_agents_at_once"].value or 0)
        }
    return sums


def read(importer: str, log: Path) -> list[Trace]:
    return list(importers()[importer].read(Log(log), Content()))


def counted(found: dict[str, Any], reading: Reading, but: tuple[str, ...] = ()) -> None:
    names = [name for name in COUNTED if name not in but and getattr(reading, name) is not None]
    assert {name: found[name] for name in names} == {name: getattr(reading, name) for name in names}


@pytest.mark.parametrize(
    ("name", "off", "but"),
    [
        ("2025-05-12T20-27-36-04-00_browser.json", DISPATCH, ()),
        ("2025-05-12T20-28-13-04-00_popularity.json", DISPATCH, ()),
        ("log_streaming.eval", DISPATCH, ()),
        ("parallel_spans.json", 1, ("delegations",)),  # A STAMP ALONE; its agents are spans that no call asks for
        ("utility_subagent_loop.json", 2, ("delegations",)),
    ],
)
def test_samples_of_inspect(name: str, off: float, but: tuple[str, ...], real: Callable[[str], Path]) -> None:
    path = real(f"inspect/{name}")
    found, reading = figures(read("inspect", path)), inspect_log.read(path)
    counted(found, reading, but)
    assert found["turns"] == reading.turns
    assert found["output_tokens"] == (reading.output_tokens or 0)
    assert found["all_input_tokens"] == (
        reading.input_tokens or 0
    )  # THE INPUT: of these logs it includes what was cached
    for figure in ("work", "critical_path"):
        assert found[figure] == pytest.approx(getattr(reading, figure), abs=off), figure
    assert found["wall"] == pytest.approx(reading.wall, abs=TASK)


def test_runs_of_who_and_when(real: Callable[[str], Path]) -> None:
    paths = sorted(real("who-and-when").glob("*.json"))
    assert len(paths) == 8
    for path in paths:
        found, reading = figures(read("who-and-when", path)), who_and_when.read(path)
        chat = path.name.startswith("Algorithm")
        counted(found, reading, ("sub_agents",) if chat else ())  # THE MAIN AGENT
        assert found["turns"] == reading.turns if chat else found["turns"] <= reading.turns  # TURNS


@pytest.mark.parametrize("name", ["coding.jsonl", "star.jsonl"])
def test_tasks_of_marble(name: str, real: Callable[[str], Path]) -> None:
    path = real(f"marble/{name}")
    for trace, reading in zip(read("marble", path), marble.read_all(path), strict=True):
        found = figures([trace])
        counted(found, reading)
        assert 0 < found["turns"] <= reading.turns  # TURNS


@pytest.mark.parametrize("name", ["analysis-team", "humble-chasing-goose"])
def test_teams_of_claude_code(name: str, real: Callable[[str], Path]) -> None:
    folder = real(f"claude-code-teams/{name}")
    found, reading = figures(read("claude-code-team", folder)), claude_code_team.read(folder)
    counted(found, reading)
    assert found["wall"] == pytest.approx(reading.wall, abs=0.001)


@pytest.mark.parametrize("name", ["team.json", "untimed.json", "sidechains.json"])
def test_trajectories_of_atif(name: str) -> None:
    path = sample("atif") / name
    [trace] = read("atif", path)
    found, reading = figures([trace]), atif.read(path)
    counted(found, reading, ("tool_calls", "failed_tool_calls"))
    asked = sum(event.type == "spawn" and event.tool is not None for event in trace)  # A DELEGATION
    assert found["tool_calls"] + asked == reading.tool_calls
    assert found["turns"] == reading.turns
    assert (found["all_input_tokens"], found["output_tokens"]) == (reading.input_tokens, reading.output_tokens)
    assert found["wall"] == pytest.approx(reading.wall or 0.0)
