"""Inspect logs: a trace for each sample, an agent for each agent span, every token counted once."""

from __future__ import annotations

import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Event, Trace, check
from survey.traces.importers.benchmarks.inspect_log import IMPORTER
from survey.traces.importers.benchmarks.inspect_log.outcome import scores
from survey.traces.importers.benchmarks.inspect_log.writing import account
from survey.traces.importers.log import BadLog, Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import MISFITS, thinned

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

LOGS = Path(__file__).parent / "logs" / "inspect"


def traces(path: Path, data: bytes | None = None, content: Content | None = None) -> list[Trace]:
    return list(IMPORTER.read(Log(path, data), content or Content()))


def of_document(document: object) -> list[Trace]:
    return traces(Path("log.json"), json.dumps(document).encode())


def of_events(*events: dict[str, Any]) -> Trace:
    return of_document({"events": list(events)})[0]


def acts(trace: Trace) -> list[tuple[str, str]]:
    return [(event.type, event.agent) for event in trace]


def one(trace: Trace, type: str, **fields: object) -> Event:
    found = [
        event for event in trace if event.type == type and all(event.to_json().get(k) == v for k, v in fields.items())
    ]
    assert len(found) == 1, f"{len(found)} events of type {type} with {fields}"
    return found[0]


def edges_to(trace: Trace, event: Event) -> set[tuple[str, str, str]]:
    """Where the edges to an event come from: type and agent of the source, type of the edge."""
    by_id = {event.id: event for event in trace}
    return {(by_id[e.src].type, by_id[e.src].agent, e.type) for e in trace.edges if e.dst == event.id}


def problems(trace: Trace) -> list[str]:
    return [str(problem) for problem in check(trace)]


@pytest.fixture(scope="module")
def team() -> Trace:
    return traces(LOGS / "team.json")[0]


# What is recognised


@pytest.mark.parametrize("name", ["team.json", "steps.json", "events.json"])
def test_a_log_a_sample_and_a_list_of_events_are_recognised(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"not json",
        b"PK\x03\x04",
        b"\x1f\x8bbroken",
        b'{"eval": {}}',
        b'{"events": [{"event": "login"}]}',
    ],
    ids=["nothing", "object", "list", "text", "zip magic", "broken gzip", "empty header", "other events"],
)
def test_what_is_no_inspect_log_is_not_recognised_and_says_so_when_read(data: bytes) -> None:
    assert not IMPORTER.recognises(Log(Path("x.json"), data))
    with pytest.raises(
        BadLog, match=r"^x\.json: no Inspect log \(expected an \.eval archive, or JSON with eval and samples\)$"
    ):
        traces(Path("x.json"), data)


def test_a_folder_is_not_recognised(tmp_path: Path) -> None:
    assert not IMPORTER.recognises(Log(tmp_path))


def test_a_log_whose_samples_were_not_kept_says_so() -> None:
    document = {"eval": {"task": "t", "run_id": "r"}, "plan": {}, "status": "success"}
    with pytest.raises(
        BadLog, match=r"^log\.json: an Inspect log without samples \(expected at least one, found none\)$"
    ):
        of_document(document)


# Samples and epochs


def test_each_sample_and_epoch_is_a_trace_and_epochs_are_rollouts_of_one_group() -> None:
    found = traces(LOGS / "team.json")
    assert [(trace.id, trace.task) for trace in found] == [
        ("sample-1", "riddles/r1"),
        ("eval-1/r1/2", "riddles/r1"),
        ("eval-1/r2/1", "riddles/r2"),
        ("eval-1/r2/2", "riddles/r2"),
    ]
    assert [trace.head["group"] for trace in found[:2]] == [
        {"id": "eval-1/r1", "rollout": 0, "size": 2},
        {"id": "eval-1/r1", "rollout": 1, "size": 2},
    ]


@pytest.mark.parametrize("name", ["team.json", "steps.json", "events.json"])
def test_every_trace_of_the_fixtures_is_without_problems(name: str) -> None:
    found = [problem for trace in traces(LOGS / name) for problem in problems(trace)]
    unfinished = [
        '/events/2: warning: "e3" (tool_call): "main" never gets a result'
    ]  # in the sample that a limit ended
    assert found == (unfinished if name == "team.json" else [])


