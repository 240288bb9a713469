"""Small runs with answers that were worked out by hand, from the definitions of the measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from survey.traces import read
from survey.traces.importers import Log, logs_in
from survey.traces.metrics import measure
from survey.traces.model import Content, Trace

HAND = Path(__file__).with_name("hand")
EXPECTED: dict[str, dict[str, Any]] = json.loads((HAND / "expected.json").read_text())
ANSWERS = [(run, name, value) for run, found in EXPECTED.items() for name, value in found.items()]


def imported(name: str) -> Trace:
    [(log, importer)] = logs_in(Log(HAND / name))
    assert importer is not None
    [trace] = importer.read(log, Content())
    return trace


@pytest.mark.parametrize(("run", "name", "value"), ANSWERS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_measure_is_what_was_worked_out(run: str, name: str, value: Any) -> None:
    assert measure(read(HAND / f"{run}.json"), [name])[name].value == pytest.approx(value)


def test_every_run_has_answers() -> None:
    assert {path.stem for path in HAND.glob("*.json")} - {"expected"} == EXPECTED.keys()


@pytest.mark.parametrize("name", ["oneblock.jsonl", "twoblocks.jsonl"])
def test_a_turn_takes_as_long_in_two_records_as_in_one(name: str) -> None:
    found = {one: measured.value for one, measured in measure(imported(name)).items()}
    assert (found["work_s"], found["critical_path_s"], found["wall_s"]) == pytest.approx((121, 121, 121))
    assert found["busy_s"] == {"main": pytest.approx(121)}
    assert found["tool_s"] == {"main": pytest.approx(1)}
    assert found["idle_s"] == {}


def test_what_a_placeholder_waited_for_is_nobodys_work() -> None:
    found = measure(imported("synthetic.jsonl"))
    assert found["critical_path_s"].value == pytest.approx(20, abs=1)
    assert found["work_s"].value == pytest.approx(20, abs=1)
