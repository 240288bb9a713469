"""Savings from the graph: equivalent coalitions, and units without influence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import (
    KINDS,
    VALUES,
    NotMeasurable,
    bystanders,
    exact,
    game_of,
    outcome,
    reach,
    without_bystanders,
)
from tests.traces.credit.drawn import MODEST, fork, shares
from tests.traces.strategies import Json, small, traces

kinds = st.sampled_from([kind for kind in KINDS if kind not in ("team", "token")])


@MODEST
@given(traces(), kinds, st.data())
def test_coalitions_that_come_to_the_same_are_worth_the_same(trace: Trace, kind: str, data: st.DataObject) -> None:
    scored = trace.with_head(rewards={"team": 1.0})
    for name in VALUES:
        try:
            game = game_of(scored, kind, VALUES[name](scored))
        except NotMeasurable:
            continue
        plain = replace(game, dependents=(), known={})
        for _ in range(4):
            present = data.draw(st.sets(st.sampled_from(game.units)))
            assert game(present) == pytest.approx(plain(present))


@MODEST
@given(traces(30), kinds, st.data())
def test_a_bystander_never_changes_what_any_coalition_is_worth(trace: Trace, kind: str, data: st.DataObject) -> None:
    scored = trace.with_head(rewards={"team": 1.0})
    for name in VALUES:
        try:
            idle = bystanders(scored, kind)
            game = replace(game_of(scored, kind, VALUES[name](scored)), dependents=(), known={})
        except NotMeasurable:
            continue
        for unit in sorted(idle)[:4]:
            present = data.draw(st.sets(st.sampled_from(game.units)))
            assert game(present | {unit}) == pytest.approx(game(present - {unit})), (name, unit)


@MODEST
@given(traces(), kinds)
def test_leaving_bystanders_out_leaves_exact_values_as_they_are(trace: Trace, kind: str) -> None:
    try:
        value = reach(trace)
        game = game_of(trace, kind, value)
    except NotMeasurable:
        return
    if len(game.units) <= 8:
        assert shares(without_bystanders(trace, kind, value)) == pytest.approx(shares(exact(game)))


def test_bystanders_are_not_evaluated() -> None:
    done: list[tuple[int, int]] = []
    found = without_bystanders(
        fork(), "agent", outcome(fork()), progress=lambda number, whole: done.append((number, whole))
    )
    assert found[-1].unit == "idle"
    assert found[-1].why == "nothing of it reaches a final act: not evaluated"
    assert done[-1] == (9, 9)  # of 32 coalitions, 16 are without the bystander, and 8 of those without the lead are one


def test_samples_are_drawn_among_the_others() -> None:
    found = {share.unit: share for share in without_bystanders(fork(), "agent", outcome(fork()), samples=50)}
    assert found["idle"].low is None
    assert found["lead"].low is not None
    assert sum(share.value for share in found.values()) == pytest.approx(1)


HELPER: Json = {"agent": "helper"}
RETURN: Json = {"type": "return", **HELPER, "to": "lead"}

NEEDED: list[tuple[str, str, list[Json], list[tuple[str, str, str]]]] = [
    ("what hands on the work of another", "message",
     [{"type": "model_call"}, {"type": "model_call", "tokens": 5, **HELPER}, RETURN, {"type": "message", "agent": "b", "to": "c"}, {"type": "aggregate"}],
     [("e3", "e4", "temporal"), ("e4", "e5", "temporal")]),
    ("what brings somebody back who was stopped", "orchestrator",
     [{"type": "spawn", "to": "helper"}, {"type": "stop", "to": "helper"}, {"type": "delegate", "to": "helper"}, {"type": "model_call", "tokens": 5, **HELPER}, RETURN, {"type": "aggregate"}],
     [("e5", "e6", "temporal")]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "events", "edges"), [row[1:] for row in NEEDED], ids=[row[0] for row in NEEDED])
def test_no_bystander_is(kind: str, events: list[Json], edges: list[tuple[str, str, str]]) -> None:
    trace = small(events, edges)
    assert bystanders(trace, kind) == set()
    assert all(own.value > 0 for own in without_bystanders(trace, kind, reach(trace, "tokens")))