def test_a_whole_number_as_the_name_of_a_sample_is_kept_as_it_is() -> None:
    [trace] = of_document(
        {"eval": {"task": "t", "run_id": "r"}, "samples": [{"id": 1234567, "epoch": 1, "events": []}]}
    )
    assert (trace.id, trace.task) == ("r/1234567/1", "t/1234567")


def test_a_sample_without_events_is_still_a_trace_and_says_what_is_missing() -> None:
    trace = traces(LOGS / "team.json")[3]
    assert acts(trace) == [("message", "user")]
    assert trace.time == "ordinal"
    assert lost(trace) == {"samples without logged events": 1}


# Agents


def test_the_agent_that_holds_all_the_models_work_is_the_root(team: Trace) -> None:
    assert next(iter(team.agents.values())) == {"id": "main", "name": "react", "model": "mock/small"}
    assert acts(team)[:2] == [("message", "user"), ("orchestrator_decision", "main")]


def test_an_agent_is_no_root_when_models_are_asked_beside_it(real: Callable[[str], Path]) -> None:
    [trace] = traces(real("inspect/parallel_spans.json"))
    assert acts(trace) == [
        ("spawn", "main"),
        ("model_call", "A"),
        ("model_call", "main"),
        ("return", "A"),
        ("despawn", "A"),
        ("stop", "main"),
    ]


def test_a_tool_call_with_an_agent_span_is_a_spawn_and_a_return_and_no_tool_call(team: Trace) -> None:
    spawn = one(team, "spawn", to="help")
    assert edges_to(team, spawn) == {
        ("orchestrator_decision", "main", "causal"),
        ("safety_event", "main", "safety_flow"),
    }
    assert edges_to(team, one(team, "model_call", agent="help")) == {("spawn", "main", "spawn")}
    assert [event.type for event in team if event.agent == "help"] == ["model_call", "return", "despawn"]
    assert Counter(event.tool for event in team if event.type == "tool_call") == {"search": 1, "guess": 2}


def test_a_handoff_without_a_span_id_is_found_by_its_nesting(team: Trace) -> None:
    assert edges_to(team, one(team, "spawn", to="crit")) == {("orchestrator_decision", "main", "causal")}
    assert one(team, "return", agent="crit").to == "main"


def test_turns_are_typed_by_what_they_do(team: Trace) -> None:
    turns = [event for event in team if event.agent == "main" and "t_end" in event.optional_fields]
    assert [(turn.type, turn.decision) for turn in turns] == [
        ("orchestrator_decision", ["O1", "O2"]),
        ("orchestrator_decision", ["O1", "O2"]),
        ("aggregate", ["O4"]),
        ("model_call", None),
    ]


def test_a_return_is_read_by_the_next_turn_of_the_parent(team: Trace) -> None:
    second = [event for event in team if event.type == "orchestrator_decision"][1]
    assert ("return", "help", "return") in edges_to(team, second)
    assert ("return", "crit", "aggregate") in edges_to(team, one(team, "aggregate"))


def test_agents_that_one_tool_call_runs_hang_between_the_call_and_its_result() -> None:
    [trace] = traces(LOGS / "events.json")
    assert edges_to(trace, one(trace, "spawn", to="a")) == {("tool_call", "main", "causal")}
    assert edges_to(trace, one(trace, "spawn", to="b")) >= {("tool_call", "main", "causal")}
    assert edges_to(trace, one(trace, "tool_result")) >= {("return", "a", "return"), ("return", "b", "return")}
    assert next(iter(trace)).type == "orchestrator_decision"


def test_an_agent_that_code_runs_follows_from_what_returned_before() -> None:
    [trace] = traces(LOGS / "events.json")
    assert edges_to(trace, one(trace, "spawn", to="d")) == {("spawn", "main", "temporal"), ("return", "c", "causal")}
    assert edges_to(trace, one(trace, "aggregate")) == {("return", "d", "aggregate"), ("spawn", "main", "temporal")}


def test_an_agent_whose_span_never_ends_does_not_return() -> None:
    [trace] = traces(LOGS / "events.json")
    assert [event.type for event in trace if event.agent == "e"] == ["model_call"]
    assert lost(trace)["agents whose end is not logged"] == 1


def test_an_agent_of_which_only_the_call_is_logged_is_spawned_and_returns() -> None:
    [trace] = traces(LOGS / "events.json")
    ghost = one(trace, "return", agent="ghost-10")
    assert edges_to(trace, ghost) == {("spawn", "main", "causal")}
    assert lost(trace)["sub-agents whose own events are missing"] == 1


