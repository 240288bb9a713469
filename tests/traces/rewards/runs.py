"""Runs for tests of rewards: two written by hand, and valid ones drawn by Hypothesis with random rewards."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from survey.traces import Trace, replay
from survey.traces.rewards import Reward, Run
from tests.traces.strategies import Json, documents, small


def run_of(events: list[Json], edges: list[tuple[str, str, str]] | None = None, **head: Any) -> Run:
    """Return a replayed trace from a short description."""
    return Run(replay(small(events, edges, **head)))


def by_unit(found: list[Reward]) -> dict[str, float]:
    """Return the reward of each unit, in the order of the rewards."""
    return {one.unit: one.reward for one in found}


def by_part(found: list[Reward]) -> dict[str, float]:
    """Return the reward of each part of a family."""
    return {one.part: one.reward for one in found}


def search(**head: Any) -> Run:
    """A lead delegates a question to a, b and c at once. All three call the same tool,
    b with the input of a; c never returns.

    lead  |0-1|                |6--8|
    a         |1-------4|
    b         |1------3|
    c         |1-2|
    """
    events: list[Json] = [
        {"type": "orchestrator_decision", "t": 0, "t_end": 1, "reward": {"plan": 0.25, "form": 0.125}},
        {"type": "spawn", "t": 1, "to": "a", "role": "searcher"},
        {"type": "spawn", "t": 1, "to": "b", "role": "searcher"},
        {"type": "spawn", "t": 1, "to": "c", "role": "searcher"},
        {"type": "model_call", "t": 1, "t_end": 2, "agent": "a", "reward": 0.5},
        {"type": "tool_call", "t": 2, "agent": "a", "tool": "find", "content_ref": "q", "cost": 0.25},
        {"type": "tool_result", "t": 3, "agent": "a", "tool": "find", "parent": "e6", "tokens": 40},
        {"type": "model_call", "t": 3, "t_end": 4, "agent": "a", "reward": -0.25},
        {"type": "return", "t": 4, "agent": "a", "to": "lead", "content_ref": "fact-1"},
        {"type": "model_call", "t": 1, "t_end": 2, "agent": "b"},
        {"type": "tool_call", "t": 2, "agent": "b", "tool": "find", "content_ref": "q", "cost": 0.5},
        {"type": "tool_result", "t": 3, "agent": "b", "tool": "find", "parent": "e11", "status": "error"},
        {"type": "return", "t": 3, "agent": "b", "to": "lead", "reward": 1},
        {"type": "model_call", "t": 1, "t_end": 2, "agent": "c"},
        {"type": "tool_call", "t": 2, "agent": "c", "tool": "find", "content_ref": "other", "status": "rejected", "cost": 0},
        {"type": "aggregate", "t": 6, "t_end": 8, "reward": 1.5},
    ]  # fmt: skip
    edges = [
        ("e1", "e2", "causal"), ("e1", "e3", "causal"), ("e1", "e4", "causal"),
        ("e2", "e5", "spawn"), ("e5", "e6", "causal"), ("e6", "e7", "tool_dependency"), ("e7", "e8", "temporal"), ("e8", "e9", "temporal"),
        ("e3", "e10", "spawn"), ("e10", "e11", "causal"), ("e11", "e12", "tool_dependency"), ("e12", "e13", "temporal"),
        ("e4", "e14", "spawn"), ("e14", "e15", "causal"), ("e9", "e16", "aggregate"),
    ]  # fmt: skip
    return run_of(events, edges, **head)


def debate_run(**head: Any) -> Run:
    """Three debaters: a and b end with the same answer, c with another; judges score the messages of a and b."""
    events: list[Json] = [
        {"type": "message", "agent": "a", "to": "b", "content_ref": "no", "reward": {"judge": 0.5, "rules": 1.0}},
        {"type": "message", "agent": "b", "to": "a", "content_ref": "yes", "reward": {"judge": 0.25}},
        {"type": "message", "agent": "c", "to": "a", "content_ref": "no"},
        {"type": "message", "agent": "a", "to": "b", "content_ref": "yes"},
    ]
    return run_of(events, **{"topology": "debate", **head})


points = st.integers(-8, 8).map(lambda quarters: quarters / 4)


@st.composite
def paid_documents(draw: st.DrawFn) -> Json:
    """Draw valid traces with rewards on some of their events."""
    document = draw(documents())
    for event in document["events"]:
        if draw(st.integers(0, 2)) == 0:
            event["reward"] = draw(
                st.one_of(points, st.dictionaries(st.sampled_from(["judge", "form"]), points, min_size=1))
            )
    if draw(st.booleans()):
        document["rewards"]["team"] = draw(points)
    return document


def paid_runs() -> st.SearchStrategy[Run]:
    """The same, replayed."""
    return paid_documents().map(lambda document: Run(replay(Trace.of(document))))
