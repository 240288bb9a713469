"""The toolkit's figures of time, held against readings of the raw logs that share no code with it.

Named differences:

- *Launch.* For the readings, the call that starts a sub-agent in the background is a call like any other, and its
  agent works until the confirmation; in a trace it is a spawn, which takes no time. ``LAUNCH`` bounds it.
- *Critical path.* The readings walk back from the last act to whatever it waited for last. The toolkit takes the
  longest chain of work. They are the same where no one waits for people; else the chain may be longer.
- *An interruption.* Of a Task that a person interrupted and of which nothing else is known, the readings know no agent.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from survey.traces import Trace, check
from survey.traces.importers import Log, importers, recognised
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.oracle import generator
from tests.traces.oracle.coding_agents import claude_code
from tests.traces.oracle.timeline import Reading

LAUNCH = 0.8
"""Seconds from the call that starts a sub-agent in the background to its confirmation, at most."""
TURNS = ("orchestrator_decision", "model_call", "aggregate")


def figures(trace: Trace) -> dict[str, float]:
    """Those of the toolkit's figures that a reading has, too; those by agent added up."""
    found = measure(trace)

    def total(name: str) -> float:
        value = found[name].value
        return sum(value.values()) if isinstance(value, dict) else value or 0.0

    busy = found["busy_s"].value or {}
    return {
        "agents": total("agents"),
        "turns": sum(event.type in TURNS for event in trace),
        "wall": total("wall_s"),
        "work": total("work_s"),
        "union": total("union_s"),
        "waiting_people": total("waiting_people_s") + total("waiting_permission_s"),
        "waiting_agents": total("waiting_s"),
        "sub_agents": sum(seconds for agent, seconds in busy.items() if agent != "main"),
        "critical_path": total("critical_path_s"),
        "critical_path_with_people": total("critical_path_with_people_s"),
    }


def known(reading: Reading) -> dict[str, float]:
    names = figures(Trace([], [], {"time": "seconds"})).keys() - {"sub_agents"}
    return {name: getattr(reading, name) or 0.0 for name in names} | {"sub_agents": reading.sub_agent_work or 0.0}


EXACT = ("agents", "turns")
WALKED = ("critical_path", "critical_path_with_people")


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(("name", "write"), [("claude-code", generator.claude_code), ("codex", generator.codex)])
def test_an_invented_run_is_measured_as_it_was(
    name: str, write: Callable[[int, Path], tuple[Path, Reading]], seed: int, tmp_path: Path
) -> None:
    path, truth = write(seed, tmp_path)
    log = Log(path)
    importer = recognised(log)
    assert importer is importers()[name]
    [trace] = importer.read(log, Content())
    assert check(trace).errors == 0
    found, true = figures(trace), known(truth)
    skew = 2 * generator.SKEW * truth.agents if generator.skewed(seed) else 0.002
    launches = LAUNCH * truth.delegations
    assert {figure: found[figure] for figure in EXACT} == {figure: true[figure] for figure in EXACT}
    for figure in found.keys() - {*EXACT, *WALKED}:
        assert found[figure] == pytest.approx(true[figure], abs=skew + launches), figure
    assert found["wall"] == pytest.approx(true["wall"], abs=skew + LAUNCH)
    assert found["waiting_people"] == pytest.approx(true["waiting_people"], abs=skew)
    assert found["critical_path"] <= min(found["union"], found["critical_path_with_people"]) + skew
    assert found["critical_path_with_people"] <= found["wall"] + skew


DIFFERENCES: dict[tuple[str, str], float] = {
    **dict.fromkeys([("parallel6-async", figure) for figure in ("work", "union", *WALKED)], 1),  # a queued notice
    **dict.fromkeys([("parallel3-interrupted", figure) for figure in WALKED], 110),  # an interrupted Task
    ("parallel5-progress", "sub_agents"): 0.5,
}
"""Differences in seconds of named causes, by session and figure."""


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(("name", "write"), [("claude-code", generator.claude_code), ("codex", generator.codex)])
def test_tokens_calls_and_busy_times_of_an_invented_run_add_up_to_the_truth(
    name: str, write: Callable[[int, Path], tuple[Path, Reading]], seed: int, tmp_path: Path
) -> None:
    path, truth = write(seed, tmp_path)
    [trace] = importers()[name].read(Log(path), Content())
    found = measure(trace)
    kinds = {f"{kind}_tokens": tokens for kind, tokens in (found["tokens_by_kind"].value or {}).items()}
    stated = ("output_tokens", "cache_read_tokens", "cache_write_tokens", "input_tokens")
    for kind in stated if name == "claude-code" else stated[:2]:  # Codex counts what was cached as input, too
        assert kinds.get(kind, 0) == getattr(truth, kind), kind
    calls = sum(event.type in ("tool_call", "spawn") for event in trace)
    assert calls == truth.tool_calls
    parts = sum(sum((found[part].value or {}).values()) for part in ("model_s", "tool_s"))
    assert parts == pytest.approx(
        found["work_s"].value, abs=0.002 + 2 * generator.SKEW * truth.agents * generator.skewed(seed)
    )


@pytest.mark.parametrize(
    "name", ["parallel3-ask", "parallel3-interrupted", "parallel5-progress", "parallel6-async", "parallel6-sync"]
)
def test_a_real_session_is_measured_as_it_was_read(name: str, real: Callable[[str], Path]) -> None:
    path = real(f"claude-code/{name}.jsonl")
    log = Log(path)
    [trace] = importers()["claude-code"].read(log, Content())
    found, read = figures(trace), known(claude_code.read(path))
    for figure, value in found.items():
        assert value == pytest.approx(read[figure], abs=DIFFERENCES.get((name, figure), 0.1)), figure
