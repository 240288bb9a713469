"""The exported OTLP is valid for its own parser, and preserves the contents of the trace."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from survey.traces.exporters.otlp import otlp
from survey.traces.importers.log import Log
from survey.traces.importers.platforms.opentelemetry import IMPORTER
from survey.traces.model import Content, Trace
from tests.traces.importers.samples import sample

LOGS = sample("opentelemetry")


def imported(document: dict[str, Any]) -> Trace:
    [trace] = IMPORTER.read(Log(Path("log.json"), json.dumps(document).encode()), Content(salt=""))
    return trace


def fixtures() -> Iterator[Any]:
    for path in sorted(LOGS.iterdir()):
        for trace in IMPORTER.read(Log(path), Content(salt="")):
            yield pytest.param(trace, id=f"{path.name} {trace.id}")


def steps(*events: dict[str, Any], **head: Any) -> Trace:
    """A trace in which each event takes a step."""
    numbered = [{"id": f"e{number}", "t": number, **event} for number, event in enumerate(events)]
    whole = {"trace_id": "r", "task_id": "t", "time": "ordinal", "edges": [], "rewards": {}, "costs": {}}
    return Trace.of({**whole, **head, "events": numbered})


TEAM = steps(
    {"type": "human_intervention", "agent": "user", "to": "lead"},
    {
        "type": "orchestrator_decision",
        "agent": "lead",
        "decision": ["O1", "O2"],
        "tokens": {"input": 5, "cache_read": 7},
    },
    {"type": "spawn", "agent": "lead", "to": "a", "tool": "Task"},
    {"type": "spawn", "agent": "lead", "to": "b"},
    {"type": "model_call", "agent": "a", "tokens": 12, "cost": 0.5, "reward": {"judge": 0.25}},
    {"type": "message", "agent": "a", "to": "b"},
    {"type": "tool_call", "agent": "b", "tool": "look"},
    {"type": "tool_result", "agent": "b", "tool": "look", "parent": "e6", "status": "rejected"},
    {"type": "return", "agent": "a", "to": "lead", "status": "error"},
    {"type": "return", "agent": "b", "to": "lead", "tokens": {"output": 9}},
    {"type": "despawn", "agent": "a"},
    {"type": "aggregate", "agent": "lead", "decision": ["O4"], "tokens": {"input": 1, "output": 1}},
    {"type": "stop", "agent": "lead"},
    agents=[{"id": "a", "name": "worker", "model": "m-small"}, {"id": "b", "name": "worker"}],
    rewards={"team": 1.0},
    costs={"tokens": 35, "wall_clock_s": 0, "tool_calls": 1, "messages": 1, "usd": 0.5},
)


def spans(trace: Trace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = otlp(trace)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return found


def said(item: dict[str, Any]) -> dict[str, Any]:
    return {entry["key"]: next(iter(entry["value"].values())) for entry in item["attributes"]}


@pytest.mark.parametrize("trace", [*fixtures(), pytest.param(TEAM, id="a team in steps")])
def test_the_official_parser_takes_every_field(trace: Trace) -> None:
    """Its JSON mapping reads ids as base64; OTLP, and every collector, writes them in hexadecimal."""
    document = otlp(trace)
    for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for item in (span, *span["links"]):
            for key in {"traceId", "spanId", "parentSpanId"} & item.keys():
                item[key] = base64.b64encode(bytes.fromhex(item[key])).decode()
    for message in (ExportTraceServiceRequest(), TracesData()):
        parsed = json_format.Parse(json.dumps(document), message)
        read = parsed.resource_spans[0].scope_spans[0].spans
        assert len(read) == len(spans(trace))
        assert {(len(span.trace_id), len(span.span_id)) for span in read} == {(16, 8)}
        assert {span.parent_span_id for span in read} - {b""} <= {span.span_id for span in read}
        assert all(span.start_time_unix_nano > 0 for span in read)
        assert all(span.kind in (Span.SPAN_KIND_INTERNAL, Span.SPAN_KIND_CLIENT) for span in read)


def test_the_same_trace_gives_the_same_bytes() -> None:
    assert json.dumps(otlp(TEAM)) == json.dumps(otlp(TEAM))


def test_spans_carry_the_current_names_of_the_conventions() -> None:
    names = {span["name"]: said(span)["gen_ai.operation.name"] for span in spans(TEAM)}
    assert names == {
        "invoke_agent lead": "invoke_agent",
        "execute_tool Task": "execute_tool",
        "invoke_agent worker": "invoke_agent",
        "chat": "chat",
        "chat m-small": "chat",
        "execute_tool look": "execute_tool",
    }


def test_cached_tokens_are_part_of_the_input_again() -> None:
    first = next(span for span in spans(TEAM) if span["name"] == "chat")
    assert said(first)["gen_ai.usage.input_tokens"] == "12"
    assert said(first)["gen_ai.usage.cache_read.input_tokens"] == "7"


def test_a_failed_act_has_an_error_type_and_status() -> None:
    [call] = [span for span in spans(TEAM) if span["name"] == "execute_tool look"]
    assert (call["status"], said(call)["error.type"]) == ({"code": 2}, "rejected")


def test_an_ordinal_trace_takes_a_second_for_each_step_and_says_so() -> None:
    resource = otlp(TEAM)["resourceSpans"][0]["resource"]
    assert said(resource)["orchestration.time"] == "ordinal"
    [call] = [span for span in spans(TEAM) if span["name"] == "execute_tool look"]
    assert (call["startTimeUnixNano"], call["endTimeUnixNano"]) == ("7000000000", "8000000000")


def test_times_start_from_the_clock_of_the_run_where_it_is_known() -> None:
    event = {"type": "model_call", "agent": "a", "t": 0.25}
    trace = steps(event, time="seconds", source={"started": "2026-03-08T09:00:00+00:00"})
    assert {span["startTimeUnixNano"] for span in spans(trace)} == {"1772960400250000000"}


def test_edges_between_spans_are_links_that_name_their_type() -> None:
    edges = [{"src": "e9", "dst": "e11", "type": "return"}, {"src": "e0", "dst": "e1", "type": "message"}]
    trace = Trace.of({**TEAM.to_json(), "edges": edges})
    linked = [(span["name"], said(link)["orchestration.edge"]) for span in spans(trace) for link in span["links"]]
    assert linked == [("chat", "return")]


def test_a_handoff_is_a_tool_that_passes_control() -> None:
    trace = steps({"type": "message", "agent": "a", "to": "b", "transfer": True}, {"type": "model_call", "agent": "b"})
    [handoff] = [span for span in spans(trace) if said(span)["gen_ai.operation.name"] == "execute_tool"]
    assert handoff["name"] == "execute_tool transfer_to_b b"
    assert said(handoff)["gen_ai.transfer.mode"] == "pass_control"


def test_agents_that_spawn_each_other_do_not_hang_it() -> None:
    trace = steps({"type": "spawn", "agent": "a", "to": "b"}, {"type": "spawn", "agent": "b", "to": "a"})
    assert len(spans(trace)) == 2


def test_a_trace_without_agents_is_one_span() -> None:
    assert [span["name"] for span in spans(steps({"type": "human_intervention", "agent": "user"}))] == ["trace"]


def test_the_root_has_its_own_name_and_not_that_of_its_first_child() -> None:
    trace = steps(
        {"type": "spawn", "agent": "root", "to": "a", "agent_name": "helper"}, {"type": "model_call", "agent": "a"}
    )
    assert [span["name"] for span in spans(trace)][:2] == ["invoke_agent root", "invoke_agent helper"]
