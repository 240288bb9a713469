"""A call that asks a person or waits for an agent is no work, in whatever format it is logged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace
from survey.traces.importers import Log, importers
from survey.traces.importers.waiting import sleeps
from survey.traces.metrics import measure
from survey.traces.model import Content

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


def agent(name: str) -> dict[str, str]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def tool(name: str) -> dict[str, str]:
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}


def imported(*spans: tuple[str, str, float, float, dict[str, str]]) -> Trace:
    """Return the trace of spans: id, parent, start, end and attributes."""
    raw: list[dict[str, Any]] = [
        {
            "traceId": "ab" * 16,
            "spanId": id.rjust(16, "0"),
            "parentSpanId": parent.rjust(16, "0") if parent else "",
            "name": " ".join(attributes.values()),
            "startTimeUnixNano": str(round(1_780_000_000_000 + start * 1000) * 1_000_000),
            "endTimeUnixNano": str(round(1_780_000_000_000 + end * 1000) * 1_000_000),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        }
        for id, parent, start, end, attributes in spans
    ]
    log = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": raw}]}]}).encode()
    [trace] = importers()["opentelemetry"].read(Log(Path("log.json"), log), Content())
    return trace


def seconds(trace: Trace, *names: str) -> list[float]:
    found = measure(trace)
    values = (found[name].value or 0 for name in names)
    return [round(sum(value.values()) if isinstance(value, dict) else value, 2) for value in values]


@pytest.mark.parametrize("name", ["ask_user", "AskUserQuestion", "request_user_input", "human_input"])
def test_a_span_of_a_tool_that_asks_a_person_is_a_wait_for_people(name: str) -> None:
    trace = imported(
        ("1", "", 0, 60, agent("lead")), ("2", "1", 0, 10, CHAT), ("3", "1", 10, 50, tool(name)), ("4", "1", 50, 60, CHAT)
    )  # fmt: skip
    assert seconds(trace, "work_s", "waiting_people_s", "waiting_s") == [20, 40, 0]
    assert seconds(trace, "critical_path_s", "critical_path_with_people_s") == [20, 60]


def test_a_span_that_waits_for_agents_is_no_work_of_the_one_that_waits() -> None:
    trace = imported(
        ("1", "", 0, 60, agent("lead")), ("2", "1", 0, 10, CHAT), ("3", "1", 10, 10.1, tool("spawn_agent")),
        ("4", "3", 10, 49.9, agent("helper")), ("5", "4", 10, 49.9, CHAT),
        ("6", "1", 10, 50, tool("wait_agent")), ("7", "1", 50, 60, CHAT),
    )  # fmt: skip
    assert seconds(trace, "work_s", "waiting_s", "critical_path_s") == [59.9, 40, 59.9]


def test_a_tool_called_wait_of_an_agent_that_called_no_other_is_a_tool() -> None:
    trace = imported(("1", "", 0, 30, agent("lead")), ("2", "1", 0, 10, CHAT), ("3", "1", 10, 30, tool("wait")))
    assert seconds(trace, "work_s", "waiting_s") == [30, 0]


def test_an_agent_does_not_wait_for_one_that_goes_on_after_its_own_end() -> None:
    trace = imported(
        ("1", "", 0, 20, agent("lead")), ("2", "1", 0, 10, CHAT), ("3", "1", 10, 10.1, tool("spawn_agent")),
        ("4", "3", 10, 50, agent("helper")), ("5", "4", 10, 50, CHAT), ("6", "1", 10, 20, CHAT),
    )  # fmt: skip
    assert seconds(trace, "work_s", "waiting_s", "wall_s") == [60, 0, 50]


def test_an_agent_whose_clock_is_late_ends_with_the_call_around_it() -> None:
    trace = imported(
        ("1", "", 0, 60, agent("lead")), ("2", "1", 0, 10, CHAT), ("3", "1", 10, 50, tool("delegate")),
        ("4", "3", 10.3, 50.2, agent("helper")), ("5", "4", 10.3, 50.2, CHAT), ("6", "1", 50, 60, CHAT),
    )  # fmt: skip
    assert seconds(trace, "work_s", "waiting_s", "critical_path_s") == [59.9, 40, 59.9]
    [lost] = [loss for loss in trace.source["lost"] if "moved" in loss["what"]]
    assert lost == {"what": "agents that end just after the call around them, moved", "count": 1}


@pytest.mark.parametrize(
    "command",
    [
        "sleep 20",
        "sleep 0.5",
        "cd x && sleep 20; tail out",
        "while ! grep -q done out; do sleep 10; done",
        "until [ -f out ]; do sleep 5; done",
        'bash -c "sleep 20"',
        "timeout 60 sleep $N",
        ["bash", "-lc", "sleep 20"],
    ],
)
def test_a_command_that_sleeps_is_recognised(command: object) -> None:
    assert sleeps(command)


@pytest.mark.parametrize("command", ["make", "sleepwalk 3", "grep sleep: log", "man sleep", None, 5])
def test_no_other_command_is(command: object) -> None:
    assert not sleeps(command)