def test_what_a_branch_repeats_is_left_out_and_counted() -> None:
    [trace] = traces(LOGS / "events.json")
    assert [event.tokens for event in trace if event.agent == "c" and event.tokens] == [9]
    assert lost(trace)["events of a branch that repeat its parent's"] == 1


def test_events_nested_in_tool_calls_and_subtasks_are_agents_where_models_are_asked() -> None:
    [trace] = traces(LOGS / "steps.json")
    assert [(agent["id"], agent.get("name")) for agent in trace.agents.values()] == [
        ("main", None),
        ("tool-2", "expert"),
        ("subtask-4", "fork"),
    ]
    assert [event.type for event in trace if event.agent == "tool-2"] == [
        "model_call",
        "tool_call",
        "tool_result",
        "model_call",
        "return",
        "despawn",
    ]
    assert [event.tool for event in trace if event.type == "tool_call"] == ["bash", "bash"]


def test_what_is_nested_in_an_event_of_an_unknown_kind_happened_all_the_same() -> None:
    model = {"event": "model", "model": "m", "timestamp": "2026-03-08T09:00:01Z"}
    trace = of_events({"event": "brand-new", "events": [{"event": "info", "events": [model]}]}, model)
    assert [type for type, _ in acts(trace)].count("model_call") == 2
    assert lost(trace)["events of kinds that a trace cannot hold"] == 1


def test_spans_that_cannot_be_told_apart_are_counted() -> None:
    begin = {"event": "span_begin", "id": "a", "type": "agent", "name": "one"}
    model = {"event": "model", "model": "m", "timestamp": "2026-03-08T09:00:01Z", "span_id": "a"}
    trace = of_events(begin, {**begin, "name": "two"}, {"event": "span_begin", "type": "agent"}, model)
    assert lost(trace)["spans without an id of their own"] == 2


def test_the_same_id_of_a_tool_call_in_two_agents_means_two_calls() -> None:
    [trace] = traces(LOGS / "steps.json")
    inner = one(trace, "tool_call", agent="tool-2")
    assert edges_to(trace, inner) == {("model_call", "tool-2", "causal")}


# People and guards


def test_an_automatic_approval_is_a_safety_event_and_a_persons_an_intervention(team: Trace) -> None:
    assert [(event.agent, event.tool, event.status) for event in team if event.type == "safety_event"] == [
        ("main", "helper", "ok"),
        ("main", "guess", "rejected"),
    ]
    approved = one(team, "human_intervention", tool="search")
    assert (approved.agent, approved.to) == ("user", "main")
    assert ("human_intervention", "user", "causal") in edges_to(team, one(team, "tool_call", tool="search"))


def test_a_call_begins_when_it_is_approved(team: Trace) -> None:
    assert one(team, "tool_call", tool="search").t == one(team, "human_intervention", tool="search").t == 4.0


def test_rejections_timeouts_and_cancellations_are_statuses(team: Trace) -> None:
    guesses = [event.status for event in team if event.type == "tool_result" and event.tool == "guess"]
    assert guesses == ["rejected", "timeout"]
    assert [event.error for event in team if event.tool == "guess" and event.error] == ["approval", "timeout"]
    assert measure(team, ["failures_by_kind"])["failures_by_kind"].value == {"approval": 1, "timeout": 1}
    assert [event.status for event in team if event.agent == "crit" and event.type == "model_call"] == [
        "ok",
        "cancelled",
    ]


def test_an_interrupt_and_an_input_lead_to_the_next_act_of_the_agent(team: Trace) -> None:
    interrupt = one(team, "human_intervention", to="crit")
    assert interrupt.status == "cancelled"
    cancelled = one(team, "model_call", agent="crit", status="cancelled")
    assert ("human_intervention", "user", "causal") in edges_to(team, cancelled)
    assert ("human_intervention", "user", "causal") in edges_to(team, one(team, "aggregate"))


def test_a_compaction_is_kept_with_its_sizes(team: Trace) -> None:
    assert one(team, "compaction").optional_fields == {"tokens_before": 900, "tokens_after": 200}


# Tokens and scores


