"""Importers of further coding agents and of rollouts, held against readings that share no code with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from survey.traces import Trace, check
from survey.traces.importers import Log, importers
from survey.traces.model import Content
from tests.traces.importers.samples import sample
from tests.traces.oracle.coding_agents import copilot, gemini, mini_swe_agent, openhands, swe_agent
from tests.traces.oracle.rollouts import rllm, verl
from tests.traces.oracle.test_toolkit import EXACT, TURNS, figures, known
from tests.traces.oracle.timeline import Reading


def counted(trace: Trace) -> dict[str, float]:
    """Those of the figures that a log without times has, too."""
    events = list(trace)
    return {
        "agents": len({event.agent for event in events if event.type in (*TURNS, "tool_call")}),
        "turns": sum(event.type in TURNS for event in events),
        "tool_calls": sum(event.type == "tool_call" for event in events),
        "delegations": sum(event.type in ("spawn", "delegate") for event in events),
        "input_tokens": sum(event.by_kind.get("input", 0) for event in events),
        "output_tokens": sum(event.by_kind.get("output", 0) for event in events),
    }


def told(reading: Reading) -> dict[str, float]:
    return {name: getattr(reading, name) or 0 for name in counted(Trace([], [], {}))}


@pytest.mark.parametrize(("name", "lines"), [("40", (0, 1, 2)), ("early", (0,)), ("keyed", (None, 2))])
def test_an_output_of_verl_is_counted_as_it_was_read(name: str, lines: tuple[int | None, ...]) -> None:
    path = sample(f"verl/{name}.jsonl")
    traces = list(importers()["verl"].read(Log(path), Content()))
    for trace, line in zip(traces, lines, strict=True):
        if line is not None:
            assert counted(trace) == told(verl.read(path, line))


@pytest.mark.parametrize(("name", "place"), [("solver_judge", 0), ("solver_judge", 1), ("walk", 0), ("tools", 0)])
def test_an_episode_of_rllm_is_counted_as_it_was_read(name: str, place: int) -> None:
    path = sample(f"rllm/{name}.json")
    trace = list(importers()["rllm"].read(Log(path), Content()))[place]
    reading = rllm.read(path, place)
    assert counted(trace) == told(reading)
    assert trace.costs["wall_clock_s"] == pytest.approx(reading.wall or 0.0)


AGENTS_OF_CODE = {"swe-agent": swe_agent, "mini-swe-agent": mini_swe_agent, "openhands": openhands}
"""Formats whose samples and real logs are read twice; of a file of several runs, the first."""


def agent_of_code(name: str, path: Path) -> None:
    """Hold a trace against the reading of its log: agents, turns, calls, tokens and, in seconds, wall time and work."""
    trace = next(importers()[name].read(Log(path), Content()))
    assert check(trace).errors == 0
    found, read = figures(trace), AGENTS_OF_CODE[name].read(path)
    assert {figure: found[figure] for figure in EXACT} == {figure: getattr(read, figure) for figure in EXACT}
    assert sum(event.type == "tool_call" for event in trace) == read.tool_calls
    tokens = [getattr(read, f"{kind}_tokens") or 0 for kind in ("input", "output", "cache_read", "cache_write")]
    assert trace.costs["tokens"] == sum(tokens)
    for figure in ("wall", "work") if read.wall is not None else ():
        assert found[figure] == pytest.approx(getattr(read, figure), abs=0.01), figure


@pytest.mark.parametrize(
    ("name", "path"),
    [pytest.param(name, path, id=path.name) for name in AGENTS_OF_CODE for path in sorted(sample(name).iterdir())],
)
def test_a_sample_of_an_agent_of_code_is_measured_as_it_was_read(name: str, path: Path) -> None:
    agent_of_code(name, path)


def test_a_real_trajectory_is_measured_as_it_was_read(real: Callable[[str], Path]) -> None:
    agent_of_code("swe-agent", real("swe-agent.traj"))


@pytest.mark.parametrize("name", ["agents", "calls", "stream"])
def test_an_invented_session_of_copilot_is_measured_as_it_was_read(name: str) -> None:
    path = sample(f"copilot/{name}.jsonl")
    [trace] = importers()["copilot"].read(Log(path), Content())
    reading = copilot.read(path)
    found, read = figures(trace), known(reading)
    assert {figure: found[figure] for figure in EXACT} == {figure: read[figure] for figure in EXACT}
    for figure, value in found.items():
        assert value == pytest.approx(read[figure], abs=0.1), figure
    assert sum(event.by_kind.get("output", 0) for event in trace) == reading.output_tokens
    assert sum(event.type == "spawn" for event in trace) == reading.delegations
    assert sum(event.type in ("tool_call", "spawn") for event in trace) == reading.tool_calls
    failures = sum(event.type in ("tool_result", "return") and event.status != "ok" for event in trace)
    assert failures == reading.failed_tool_calls


@pytest.mark.parametrize("name", ["chats", "older.json", "plain.json"])
def test_an_invented_session_of_gemini_cli_is_measured_as_it_was_read(name: str) -> None:
    path = sample(f"gemini/{name}")
    [trace] = importers()["gemini"].read(Log(path), Content())
    reading = gemini.read(path)
    found, read = figures(trace), known(reading)
    assert {figure: found[figure] for figure in EXACT} == {figure: read[figure] for figure in EXACT}
    for figure, value in found.items():
        assert value == pytest.approx(read[figure], abs=0.1), figure
    kinds = [event.by_kind for event in trace]
    assert sum(kind.get("output", 0) for kind in kinds) == reading.output_tokens
    assert sum(kind.get("cache_read", 0) for kind in kinds) == reading.cache_read_tokens
    assert sum(event.type == "spawn" for event in trace) == reading.delegations
    assert sum(event.type in ("tool_call", "spawn") for event in trace) == reading.tool_calls
    assert sum(event.type == "tool_result" and event.status != "ok" for event in trace) == reading.failed_tool_calls
