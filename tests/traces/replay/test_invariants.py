"""Invariants of every valid trace."""

from __future__ import annotations

import hashlib
import io
import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from survey.traces import Trace, Walk, check, readings, replay, states
from survey.traces.metrics import Measure, measure
from survey.traces.model import graph
from survey.traces.replay import until, without
from tests.traces.strategies import MODEST, Json, documents, fork_joins, traces


def values(found: dict[str, Measure]) -> dict[str, Any]:
    return {name: (measured.value, measured.why_not) for name, measured in found.items()}


def errors(trace: Trace) -> list[str]:
    return [str(problem) for problem in replay(trace).problems if not problem.warning]


def trail(trace: Trace) -> list[tuple[str, Json]]:
    return [(event.id, state.to_json()) for event, state in states(trace)]


def renamed(document: Json) -> tuple[Json, dict[str, str]]:
    """Return the document with renamed ids and agents, in another alphabetical order, and the reverse mapping."""

    def new(name: str) -> str:
        return hashlib.sha1(name.encode()).hexdigest()[:12]

    agents = {event[field] for event in document["events"] for field in ("agent", "to") if field in event} - {"user"}
    made = json.loads(json.dumps(document))
    for event in made["events"]:
        event["id"] = new(event["id"])
        event |= {field: new(event[field]) for field in ("agent", "to") if event.get(field) in agents}
        if "parent" in event:
            event["parent"] = new(event["parent"])
    for edge in made["edges"]:
        edge |= {"src": new(edge["src"]), "dst": new(edge["dst"])}
    for agent in made.get("agents", []):
        agent["id"] = new(agent["id"])
    for label in made.get("labels", []):
        label["event"] = new(label["event"])
    return made, {new(agent): agent for agent in agents}


def with_names(value: Any, names: dict[str, str]) -> Any:
    return {names.get(key, key): inner for key, inner in value.items()} if isinstance(value, dict) else value


@MODEST
@given(documents())
def test_a_possible_run_has_no_errors(document: Json) -> None:
    assert [str(problem) for problem in check(Trace.of(document)) if not problem.warning] == []


@MODEST
@given(documents(), st.sampled_from([None, 1]))
def test_what_is_written_is_read_back_as_it_was(document: Json, indent: int | None) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=indent is None).encode()
    (reading,) = readings(io.BytesIO(text), "file")
    assert list(map(str, reading.problems)) == []
    assert reading.valid().to_json() == document


@MODEST
@given(traces())
def test_a_trace_written_and_read_again_and_again_stays_the_same(trace: Trace) -> None:
    once = json.dumps(trace.to_json())
    assert json.dumps(Trace.of(json.loads(once)).to_json()) == once


@MODEST
@given(traces())
def test_two_replays_say_the_same(trace: Trace) -> None:
    assert trail(trace) == trail(trace)
    assert replay(trace).state == replay(trace).state


@MODEST
@given(traces())
def test_every_event_is_walked_once_after_all_its_causes(trace: Trace) -> None:
    order = [event.id for event, _ in states(trace)]
    assert sorted(order) == sorted(event.id for event in trace)
    place = {id: number for number, id in enumerate(order)}
    assert all(place[edge.src] < place[edge.dst] for edge in trace.edges)


@MODEST
@given(traces())
def test_the_last_state_is_that_of_the_whole_replay(trace: Trace) -> None:
    *_, (_, last) = states(trace)
    assert last == replay(trace).state


@MODEST
@given(traces(), st.data())
def test_a_walk_that_pauses_ends_like_one_that_does_not(trace: Trace, data: st.DataObject) -> None:
    walk = Walk(graph(trace))
    pause = data.draw(st.integers(0, len(trace) - 1))
    for event in walk:
        if event.id == walk.graph.events[pause].id:
            break
    walk.run()
    assert walk.state() == replay(trace).state


