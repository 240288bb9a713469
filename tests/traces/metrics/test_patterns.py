"""Patterns of failure in small runs, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces.metrics import measure
from tests.traces.strategies import Json, small


def value(name: str, events: list[Json], edges: list[tuple[str, str, str]] | None = None, **head: Any) -> Any:
    return measure(small(events, edges, **head), [name])[name].value


def call(content: str = "q", **fields: Any) -> Json:
    return {"type": "tool_call", "tool": "search", "content_ref": content, **fields}


@pytest.mark.parametrize(
    ("calls", "looping"),
    [
        ([call()] * 2, 0),
        ([call()] * 3, 1),
        ([call()] * 5, 3),
        ([call(), call(), call("r"), call(), call()], 0),
        ([call(), call(), call(tool="read")], 0),
        ([call(), call(agent="a"), call(), call(agent="a"), call()], 1),
        ([call(), call(), {"type": "tool_call", "tool": "search"}, call()], 0),
        ([call(), call(), call(waits_for="agents"), call()], 1),
    ],
)
def test_the_third_same_call_in_a_row_and_those_after_it_are_a_loop(calls: list[Json], looping: int) -> None:
    assert value("looping_calls", calls) == looping


def answered(call_id: str, status: str, agent: str = "lead") -> Json:
    return {"type": "tool_result", "agent": agent, "tool": "search", "parent": call_id, "status": status}


def test_a_call_after_a_failed_one_of_the_same_tool_is_a_retry() -> None:
    events = [
        call(), answered("e1", "error"), call("r"), answered("e3", "ok"), call("s"), answered("e5", "timeout"),
        call(tool="read"),
    ]  # fmt: skip
    edges = [("e1", "e2", "tool_dependency"), ("e3", "e4", "tool_dependency"), ("e5", "e6", "tool_dependency")]
    assert value("retries", events, edges) == 1


def test_calls_side_by_side_are_no_retries_of_each_other() -> None:
    events = [call(), call("r"), answered("e1", "error"), answered("e2", "ok")]
    edges = [("e1", "e3", "tool_dependency"), ("e2", "e4", "tool_dependency")]
    assert value("retries", events, edges) == 0


def test_the_call_of_another_agent_is_no_retry() -> None:
    events = [call(), answered("e1", "error"), call(agent="a")]
    assert value("retries", events, [("e1", "e2", "tool_dependency")], agents=[{"id": "a"}]) == 0


def spawn(to: str, t: float = 0) -> Json:
    return {"type": "spawn", "to": to, "t": t}


def back(agent: str, t: float = 9, status: str = "ok") -> Json:
    return {"type": "return", "agent": agent, "to": "lead", "t": t, "status": status}


def test_an_agent_that_neither_returned_nor_wrote_is_silent() -> None:
    events = [
        spawn("a"), spawn("b"), spawn("c"),
        {"type": "model_call", "agent": "a"}, {"type": "message", "agent": "b", "to": "lead"}, back("c"),
    ]  # fmt: skip
    assert value("silent_sub_agents", events) == 1


def test_a_result_that_leads_nowhere_is_lost_and_a_failure_is_none() -> None:
    events = [
        spawn("a"),
        spawn("b"),
        spawn("c"),
        back("a"),
        back("b"),
        back("c", status="error"),
        {"type": "aggregate", "t": 10},
    ]
    assert value("unused_results", events, [("e4", "e7", "aggregate")]) == 1


def test_the_time_on_the_last_sub_agent_is_that_after_all_others_came_back() -> None:
    """Three side by side, back at 2, 4 and 9; then one alone; then two, back at 21 and 24."""
    events = [
        spawn("a"), spawn("b"), spawn("c"), back("a", 2), back("b", 4), back("c", 9),
        spawn("d", 10), back("d", 15), spawn("e", 20), spawn("f", 20), back("e", 21), back("f", 24),
    ]  # fmt: skip
    assert value("last_sub_agent_s", events) == (9 - 4) + (24 - 21)


def test_a_piece_that_never_returns_is_not_the_last() -> None:
    events = [spawn("a"), spawn("b"), spawn("c"), back("a", 2), back("b", 4), {"type": "model_call", "t": 50}]
    assert value("last_sub_agent_s", events) == 4 - 2


def test_what_two_agents_hand_out_are_two_groups() -> None:
    events = [
        spawn("a"), spawn("b"), {**spawn("c", 1), "agent": "a"}, {**spawn("d", 1), "agent": "a"},
        {**back("c", 2), "to": "a"}, {**back("d", 5), "to": "a"}, back("b", 6), back("a", 8),
    ]  # fmt: skip
    assert value("last_sub_agent_s", events) == (8 - 6) + (5 - 2)
