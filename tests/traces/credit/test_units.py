"""Units of credit, and what is removed with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import survey.traces
from survey.traces import Trace, read
from survey.traces.credit import KINDS, NotMeasurable, units
from survey.traces.credit.units import parts
from survey.traces.replay import without
from tests.traces.credit.drawn import MODEST
from tests.traces.strategies import Json, small, traces

EXAMPLE = read(Path(survey.traces.__file__).parent / "model" / "example.json")

OF_THE_EXAMPLE = {
    "team": ["team"],
    "orchestrator": ["e2", "e21", "e26"],
    "role": ["lead", "searcher", "writer"],
    "agent": ["lead", "searcher-1", "searcher-2", "writer"],
    "turn": ["e2", "e5", "e6", "e10", "e12", "e18", "e21", "e23", "e26"],
    "message": ["e13"],
    "tool-call": ["e7", "e8", "e16"],
}


@pytest.mark.parametrize("kind", OF_THE_EXAMPLE)
def test_the_units_of_the_example(kind: str) -> None:
    assert units(EXAMPLE, kind) == OF_THE_EXAMPLE[kind]


def test_tokens_are_counted_turn_by_turn() -> None:
    trace = small(
        [{"type": "model_call", "tokens": {"input": 9, "output": 2}}, {"type": "aggregate", "tokens": {"output": 1}}]
    )
    assert units(trace, "token") == ["e1:0", "e1:1", "e2:0"]


def test_a_role_is_all_its_agents() -> None:
    assert parts(EXAMPLE, "role")["searcher"] == ("searcher-1", "searcher-2")


def test_spawns_stand_for_the_choices_of_one_whose_deciding_is_not_in_the_trace() -> None:
    spawn: Json = {"type": "spawn", "to": "a"}
    assert units(small([spawn, {"type": "delegate", "to": "a"}]), "orchestrator") == ["e1", "e2"]
    assert units(small([{"type": "orchestrator_decision"}, spawn]), "orchestrator") == ["e1"]


MISSING: list[tuple[str, list[Json], str]] = [
    ("message", [{"type": "model_call"}], "needs messages: nobody sends one"),
    ("tool-call", [{"type": "model_call"}], "needs tool calls: nobody makes one"),
    ("role", [{"type": "model_call"}], "needs roles: no agent has one"),
    ("orchestrator", [{"type": "model_call"}], "needs choices of an orchestrator: nobody decides, spawns or delegates"),
    ("turn", [{"type": "spawn", "to": "a"}], "needs turns: no agent takes one"),
    (
        "token",
        [{"type": "model_call", "tokens": 5}],
        'needs the output tokens of every turn (tokens.output): "e1" does not record them',
    ),
    ("agent", [{"type": "human_intervention", "agent": "user"}], "needs agents: nobody acts"),
    (
        "agent",
        [{"type": "model_call", "agent": "e1"}],
        '"e1" is the name of an agent and of an event: it is ambiguous which one to remove',
    ),
]


@pytest.mark.parametrize(("kind", "events", "said"), MISSING, ids=[f"{row[0]}: {row[2][:20]}" for row in MISSING])
def test_missing_data_is_named(kind: str, events: list[Json], said: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        units(small(events), kind)
    assert str(raised.value) == said


def test_a_kind_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r'"mesage" is not a kind of unit \(did you mean "message"\?\)'):
        units(EXAMPLE, "mesage")


@MODEST
@given(traces())
def test_every_unit_can_be_taken_out_and_is_gone_then(trace: Trace) -> None:
    for kind in KINDS[:-1]:
        try:
            pieces = parts(trace, kind)
        except NotMeasurable:
            continue
        for ids in pieces.values():
            left: Any = {name for event in without(trace, *ids) for name in (event.id, event.agent)}
            assert left.isdisjoint(ids)