def test_the_cache_is_taken_out_of_the_input_where_the_total_shows_that_it_is_in_it(team: Trace) -> None:
    first, second = (event.optional_fields["tokens"] for event in team if event.type == "orchestrator_decision")
    assert first == {"input": 200, "output": 50, "cache_read": 800, "reasoning": 20}
    assert second == {"input": 70, "output": 5, "cache_read": 30, "cache_write": 10}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, None),
        ({"input_tokens": 3, "output_tokens": 2}, {"input": 3, "output": 2}),
        (
            {"input_tokens": 9, "output_tokens": 2, "total_tokens": 18, "reasoning_tokens": 7},
            {"input": 9, "output": 9, "reasoning": 7},
        ),
        (
            {"input_tokens": 9, "output_tokens": 8, "total_tokens": 17, "reasoning_tokens": 7},
            {"input": 9, "output": 8, "reasoning": 7},
        ),
        ({"input_tokens": "many", "output_tokens": -1, "total_tokens": None}, None),
    ],
    ids=["nothing", "no total", "reasoning beside the output", "reasoning in the output", "no numbers"],
)
def test_reasoning_is_a_part_of_the_output(usage: dict[str, Any], expected: dict[str, float] | None) -> None:
    assert account(usage) == expected


def test_an_answer_from_the_local_cache_costs_nothing_and_a_scorers_model_is_not_the_teams(team: Trace) -> None:
    assert team.costs["tokens"] == 1050 + 40 + 115 + 44 + 22
    assert team.costs["usd"] == 0.25
    assert lost(team) == {
        "cached answers whose tokens an earlier run spent": 1,
        "commands in a sandbox, inside tool calls": 1,
        "failed earlier attempts at the sample": 1,
        "model calls of scorers, outside the team": 1,
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("C", {"s": 1.0}),
        ("I", {"s": 0.0}),
        ("P", {"s": 0.5}),
        ("N", {"s": 0.0}),
        ("Yes", {"s": 1.0}),
        ("0.25", {"s": 0.25}),
        ("c", {}),
        ("nan", {}),
        (None, {}),
        ([1], {}),
        (False, {"s": 0.0}),
        ({"a": 1, "b": "I", "c": "?"}, {"s/a": 1, "s/b": 0.0}),
    ],
)
def test_scores_are_the_numbers_that_inspect_counts(value: object, expected: dict[str, float]) -> None:
    assert dict(scores("s", value)) == expected


def test_scores_are_rewards_and_a_score_in_between_rewards_the_last_turn(team: Trace) -> None:
    assert team.rewards == {"judge": 1.0}
    assert team.head["outcome"] == {"success": True, "score": 1.0}
    assert one(team, "aggregate").optional_fields["reward"] == {"partial": 0.5}
    assert traces(LOGS / "team.json")[1].rewards == {"judge/right": 0, "judge/style": 0.5}


# The end


def test_a_run_stops_by_itself_by_a_limit_or_not_at_all() -> None:
    ended, limited, failed, _ = traces(LOGS / "team.json")
    assert [(stop.decision, stop.status) for stop in ended if stop.type == "stop"] == [(["O5"], "ok")]
    assert [(stop.decision, stop.status) for stop in limited if stop.type == "stop"] == [(None, "timeout")]
    assert [stop for stop in failed if stop.type == "stop"] == []
    assert [trace.head["outcome"].get("status") for trace in (ended, limited, failed)] == [None, "timeout", "error"]


def test_a_call_that_was_still_going_on_has_no_result() -> None:
    limited = traces(LOGS / "team.json")[1]
    assert acts(limited) == [("message", "user"), ("model_call", "main"), ("tool_call", "main"), ("stop", "main")]


# Times


def test_one_time_for_a_call_and_its_result_makes_the_time_mixed() -> None:
    [trace] = traces(LOGS / "steps.json")
    assert trace.time == "mixed"
    assert lost(trace)["model calls without a duration"] == 5


def test_events_without_any_time_are_in_the_order_of_the_log() -> None:
    model = {"event": "model", "timestamp": None, "output": {"choices": [{"message": {"tool_calls": [{"id": "c"}]}}]}}
    tool = {"event": "tool", "timestamp": None, "id": "c", "function": "f", "completed": None}
    trace = of_events({"event": "state", "timestamp": None}, model, tool, model)
    assert trace.time == "ordinal"
    assert acts(trace) == [(kind, "main") for kind in ("model_call", "tool_call", "tool_result", "model_call")]
    assert problems(trace) == []


