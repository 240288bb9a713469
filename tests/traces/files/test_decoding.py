"""The fast decoding path accepts what the schema accepts, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import EDGE_TYPES, EVENT_TYPES
from survey.traces.checks.validation import EDGES, EVENTS, Validator
from survey.traces.files.decoding import edges, events
from survey.traces.model import EVENT_FIELDS, LARGEST, Event
from survey.traces.model.event import UNNAMED
from tests.traces.strategies import MODEST, Json, jsons

VALID = {part: Validator(schema) for part, schema in (("events", EVENTS), ("edges", EDGES))}
GOOD: Json = {"id": "e1", "t": 0, "type": "stop", "agent": "a"}

likely = st.one_of(
    st.sampled_from(
        [0, 1, -1, 2.5, -0.0, 10**9, 1e300, -1e300, 2**64, True, False, None, "", "e1", "ok", "error", "O1", [], {}]
    ),
    st.sampled_from(EVENT_TYPES),
    st.lists(st.sampled_from(["O1", "O2", "O9", 1]), max_size=3),
    st.dictionaries(
        st.sampled_from(["input", "output", "reasoning", "judge"]),
        st.sampled_from([0, 3, -1, 0.5, None, "x", 1e300]),
        max_size=2,
    ),
    st.text(max_size=4),
    jsons,
)
maybe_events = st.builds(
    lambda good, fields, left_out: {key: value for key, value in {**good, **fields}.items() if key not in left_out},
    st.fixed_dictionaries(
        {
            "id": st.text(min_size=1, max_size=4),
            "t": st.integers(0, 10**6) | st.floats(0, 1e6),
            "type": st.sampled_from(EVENT_TYPES),
            "agent": st.just("a"),
        }
    ),
    st.dictionaries(st.sampled_from(sorted(EVENT_FIELDS)), likely, max_size=2),
    st.sets(st.sampled_from(["id", "t", "type", "agent", "x", "y", "z"]), max_size=1),
)
good_events = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=4), "t": st.integers(0, 10**6), "type": st.sampled_from(EVENT_TYPES), "agent": st.text(min_size=1, max_size=3)},
    optional={
        "agent_name": st.text(max_size=3), "role": st.text(max_size=3), "from": st.text(max_size=3), "to": st.text(max_size=3),
        "tool": st.text(max_size=3), "t_end": st.floats(0, 1e9), "status": st.sampled_from(["ok", "error", "cancelled", "timeout", "rejected"]),
        "tokens": st.integers(0, 9) | st.dictionaries(st.sampled_from(["input", "output", "cache_read", "cache_write", "reasoning"]), st.floats(0, 1e6)),
        "cost": st.floats(0, 1e6), "parent": st.text(min_size=1, max_size=3), "transfer": st.booleans(),
        "decision": st.lists(st.sampled_from(["O1", "O2", "O3", "O4", "O5"]), unique=True),
        "reward": st.floats(-1e9, 1e9) | st.dictionaries(st.text(max_size=3), st.integers(-9, 9)),
        "delivered": st.just(False) | st.floats(0, 1e9), "content_ref": st.text(max_size=3), "content": st.text(max_size=6), "trusted": st.booleans(),
    },
)  # fmt: skip
maybe_edges = st.dictionaries(
    st.sampled_from(["src", "dst", "type"]), st.sampled_from(["e1", "", "ü:", 3, None, *EDGE_TYPES]), min_size=1
)


def sound(value: Any) -> bool:
    """Return whether no number in a value is too large."""
    if isinstance(value, dict):
        return all(map(sound, value.values()))
    if isinstance(value, list):
        return all(map(sound, value))
    return isinstance(value, (bool, str)) or value is None or abs(value) < LARGEST


@MODEST
@given(st.lists(maybe_events, max_size=2), st.booleans())
def test_events_that_are_taken_fast_are_valid_sound_and_unchanged(items: list[Json], ascii: bool) -> None:
    found = events(json.dumps(items, ensure_ascii=ascii))
    if found is not None:
        assert list(VALID["events"](items)) == []
        assert all(map(sound, items))
        assert [event.to_json() for event in found] == items


@MODEST
@given(st.lists(good_events, max_size=3))
def test_valid_events_are_taken_fast(items: list[Json]) -> None:
    assert list(VALID["events"](items)) == []
    found = events(json.dumps(items, ensure_ascii=False))
    if "\\u003" in json.dumps(items, ensure_ascii=False):
        return  # may be left to the slow path
    assert found is not None
    assert [event.to_json() for event in found] == items


@MODEST
@given(st.lists(maybe_edges, max_size=2))
def test_edges_are_taken_fast_if_and_only_if_they_are_valid(items: list[Json]) -> None:
    found = edges(json.dumps(items, ensure_ascii=False))
    assert (found is not None) == (not list(VALID["edges"](items)))


@MODEST
@given(maybe_events)
def test_an_event_preserves_its_fields(item: Json) -> None:
    if not [
        found for found in VALID["events"]([item]) if found.path[1:2] in [(), ("id",), ("t",), ("type",), ("agent",)]
    ] and sound(item):
        assert Event.of(item).to_json() == item


CAREFUL = [
    ("an unknown field", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "colour": "red"}'),
    ("null", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "role": null}'),
    ("a key twice", '{"id": "e1", "t": 0, "t": 1, "type": "stop", "agent": "a"}'),
    ("a key twice in tokens", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "tokens": {"input": 1, "input": 2}}'),
    ("a key twice in rewards", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "reward": {"x": 1, "x": 2}}'),
    ("a key twice, and an escaped colon", '{"id": "e\\u003a1", "t": 0, "t": 1, "type": "stop", "agent": "a"}'),
    ("an escaped key twice", '{"id": "e1", "t": 0, "\\u0074": 1, "type": "stop", "agent": "a"}'),
    ("a huge cost", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "cost": 1e300}'),
    ("a huge end", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "t_end": 1e300}'),
    ("huge tokens", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "tokens": {"input": 1e300}}'),
    ("a huge reward", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "reward": -1e300}'),
    ("a time with more digits than a float", '{"id": "e1", "t": 9007199254740993, "type": "stop", "agent": "a"}'),
    ("delivered: true", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "delivered": true}'),
    ("a decision twice", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "decision": ["O1", "O1"]}'),
    ("a number as text", '{"id": "e1", "t": "0", "type": "stop", "agent": "a"}'),
    ("a truth value as number", '{"id": "e1", "t": true, "type": "stop", "agent": "a"}'),
    ("the name that a field of ours has inside", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "\ue000": {"x": 1}}'),
    ("our names of fields", '{"id": "e1", "t": 0, "type": "stop", "agent": "a", "from_": "b", "tokens_": 3}'),
]  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in CAREFUL], ids=[row[0] for row in CAREFUL])
def test_the_unusual_is_left_to_the_careful_reader(text: str) -> None:
    assert events(f"[{text}]") is None


def test_the_usual_is_not() -> None:
    assert events(json.dumps([GOOD])) == [Event.of(GOOD)]


@pytest.mark.parametrize("said", ["null", "a: b", '"t": 1, "t": 2'])
def test_what_a_text_says_is_no_reason_for_care(said: str) -> None:
    event = {**GOOD, "content": said}
    assert events(json.dumps([event])) == [Event.of(event)]
    edge = {"src": said, "dst": "e2", "type": "causal"}
    found = edges(json.dumps([edge]))
    assert found is not None
    assert [found[0].src, found[0].dst, found[0].type] == list(edge.values())


@pytest.mark.parametrize("text", ["[", "[{]", "[{}", '[{"id": }]', "", "[1,]", '["\\x"]'])
def test_what_is_no_json_raises(text: str) -> None:
    for read in (events, edges):
        with pytest.raises(ValueError):
            read(text)


ODD: list[dict[str, Any]] = [
    {"role": None},
    {"tokens": {"input": 5, "output": None}},
    {"tokens": {"input": 5, "colour": 1}},
    {"tokens": 10**400},
    {"delivered": True},
    {"decision": ["O1", "O1"]},
    {"decision": "O1"},
    {"colour": "red"},
    {"trusted": "yes"},
    {"status": "unheard of"},
    {"reward": {"quality": 1}},
    {UNNAMED: {}},
]


@pytest.mark.parametrize("odd", [{}, *ODD], ids=str)
def test_fast_and_slow_conversion_give_the_same_event(odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"id": "e1", "t": 2, "type": "message", "agent": "a", "to": "b", **odd}
    quick = Event.of(fields)
    monkeypatch.setattr("survey.traces.model.event._is_lossless", lambda fields: False)
    careful = Event.of(fields)
    assert quick == careful
    assert all(name in quick.to_json() for name, value in odd.items() if value is not None)