@MODEST
@given(traces(), st.data())
def test_a_trace_cut_at_an_event_has_the_same_states_up_to_there(trace: Trace, data: st.DataObject) -> None:
    whole = trail(trace)
    cut = data.draw(st.integers(0, len(whole) - 1))
    part = until(trace, whole[cut][0])
    assert trail(part) == whole[: cut + 1]
    assert errors(part) == []


@MODEST
@given(traces(), st.data())
def test_a_trace_without_a_part_refers_to_nothing_that_is_gone(trace: Trace, data: st.DataObject) -> None:
    everyone = sorted({event.agent for event in trace} | {event.id for event in trace})
    left = without(trace, *data.draw(st.lists(st.sampled_from(everyone), min_size=1, max_size=3)))
    ids = {event.id for event in left}
    assert ids < {event.id for event in trace}
    assert all({edge.src, edge.dst} <= ids for edge in left.edges)
    assert all(event.parent in ids for event in left if event.parent)
    assert all(label["event"] in ids for label in left.labels)


@MODEST
@given(traces(), st.data())
def test_removal_of_a_part_adds_no_errors(trace: Trace, data: st.DataObject) -> None:
    everyone = sorted({event.agent for event in trace} | {event.id for event in trace})
    assert errors(without(trace, data.draw(st.sampled_from(everyone)))) == []


@MODEST
@given(documents())
def test_measures_do_not_hang_on_names(document: Json) -> None:
    other, names = renamed(document)
    expected = values(measure(Trace.of(document)))
    found = {name: (with_names(value, names), why) for name, (value, why) in values(measure(Trace.of(other))).items()}
    assert found == expected


@MODEST
@given(documents(), st.integers(0, 2**32))
def test_measures_do_not_hang_on_the_order_in_the_file(document: Json, seed: int) -> None:
    chance = random.Random(seed)
    shuffled = {**document, "events": [*document["events"]], "edges": [*document["edges"]]}
    chance.shuffle(shuffled["events"])
    chance.shuffle(shuffled["edges"])
    assert values(measure(Trace.of(shuffled))) == values(measure(Trace.of(document)))


@MODEST
@given(fork_joins())
def test_critical_steps_of_a_fork_and_join_are_its_longest_chain_of_steps(document: Json) -> None:
    assert not check(Trace.of(document)).errors
    found = measure(Trace.of(document), ["critical_steps", "critical_path_steps"])
    assert found["critical_steps"].value == found["critical_path_steps"].value


@MODEST
@given(traces())
def test_times_that_only_order_are_never_read_as_seconds(trace: Trace) -> None:
    for found in measure(trace.with_head(time="ordinal")).values():
        if found.unit.split()[0] == "s" or found.name in ("speedup_graph", "speedup_observed"):
            assert found.value is None
            assert found.why_not == "its times are ordinal: they order events but give no durations"


@MODEST
@given(traces())
def test_the_critical_path_fits_into_the_busy_time_and_that_into_the_wall_time_and_the_work(trace: Trace) -> None:
    found = measure(trace.with_head(time="seconds"), ["critical_path_s", "union_s", "wall_s", "work_s"])
    path, union, wall, work = (found[name].value for name in ("critical_path_s", "union_s", "wall_s", "work_s"))
    assert path <= union <= min(wall, work)


@MODEST
@given(traces())
def test_the_critical_path_in_steps_is_no_longer_than_all_steps(trace: Trace) -> None:
    found = measure(trace, ["critical_path_steps", "steps"])
    assert found["critical_path_steps"].value <= found["steps"].value


@MODEST
@given(traces())
def test_every_measure_has_a_value_or_a_reason_and_never_both(trace: Trace) -> None:
    for found in measure(trace).values():
        assert (found.value is None) == bool(found.why_not), found.name


@MODEST
@given(traces())
def test_measures_can_be_written_as_json(trace: Trace) -> None:
    json.dumps(values(measure(trace)), allow_nan=False)
