"""Who&When logs: an event for each turn, and the decisive error as a label on the event of its step."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Event, Trace, check
from survey.traces.importers.benchmarks.who_and_when import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import MISFITS, thinned

LOGS = Path(__file__).parent / "logs" / "who-and-when"


def traces(path: Path, data: bytes | None = None, content: Content | None = None) -> list[Trace]:
    return list(IMPORTER.read(Log(path, data), content or Content()))


def of_record(**fields: Any) -> Trace:
    return traces(Path("run.json"), json.dumps({"mistake_step": "0", **fields}).encode())[0]


def labelled(trace: Trace) -> Event:
    [id] = trace.labelled("decisive_error")
    return next(event for event in trace if event.id == id)


def edges(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Edges of a type, each as the types of the events that it joins."""
    kinds = {event.id: event.type for event in trace}
    return [(kinds[edge.src], kinds[edge.dst]) for edge in trace.edges if edge.type == type]


@pytest.fixture(scope="module")
def orchestrated() -> Trace:
    return traces(LOGS / "orchestrated.json")[0]


@pytest.fixture(scope="module")
def chat() -> Trace:
    return traces(LOGS / "chat.json")[0]


def test_both_sets_are_recognised_and_without_problems(orchestrated: Trace, chat: Trace) -> None:
    assert [IMPORTER.recognises(Log(LOGS / name)) for name in ("orchestrated.json", "chat.json")] == [True, True]
    assert [str(problem) for trace in (orchestrated, chat) for problem in check(trace)] == []
    assert [trace.time for trace in (orchestrated, chat)] == ["ordinal", "ordinal"]
    assert [(trace.id, trace.task) for trace in (orchestrated, chat)] == [
        ("hand-crafted/orchestrated", "ferry-1"),
        ("algorithm-generated/chat", "sheep-1"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"7",
        b"\x1f\x8bbroken",
        b'{"history": []}',
        b'{"history": [{}]}',
        b'{"history": [1], "mistake_step": "0"}',
    ],
    ids=["nothing", "object", "number", "broken gzip", "empty history", "no mistake", "no turns"],
)
def test_anything_else_is_not_recognised(data: bytes) -> None:
    assert not IMPORTER.recognises(Log(Path("x.json"), data))


def test_a_log_without_a_run_says_so() -> None:
    expected = r"^x\.json: found no run \(expected an object with history, mistake_agent and mistake_step\)$"
    with pytest.raises(BadLog, match=expected):
        traces(Path("x.json"), b'{"history": []}')


def test_a_folder_is_neither_recognised_nor_read(tmp_path: Path) -> None:
    assert not IMPORTER.recognises(Log(tmp_path))
    with pytest.raises(BadLog):
        traces(tmp_path)


# Magentic-One


def test_thoughts_are_decisions_orders_are_delegated_and_answers_return(orchestrated: Trace) -> None:
    assert [(event.type, event.agent, event.to) for event in orchestrated] == [
        ("message", "user", "Orchestrator"),
        ("orchestrator_decision", "Orchestrator", None),
        ("orchestrator_decision", "Orchestrator", None),
        ("delegate", "Orchestrator", "WebSurfer"),
        ("orchestrator_decision", "Orchestrator", None),
        ("return", "WebSurfer", "Orchestrator"),
        ("orchestrator_decision", "Orchestrator", None),
        ("delegate", "Orchestrator", "Assistant"),
        ("return", "Assistant", "Orchestrator"),
        ("human_intervention", "user", "Orchestrator"),
        ("orchestrator_decision", "Orchestrator", None),
        ("stop", "Orchestrator", None),
    ]


def test_the_thought_before_an_order_decides_whom(orchestrated: Trace) -> None:
    decisions = [event.decision for event in orchestrated if event.type == "orchestrator_decision"]
    assert decisions == [None, ["O2"], None, ["O2"], None]


def test_an_order_reaches_its_agent_and_the_answer_the_next_thought(orchestrated: Trace) -> None:
    assert edges(orchestrated, "message") == [
        ("message", "orchestrator_decision"),
        ("delegate", "return"),
        ("delegate", "return"),
    ]
    assert edges(orchestrated, "return") == [("return", "orchestrator_decision"), ("return", "orchestrator_decision")]


