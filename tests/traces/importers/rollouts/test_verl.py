"""Rollout dumps of verl, read as traces."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.rollouts.verl import IMPORTER
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "verl"
NAMES = ["40.jsonl", "early.jsonl", "keyed.jsonl"]


def traces(path: Path, keep: bool = False) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(keep=keep, salt="test")))


def dumped(*rows: object) -> list[Trace]:
    """The traces of lines, with their text."""
    data = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()
    return list(IMPORTER.read(Log(Path("1.jsonl"), data), Content(keep=True, salt="test")))


def row(output: str, **fields: Any) -> dict[str, Any]:
    return {"input": "user\nTides?\nassistant\n", "output": output, "score": 0.5, "step": 3, **fields}


def acts(trace: Trace) -> list[str]:
    return [event.type if event.tool is None else f"{event.type} {event.tool}" for event in trace]


@pytest.mark.parametrize("name", NAMES)
def test_a_dump_is_recognised_by_its_content_and_gives_traces_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for trace in traces(LOGS / name) for problem in check(trace)] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"input": "a", "output": "b"}',
        '{"input": {}, "output": {}, "score": 1, "step": 1}',
        '{"input": "a", "output": "b", "score": 1, "step": "first"}',
        '{"train/loss": 0.1, "score": 1, "step": 4}',
    ],
)
def test_a_log_of_something_else_is_not_recognised_and_says_so_when_read(text: str) -> None:
    log = Log(Path("log.jsonl"), text.encode())
    assert not IMPORTER.recognises(log)
    with pytest.raises(BadLog, match="no output of a policy"):
        list(IMPORTER.read(log, Content()))


def test_each_line_is_a_rollout_of_the_policy_and_calls_of_tools_part_its_turns() -> None:
    first, second, _ = traces(LOGS / "40.jsonl")
    assert acts(first) == [
        "message", "model_call", "tool_call tide", "tool_call tide", "tool_result", "tool_result", "model_call",
    ]  # fmt: skip
    assert acts(second) == ["message", "model_call"]
    assert (first.id, first.time, list(first.agents)) == ("step-40/line-1", "ordinal", ["policy"])


def test_what_was_said_is_kept_apart_by_turn_if_asked_for() -> None:
    trace = traces(LOGS / "40.jsonl", keep=True)[0]
    said = [event.content or "" for event in trace]
    assert said[0].startswith("system\nYou are a careful keeper")
    assert said[1].startswith("I look up both.") and said[1].endswith("</tool_call>")
    assert said[4:6] == ["11:20", "11:55"]
    assert said[6].endswith("Dover 11:20, Calais 11:55.")


def test_links_that_rest_on_the_text_are_inferred() -> None:
    trace = traces(LOGS / "40.jsonl")[0]
    events = {event.id: event.type for event in trace}
    pairs = [(events[edge.src], events[edge.dst], edge.type) for edge in trace.edges if edge.type != "temporal"]
    assert pairs == [
        ("message", "model_call", "message"),
        ("model_call", "tool_call", "causal"),
        ("model_call", "tool_call", "causal"),
        ("tool_call", "tool_result", "tool_dependency"),
        ("tool_call", "tool_result", "tool_dependency"),
        ("tool_result", "model_call", "tool_dependency"),
        ("tool_result", "model_call", "tool_dependency"),
    ]
    assert trace.head["link_quality"] == {"exact": 1, "derived": 6, "missing": 0}


def test_the_score_is_the_reward_and_what_the_scorer_adds_are_metrics() -> None:
    first, second, third = traces(LOGS / "40.jsonl")
    assert first.rewards == {"score": 1.0}
    assert first.head["metrics"] == {"training_step": 40, "reward": 1.0, "acc": 1.0, "num_turns": 4}
    assert [trace.head.get("outcome") for trace in (first, second, third)] == [
        {"success": True}, {"success": False}, None,
    ]  # fmt: skip


def test_rollouts_of_one_prompt_in_a_step_are_a_group() -> None:
    first, second, third = traces(LOGS / "40.jsonl")
    assert first.task == second.task != third.task
    assert first.head["group"] == {"id": f"step-40/{first.task}", "rollout": 0, "size": 2}
    assert second.head["group"] == {"id": f"step-40/{first.task}", "rollout": 1, "size": 2}
    assert "group" not in third.head


def test_outputs_of_one_rollout_are_one_trace_if_the_log_has_their_keys() -> None:
    first, second = traces(LOGS / "keyed.jsonl")
    sample = "0d9f6f2e-7c1c-4f0c-9a53-2a2f3b6f1d11"
    assert (first.id, first.task) == (f"step-7/{sample}/0", sample)
    assert acts(first) == [
        "message", "model_call", "tool_call tide", "tool_result", "model_call", "message", "model_call",
    ]  # fmt: skip
    assert [event.reward for event in first if event.reward] == [{"score": 0.25}, {"score": 0.75}]
    assert (first.rewards, second.rewards) == ({"score": 0.75}, {"score": 0.0})
    assert second.head["group"] == {"id": f"step-7/{sample}", "rollout": 1, "size": 2}


def test_the_role_of_a_tool_parts_turns_as_well() -> None:
    [trace] = traces(LOGS / "early.jsonl", keep=True)
    assert acts(trace) == ["message", "model_call", "tool_call tide", "tool_result", "model_call"]
    assert [event.content for event in trace][3:] == ["11:20", "At 11:20."]


def test_an_output_may_end_with_results() -> None:
    [trace] = dumped(row('<tool_call>\n{"name": "tide"}\n</tool_call>\nuser\n<tool_response>\nlow'))
    assert acts(trace) == ["message", "model_call", "tool_call tide", "tool_result"]


def test_a_call_in_code_is_one_too() -> None:
    [trace] = dumped(
        row("<tool_call>\n<function=tide>\n<parameter=port>\nDover\n</parameter>\n</function>\n</tool_call>")
    )
    assert acts(trace) == ["message", "model_call", "tool_call tide"]


def test_what_the_log_does_not_say_is_counted() -> None:
    assert lost(traces(LOGS / "40.jsonl")[2]) == {
        "model calls without tokens": 2, "texts of scorers": 1, "unreadable tool calls": 1,
    }  # fmt: skip
    answered = (
        '<tool_call>{"name": "a"}</tool_call>user\n<tool_response>1</tool_response><tool_response>2</tool_response>'
    )
    [trace] = dumped(row(f"Wait.\nassistant\nNow.{answered}", score=None, gts="x"))
    assert lost(trace) == {
        "lines that may begin a turn, kept in another": 1,
        "model calls without tokens": 1,
        "outputs without a score": 1,
        "reference answers": 1,
        "results without a tool call": 1,
    }
    assert trace.rewards == {}


def test_lines_that_are_no_output_are_counted() -> None:
    first, second = dumped(row("a"), "not json", {"a": 1}, row("b"))
    assert lost(first)["lines that are not JSON objects"] == lost(first)["records that are not runs"] == 1
    assert second.id == "step-3/line-3"


@pytest.mark.parametrize("seed", range(5))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(seed: int) -> None:
    chance = random.Random(seed)
    originals = [[json.loads(line) for line in (LOGS / name).read_text().splitlines()] for name in NAMES]
    for _ in range(100):
        log = Log(Path("1.json"), json.dumps(mutant(chance.choice(originals), chance)).encode())
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test"))) == []


def test_much_markup_takes_no_long_time() -> None:
    [trace] = dumped(row("<tool_call>" * 100_000 + "</tool_call>" + "\n" * 100_000))
    assert lost(trace)["unreadable tool calls"] == 100_000
