"""Mermaid itself renders the exported diagrams, and they show the contents of the trace."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import mermaidx  # Mermaid in a JavaScript engine, without a browser
import pytest
from hypothesis import HealthCheck, given, settings

from survey.traces import Trace
from survey.traces.exporters.mermaid import mermaid
from survey.traces.importers.log import Importer
from tests.traces.exporters.runs import NASTY, PUBLISHED, REAL, TEAM, real_trace, steps, traces


def drawn(text: str) -> list[str]:
    """Return the texts in Mermaid's rendering of a diagram; raise the errors of its parser."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", mermaidx.render(text).svg(), re.DOTALL)
    return [html.unescape(re.sub("<[^>]*>", "", text)) for text in texts]


def lines(trace: Trace, most: int = 200) -> list[str]:
    return [line.strip() for line in mermaid(trace, most).splitlines()[2:]]


def test_a_team_is_drawn_with_its_spawns_messages_returns_and_what_each_did_alone() -> None:
    assert lines(TEAM) == [
        "actor p1 as user",
        "participant p2 as lead",
        "p1-)p2: message",
        "Note over p2: turn",
        "create participant p3 as scout<br/>w1",
        "p2->>p3: spawn as reader",
        "create participant p4 as w2",
        "p2->>p4: spawn as reader",
        "p4-->>p2: return (timeout)",
        "Note over p3: turn ×2, search ×2 (1 failed)",
        "destroy p3",
        "p3-->>p2: return",
        "Note over p2: turn",
        "p1->>p2: human intervention",
        "Note over p2: stop",
    ]


def test_mermaid_draws_it() -> None:
    texts = drawn(mermaid(TEAM))
    assert Counter(texts) >= Counter(
        ["message", "spawn as reader", "spawn as reader", "return", "return (timeout)", "turn ×2, search ×2 (1 failed)"]
    )
    assert {"lead", "w2", "user", "scout", "w1"} <= set(texts)


def test_mermaid_draws_the_published_example() -> None:
    assert lines(PUBLISHED) == [
        "participant p1 as planner_1",
        "Note over p1: turn",
        "create participant p2 as executor_1",
        "p1->>p2: spawn as executor",
        "p1-)p2: message",
        "Note over p2: browser.search",
        "p2-->>p1: return",
        "Note over p1: turn, stop",
    ]
    assert {"planner_1", "executor_1", "spawn as executor", "browser.search", "return"} <= set(
        drawn(mermaid(PUBLISHED))
    )


@pytest.mark.parametrize(("importer", "name"), REAL, ids=[name for _, name in REAL])
def test_mermaid_draws_real_runs(real: Callable[[str], Path], importer: Importer, name: str) -> None:
    assert drawn(mermaid(real_trace(real, importer, name), most=60))


def test_any_name_is_drawn_as_it_is() -> None:
    events = []
    for name in NASTY:
        events += [
            {"type": "spawn", "agent": "boss", "to": name, "role": name},
            {"type": "tool_call", "agent": name, "tool": f"use {name}"},
            {"type": "message", "agent": name, "to": "boss", "content": name},
        ]
    texts = set(drawn(mermaid(steps(*events, trace_id="; end"))))
    for name in NASTY:
        shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())
        assert {shown or "?", f"spawn as {shown or '?'}", f"use {shown}".strip(), f"message: {shown or '?'}"} <= texts


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces())
def test_mermaid_draws_any_trace(trace: Trace) -> None:
    assert drawn(mermaid(trace))


@settings(max_examples=150, deadline=None)
@given(traces())
def test_any_trace_becomes_a_diagram_of_at_most_so_many_lines(trace: Trace) -> None:
    text = mermaid(trace, most=3)
    drawn_lines = re.findall(r"^    (?:p\d+[-x)>]+p\d+|Note over [p\d,]+): .+$", text, re.MULTILINE)
    assert 1 <= len(drawn_lines) <= 3 + 2 + len(trace)
    assert "left out" not in mermaid(trace, most=1000)


def test_a_long_trace_is_cut_with_a_note_that_says_how_much_is_left_out() -> None:
    trace = steps(*({"type": "message", "agent": "a", "to": "b"} for _ in range(500)))
    assert len(lines(trace)) == 2 + 200 + 1
    assert lines(trace)[-1] == "Note over p1,p2: 300 of 500 events are left out"
    assert "480 of 500 events are left out" in drawn(mermaid(trace, most=20))


def test_events_that_stand_behind_the_cut_are_counted_with_those_that_wait_for_a_note() -> None:
    trace = steps(
        {"type": "message", "agent": "a", "to": "b"},
        {"type": "model_call", "agent": "c"},
        {"type": "message", "agent": "a", "to": "b"},
        {"type": "message", "agent": "a", "to": "b"},
    )
    assert lines(trace, most=2)[-1] == "Note over p1,p2: 2 of 4 events are left out"


def test_an_agent_that_is_spawned_again_after_its_end_is_another_participant() -> None:
    trace = steps(
        {"type": "spawn", "agent": "a", "to": "b"},
        {"type": "return", "agent": "b", "to": "a"},
        {"type": "despawn", "agent": "b"},
        {"type": "spawn", "agent": "a", "to": "b"},
    )
    assert lines(trace) == [
        "participant p1 as a", "create participant p2 as b", "p1->>p2: spawn", "destroy p2", "p2-->>p1: return",
        "create participant p3 as b", "p1->>p3: spawn",
    ]  # fmt: skip
    assert drawn(mermaid(trace)).count("b") >= 2


def test_what_never_arrived_and_who_was_stopped_have_arrows_with_a_cross() -> None:
    trace = steps(
        {"type": "message", "agent": "a", "to": "b", "delivered": False},
        {"type": "delegate", "agent": "a", "to": "b", "content": "Look;\nthere."},
        {"type": "message", "agent": "b", "to": "a", "transfer": True},
        {"type": "stop", "agent": "a", "to": "b"},
    )
    assert lines(trace)[2:] == [
        "p1-xp2: message, never delivered", "p1->>p2: delegate#58; Look#59; there.", "p2-)p1: handoff", "p1-xp2: stop",
    ]  # fmt: skip


def test_a_trace_without_events_is_an_empty_diagram() -> None:
    assert drawn(mermaid(steps())) == []
