"""Traces to export: small hand-written ones, and arbitrary ones that satisfy the structural schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from survey.traces import EDGE_TYPES, EVENT_TYPES, Trace
from survey.traces.importers.benchmarks.inspect_log import IMPORTER as INSPECT
from survey.traces.importers.benchmarks.marble import IMPORTER as MARBLE
from survey.traces.importers.benchmarks.who_and_when import IMPORTER as WHO_AND_WHEN
from survey.traces.importers.coding_agents.claude_code import IMPORTER as CLAUDE_CODE
from survey.traces.importers.log import Importer, Log
from survey.traces.model import Builder, Content


def steps(*events: dict[str, Any], edges: Any = (), **head: Any) -> Trace:
    """Return a trace in which each event takes a second, unless it has a time."""
    numbered = [{"id": f"e{number}", "t": number, **event} for number, event in enumerate(events)]
    linked = [{"src": src, "dst": dst, "type": type} for src, dst, type in edges]
    whole = {"trace_id": "r", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 0}}
    return Trace.of({**whole, **head, "events": numbered, "edges": linked})


PUBLISHED = steps(
    {"type": "orchestrator_decision", "agent": "planner_1", "role": "planner"},
    {"type": "spawn", "agent": "planner_1", "role": "executor", "to": "executor_1"},
    {"type": "message", "agent": "planner_1", "from": "planner_1", "to": "executor_1", "content_ref": "sha256:00:12"},
    {"type": "tool_call", "agent": "executor_1", "tool": "browser.search", "trusted": False},
    {"type": "return", "agent": "executor_1", "from": "executor_1", "to": "planner_1"},
    {"type": "aggregate", "agent": "planner_1"},
    {"type": "stop", "agent": "planner_1"},
    edges=[
        ("e0", "e1", "causal"), ("e1", "e3", "spawn"), ("e2", "e3", "message"), ("e3", "e4", "temporal"),
        ("e4", "e5", "return"), ("e5", "e6", "causal"),
    ],
    topology="centralized",
    time="ordinal",
    rewards={"team": 1.0},
    costs={"tokens": 12000, "wall_clock_s": 420, "tool_calls": 1, "messages": 1},
)  # fmt: skip
"""A trace in the fields of the minimal schema alone, of the shape of the published example."""


def team() -> Trace:
    """Return a lead with two parallel workers, one of whom fails; a person intervenes; calls overlap."""
    began = 1772960400
    made = Builder("team", "harbour", importer="by hand", content=Content(salt=""))
    asked = made.event("message", "user", began, to="lead", text="How deep is the harbour?")
    first = made.event(
        "orchestrator_decision", "lead", began + 4, decision=["O1", "O2"], tokens={"input": 90, "output": 10}
    )
    made.link(asked, first, "message")
    spawns = [made.event("spawn", "lead", began + 4, to=worker, role="reader", text="Read.") for worker in ("w1", "w2")]
    thinks = made.event("model_call", "w1", began + 6, tokens=30.0)
    calls = [made.event("tool_call", "w1", began + 6 + n, tool="search", parent=thinks) for n in range(2)]
    results = [
        made.event("tool_result", "w1", began + 8 + n, tool="search", parent=call, status="error" if n else None)
        for n, call in enumerate(calls)
    ]
    answers = made.event("model_call", "w1", began + 12, tokens=40.0)
    back = made.event("return", "w1", began + 12, to="lead")
    made.event("despawn", "w1", began + 12)
    lost = made.event("return", "w2", began + 9, to="lead", status="timeout", tokens=200.0)
    reads = made.event("aggregate", "lead", began + 15, decision=["O4"], tokens={"input": 5, "output": 5})
    made.event("human_intervention", "user", began + 16, to="lead")
    made.event("stop", "lead", began + 18, decision=["O5"])
    made.link(first, spawns[0], "causal")
    made.link(first, spawns[1], "causal")
    made.link(spawns[0], thinks, "spawn")
    made.link(spawns[1], lost, "causal")
    for call, result in zip(calls, results, strict=True):
        made.link(thinks, call, "causal")
        made.link(call, result, "tool_dependency")
    made.link(answers, back, "temporal")
    made.link(back, reads, "aggregate")
    made.link(lost, reads, "aggregate")
    made.agent("w1", name="scout", model="m-small")
    return made.build()


TEAM = team()

REAL = [
    (CLAUDE_CODE, "claude-code/parallel6-sync.jsonl"),
    (CLAUDE_CODE, "claude-code/parallel6-async.jsonl"),
    (MARBLE, "marble/star.jsonl"),
    (INSPECT, "inspect/utility_subagent_loop.json"),
    (WHO_AND_WHEN, "who-and-when/Hand-Crafted-11.json"),
]


def real_trace(real: Callable[[str], Path], importer: Importer, name: str) -> Trace:
    """The longest trace of a real log."""
    return max(importer.read(Log(real(name)), Content(salt="")), key=len)


NASTY = [
    "end", "a;b#1", "x: y", "<b>&amp;</b>", "%%{init: {}}%%", "a -->> b", "-", "+x", "as", "loop", "ﬂ°°35¶ß", "style: #35;",
    "ann", "bob", "cy", " ", "\n", "\x00", "𝔞\u202e", "wrap: off", "user", "environment", "@{ }", '"\'`\\', "Note over a", "$$x$$",
]  # fmt: skip

NAMES = st.sampled_from(NASTY)
IDS = st.sampled_from([f"e{number}" for number in range(8)])
TIMES = st.integers(0, 12) | st.floats(0, 20) | st.sampled_from([0, 1e10, 2.0**62])
AMOUNTS = st.integers(0, 50) | st.floats(0, 1e9)
KINDS = ("input", "output", "cache_read", "cache_write", "reasoning")

EVENTS = st.fixed_dictionaries(
    {"id": IDS, "t": TIMES, "type": st.sampled_from(EVENT_TYPES), "agent": NAMES},
    optional={
        "to": NAMES, "from": NAMES, "tool": NAMES | st.just(""), "role": NAMES, "agent_name": NAMES, "t_end": TIMES, "parent": IDS,
        "status": st.sampled_from(["ok", "error", "cancelled", "timeout", "rejected"]),
        "tokens": AMOUNTS | st.dictionaries(st.sampled_from(KINDS), AMOUNTS), "cost": AMOUNTS,
        "decision": st.lists(st.sampled_from(["O1", "O2", "O3", "O4", "O5"]), unique=True),
        "reward": st.integers(-3, 3) | st.dictionaries(NAMES, st.integers(-3, 3)), "delivered": TIMES | st.just(False),
        "transfer": st.booleans(), "trusted": st.booleans(), "content": NAMES, "colour": st.none() | st.lists(NAMES),
    },
)  # fmt: skip

EDGES = st.fixed_dictionaries({"src": IDS, "dst": IDS, "type": st.sampled_from(EDGE_TYPES)})

AGENTS = st.fixed_dictionaries({"id": NAMES}, optional={"name": NAMES, "role": NAMES, "model": NAMES})


def traces(most: int = 14) -> st.SearchStrategy[Trace]:
    """Return arbitrary traces that satisfy the structural schema; most are inconsistent."""
    documents = st.fixed_dictionaries(
        {
            "trace_id": NAMES,
            "task_id": NAMES,
            "events": st.lists(EVENTS, min_size=1, max_size=most),
            "edges": st.lists(EDGES, max_size=most),
            "rewards": st.just({}),
            "costs": st.just({"tokens": 0, "wall_clock_s": 0}),
        },
        optional={
            "schema_version": st.just(1),
            "time": st.sampled_from(["seconds", "ordinal", "mixed"]),
            "agents": st.lists(AGENTS, max_size=4),
            "source": st.sampled_from(
                [{}, {"started": "2026-03-08T09:30:00+00:00"}, {"started": "9999-12-31"}, {"started": "x"}]
            ),
        },
    )
    return documents.map(Trace.of)
