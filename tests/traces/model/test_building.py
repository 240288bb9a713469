"""The builder produces valid traces."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.model import Builder, Content


def builder(**options: Any) -> Builder:
    return Builder("run", "task", importer="by hand", **{"content": Content(salt="s"), **options})


def edges(trace: Trace) -> list[tuple[str, str, str]]:
    return [(edge.src, edge.dst, edge.type) for edge in trace.edges]


def test_time_starts_with_the_first_event_and_the_start_is_recorded() -> None:
    made = builder()
    made.event("model_call", "lead", 1_700_000_005.5, t_end=1_700_000_007.0)
    made.event("model_call", "lead", 1_700_000_003.0)
    trace = made.build()
    assert [(event.id, event.t, event.t_end) for event in trace] == [("e1", 0, None), ("e2", 2.5, 4.0)]
    assert trace.source["started"] == "2023-11-14T22:13:23+00:00"
    assert trace.costs["wall_clock_s"] == 4


def test_in_an_ordinal_trace_events_count_up_as_they_are_written() -> None:
    made = builder(time="ordinal")
    for _ in range(3):
        made.event("model_call", "lead")
    trace = made.build()
    assert [event.t for event in trace] == [0, 1, 2]
    assert (trace.time, trace.costs["wall_clock_s"]) == ("ordinal", 0)


def test_an_effect_dated_before_its_cause_is_moved_and_counted() -> None:
    made = builder()
    cause = made.event("model_call", "a", 10)
    effect = made.event("model_call", "b", 9)
    made.link(cause, effect, "causal")
    trace = made.build()
    assert [event.t for event in trace] == [0, 0]
    assert trace.source["lost"] == [{"what": "events dated before their cause, moved to its time", "count": 1}]
    assert not check(trace).errors


def test_events_of_an_agent_are_joined_in_their_order_unless_they_are_linked() -> None:
    made = builder()
    first, second, third = (made.event("model_call", "lead", t) for t in (1, 2, 3))
    made.event("model_call", "other", 1.5)
    made.link(first, second, "causal")
    assert edges(made.build()) == [("e1", "e3", "causal"), ("e3", "e4", "temporal")]
    assert third == "e3"


def test_how_well_links_are_known_is_counted() -> None:
    made = builder()
    a, b, c = (made.event("model_call", name, 1) for name in "abc")
    made.link(a, b, "causal")
    made.link(b, c, "causal", derived=True)
    made.link(None, c, "causal")
    made.link(a, b, "message")
    made.link(a, a, "causal")
    assert made.build().head["link_quality"] == {"exact": 1, "derived": 1, "missing": 1}


def test_costs_are_those_of_the_events_unless_the_log_says_more() -> None:
    made = builder()
    call = made.event("tool_call", "lead", 0, tool="x", cost=0.25)
    made.event("tool_result", "lead", 1, parent=call, tokens={"input": 5, "reasoning": 2})
    made.event("message", "lead", 2, to="user", tokens=3)
    made.costs["gpu_s"] = 7.0
    assert made.build().costs == {
        "tokens": 8,
        "wall_clock_s": 2,
        "tool_calls": 1,
        "messages": 0,
        "usd": 0.25,
        "gpu_s": 7.0,
    }


def test_free_text_is_hashed_and_the_same_text_has_the_same_hash() -> None:
    made = builder()
    for text in ("secret", "secret", "other", ""):
        made.event("model_call", "lead", 0, text=text)
    trace = made.build()
    references = [event.content_ref for event in trace]
    assert references[0] == references[1] != references[2]
    assert references[0] is not None
    assert references[0].endswith(":6")
    assert references[3] is None
    assert "secret" not in json.dumps(trace.to_json())


def test_without_a_salt_two_runs_hash_differently() -> None:
    assert Content().fields("secret") != Content().fields("secret")


def test_free_text_is_stored_on_request() -> None:
    assert Content(keep=True, salt="s").fields("hello")["content"] == "hello"


def test_text_that_is_no_unicode_is_hashed_still() -> None:
    assert Content(salt="s").fields("\ud800")["content_ref"].endswith(":1")


def test_a_salt_of_any_length_counts_to_its_last_letter() -> None:
    assert Content(salt="s" * 64 + "a").fields("x") != Content(salt="s" * 64 + "b").fields("x")


def test_what_is_lost_is_added_up() -> None:
    made = builder()
    made.event("stop", "lead", 0)
    for count in (2, 0, 3):
        made.lost("lines", count)
    assert made.build().source["lost"] == [{"what": "lines", "count": 5}]


def test_parents_and_labels_follow_their_events() -> None:
    made = builder()
    late = made.event("model_call", "lead", 9)
    early = made.event("model_call", "lead", 1)
    made.amend(late, parent=early)
    made.label(late, "decisive_error", by="me", why=None)
    trace = made.build()
    assert [event.parent for event in trace] == [None, "e1"]
    assert trace.labels == [{"event": "e2", "label": "decisive_error", "by": "me"}]


def test_of_an_agent_the_newer_word_counts() -> None:
    made = builder()
    made.event("stop", "lead", 0)
    made.agent("lead", role="boss", model="m1")
    made.agent("lead", model="m2", name="")
    assert made.build().agents == {"lead": {"id": "lead", "role": "boss", "model": "m2"}}


def test_events_on_a_cycle_of_links_are_kept_for_replay_to_report() -> None:
    made = builder()
    a, b = made.event("model_call", "a", 1), made.event("model_call", "b", 2)
    made.link(a, b, "causal")
    made.link(b, a, "causal")
    assert check(made.build()).kinds["causal-cycle"] == 1


def test_what_is_on_a_circle_may_be_earlier_than_all_else() -> None:
    made = builder()
    made.event("model_call", "c", 5)
    a, b = made.event("model_call", "a", 1), made.event("model_call", "b", 2)
    made.link(a, b, "causal")
    made.link(b, a, "causal")
    assert sorted(event.t for event in made.build()) == [0, 1, 4]


def test_nothing_at_all_can_be_built() -> None:
    assert list(builder().build()) == []


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_written_comes_out_without_errors(seed: int) -> None:
    chance = random.Random(seed)
    made = builder(time=chance.choice(["seconds", "mixed"]))
    ids = [
        made.event("model_call", chance.choice("abc"), 1e9 + chance.random() * 9, t_end=1e9 + chance.random() * 9)
        for _ in range(30)
    ]
    for _ in range(30):
        src, dst = sorted(chance.sample(range(30), 2))
        made.link(ids[src], ids[dst], "causal")
    problems = check(made.build())
    assert [str(problem) for problem in problems] == []


def test_a_salt_may_hold_bytes_that_are_no_text_as_a_command_line_can() -> None:
    salts = ("\udcff", "\udcfe", "x")
    assert len({Content(salt=salt).fields("a text")["content_ref"] for salt in salts}) == 3