def test_a_termination_in_the_middle_is_no_end() -> None:
    history = [{"role": f"Orchestrator ({aside})", "content": "x"} for aside in ("termination condition", "thought")]
    assert [event.type for event in of_record(history=history)] == ["orchestrator_decision", "orchestrator_decision"]


# AG2


def test_speakers_take_turns_and_the_terminal_runs_their_code(chat: Trace) -> None:
    assert [(event.type, event.agent, event.tool or event.to) for event in chat] == [
        ("message", "user", "Counter_Expert"),
        ("model_call", "Counter_Expert", None),
        ("tool_call", "Counter_Expert", "Computer_terminal"),
        ("tool_result", "Counter_Expert", "Computer_terminal"),
        ("message", "Counter_Expert", "Sheep_Expert"),
        ("model_call", "Sheep_Expert", None),
        ("model_call", "Sheep_Expert", None),
        ("tool_call", "Sheep_Expert", "Computer_terminal"),
        ("tool_result", "Sheep_Expert", "Computer_terminal"),
        ("message", "Sheep_Expert", "Counter_Expert"),
        ("orchestrator_decision", "Counter_Expert", None),
        ("stop", "Counter_Expert", None),
    ]


def test_who_only_listens_is_on_the_team(chat: Trace) -> None:
    assert list(chat.agents) == ["Counter_Expert", "Sheep_Expert", "Silent_Expert"]


def test_a_name_that_says_nothing_is_nobody_and_counted() -> None:
    trace = of_record(history=[{"name": "A", "content": "x"}], system_prompt={"": "x", "A": "y"})
    assert list(trace.agents) == ["A"]
    assert lost(trace)["agents without a name"] == 1


def test_what_the_log_does_not_link_counts_as_concluded(chat: Trace) -> None:
    assert chat.head["link_quality"] == {"exact": 1, "derived": 7, "missing": 0}


def test_a_terminal_before_anybody_spoke_is_left_out_and_counted() -> None:
    turns = [{"name": "Computer_terminal", "content": "?"}, {"name": "A", "content": "hm"}]
    trace = of_record(history=turns, mistake_step="1")
    assert [event.type for event in trace] == ["message", "model_call"]
    assert lost(trace) == {"turns without a speaker": 1}


# The label


def test_the_decisive_error_is_on_the_event_of_its_step(orchestrated: Trace, chat: Trace) -> None:
    assert (labelled(orchestrated).type, labelled(orchestrated).agent) == ("return", "WebSurfer")
    assert (labelled(chat).type, labelled(chat).tool) == ("tool_result", "Computer_terminal")
    assert {label["by"] for label in (*orchestrated.labels, *chat.labels)} == {"annotator"}
    assert [label["agent"] for label in (*orchestrated.labels, *chat.labels)] == ["WebSurfer", "Counter_Expert"]


def test_the_reason_is_hashed_unless_content_is_kept(orchestrated: Trace) -> None:
    assert orchestrated.labels[0]["why"].startswith("blake2b:")
    assert "prices" not in json.dumps(orchestrated.to_json())
    [kept] = traces(LOGS / "orchestrated.json", content=Content(keep=True))
    assert kept.labels[0]["why"] == "read last year's prices"
    assert labelled(kept).optional_fields["content"] == "Blue 4, red 5."


def test_an_agent_that_is_not_the_speaker_of_the_step_is_counted(orchestrated: Trace, chat: Trace) -> None:
    assert lost(chat) == {"decisive errors whose agent is not the speaker of the step": 1}
    assert lost(orchestrated) == {}


@pytest.mark.parametrize("step", ["7", "-1", "first", "", None, 1.5, True, "9" * 40, "²"])
def test_a_step_that_is_not_in_the_history_is_counted(step: object) -> None:
    trace = of_record(history=[{"name": "A", "content": "hm"}], mistake_step=step)
    assert lost(trace) == {"decisive errors whose step is not in the history": 1}
    assert trace.labels == []


@pytest.mark.parametrize("step", ["0", 0, 0.0], ids=["text", "whole", "fraction"])
def test_a_step_may_be_a_text_or_a_number(step: object) -> None:
    assert labelled(of_record(history=[{"name": "A", "content": "hm"}], mistake_step=step)).type == "model_call"


@pytest.mark.parametrize(("field", "value"), [("is_correct", False), ("is_corrected", False), ("is_correct", True)])
def test_whether_the_answer_was_right_is_outcome_and_reward(field: str, value: bool) -> None:
    trace = of_record(history=[{"name": "A"}], **{field: value})
    assert (trace.head["outcome"], trace.rewards) == ({"success": value}, {"correct": float(value)})


