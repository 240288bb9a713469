"""pm4py reads the exported logs back, with every event, object and relation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pm4py
import pytest
from hypothesis import HealthCheck, given, settings

from survey.traces import Trace
from survey.traces.exporters.ocel import ocel
from survey.traces.importers.log import Importer
from tests.traces.exporters.runs import PUBLISHED, REAL, TEAM, real_trace, steps, traces


def read(document: dict[str, Any], folder: Path) -> Any:
    """The log that pm4py reads from the file."""
    path = folder / "log.json"
    path.write_text(json.dumps(document, allow_nan=False))
    return pm4py.read_ocel2_json(str(path))


def same(document: dict[str, Any], log: Any) -> None:
    """Fail unless a log that was read equals the one written, except that pm4py drops objects without events."""
    related = {relation["objectId"] for event in document["events"] for relation in event["relationships"]}
    assert sorted(log.events["ocel:eid"]) == sorted(event["id"] for event in document["events"])
    assert Counter(log.events["ocel:activity"]) == Counter(event["type"] for event in document["events"])
    assert dict(zip(log.objects["ocel:oid"], log.objects["ocel:type"], strict=True)) == {
        item["id"]: item["type"] for item in document["objects"] if item["id"] in related
    }
    about = {
        (event["id"], relation["objectId"], relation["qualifier"])
        for event in document["events"]
        for relation in event["relationships"]
    }
    columns = ("ocel:eid", "ocel:oid", "ocel:qualifier")
    assert set(zip(*(log.relations[column] for column in columns), strict=True)) == about
    between = {
        (item["id"], relation["objectId"], relation["qualifier"])
        for item in document["objects"]
        for relation in item["relationships"]
    }
    columns = ("ocel:oid", "ocel:oid_2", "ocel:qualifier")
    assert set(zip(*(log.o2o[column] for column in columns), strict=True)) == between


def well_formed(document: dict[str, Any]) -> None:
    """Check the rules of the format beyond its schema: unique ids, valid relations, declared types."""
    objects = {item["id"] for item in document["objects"]}
    assert len(objects) == len(document["objects"])
    assert len({event["id"] for event in document["events"]}) == len(document["events"])
    for items, types in ((document["objects"], "objectTypes"), (document["events"], "eventTypes")):
        declared = {
            type["name"]: {each["name"]: each["type"] for each in type["attributes"]} for type in document[types]
        }
        for item in items:
            assert {relation["objectId"] for relation in item["relationships"]} <= objects
            for attribute in item["attributes"]:
                fits = KINDS[declared[item["type"]][attribute["name"]]]
                assert isinstance(attribute["value"], fits)


KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "time": (str,), "integer": (int,), "float": (int, float), "boolean": (bool,),
}  # fmt: skip


def about(document: dict[str, Any], event: str) -> list[tuple[str, str]]:
    found = next(item for item in document["events"] if item["id"] == event)
    return [(relation["qualifier"], relation["objectId"]) for relation in found["relationships"]]


def said(item: dict[str, Any]) -> dict[str, Any]:
    return {attribute["name"]: attribute["value"] for attribute in item["attributes"]}


@pytest.mark.parametrize("trace", [TEAM, PUBLISHED], ids=["team", "published"])
def test_pm4py_reads_every_event_object_and_relation(trace: Trace, tmp_path: Path) -> None:
    document = ocel(trace)
    well_formed(document)
    same(document, read(document, tmp_path))


@pytest.mark.parametrize(("importer", "name"), REAL, ids=[name for _, name in REAL])
def test_pm4py_reads_real_runs(real: Callable[[str], Path], importer: Importer, name: str, tmp_path: Path) -> None:
    trace = real_trace(real, importer, name)
    document = ocel(trace)
    assert len(document["events"]) == len(trace)
    well_formed(document)
    same(document, read(document, tmp_path))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(trace=traces())
def test_pm4py_reads_any_trace(trace: Trace, tmp_path: Path) -> None:
    document = ocel(trace)
    same(document, read(document, tmp_path))


@settings(max_examples=300, deadline=None)
@given(traces())
def test_any_trace_becomes_a_well_formed_log(trace: Trace) -> None:
    document = ocel(trace)
    json.dumps(document, allow_nan=False)
    well_formed(document)
    assert len(document["events"]) == len(trace)


def test_events_say_in_which_part_each_object_takes_part() -> None:
    document = ocel(TEAM)
    names = {event["type"]: event["id"] for event in reversed(document["events"])}
    assert about(document, names["spawn"]) == [
        ("run", "run/team"), ("by", "agent/lead"), ("to", "agent/w1"), ("gives", f"task/{names['spawn']}"),
    ]  # fmt: skip
    assert about(document, names["tool_result"]) == [
        ("run", "run/team"), ("by", "agent/w1"), ("uses", "tool/search"), ("answers", f"tool_call/{names['tool_call']}"),
        ("for", f"task/{names['spawn']}"),
    ]  # fmt: skip
    assert {qualifier for qualifier, _ in about(document, names["return"])} == {"run", "by", "to", "ends"}
    assert [qualifier for qualifier, _ in about(document, names["aggregate"])] == ["run", "by", "takes up", "takes up"]
    assert about(document, names["orchestrator_decision"])[-1] == ("receives", f"message/{names['message']}")


def test_objects_say_what_they_are_and_belong_to() -> None:
    objects = {item["id"]: item for item in ocel(TEAM)["objects"]}
    assert Counter(item["type"] for item in objects.values()) == {
        "run": 1, "agent": 4, "tool": 1, "tool_call": 2, "task": 2, "message": 1,
    }  # fmt: skip
    assert said(objects["agent/w1"]) == {"name": "scout", "role": "reader", "model": "m-small"}
    assert objects["agent/w1"]["relationships"] == [{"objectId": "agent/lead", "qualifier": "spawned by"}]
    tasks = [item for item in objects.values() if item["type"] == "task"]
    assert [said(task) for task in tasks] == [{"status": "ok", "steps": 2}, {"status": "timeout", "steps": 0}]
    assert [said(item)["status"] for item in objects.values() if item["type"] == "tool_call"] == ["ok", "error"]


def test_times_start_from_the_clock_of_the_run() -> None:
    assert ocel(TEAM)["events"][1]["time"] == "2026-03-08T09:00:04Z"


def test_an_ordinal_trace_takes_a_second_for_each_step_and_says_so() -> None:
    document = ocel(PUBLISHED)
    assert [event["time"] for event in document["events"][:2]] == ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z"]
    run = next(item for item in document["objects"] if item["type"] == "run")
    assert said(run)["clock"] == "one second for each step, from 1970"


def test_an_id_that_two_events_share_is_given_to_one_of_them() -> None:
    trace = steps(
        {"type": "stop", "agent": "a", "id": "x"},
        {"type": "stop", "agent": "a", "id": "x#2"},
        {"type": "stop", "agent": "a", "id": "x"},
    )
    assert [event["id"] for event in ocel(trace)["events"]] == ["x", "x#2", "x#3"]


def test_tokens_by_kind_rewards_and_decisions_are_attributes() -> None:
    trace = steps(
        {
            "type": "model_call",
            "agent": "a",
            "tokens": {"input": 5, "cache_read": 2},
            "reward": {"judge": 0.5},
            "t_end": 2,
        },
        {"type": "orchestrator_decision", "agent": "a", "decision": ["O1", "O2"], "tokens": 3, "reward": 1},
    )
    first, second = (said(event) for event in ocel(trace)["events"])
    assert first == {
        "status": "ok", "ended": "1970-01-01T00:00:02Z", "tokens": 7, "input_tokens": 5, "cache_read_tokens": 2, "reward judge": 0.5,
    }  # fmt: skip
    assert second == {"status": "ok", "decision": "O1 O2", "tokens": 3, "reward": 1}


def test_a_result_that_a_tool_gives_under_its_own_name_is_the_callers() -> None:
    trace = steps(
        {"type": "tool_call", "agent": "a", "tool": "search"},
        {"type": "tool_result", "agent": "searcher", "parent": "e0"},
    )
    assert about(ocel(trace), "e1") == [("run", "run/r"), ("by", "agent/a"), ("answers", "tool_call/e0")]