def test_spans_that_are_each_others_parents_do_no_harm() -> None:
    def span(id: str, parent: str) -> dict[str, Any]:
        return {
            "event": "span_begin",
            "timestamp": "2026-03-08T09:00:00Z",
            "id": id,
            "parent_id": parent,
            "type": "agent",
        }

    model = {"event": "model", "timestamp": "2026-03-08T09:00:01Z", "span_id": "a", "output": {}}
    trace = of_events(span("a", "b"), span("b", "a"), span("c", "c"), model)
    assert problems(trace) == []


# Texts


def test_attachments_are_put_back_and_hashed_unless_content_is_kept() -> None:
    hidden, kept = traces(LOGS / "team.json")[0], traces(LOGS / "team.json", content=Content(keep=True))[0]
    assert "content" not in one(hidden, "message").optional_fields
    assert one(hidden, "message").optional_fields["content_ref"].endswith(f":{len('What burns down?')}")
    assert one(kept, "message").optional_fields["content"] == "What burns down?"
    assert "candle" not in json.dumps(hidden.to_json())


def test_an_attachment_that_is_not_there_is_counted() -> None:
    event = {"event": "sample_init", "timestamp": "2026-03-08T09:00:00Z", "sample": {}}
    [trace] = of_document({"id": 1, "input": f"attachment://{'b' * 32}", "events": [event]})
    assert lost(trace) == {"attachments that are missing": 1}


# Archives


def archive(packing: int, members: dict[str, object], cut: int | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as packed:
        for name, member in members.items():
            packed.writestr(name, member if isinstance(member, bytes) else json.dumps(member))
    return buffer.getvalue()[:cut]


def whole(document: dict[str, Any]) -> dict[str, object]:
    start = {"_journal/start.json": {"eval": document["eval"]}}
    samples = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in document["samples"]}
    return {**start, **samples, "summaries.json": [], "header.json": {"eval": document["eval"]}}


def documents() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((LOGS / "team.json").read_text())
    return document


PACKINGS = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "zstandard": zipfile.ZIP_ZSTANDARD}


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_an_archive_says_the_same_as_the_json_log(packing: int, tmp_path: Path) -> None:
    path = tmp_path / "team.eval"
    path.write_bytes(archive(packing, whole(documents())))
    salt = Content(salt="s")
    expected = [trace.to_json() for trace in traces(LOGS / "team.json", content=salt)]
    assert IMPORTER.recognises(Log(path))
    assert [trace.to_json() for trace in traces(path, content=salt)] == expected
    assert [trace.to_json() for trace in traces(Path("stdin"), path.read_bytes(), salt)] == expected


def test_a_sample_in_pieces_is_put_together() -> None:
    document = documents()
    sample = document["samples"][0]
    text = json.dumps(sample["events"]).replace("a" * 32, "0")
    events, shell = json.loads(text), {**sample, "input": "attachment://0"}
    for key in ("events", "attachments"):
        del shell[key]
    prefix = "samples/r1_epoch_1"
    pieces = {
        f"{prefix}/sample.json": shell,
        f"{prefix}/events/10.json": events[10:],
        f"{prefix}/events/0.json": events[:10],
        f"{prefix}/events/stats.json": [{"types": {}}],
        f"{prefix}/attachments/0.json": list(sample["attachments"].values()),
        "header.json": {"eval": document["eval"]},
    }
    salt = Content(salt="s")
    [found] = traces(Path("x.eval"), archive(zipfile.ZIP_DEFLATED, pieces), salt)
    assert found.to_json() == traces(LOGS / "team.json", content=salt)[0].to_json()


def test_a_sample_that_cannot_be_read_is_counted_and_the_others_are_read() -> None:
    members = {**whole(documents()), "samples/r1_epoch_2.json": b"{cut", "samples/r9_epoch_1.json": b"7"}
    found = traces(Path("x.eval"), archive(zipfile.ZIP_DEFLATED, members))
    assert [trace.id for trace in found] == ["sample-1", "eval-1/r2/1", "eval-1/r2/2"]
    assert lost(found[-1])["unreadable samples, or pieces of samples"] == 2


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD], ids=["deflate", "zstd"])
def test_a_sample_that_unpacks_to_hundreds_of_times_its_size_is_counted_as_unreadable(packing: int) -> None:
    large = {"samples/z_epoch_1.json": b'"' + b"x" * 2**24 + b'"'}
    found = traces(Path("x.eval"), archive(packing, {**whole(documents()), **large}))
    assert len(found) == 4
    assert lost(found[-1])["unreadable samples, or pieces of samples"] == 1