# Many runs, damaged runs


def test_several_runs_may_stand_in_a_list_or_in_lines() -> None:
    runs = [json.loads((LOGS / name).read_text()) for name in ("orchestrated.json", "chat.json")]
    ids = ["hand-crafted/all", "algorithm-generated/all:3"]
    as_list = traces(Path("all.json"), json.dumps([runs[0], {}, runs[1]]).encode())
    as_lines = traces(Path("all.jsonl"), "\n".join([json.dumps(runs[0]), "{}", json.dumps(runs[1]), "{cut"]).encode())
    assert [trace.id for trace in as_list] == [trace.id for trace in as_lines] == ids
    assert lost(as_list[-1])["records that are not runs"] == 1
    assert lost(as_lines[-1])["lines that are not JSON objects"] == 1


VALUES = (*MISFITS, *("user", "human", "Orchestrator (-> user)"))


@pytest.mark.parametrize("name", ["orchestrated.json", "chat.json"])
def test_damaged_runs_give_valid_traces_or_say_why_not(name: str) -> None:
    document = json.loads((LOGS / name).read_text())
    for seed in range(300):
        chance = random.Random(seed)
        damaged = json.dumps(thinned(document, chance, chance.choice((0.01, 0.05, 0.1)), VALUES))
        try:
            found = traces(Path("x.json"), damaged.encode())
        except BadLog:
            continue
        for trace in found:
            assert [str(problem) for problem in check(trace) if not problem.warning] == [], f"seed {seed}"


def test_runs_cut_anywhere_are_told_from_whole_ones() -> None:
    data = (LOGS / "chat.json").read_bytes().rstrip()
    for cut in range(0, len(data), 7):
        with pytest.raises(BadLog):
            traces(Path("x.json"), data[:cut])


# Real logs


REAL = {
    # turns, the decisive step: type and agent; counts of kinds, counted by hand in the file
    "Hand-Crafted-11": (
        130,
        "return",
        "WebSurfer",
        {"orchestrator_decision": 69, "delegate": 30, "return": 29, "stop": 1},
    ),
    "Hand-Crafted-12": (
        20,
        "return",
        "Assistant",
        {"orchestrator_decision": 10, "delegate": 4, "return": 4, "stop": 1},
    ),
    "Hand-Crafted-15": (
        129,
        "return",
        "WebSurfer",
        {"orchestrator_decision": 69, "delegate": 30, "return": 28, "stop": 1},
    ),
    "Hand-Crafted-16": (
        21,
        "orchestrator_decision",
        "Orchestrator",
        {"orchestrator_decision": 10, "delegate": 5, "return": 5},
    ),
    "Algorithm-Generated-1": (6, "model_call", "Excel_Expert", {"model_call": 4, "tool_call": 2, "message": 3}),
    "Algorithm-Generated-101": (
        8,
        "model_call",
        "Tickets_Pricing_Expert",
        {"model_call": 7, "tool_call": 1, "message": 3},
    ),
    "Algorithm-Generated-104": (
        10,
        "model_call",
        "PythonDebugging_Expert",
        {"model_call": 6, "tool_call": 4, "message": 5},
    ),
    "Algorithm-Generated-115": (
        7,
        "model_call",
        "Verification_Expert",
        {"model_call": 5, "tool_call": 2, "message": 4},
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_real_runs_give_what_was_counted_in_them_by_hand(name: str, real: Callable[[str], Path]) -> None:
    turns, type, agent, expected = REAL[name]
    path = real(f"who-and-when/{name}.json")
    record = json.loads(path.read_text())
    assert len(record["history"]) == turns
    [trace] = traces(path)
    kinds = Counter(event.type for event in trace)
    assert {kind: kinds[kind] for kind in expected} == expected
    assert (labelled(trace).type, labelled(trace).agent) == (type, agent)
    # Every turn is one event with a hash of what was said; the calls that are concluded, and what is passed on, have none.
    said = [event for event in trace if "content_ref" in event.optional_fields]
    assert len(said) - (name.startswith("Algorithm")) == turns
    assert said[int(record["mistake_step"]) + name.startswith("Algorithm")] == labelled(trace)
    assert [str(problem) for problem in check(trace)] == []
