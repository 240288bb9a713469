"""R5: the reward of each call, term by term."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces.rewards import NotMeasurable, PartsNotMeasurable, tool_use
from tests.traces.rewards.runs import by_unit, run_of, search
from tests.traces.strategies import Json


def test_calls_are_paid_for_being_accepted_succeeding_and_being_new() -> None:
    paid = tool_use(search())
    assert by_unit(paid) == {"e6": 1.0, "e11": 0.5 - 0.5, "e15": 0.0}
    assert [one.why for one in paid] == [
        "it was accepted and succeeded; no earlier call was the same",
        "it was accepted and ended in an error; it repeats e6",
        "it was refused; no earlier call was the same",
    ]
    assert {(one.kind, one.family) for one in paid} == {("tool call", "R5")}


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({"valid": 1, "success": 0, "repeated": 0}, {"e6": 1, "e11": 1, "e15": 0}),
        ({"valid": 0, "success": 1, "repeated": 0}, {"e6": 1, "e11": 0, "e15": 0}),
        ({"valid": 0, "success": 0, "repeated": -1}, {"e6": 0, "e11": -1, "e15": 0}),
        ({"valid": 0, "success": 0, "repeated": 0, "cost": -2}, {"e6": -0.5, "e11": -1, "e15": 0}),
    ],
    ids=["validity", "success", "redundancy", "cost"],
)
def test_each_term_alone(weights: Any, expected: dict[str, float]) -> None:
    assert by_unit(tool_use(search(), **weights)) == expected


@pytest.mark.parametrize(
    ("status", "reward"), [("ok", 1), ("error", 0.5), ("timeout", 0.5), ("cancelled", 0.5), ("rejected", 0)]
)
def test_only_a_refused_call_is_invalid_and_only_an_ok_one_a_success(status: str, reward: float) -> None:
    events: list[Json] = [
        {"type": "tool_call", "tool": "t"},
        {"type": "tool_result", "tool": "t", "parent": "e1", "status": status},
    ]
    assert by_unit(tool_use(run_of(events), repeated=0)) == {"e1": reward}


def test_the_same_tool_with_the_same_words_is_a_repetition_whoever_calls_and_another_tool_is_none() -> None:
    events: list[Json] = [
        {"type": "tool_call", "tool": "t", "content_ref": "q"},
        {"type": "tool_call", "tool": "u", "content_ref": "q"},
        {"type": "tool_call", "tool": "t", "content_ref": "q"},
        {"type": "tool_call", "tool": "t"},
    ]
    paid = tool_use(run_of(events), valid=0, success=0)
    assert by_unit(paid) == {"e1": 0, "e2": 0, "e3": -0.5, "e4": 0}
    assert paid[3].why == "it is unknown whether it repeats another"


def calls(*made: str, status: str = "ok") -> list[Json]:
    """Calls of the form "tool content", each with a result."""
    events: list[Json] = []
    for one in made:
        tool, content = one.split()
        events.append({"type": "tool_call", "tool": tool, "content_ref": content})
        events.append({"type": "tool_result", "tool": tool, "parent": f"e{len(events)}", "status": status})
    return events


@pytest.mark.parametrize(
    ("made", "fined"),
    [
        ("bash pytest, Edit a, bash pytest", []),
        ("bash pytest, bash pytest", [1]),
        ("bash pytest, bash pytest, bash pytest", [1, 2]),
        ("grep x, read a, grep x", [2]),
        ("grep x, apply_patch a, grep x, grep x", [3]),
        ("read a, MultiEdit a, read a, read a", [3]),
        ("Edit a, read b, Edit a", [2]),
    ],
)
def test_a_test_that_is_run_again_after_an_edit_is_no_repetition(made: str, fined: list[int]) -> None:
    paid = tool_use(run_of(calls(*made.split(", "))), valid=0, success=0)
    assert [place for place, one in enumerate(paid) if one.reward] == fined


def test_which_tools_change_something_may_be_said_and_a_refused_call_changes_nothing() -> None:
    run = run_of(calls("read a", "touch b", "read a"))
    assert [one.reward for one in tool_use(run, valid=0, success=0)] == [0, 0, -0.5]
    assert [one.reward for one in tool_use(run, valid=0, success=0, changing=["touch"])] == [0, 0, 0]
    refused = run_of(calls("read a", "Edit b", "read a", status="rejected"))
    assert [one.reward for one in tool_use(refused, valid=0, success=0)] == [0, 0, -0.5]


def test_a_call_whose_result_is_missing_has_no_row() -> None:
    events: list[Json] = [
        {"type": "tool_call", "tool": "t", "content_ref": "a"},
        {"type": "tool_call", "tool": "u", "content_ref": "b"},
        {"type": "tool_result", "tool": "t", "parent": "e1"},
    ]
    assert by_unit(tool_use(run_of(events))) == {"e1": 1.0}


def test_what_a_call_says_of_itself_counts_before_its_result() -> None:
    events: list[Json] = [
        {"type": "tool_call", "tool": "t", "status": "rejected"},
        {"type": "tool_result", "tool": "t", "parent": "e1"},
    ]
    assert by_unit(tool_use(run_of(events), repeated=0)) == {"e1": 0.0}


def test_a_call_can_be_priced_in_seconds_or_tokens() -> None:
    only: dict[str, Any] = {"valid": 0.0, "success": 0.0, "repeated": 0.0, "cost": -1.0}
    events: list[Json] = [
        {"type": "tool_call", "tool": "t", "t": 1, "tokens": 5},
        {"type": "tool_result", "tool": "t", "parent": "e1", "t": 2, "t_end": 4, "tokens": 20},
    ]
    assert tool_use(run_of(events), **only, price="seconds")[0].reward == -3
    (paid,) = tool_use(run_of(events), **only, price="tokens")
    assert (paid.reward, paid.why) == (-25, "it cost 25 tokens")


CALL: Json = {"type": "tool_call", "tool": "t"}
MISSING: list[tuple[list[Json], dict[str, Any], dict[str, Any], str]] = [
    ([{"type": "model_call"}], {}, {}, "needs tool calls: nobody called a tool"),
    ([CALL], {"repeated": 0}, {}, "valid: needs a result of a tool call; success: needs a result of a tool call (a weight of 0 leaves a part out)"),
    ([CALL], {"valid": 0, "success": 0}, {}, "repeated: needs a content_ref on tool calls: none has one (a weight of 0 leaves a part out)"),
    ([CALL], {"valid": 0, "success": 0, "repeated": 0, "cost": -1}, {}, "cost: needs the price of every call: 1 call of 1 without cost (a weight of 0 leaves a part out)"),
    ([CALL], {"valid": 0, "success": 0, "repeated": 0, "cost": -1, "price": "seconds"}, {"time": "ordinal"}, "cost: needs times in seconds: its times are ordinal (a weight of 0 leaves a part out)"),
]  # fmt: skip


@pytest.mark.parametrize(("events", "weights", "head", "reason"), MISSING, ids=[row[3][:30] for row in MISSING])
def test_missing_data_is_named(events: list[Json], weights: Any, head: Any, reason: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        tool_use(run_of(events, **head), **weights)
    assert str(raised.value) == reason


def test_the_parts_that_are_missing_are_named_for_programs_too() -> None:
    with pytest.raises(PartsNotMeasurable) as raised:
        tool_use(run_of([CALL]))
    assert list(raised.value.reasons) == ["valid", "success", "repeated"]


def test_no_weight_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="all weights are 0"):
        tool_use(search(), valid=0, success=0, repeated=0)
