"""Readings of raw logs: they find what is known of a log, whether a person worked it out or a generator invented it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.traces.oracle import generator
from tests.traces.oracle.coding_agents import claude_code, codex
from tests.traces.oracle.platforms import langfuse, langsmith, opentelemetry
from tests.traces.oracle.timeline import Act, Reading, critical_path, difference, length, most_at_once, union

SECONDS = (
    "wall", "work", "union", "waiting_people", "waiting_agents", "idle", "critical_path", "critical_path_with_people",
    "sub_agent_work", "sub_agent_union",
)  # fmt: skip
FORMATS = {
    "Claude Code": (generator.claude_code, claude_code.read),
    "Codex": (generator.codex, codex.read),
    "OpenTelemetry": (generator.opentelemetry, opentelemetry.read),
    "Langfuse": (generator.langfuse, langfuse.read),
}


def test_intervals_are_united_subtracted_and_counted() -> None:
    assert union([(5, 6), (0, 2), (1, 3), (4, 4)]) == [(0, 3), (5, 6)]
    assert difference([(0, 10)], [(2, 3), (9, 12)]) == [(0, 2), (3, 9)]
    assert length([(0, 2), (1, 4)]) == 4
    assert most_at_once([(0, 2), (1, 3), (2, 4)]) == 2


def test_the_critical_path_leads_through_the_child_that_returned_last() -> None:
    plan = Act("m", "turn", 0, 10)
    short, long = Act("a", "turn", 10, 30, [(plan, 10)]), Act("b", "turn", 8, 50, [(plan, 8)])
    waits = [Act("m", "agents", 10, child.end, [(plan, 10), (child, child.end)]) for child in (short, long)]
    last = Act("m", "turn", 50, 60, [(wait, wait.end) for wait in waits])
    asked = Act("m", "people", 60, 100, [(last, 60)])
    end = Act("m", "turn", 100, 105, [(asked, 100)])
    path = critical_path([plan, short, long, *waits, last, asked, end])
    assert (path["turn"], path["people"], path["agents"]) == (8 + 42 + 10 + 5, 40, 0)


@pytest.mark.parametrize("name", ["oneblock", "twoblocks"])
def test_a_turn_runs_from_its_cause_to_the_last_of_its_records(name: str, real: Callable[[str], Path]) -> None:
    found = claude_code.read(real("").parent / "hand" / f"{name}.jsonl")
    assert (found.work, found.critical_path, found.union, found.idle) == (121, 121, 121, 0)
    assert (found.turns, found.tool_calls) == (2, 1)


def test_a_placeholder_of_the_client_is_no_turn(real: Callable[[str], Path]) -> None:
    found = claude_code.read(real("").parent / "hand" / "synthetic.jsonl")
    assert (found.turns, found.work, found.critical_path) == (2, 20, 20)
    assert found.waiting_people == 24 * 3600 + 11


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parallel6-sync", (6, 6, 408, 83)),
        ("parallel6-async", (6, 6, 614, 130)),
        ("parallel5-progress", (6, 5, 2890, 2040)),
        ("parallel3-interrupted", (5, 3, 339, 178)),
        ("parallel3-ask", (4, 3, 1419, 766)),
    ],
)
def test_real_sessions_have_the_sub_agents_that_are_known_of_them(
    name: str, expected: tuple[int, ...], real: Callable[[str], Path]
) -> None:
    found = claude_code.read(real(f"claude-code/{name}.jsonl"))
    seconds = (round(found.sub_agent_work or 0), round(found.sub_agent_union or 0))
    assert (found.sub_agents, found.at_once, *seconds) == expected


def test_one_run_of_a_graph_reads_the_same_in_two_formats(real: Callable[[str], Path]) -> None:
    spans = opentelemetry.read(real("langgraph/langgraph_openinference_otlp.json"))
    runs = langsmith.read(real("langgraph/langsmith_runs.json"))
    for found in (spans, runs):
        assert (found.sub_agents, found.at_once, found.turns, found.tool_calls) == (5, 3, 8, 3)
        assert found.work == pytest.approx(3.23, abs=0.02)
        assert found.critical_path == pytest.approx(1.81, abs=0.02)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("format", FORMATS)
def test_an_invented_run_is_read_as_it_was(format: str, seed: int, tmp_path: Path) -> None:
    write: Callable[[int, Path], tuple[Path, Reading]]
    read: Callable[[Path], Reading]
    write, read = FORMATS[format]
    path, truth = write(seed, tmp_path)
    found, known = asdict(read(path)), asdict(truth)
    exact = {name: value for name, value in known.items() if name not in SECONDS}
    assert {name: found[name] for name in exact} == exact
    off = 2 * generator.SKEW * truth.agents if generator.skewed(seed) else 0.002
    assert {name: found[name] for name in SECONDS} == pytest.approx({name: known[name] for name in SECONDS}, abs=off)


def test_no_reading_shares_code_with_the_toolkit() -> None:
    readings = sorted(Path(__file__).parent.glob("*/*.py"))
    assert len(readings) > 15
    for path in readings:
        assert not re.search(r"^\s*(from|import) survey", path.read_text(), re.MULTILINE), path.name