def emptied(number: int) -> bytes:
    """A sample with a number of empty events."""
    return b'{"id": "a", "events": [' + b"{}," * (number - 1) + b"{}]}"


def pieces(number: int) -> dict[str, object]:
    """A sample of a size that is allowed for itself, in a number of pieces."""
    piece = b"[" + b'"' + b"x" * (2**24 - 10) + b'"' + b"]"
    return {"samples/a_epoch_1/sample.json": {"id": "a"}} | {
        f"samples/a_epoch_1/events/{place}.json": piece for place in range(number)
    }


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {f"samples/{n}_epoch_1.json": b'"' + b"x" * 2**23 + b'"' for n in range(4)},
            "an archive that cannot be unpacked: it unpacks to more than 250 times its size",
        ),
        (pieces(3), "an archive that cannot be unpacked: it unpacks to more than 250 times its size"),
        (
            {"samples/a_epoch_1.json": emptied(1_000_000)},
            "an archive that cannot be unpacked: [0-9,]+ bytes unpack to values that need more than 128 MB of memory",
        ),
        (
            {f"samples/{n}_epoch_1.json": emptied(60_000) for n in range(2)},
            r"found 120,000 events in [0-9,]+ bytes, as in no genuine log \(expected at most 100,000; if it is genuine, "
            r"import its samples one by one\)",
        ),
    ],
    ids=["many samples", "many pieces", "values", "events"],
)
@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD], ids=["deflate", "zstd"])
def test_an_archive_has_one_budget_for_all_its_samples(
    packing: int, members: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(archive(packing, members))
    for data in (None, path.read_bytes()):
        with pytest.raises(BadLog, match=rf"^x\.eval: {message}"):
            list(IMPORTER.read(Log(path, data), Content()))


def test_entries_that_share_their_bytes_count_each() -> None:
    data = archive(zipfile.ZIP_DEFLATED, {"samples/a_epoch_1.json": b'"' + b"x" * (2**24 - 10) + b'"'})
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entries = [data[start:end].replace(b"/a_", f"/{name}_".encode()) for name in "abcdef"]
    size, number = sum(map(len, entries)).to_bytes(4, "little"), len(entries).to_bytes(2, "little")
    forged = data[:start] + b"".join(entries) + data[end : end + 8] + number * 2 + size + data[end + 16 :]
    with pytest.raises(
        BadLog, match=r"^x\.eval: an archive that cannot be unpacked: it unpacks to more than 250 times"
    ):
        traces(Path("x.eval"), forged)


def test_a_thousand_samples_of_a_genuine_archive_are_read() -> None:
    document = documents()
    [first, *_] = document["samples"]
    members: dict[str, object] = {"header.json": {"eval": document["eval"]}}
    members |= {f"samples/s{n}_epoch_1.json": {**first, "id": f"s{n}", "uuid": f"u{n}"} for n in range(1_000)}
    found = IMPORTER.read(Log(Path("x.eval"), archive(zipfile.ZIP_DEFLATED, members)), Content())
    assert sum(1 for _ in found) == 1_000


def test_nested_events_count_and_those_of_a_plain_log_too() -> None:
    subtask = {"event": "tool", "timestamp": 1, "events": [{}] * 60_000}
    with pytest.raises(BadLog, match=r"^log\.json: found 120,002 events"):
        of_document({"id": 1, "events": [subtask] * 2})


def test_a_packing_that_inspect_never_writes_is_not_unpacked() -> None:
    with pytest.raises(BadLog, match=r"found 4 that cannot be read"):
        traces(Path("x.eval"), archive(zipfile.ZIP_BZIP2, whole(documents())))


def test_an_archive_that_is_cut_off_or_empty_says_so() -> None:
    cut = archive(zipfile.ZIP_DEFLATED, whole(documents()), cut=900)
    assert IMPORTER.recognises(Log(Path("x.eval"), cut))
    with pytest.raises(BadLog, match=r"^x\.eval: a zip archive that cannot be opened: File is not a zip file$"):
        traces(Path("x.eval"), cut)
    with pytest.raises(
        BadLog, match=r"^x\.eval: an Inspect log without samples \(expected at least one, found 1 that cannot"
    ):
        traces(Path("x.eval"), archive(zipfile.ZIP_STORED, {"samples/a_epoch_1.json": b"?"}))


def test_a_packing_that_python_does_not_know_says_so() -> None:
    data = bytearray(archive(zipfile.ZIP_STORED, whole(documents())))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.find(signature)
        while place >= 0:
            data[place + offset : place + offset + 2] = (98).to_bytes(2, "little")
            place = data.find(signature, place + 1)
    with pytest.raises(BadLog, match=r"found 4 that cannot be read"):
        traces(Path("x.eval"), bytes(data))


# Damage

SEEDS = 200

VALUES = (*MISFITS, *("x", "2026-03-08T09:00:09Z", {"id": "help"}))


@pytest.mark.parametrize("name", ["team.json", "steps.json", "events.json"])
def test_damaged_logs_give_valid_traces_or_say_why_not(name: str) -> None:
    document = json.loads((LOGS / name).read_text())
    for seed in range(SEEDS):
        chance = random.Random(seed)
        try:
            found = of_document(thinned(document, chance, chance.choice((0.002, 0.01, 0.05)), VALUES))
        except BadLog:
            continue
        for trace in found:
            assert [str(problem) for problem in check(trace) if not problem.warning] == [], f"seed {seed}"


def test_logs_cut_anywhere_are_told_from_whole_ones() -> None:
    data = archive(zipfile.ZIP_DEFLATED, whole(documents()))
    for cut in range(0, len(data) - 1, 97):
        with pytest.raises(BadLog):
            traces(Path("x.eval"), data[:cut])


# Real logs


REAL = {
    # acts of models, tool calls, tokens as Inspect's own statistics have them, rewards
    "2025-05-12T20-27-36-04-00_browser.json": (5, 4, 15516, [{"includes": 1.0}]),
    "2025-05-12T20-28-13-04-00_popularity.json": (3, 0, 198, [{"match": 1.0}, {"match": 1.0}, {"match": 0.0}]),
    "log_streaming.eval": (4, 0, 258, [{"match": 1.0}, {"match": 1.0}, {"match": 0.0}, {"match": 1.0}]),
    "utility_subagent_loop.json": (3, 1, 18, [{}]),
    "parallel_spans.json": (2, 0, 0, [{"score": 1}]),
}


@pytest.mark.parametrize("name", REAL)
def test_real_logs_give_what_was_counted_in_them_by_hand(name: str, real: Callable[[str], Path]) -> None:
    models, calls, tokens, rewards = REAL[name]
    found = traces(real(f"inspect/{name}"))
    kinds = Counter(event.type for trace in found for event in trace)
    assert kinds["model_call"] + kinds["aggregate"] + kinds["orchestrator_decision"] == models
    assert kinds["tool_call"] == kinds["tool_result"] == calls
    assert sum(trace.costs["tokens"] for trace in found) == tokens
    assert [dict(trace.rewards) for trace in found] == rewards
    assert [problems(trace) for trace in found] == [[]] * len(found)


def test_the_real_browser_log_has_the_times_and_tokens_of_its_events(real: Callable[[str], Path]) -> None:
    path = real("inspect/2025-05-12T20-27-36-04-00_browser.json")
    [trace] = traces(path)
    events = json.loads(path.read_text())["samples"][0]["events"]
    models = [event for event in events if event["event"] == "model"]
    assert [event.tokens for event in trace if event.type == "model_call"] == [
        model["output"]["usage"]["total_tokens"] for model in models
    ]
    assert trace.costs["wall_clock_s"] == 19.686932
    assert lost(trace) == {"commands in a sandbox, inside tool calls": 10}


def test_the_real_nested_log_has_one_helper_that_code_ran(real: Callable[[str], Path]) -> None:
    [trace] = traces(real("inspect/utility_subagent_loop.json"))
    assert acts(trace) == [
        ("model_call", "main"),
        ("tool_call", "main"),
        ("tool_result", "main"),
        ("spawn", "main"),
        ("model_call", "helper"),
        ("return", "helper"),
        ("despawn", "helper"),
        ("aggregate", "main"),
        ("stop", "main"),
    ]
    assert trace.agents["main"]["name"] == "bridge"
