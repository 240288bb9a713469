"""What is exported comes back as it was; what a format has no place for, and only that, is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

from survey.traces.exporters import EXPORTERS
from survey.traces.exporters.parts import PARTS
from survey.traces.importers import BadLog, Importer, Log, logs_in
from survey.traces.importers.platforms.opentelemetry import IMPORTER as OTLP
from survey.traces.importers.rollouts.atif import IMPORTER as ATIF
from survey.traces.metrics import measure
from survey.traces.model import LARGEST, Content, Trace
from survey.traces.replay import replay
from tests.traces.conftest import REAL
from tests.traces.exporters.runs import TEAM, traces
from tests.traces.importers.losses import lost
from tests.traces.importers.samples import sample

BACK: Mapping[str, Importer] = {"otlp": OTLP, "atif": ATIF}

SECRET = "the harbour master's name"


def back(form: str, trace: Trace, *, keep: bool = False) -> Trace:
    """Export a trace, and import what was written."""
    data = json.dumps(EXPORTERS[form](trace)).encode()
    [found] = BACK[form].read(Log(Path("log.json"), data), Content(keep=keep, salt=""))
    return found


def logs(folder: Path) -> Iterator[Log]:
    """The logs in a folder of logs of each format: in a folder of their own, or beside these."""
    places = [*folder.glob("*/*"), *(place for place in folder.glob("*") if place.is_file())]
    for place in sorted(places):
        yield Log(place)


def traces_in(log: Log) -> Iterator[Trace]:
    for one, importer in logs_in(log):
        try:
            yield from importer.read(one, Content(salt="")) if importer else ()
        except BadLog:
            continue


def figures(trace: Trace) -> dict[str, Any]:
    return {name: one.value for name, one in measure(replay(trace)).items()}


SAMPLES = [log for room in sorted(sample("codex").parents[1].parent.glob("*/logs")) for log in logs(room)]


@pytest.mark.parametrize("form", BACK)
@pytest.mark.parametrize("log", SAMPLES, ids=lambda log: f"{log.path.parent.name}/{log.path.name}")
def test_every_sample_comes_back_as_it_was(form: str, log: Log) -> None:
    for trace in traces_in(log):
        assert back(form, trace).to_json() == trace.to_json()


@pytest.mark.parametrize("form", BACK)
def test_every_real_log_comes_back_as_it_was_and_measures_the_same(form: str, real: Callable[[str], Path]) -> None:
    real("")  # skips where there are none
    for log in logs(REAL):
        for trace in traces_in(log):
            found = back(form, trace)
            assert found.to_json() == trace.to_json()
            assert figures(found) == figures(trace)


@pytest.mark.parametrize("form", BACK)
@given(trace=traces())
def test_any_trace_comes_back_with_its_texts_if_asked(form: str, trace: Trace) -> None:
    times = [time for event in trace for time in (event.end, event.delivered or 0)]
    assume(max(times) < LARGEST)  # as in every trace that was read from a file
    assert back(form, trace, keep=True).to_json() == trace.to_json()


def test_the_samples_are_not_few() -> None:
    assert len(SAMPLES) > 40


@pytest.mark.parametrize("form", BACK)
def test_texts_come_back_only_if_asked(form: str) -> None:
    said = Content(keep=True, salt="").fields(SECRET)
    events = [{**event, **said, "aside": SECRET} for event in TEAM.to_json()["events"]]
    labels = [{"event": events[0]["id"], "label": "decisive_error", "why": SECRET}]
    trace = Trace.of({**TEAM.to_json(), "events": events, "labels": labels, "remark": SECRET})
    assert SECRET in json.dumps(back(form, trace, keep=True).to_json())
    found = back(form, trace)
    assert SECRET not in json.dumps(found.to_json())
    assert figures(found) == figures(trace)


# what has not arrived whole


def spans(document: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return found


@pytest.mark.parametrize("place", range(len(spans(EXPORTERS["otlp"](TEAM)))))
def test_without_one_of_its_spans_a_trace_is_read_from_the_others(place: int) -> None:
    document = EXPORTERS["otlp"](TEAM)
    missing = spans(document).pop(place)
    [found] = OTLP.read(Log(Path("log.json"), json.dumps(document).encode()), Content(salt=""))
    assert lost(found)["spans with records of a trace that has not arrived whole"] == len(spans(document))
    assert found.source["importer"] == "opentelemetry"
    assert missing["name"].startswith(("invoke_agent", "execute_tool", "chat", "plan"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda trace: trace["events"].clear(),
        lambda trace: trace["events"][0].update(t="soon"),
        lambda trace: trace["edges"][0].pop("src"),
        lambda trace: trace.pop("task_id"),
        lambda trace: trace.update(labels=3),
    ],
    ids=["no events", "a time in words", "an edge from nowhere", "no task", "labels that are none"],
)
def test_a_damaged_trace_in_a_trajectory_is_read_from_its_steps(damage: Callable[[Any], None]) -> None:
    document = json.loads(json.dumps(EXPORTERS["atif"](TEAM)))
    damage(document["extra"]["orchestration_trace"])
    [found] = ATIF.read(Log(Path("log.json"), json.dumps(document).encode()), Content(salt=""))
    assert found.source["importer"] == "atif"
    assert found.agents.keys() >= {"w1", "w2"}


# what a format has no place for


def without(trace: Trace, *fields: str, head: tuple[str, ...] = ()) -> Trace:
    events = [event.with_fields(**dict.fromkeys(fields)) for event in trace]
    return Trace(events, trace.edges, {key: value for key, value in trace.head.items() if key not in head})


def untimed(trace: Trace) -> Trace:
    """Return the trace at other times, in the same order."""
    events = [event.with_fields(t=3 * event.t + 1, t_end=None if event.t_end is None else 3 * event.t_end + 2)
              for event in trace]  # fmt: skip
    return Trace(events, trace.edges, trace.head)


def without_models(trace: Trace) -> Trace:
    return trace.with_head(
        agents=[{"id": id, "name": str(about.get("name", ""))} for id, about in trace.agents.items()]
    )


WITHOUT: Mapping[str, Callable[[Trace], Trace]] = {
    "times": untimed,
    "tokens": lambda trace: without(trace, "tokens", head=("costs",)),
    "costs": lambda trace: without(trace, "cost", head=("costs",)),
    "rewards": lambda trace: without(trace, "reward", head=("rewards",)),
    "labels": lambda trace: without(trace, head=("labels",)),
    "outcome": lambda trace: without(trace, head=("outcome",)),
    "edges": lambda trace: Trace(trace.events, [], trace.head),
    "decisions": lambda trace: without(trace, "decision"),
    "failures": lambda trace: without(trace, "status"),
    "texts": lambda trace: without(trace, "content", "content_ref"),
    "models": without_models,
    "marks of waiting": lambda trace: without(trace, "waits_for"),
    "marks of trust": lambda trace: without(trace, "trusted"),
}


def rich() -> Trace:
    """Return the team with a part of every kind on an act, a message and a result."""
    document = TEAM.to_json()
    for number, event in enumerate(document["events"]):
        event |= {"cost": 0.25, "reward": 0.5, "content": f"words {number}"}
        if event["type"] in ("tool_call", "message"):
            event |= {"trusted": False, "waits_for": "agents"}
    document["labels"] = [{"event": event["id"], "label": "decisive_error"} for event in document["events"]]
    document |= {"rewards": {"team": 1.0}, "outcome": {"success": True}}
    document["agents"] = [{**about, "model": "m-small"} for about in document["agents"]]
    return Trace.of(document)


def written(form: str, trace: Trace) -> str:
    return json.dumps(EXPORTERS[form](trace), sort_keys=True)


def test_a_rich_trace_has_every_part() -> None:
    assert [part for part, has in PARTS.items() if not has(rich())] == []
    assert WITHOUT.keys() == PARTS.keys()


@pytest.mark.parametrize("part", [part for part in PARTS if part != "times"])
def test_a_part_that_is_taken_out_is_not_found(part: str) -> None:
    assert not PARTS[part](WITHOUT[part](rich()))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("form", EXPORTERS)
def test_a_document_changes_with_every_part_but_those_that_the_format_is_said_to_lack(form: str, part: str) -> None:
    changes = written(form, WITHOUT[part](rich())) != written(form, rich())
    assert changes == (part not in EXPORTERS[form].lacks)
    assert EXPORTERS[form].left_out(rich()) == list(EXPORTERS[form].lacks)
