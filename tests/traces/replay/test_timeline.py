"""Busy times, waiting times and the critical path."""

from __future__ import annotations

import pytest

from survey.traces import replay
from survey.traces.replay import Delegation, Timeline, delegations, profile, timeline, union
from tests.traces.strategies import Json, small

Edges = list[tuple[str, str, str]]
TURN: Json = {"type": "model_call"}
SPAWN: Json = {"type": "spawn", "to": "a"}
WORK: Json = {"type": "model_call", "agent": "a"}
BACK: Json = {"type": "return", "agent": "a", "to": "lead"}


def line(events: list[Json], edges: Edges | None = None) -> Timeline:
    return timeline(replay(small(events, edges)))


def pieces(events: list[Json], edges: Edges | None = None) -> list[Delegation]:
    return delegations(replay(small(events, edges)))


def test_an_event_took_the_time_since_what_its_agent_did_before() -> None:
    found = line([TURN, {**TURN, "t": 3}, {**TURN, "t": 7}])
    assert (list(found.starts), list(found.ends)) == ([0, 0, 3], [0, 3, 7])
    assert found.work == {"lead": 7}


def test_the_first_event_of_an_agent_that_waits_for_nothing_took_no_time() -> None:
    assert line([{**TURN, "t": 5}]).work == {}


def test_an_event_begins_when_the_last_thing_it_waits_for_is_there() -> None:
    found = line([SPAWN, {**WORK, "t": 4}, {**TURN, "t": 6}], [("e1", "e2", "spawn"), ("e2", "e3", "return")])
    assert (list(found.starts), list(found.ends)) == ([0, 0, 4], [0, 4, 6])
    assert found.waiting["agents"] == {"lead": 4}
    assert dict(found.busy) == {"a": [(0, 4)], "lead": [(4, 6)]}


def test_an_event_that_says_its_span_took_no_longer_and_the_rest_was_idle() -> None:
    found = line([TURN, {**TURN, "t": 3, "t_end": 5}])
    assert found.work == {"lead": 2}
    assert found.idle == {"lead": 3}


def test_what_a_tool_did_is_the_time_of_who_called() -> None:
    events: list[Json] = [TURN, {"type": "tool_call", "t": 1}, {"type": "tool_result", "t": 5, "agent": "search"}]
    found = line(events, [("e2", "e3", "tool_dependency")])
    assert found.actors == ["lead"] * 3
    assert found.work == {"lead": 5}


@pytest.mark.parametrize("person", ["user", "environment"])
def test_time_taken_by_people_is_waiting_and_not_work(person: str) -> None:
    events: list[Json] = [TURN, {"type": "human_intervention", "agent": person, "t": 50}, {**TURN, "t": 52}]
    found = line(events, [("e1", "e2", "causal"), ("e2", "e3", "causal")])
    assert found.work == {"lead": 2}
    assert found.waiting["people"] == {"lead": 50}


def test_the_critical_path_is_the_heaviest_chain() -> None:
    events: list[Json] = [
        SPAWN,
        {**SPAWN, "to": "b", "t": 0},
        {**WORK, "t": 9},
        {**TURN, "agent": "b", "t": 4},
        {**TURN, "t": 10},
    ]
    edges = [("e1", "e3", "spawn"), ("e2", "e4", "spawn"), ("e3", "e5", "return"), ("e4", "e5", "return")]
    replayed = replay(small(events, edges))
    path = timeline(replayed).critical_path()
    assert [replayed.graph.events[place].id for place in path] == ["e1", "e3", "e5"]
    assert timeline(replayed).longest_s[-1] == 10


def test_of_tokens_and_steps_the_heaviest_chain_may_be_another() -> None:
    events: list[Json] = [
        SPAWN,
        {**SPAWN, "to": "b", "t": 0},
        {**WORK, "t": 9},
        {**TURN, "agent": "b", "t": 4, "tokens": 700},
        {**TURN, "t": 10, "tokens": 1},
    ]
    edges = [("e1", "e3", "spawn"), ("e2", "e4", "spawn"), ("e3", "e5", "return"), ("e4", "e5", "return")]
    found = line(events, edges)
    assert (found.longest_tokens[-1], found.longest_steps[-1]) == (701, 2)


def test_an_event_that_ends_before_it_begins_took_no_time() -> None:
    assert line([{**TURN, "t": 5, "t_end": 3}]).work == {}


def test_a_piece_of_work_lasts_from_the_handing_out_to_the_return() -> None:
    assert pieces([TURN, SPAWN, WORK, WORK, BACK]) == [Delegation("a", 1, 4, "lead", 1, "ok", 2)]


def test_a_second_piece_of_work_begins_with_the_delegation() -> None:
    again: Json = {"type": "delegate", "to": "a"}
    assert [
        (delegation.start, delegation.end, delegation.steps)
        for delegation in pieces([SPAWN, WORK, BACK, again, WORK, WORK, BACK])
    ] == [(0, 2, 1), (3, 6, 2)]


def test_a_delegation_while_at_work_is_part_of_that_work() -> None:
    assert len(pieces([SPAWN, WORK, {"type": "delegate", "to": "a"}, WORK, BACK])) == 1


def test_work_without_a_return_lasts_until_the_last_act_and_is_open() -> None:
    assert pieces([SPAWN, WORK, {**WORK, "t_end": 6}, {**TURN, "t": 9}]) == [
        Delegation("a", 0, 6, "lead", 0, "open", 2)
    ]


def test_work_without_a_return_ends_when_the_agent_is_gone() -> None:
    assert pieces([SPAWN, WORK, {"type": "despawn", "to": "a", "t": 5}]) == [
        Delegation("a", 0, 5, "lead", 0, "open", 1)
    ]


def test_the_status_of_a_piece_of_work_is_that_of_its_return() -> None:
    assert pieces([SPAWN, {**BACK, "status": "timeout"}])[0].status == "timeout"


def test_work_that_never_shows_took_no_time() -> None:
    assert pieces([TURN, SPAWN]) == [Delegation("a", 1, 1, "lead", 1, "open", 0)]


def test_a_trace_without_events_has_an_empty_timeline() -> None:
    assert line([]).critical_path() == []


@pytest.mark.parametrize(
    ("spans", "covered", "levels"),
    [
        ([], 0, {}),
        ([(1, 1)], 0, {}),
        ([(0, 2), (2, 3)], 3, {1: 3}),
        ([(0, 4), (1, 2), (1, 3)], 4, {1: 2, 2: 1, 3: 1}),
        ([(5, 6), (0, 1)], 2, {0: 4, 1: 2}),
    ],
    ids=["none", "a point", "touching", "nested", "apart"],
)
def test_spans_are_laid_over_each_other(
    spans: list[tuple[float, float]], covered: float, levels: dict[int, float]
) -> None:
    assert union(spans) == covered
    assert profile(spans) == levels
