"""What a person does to a call of Codex, in rollouts of a few lines with known times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace
from survey.traces.importers.coding_agents.codex import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.model import Content
from tests.traces.importers.coding_agents.sessions import iso, seconds
from tests.traces.importers.losses import lost

Line = tuple[float, str, dict[str, Any]]


def event(at: float, kind: str, **fields: Any) -> Line:
    return at, "event_msg", {"type": kind, **fields}


def prompt(at: float) -> Line:
    return event(at, "user_message", message="go")


def item(at: float, kind: str, **fields: Any) -> Line:
    return at, "response_item", {"type": kind, **fields}


def call(at: float) -> Line:
    return item(at, "function_call", name="exec_command", arguments='{"cmd": "make"}', call_id="c")


def output(at: float, text: str) -> Line:
    return item(at, "function_call_output", call_id="c", output=text)


def answer(at: float) -> Line:
    return item(at, "message", role="assistant", content=[{"type": "output_text", "text": "ok"}])


def imported(*lines: Line) -> Trace:
    meta: Line = (0, "session_meta", {"id": "t", "timestamp": iso(0), "source": "cli"})
    text = "\n".join(
        json.dumps({"timestamp": iso(at), "type": type, "payload": fields}) for at, type, fields in (meta, *lines)
    )
    [trace] = IMPORTER.read(Log(Path("rollout.jsonl"), text.encode()), Content())
    return trace


WAITS = ("work_s", "tool_s", "waiting_permission_s", "waiting_people_s")


@pytest.mark.parametrize("asked", [[], [event(10, "exec_approval_request", call_id="c")]], ids=["", "asked"])
@pytest.mark.parametrize(
    "told", [[], [event(90, "exec_command_end", call_id="c", status="declined")]], ids=["", "told"]
)
def test_a_call_that_a_person_refuses_waits_for_a_permission(asked: list[Line], told: list[Line]) -> None:
    trace = imported(prompt(0), call(10), *asked, *told, output(90, "exec command rejected by user"), answer(95))
    assert seconds(trace, *WAITS) == [15, 0, 80, 0]
    assert [event.status for event in trace if event.type == "tool_result"] == ["rejected"]
    assert sum(event.type == "human_intervention" for event in trace) == 1


def test_an_output_that_only_mentions_a_refusal_is_none() -> None:
    trace = imported(prompt(0), call(10), output(90, "Output:\nerror: command rejected by user"), answer(95))
    assert seconds(trace, *WAITS) == [95, 80, 0, 0]


@pytest.mark.parametrize(("aborted", "answered"), [(50, 50), (50, 50.01), (50.01, 50)])
def test_an_interruption_ends_a_tool_in_whichever_order_the_two_are_written(aborted: float, answered: float) -> None:
    ended = [event(aborted, "turn_aborted", reason="interrupted"), output(answered, "aborted by user after 40.0s")]
    ended.sort(key=lambda line: line[0])
    trace = imported(prompt(0), call(10), *ended, prompt(100), answer(110))
    assert seconds(trace, *WAITS) == pytest.approx([60, 40, 0, 50], abs=0.011)
    assert lost(trace) == {}
