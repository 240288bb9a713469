"""OpenTelemetry spans become traces: one event for each act, for every writer and convention."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.platforms.opentelemetry import IMPORTER
from survey.traces.model import Content, Trace
from survey.traces.replay import check
from tests.traces.importers.losses import lost

LOGS = Path(__file__).parent / "logs" / "opentelemetry"
FIXTURES = sorted(path.name for path in LOGS.iterdir())


def imported(name: str) -> list[Trace]:
    return list(IMPORTER.read(Log(LOGS / name), Content(salt="")))


def traces_of(*values: Any) -> list[Trace]:
    text = "\n".join(json.dumps(value) for value in values)
    return list(IMPORTER.read(Log(Path("log.jsonl"), text.encode()), Content(salt="")))


def span(id: str, parent: str | None, name: str, start: float, end: float, **said: Any) -> dict[str, Any]:
    """A span as the Python SDK writes it; double underscores in names stand for dots."""
    return {
        "name": name,
        "context": {"trace_id": "ab" * 16, "span_id": id},
        "parent_id": parent,
        "start_time": 1772960400 + start,
        "end_time": 1772960400 + end,
        "attributes": {key.replace("__", "."): value for key, value in said.items()},
    }


def invoke(name: str, **said: Any) -> dict[str, Any]:
    return {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": name, **said}


CHAT = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m"}
CALL = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "look"}


def story(trace: Trace) -> list[tuple[Any, ...]]:
    return [(event.t, event.type, event.agent, *([event.to] if event.to else [])) for event in trace]


def links(trace: Trace) -> set[tuple[str, str, str]]:
    return {(edge.src, edge.dst, edge.type) for edge in trace.edges if edge.type != "temporal"}


@pytest.mark.parametrize("name", FIXTURES)
def test_the_content_tells_that_these_are_spans(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))


@pytest.mark.parametrize("name", FIXTURES)
def test_traces_have_no_errors(name: str) -> None:
    for trace in imported(name):
        assert [str(problem) for problem in check(trace) if not problem.warning] == []


def test_agents_called_as_tools_are_spawned_and_return() -> None:
    [trace] = imported("genai.json")
    assert story(trace) == [
        (0.0, "orchestrator_decision", "planner"),
        (1.5, "spawn", "planner", "researcher"),
        (1.5, "spawn", "planner", "coder"),
        (1.7, "model_call", "researcher"),
        (3.5, "tool_call", "researcher"),
        (5.5, "tool_result", "researcher"),
        (5.5, "model_call", "researcher"),
        (8.4, "return", "researcher", "planner"),
        (8.4, "despawn", "researcher"),
        (11.5, "return", "coder", "planner"),
        (11.5, "despawn", "coder"),
        (12.0, "aggregate", "planner"),
        (14.5, "tool_call", "planner"),
        (15.0, "tool_result", "planner"),
        (15.5, "model_call", "planner"),
        (19.5, "stop", "planner"),
    ]


def test_links_follow_call_ids_nesting_and_span_links() -> None:
    [trace] = imported("genai.json")
    assert links(trace) == {
        ("e1", "e2", "causal"),
        ("e1", "e3", "causal"),
        ("e2", "e4", "spawn"),
        ("e4", "e5", "causal"),
        ("e5", "e6", "tool_dependency"),
        ("e8", "e12", "aggregate"),
        ("e3", "e10", "causal"),
        ("e10", "e12", "aggregate"),
        ("e7", "e13", "causal"),
        ("e12", "e13", "causal"),
        ("e13", "e14", "tool_dependency"),
    }


def test_links_are_exact_where_an_identifier_says_so_and_missing_where_their_end_is_in_another_trace() -> None:
    [trace] = imported("genai.json")
    assert trace.head["link_quality"] == {"exact": 8, "derived": 3, "missing": 1}


def test_input_tokens_include_cached_ones_which_are_told_apart() -> None:
    [trace] = imported("genai.json")
    assert next(iter(trace)).optional_fields["tokens"] == {
        "input": 300,
        "output": 80,
        "cache_read": 600,
        "cache_write": 100,
        "reasoning": 30,
    }


def test_totals_of_an_agent_count_once_and_only_where_its_model_calls_are_missing() -> None:
    [trace] = imported("genai.json")
    assert trace.costs["tokens"] == 1080 + 540 + 760 + 450 + 1070 + 1100
    assert [event.optional_fields["tokens"] for event in trace if event.type == "return" and event.tokens] == [
        {"input": 400, "output": 50}
    ]


def test_totals_beyond_the_model_calls_are_recorded_as_lost() -> None:
    [trace] = traces_of(
        span("01", None, "run", 0, 3, **invoke("a", gen_ai__usage__input_tokens=50)),
        span("02", "01", "chat m", 1, 2, **CHAT, gen_ai__usage__input_tokens=20),
    )
    assert trace.costs["tokens"] == 20
    assert lost(trace) == {"tokens in the totals of agents beyond those of their model calls": 30}


def test_an_error_type_is_the_status_of_the_result() -> None:
    [trace] = imported("genai.json")
    assert [event.status for event in trace if event.type == "tool_result"] == ["timeout", "ok"]


def test_the_name_of_an_exception_says_what_kind_of_failure_it_was() -> None:
    document = json.loads((LOGS / "genai.json").read_text())
    kinds = {"TimeoutError": ("timeout", "TimeoutError"), "_OTHER": ("error", None), "no such file": ("error", None)}
    for written, (status, kind) in kinds.items():
        text = json.dumps(document).replace('"stringValue": "timeout"', json.dumps({"stringValue": written})[1:-1])
        assert text != json.dumps(document)
        [trace] = IMPORTER.read(Log(Path("spans.json"), text.encode()), Content())
        failed = next(event for event in trace if event.type == "tool_result")
        assert (failed.status, failed.error) == (status, kind)


def test_an_evaluation_event_rewards_what_it_stands_on() -> None:
    [trace] = imported("genai.json")
    assert [(event.id, event.optional_fields["reward"]) for event in trace if "reward" in event.optional_fields] == [
        ("e7", {"relevance": 0.5})
    ]
    assert trace.labels == [{"event": "e7", "label": "partly", "name": "relevance"}]


def test_old_names_snake_case_and_base64_ids_are_read() -> None:
    [trace] = imported("old-names.jsonl")
    assert trace.id == "0af7651916cd43dd8448eb211c80319c"
    assert [event.optional_fields["tokens"] for event in trace if event.tokens] == [
        {"input": 200, "output": 20},
        {"input": 10, "output": 5},
    ]


def test_an_id_that_only_looks_like_base64_is_kept_as_it_is() -> None:
    odd = "é" * 11 + "="
    first, second = span(odd, None, "a", 0, 2, **invoke("a")), span("b" * 16, odd, "chat", 0, 1, **CHAT)
    [trace] = traces_of(first, second)
    assert [(event.type, event.agent) for event in trace if event.type == "model_call"] == [("model_call", "a")]


def test_missing_parents_missing_ends_and_broken_lines_are_counted() -> None:
    [trace] = imported("old-names.jsonl")
    assert trace.head["link_quality"]["missing"] == 1
    assert lost(trace) == {"lines that are not JSON objects": 1, "tool calls that never ended": 1}


def test_a_run_of_which_a_part_is_missing_has_no_stop() -> None:
    [trace] = imported("old-names.jsonl")
    assert "stop" not in {event.type for event in trace}


def test_nodes_of_a_graph_are_called_by_the_program_and_led_to_by_the_node_before() -> None:
    [trace] = imported("graph.json")
    assert [item for item in story(trace) if item[1] in ("spawn", "return")] == [
        (0.0, "spawn", "main", "plan"),
        (1.5, "return", "plan", "main"),
        (1.5, "spawn", "main", "search_web"),
        (1.5, "spawn", "main", "search_papers"),
        (5.5, "return", "search_web", "main"),
        (6.5, "return", "search_papers", "main"),
        (6.5, "spawn", "main", "write"),
        (11.0, "return", "write", "main"),
    ]
    assert {("e3", "e4", "causal"), ("e3", "e5", "causal"), ("e11", "e15", "causal")} <= links(trace)


def test_a_node_still_at_work_is_the_one_that_calls_its_sibling() -> None:
    node = {"openinference__span__kind": "AGENT"}
    [trace] = traces_of(
        span("01", None, "boss", 0, 9, **node, graph__node__id="boss"),
        span("02", "01", "llm", 1, 2, **CHAT),
        span("03", None, "worker", 3, 5, **node, graph__node__id="worker", graph__node__parent_id="boss"),
        span("04", "03", "llm", 3, 4, **CHAT),
        span("05", "01", "llm", 6, 7, **CHAT),
    )
    assert story(trace) == [
        (0.0, "orchestrator_decision", "boss"),
        (2.0, "spawn", "boss", "worker"),
        (2.0, "model_call", "worker"),
        (4.0, "return", "worker", "boss"),
        (4.0, "despawn", "worker"),
        (5.0, "aggregate", "boss"),
    ]


def test_annotations_reward_events_and_trace_annotations_the_run() -> None:
    [trace] = imported("graph.json")
    assert trace.rewards == {"solved": 1}
    assert [(event.type, event.optional_fields["reward"]) for event in trace if "reward" in event.optional_fields] == [
        ("tool_result", {"useful": 0.25})
    ]
    assert trace.labels == [{"event": "e10", "label": "weak", "by": "HUMAN", "name": "useful"}]


def test_guardrails_are_safety_events_and_costs_are_kept() -> None:
    [trace] = imported("graph.json")
    assert [event.agent for event in trace if event.type == "safety_event"] == ["write"]
    assert trace.costs["usd"] == 0.002


def test_a_handoff_moves_control_and_nobody_returns() -> None:
    [trace] = imported("handoff.json")
    assert story(trace) == [
        (0.0, "orchestrator_decision", "Triage"),
        (0.9, "message", "Triage", "Refunds"),
        (1.3, "model_call", "Refunds"),
        (2.8, "tool_call", "Refunds"),
        (3.3, "tool_result", "Refunds"),
        (3.4, "model_call", "Refunds"),
        (5.0, "stop", "Refunds"),
    ]
    message = next(event for event in trace if event.type == "message")
    assert message.optional_fields["transfer"] is True
    assert {("e1", "e2", "causal"), ("e2", "e3", "message")} <= links(trace)


HANDOFFS: list[tuple[str, dict[str, Any]]] = [
    (
        "the GenAI conventions",
        {**CALL, "gen_ai__transfer__mode": "pass_control", "gen_ai__transfer__target__name": "b"},
    ),
    ("OpenLLMetry", {"traceloop__span__kind": "handoff", "gen_ai__handoff__to_agent": "b"}),
    ("a tool's name", {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "transfer_to_b"}),
]


@pytest.mark.parametrize(("_", "said"), HANDOFFS, ids=[name for name, _ in HANDOFFS])
def test_handoffs_are_known_by(_: str, said: dict[str, Any]) -> None:
    [trace] = traces_of(
        span("01", None, "a", 0, 3, **invoke("a")),
        span("02", "01", "chat", 0, 1, **CHAT),
        span("03", "01", "hand over", 1, 2, **said),
        span("04", None, "b", 3, 5, **invoke("b")),
        span("05", "04", "chat", 3, 4, **CHAT),
    )
    assert story(trace) == [
        (0.0, "orchestrator_decision", "a"),
        (1.0, "message", "a", "b"),
        (3.0, "model_call", "b"),
    ]


def test_a_tool_that_only_sounds_like_a_handoff_is_a_tool() -> None:
    said = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "transfer_to_savings"}
    [trace] = traces_of(span("01", None, "a", 0, 3, **invoke("a")), span("02", "01", "tool", 1, 2, **said))
    assert [event.type for event in trace] == ["tool_call", "tool_result", "stop"]


def test_an_agent_that_took_over_inside_a_tool_returns_to_who_called_the_first() -> None:
    [trace] = traces_of(
        span("01", None, "boss", 0, 9, **invoke("boss")),
        span("02", "01", "ask", 1, 8, **CALL),
        span("03", "02", "a", 1, 3, **invoke("a")),
        span("04", "03", "handoff", 2, 3, gen_ai__handoff__to_agent="b"),
        span("05", "02", "b", 3, 8, **invoke("b")),
        span("06", "05", "chat", 4, 5, **CHAT),
    )
    assert [item for item in story(trace) if item[1] in ("spawn", "message", "return")] == [
        (0.0, "spawn", "boss", "a"),
        (1.0, "message", "a", "b"),
        (7.0, "return", "b", "boss"),
    ]
    assert not [problem for problem in check(trace) if not problem.warning]


def test_what_happens_inside_a_tool_follows_from_its_call_and_decides_nothing_outside() -> None:
    [trace] = traces_of(
        span("01", None, "a", 0, 9, **invoke("a")),
        span("02", "01", "chat", 0, 1, **CHAT),
        span("03", "01", "look", 1, 5, **CALL),
        span("04", "03", "chat", 2, 3, **CHAT),
        span("05", "01", "other", 3, 4, **{**CALL, "gen_ai__tool__name": "other"}),
    )
    kinds = {event.id: (event.type, event.tool) for event in trace}
    assert {(kinds[src], kinds[dst]) for src, dst, type in links(trace) if type == "causal"} == {
        (("model_call", None), ("tool_call", "look")),
        (("tool_call", "look"), ("model_call", None)),
        (("model_call", None), ("tool_call", "other")),
    }
    assert ("e1", "e4", "causal") in links(trace)


def test_agent_lightning_has_a_trace_for_each_attempt_with_its_rewards() -> None:
    first, second = imported("lightning.jsonl")
    assert (first.id, first.task, first.rewards) == ("ro-1/at-1", "ro-1", {"primary": 1.0, "brevity": 0.8})
    assert (second.id, second.task, second.rewards) == ("ro-1/at-2", "ro-1", {"primary": 0.0})
    assert [event.optional_fields.get("reward") for event in first] == [{"step": 0.5}, None]
    assert lost(first) == {"rewards replaced by a later one of the same name": 1}


def test_a_page_of_agent_lightnings_store_has_the_agents_that_agentops_traced() -> None:
    [trace] = imported("lightning-page.json")
    assert story(trace) == [
        (0.0, "orchestrator_decision", "planner"),
        (2.0, "spawn", "planner", "searcher"),
        (2.0, "model_call", "searcher"),
        (4.0, "tool_call", "searcher"),
        (7.0, "tool_result", "searcher"),
        (7.0, "model_call", "searcher"),
        (8.0, "return", "searcher", "planner"),
        (8.0, "aggregate", "planner"),
        (8.0, "despawn", "searcher"),
        (12.0, "stop", "planner"),
    ]
    assert [(event.tool, event.status) for event in trace if event.type == "tool_result"] == [("search", "error")]


def test_a_reward_is_on_the_span_that_it_names_and_else_on_the_run() -> None:
    [trace] = imported("lightning-page.json")
    assert [event.reward for event in trace if event.type == "model_call"] == [{"step": 0.5}, None]
    assert trace.rewards == {"primary": 1.0, "late": 0.25}
    assert lost(trace) == {"rewards of spans that are not in the log": 1}


def test_openllmetry_names_are_read_and_what_is_told_twice_counts_once() -> None:
    [trace] = imported("openllmetry.json")
    assert story(trace) == [
        (0.0, "spawn", "main", "editor"),
        (0.5, "model_call", "editor"),
        (2.0, "tool_call", "editor"),
        (3.0, "tool_result", "editor"),
        (4.0, "return", "editor", "main"),
        (4.0, "despawn", "editor"),
        (5.0, "spawn", "main", "editor#2"),
        (5.0, "model_call", "editor#2"),
        (9.0, "return", "editor#2", "main"),
        (9.0, "despawn", "editor#2"),
        (10.0, "stop", "main"),
    ]
    assert trace.agents["editor#2"]["name"] == "editor"
    assert lost(trace) == {
        "spans that start before their parent, moved": 1,
        "spans that repeat the act of another span": 2,
    }


def test_a_cache_larger_than_the_input_was_never_part_of_it() -> None:
    [trace] = imported("openllmetry.json")
    assert [event.optional_fields["tokens"] for event in trace if event.agent == "editor#2" and event.tokens] == [
        {"input": 20, "output": 4, "cache_read": 90}
    ]


def test_an_agent_created_beforehand_is_handed_work_and_stays() -> None:
    [trace] = traces_of(
        span("01", None, "create_agent helper", 0, 1, gen_ai__operation__name="create_agent", gen_ai__agent__id="h1"),
        span("02", None, "run", 2, 4, **invoke("helper", gen_ai__agent__id="h1")),
        span("03", "02", "chat", 2, 3, **CHAT),
    )
    assert story(trace) == [
        (0.0, "spawn", "main", "h1"),
        (2.0, "delegate", "main", "h1"),
        (2.0, "model_call", "h1"),
        (4.0, "return", "h1", "main"),
    ]


def test_an_agent_invoked_by_itself_through_a_client_is_told_once() -> None:
    [trace] = traces_of(
        span("01", None, "invoke_agent refunds", 0, 5, **invoke("refunds")),
        span("02", "01", "invoke_agent refunds", 1, 4, **invoke("refunds")),
        span("03", "02", "chat", 2, 3, **CHAT),
    )
    assert list(trace.agents) == ["refunds"]


def test_an_agent_that_outlives_its_caller_is_not_cut_off() -> None:
    [trace] = traces_of(
        span("01", None, "boss", 0, 9, **invoke("boss")),
        span("02", "01", "lead", 0, 3, **invoke("lead")),
        span("03", "02", "slow", 1, 8, **invoke("slow")),
    )
    assert [item for item in story(trace) if item[1] in ("return", "despawn")] == [
        (3.0, "return", "lead", "boss"),
        (8.0, "return", "slow", "lead"),
        (8.0, "despawn", "slow"),
        (8.0, "despawn", "lead"),
    ]
    assert not [problem for problem in check(trace) if not problem.warning]


def test_spans_without_any_time_are_in_an_order_and_nothing_else() -> None:
    spans = [
        span("01", None, "a", 0, 0, **invoke("a")),
        span("02", "01", "chat", 0, 0, **CHAT),
        span("03", "01", "look", 0, 0, **CALL),
    ]
    for each in spans:
        del each["start_time"], each["end_time"]
    [trace] = traces_of(*spans)
    assert trace.time == "ordinal"
    assert [event.type for event in trace] == ["model_call", "tool_call", "tool_result", "stop"]
    assert all(event.t == int(event.t) for event in trace)


def test_a_span_without_a_time_stands_beside_its_neighbours() -> None:
    spans = [
        span("01", None, "a", 0, 9, **invoke("a")),
        span("02", "01", "chat", 1, 3, **CHAT),
        span("03", "01", "look", 0, 0, **CALL),
    ]
    del spans[2]["start_time"], spans[2]["end_time"]
    [trace] = traces_of(*spans)
    assert trace.time == "mixed"
    assert [(event.t, event.type) for event in trace] == [
        (0.0, "model_call"),
        (2.0, "tool_call"),
        (2.0, "tool_result"),
        (8.0, "stop"),
    ]
    assert lost(trace) == {"model calls without tokens": 1, "spans without a time, placed beside their neighbours": 1}


def test_free_text_is_hashed_and_kept_only_when_asked_for() -> None:
    assert "found" not in json.dumps([trace.to_json() for trace in imported("graph.json")])
    [trace] = IMPORTER.read(Log(LOGS / "graph.json"), Content(keep=True, salt=""))
    assert "found" in [event.optional_fields.get("content") for event in trace]


def test_each_trace_id_is_a_trace_and_traces_without_agents_are_counted() -> None:
    other = span("02", None, "GET", 0, 1)
    other["context"]["trace_id"] = "cd" * 16
    [trace] = traces_of(span("01", None, "chat", 0, 1, **CHAT), other)
    assert lost(trace) == {
        "model calls without tokens": 1,
        "traces of programs without an agent, a model or a tool": 1,
    }


BAD: list[tuple[str, str, str]] = [
    (
        "nothing",
        "",
        "log.json: found no spans, without acts of an agent (expected OTLP JSON with resourceSpans, "
        "or objects with trace and span ids, of agents, models or tools)",
    ),
    (
        "spans of a web server",
        json.dumps(span("01", None, "GET", 0, 1)),
        "log.json: found 1 trace, without acts of an agent (expected OTLP JSON with resourceSpans, "
        "or objects with trace and span ids, of agents, models or tools)",
    ),
]


@pytest.mark.parametrize(("_", "text", "message"), BAD, ids=[name for name, *_ in BAD])
def test_a_log_without_a_trace_says_what_was_found(_: str, text: str, message: str) -> None:
    with pytest.raises(BadLog) as error:
        list(IMPORTER.read(Log(Path("log.json"), text.encode()), Content()))
    assert str(error.value) == message


@pytest.mark.parametrize(
    "name", ["claude-code/parallel6-sync.jsonl", "inspect/parallel_spans.json", "marble/star.jsonl"]
)
def test_logs_of_others_are_not_taken_for_spans(name: str, real: Callable[[str], Path]) -> None:
    assert not IMPORTER.recognises(Log(real(name)))


JUNK = [None, 0, -1, 1e308, "", "x", [], {}, [1], {"a": 1}, True, 10**40, "9" * 50, "user"]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []:
        yield value, key
        yield from places(value[key])


def values_of(text: str) -> list[Any]:
    decoder, place, found = json.JSONDecoder(), 0, []
    while (place := min((at for at in (text.find("{", place), text.find("[", place)) if at >= 0), default=-1)) >= 0:
        value, place = decoder.raw_decode(text, place)
        found.append(value)
    return found


def spoilt(text: str, chance: random.Random) -> str:
    """Mutate a log: a few fields dropped, swapped or mixed up, or the end cut off."""
    if chance.random() < 0.2:
        return text[: chance.randrange(len(text))]
    values = values_of(text)
    for _ in range(chance.randrange(1, 6)):
        all_places = list(places(values))
        holder, key = chance.choice(all_places)
        match chance.randrange(4):
            case 0:
                del holder[key]
            case 1:
                holder[key] = chance.choice(JUNK)
            case 2 if isinstance(holder, list):
                chance.shuffle(holder)
            case _:
                other, place = chance.choice(all_places)
                holder[key] = copy.deepcopy(other[place])
        if not values:
            break
    return "\n".join(json.dumps(value) for value in values)


@pytest.mark.parametrize("seed", range(8))
def test_spoilt_logs_give_sound_traces_or_say_that_they_hold_none(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(50):
        text = spoilt((LOGS / FIXTURES[number % len(FIXTURES)]).read_text(), chance)
        log = Log(Path("log.json"), text.encode())
        IMPORTER.recognises(log)
        try:
            for trace in IMPORTER.read(log, Content(salt="")):
                assert [str(problem) for problem in check(trace) if not problem.warning] == []
        except BadLog:
            pass
