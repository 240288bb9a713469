"""MARBLE results: delegated tasks, returns, messages, and scores as rewards."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.benchmarks.marble import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import MISFITS, thinned

LOGS = Path(__file__).parent / "logs" / "marble"


def traces(path: Path, data: bytes | None = None, content: Content | None = None) -> list[Trace]:
    return list(IMPORTER.read(Log(path, data), content or Content()))


def of_record(**fields: Any) -> Trace:
    return traces(Path("x.jsonl"), json.dumps({"task": "t", "iterations": [], **fields}).encode())[0]


def acts(trace: Trace) -> list[tuple[str, str, str | None]]:
    return [(event.type, event.agent, event.to) for event in trace]


def edges(trace: Trace, type: str) -> list[tuple[str, str, str, str]]:
    """Edges of a type, each as type and agent of the events that it joins."""
    by_id = {event.id: event for event in trace}
    ends = ((by_id[edge.src], by_id[edge.dst]) for edge in trace.edges if edge.type == type)
    return [(src.type, src.agent, dst.type, dst.agent) for src, dst in ends]


@pytest.fixture(scope="module")
def flat() -> list[Trace]:
    return traces(LOGS / "flat.jsonl")


@pytest.mark.parametrize("name", ["flat.jsonl", "chain-and-tree.jsonl"])
def test_results_are_recognised_and_without_problems(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    found = traces(LOGS / name)
    assert [str(problem) for trace in found for problem in check(trace)] == []
    assert {trace.time for trace in found} == {"ordinal"}


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"7", b"\x1f\x8bbroken", b'{"task": "t", "iterations": {}}', b'{"iterations": []}'],
    ids=["nothing", "object", "number", "broken gzip", "no list", "no task"],
)
def test_anything_else_is_not_recognised_and_says_so_when_read(data: bytes) -> None:
    log = Log(Path("x.jsonl"), data)
    assert not IMPORTER.recognises(log)
    if not data.startswith(b"\x1f"):
        expected = r"^x\.jsonl: found no result \(expected objects with task and iterations, one on each line\)$"
        with pytest.raises(BadLog, match=expected):
            traces(log.path, data)


def test_a_folder_is_neither_recognised_nor_read(tmp_path: Path) -> None:
    assert not IMPORTER.recognises(Log(tmp_path))
    with pytest.raises(BadLog):
        traces(tmp_path)


def test_each_task_is_a_trace_and_the_same_task_has_the_same_name(flat: list[Trace]) -> None:
    assert [trace.id for trace in flat] == ["flat:1", "flat:2", "flat:3"]
    assert flat[0].task == flat[1].task != flat[2].task
    assert lost(flat[2])["lines that are not JSON objects"] == 1
    assert lost(flat[2])["records that are not results"] == 1


def test_tasks_are_delegated_results_return_and_summaries_aggregate(flat: list[Trace]) -> None:
    assert acts(flat[0]) == [
        ("message", "user", "main"),
        ("orchestrator_decision", "main", None),
        ("delegate", "main", "agent1"),
        ("delegate", "main", "agent2"),
        ("return", "agent1", "main"),
        ("message", "agent2", "agent1"),
        ("message", "agent1", "agent2"),
        ("return", "agent2", "main"),
        ("aggregate", "main", None),
        ("orchestrator_decision", "main", None),
        ("delegate", "main", "agent1"),
        ("delegate", "main", "agent2"),
        ("return", "agent1", "main"),
        ("return", "agent2", "main"),
        ("aggregate", "main", None),
        ("stop", "main", None),
    ]
    assert [event.decision for event in flat[0] if event.decision] == [["O2"], ["O4"], ["O2"], ["O4"], ["O5"]]


def test_links_lead_from_task_to_work_and_from_results_to_the_summary(flat: list[Trace]) -> None:
    assert edges(flat[0], "message") == [
        ("message", "user", "orchestrator_decision", "main"),
        ("delegate", "main", "return", "agent1"),
        ("delegate", "main", "message", "agent2"),
        ("message", "agent2", "message", "agent1"),
        ("message", "agent1", "return", "agent2"),
        ("delegate", "main", "return", "agent1"),
        ("delegate", "main", "return", "agent2"),
    ]
    assert edges(flat[0], "aggregate") == [("return", f"agent{number}", "aggregate", "main") for number in (1, 2)] * 2
    assert flat[0].head["link_quality"] == {"exact": 15, "derived": 0, "missing": 0}


def test_only_names_of_the_team_begin_a_message() -> None:
    [trace, *_] = traces(LOGS / "flat.jsonl", content=Content(keep=True))
    said = [event.optional_fields["content"] for event in trace if event.type == "message" and event.agent != "user"]
    assert said == ["Which metre?\nFrom Rome to Paris: no such agents", "Anapaest."]


def test_talk_in_which_no_message_is_found_is_counted(flat: list[Trace]) -> None:
    assert lost(flat[2])["communications without a message"] == 1
    talk = {"task_assignments": {"a": "x"}, "communications": [7, {"from": "a"}, "", None]}
    assert lost(of_record(iterations=[talk])) == {"communications without a message": 2}


def test_a_result_that_is_no_text_is_kept_as_json() -> None:
    [trace, *_] = traces(LOGS / "flat.jsonl", content=Content(keep=True))
    assert [event.optional_fields["content"] for event in trace if event.type == "return"][-1] == '{"rhymes": true}'


def test_a_run_that_was_cut_short_does_not_stop(flat: list[Trace]) -> None:
    assert acts(flat[1]) == [("message", "user", "main")]
    assert [event.type for event in flat[2]] == ["message", "orchestrator_decision", "delegate"]


def test_results_without_a_summary_reach_the_planners_next_act() -> None:
    iteration = {"task_assignments": {"a": "x"}, "task_results": [{"agent_id": "a", "result": "y"}]}
    trace = of_record(iterations=[iteration, iteration])
    assert edges(trace, "return") == [("return", "a", "orchestrator_decision", "main")]


# Scores, tokens, topology


def test_scores_are_rewards_and_those_never_given_are_left_out_and_counted(flat: list[Trace]) -> None:
    assert flat[0].rewards == {
        "task/wit": 5,
        "planning/1": 4,
        "communication/1": 3,
        "kpi/agent1": 2,
        "kpi/agent2": 1,
    }
    assert lost(flat[0]) == {
        "evaluations that are not numbers": 1,
        "evaluations that were not scored": 3,
        "token counts of single acts, known only in total": 1,
    }
    assert flat[0].head["metrics"] == {"total_milestones": 3}


def test_a_score_that_is_one_number_is_the_reward_of_the_task() -> None:
    assert of_record(task_evaluation=4.5).rewards == {"task": 4.5}
    assert of_record(task_evaluation=-1).rewards == {}


def test_the_total_of_the_tokens_is_a_cost_of_the_run_and_of_no_event(flat: list[Trace]) -> None:
    assert flat[0].costs["tokens"] == 1234
    assert [event for event in flat[0] if event.tokens is not None] == []


@pytest.mark.parametrize(
    ("mode", "topology"),
    [("graph", "unknown"), ("star", "centralized"), ("tree", "hierarchical"), ("chain", "unknown")],
)
def test_a_mode_says_the_topology_unless_it_is_the_word_that_is_always_written(mode: str, topology: str) -> None:
    assert of_record(coordination_mode=mode).topology == topology


# Chains and trees


def test_in_a_chain_each_agent_hands_on_to_the_next() -> None:
    chain, _ = traces(LOGS / "chain-and-tree.jsonl")
    assert [(event.agent, event.to) for event in chain if event.type == "delegate"] == [
        ("main", "agent1"),
        ("agent1", "agent2"),
    ]
    assert [(event.agent, event.to) for event in chain if event.type == "return"] == [
        ("agent1", "main"),
        ("agent2", "main"),
    ]
    assert [(event.agent, event.to) for event in chain if event.type == "message"] == [
        ("user", "main"),
        ("agent2", "agent1"),
    ]


def test_in_a_tree_the_root_agent_hands_down_and_finishes_last() -> None:
    _, tree = traces(LOGS / "chain-and-tree.jsonl")
    assert tree.topology == "hierarchical"
    assert [(event.agent, event.to) for event in tree if event.type == "delegate"] == [
        ("main", "agent1"),
        ("agent1", "agent2"),
        ("agent1", "agent3"),
        ("agent1", "agent4"),
    ]
    assert [(event.agent, event.to) for event in tree if event.type == "return"] == [
        ("agent2", "agent1"),
        ("agent3", "agent1"),
        ("agent4", "agent1"),
        ("agent1", "main"),
    ]
    assert lost(tree) == {"plans passed down a tree by unnamed agents": 1}


# Damage


def test_names_of_agents_that_mean_somebody_else_are_changed() -> None:
    iteration = {"task_assignments": {"main": "x", "user": "y"}, "task_results": [{"user": "z"}]}
    assert list(of_record(iterations=[iteration]).agents) == ["main", "main-agent", "user-agent"]


VALUES = (*MISFITS, *("agent1", "main", "user", {"agent1": 1}))


@pytest.mark.parametrize("name", ["flat.jsonl", "chain-and-tree.jsonl"])
def test_damaged_results_give_valid_traces_or_say_why_not(name: str) -> None:
    documents = [json.loads(line) for line in (LOGS / name).read_text().split("\n") if line.startswith("{")]
    for seed in range(300):
        chance = random.Random(seed)
        lines = thinned(documents, chance, chance.choice((0.01, 0.03, 0.1)), VALUES)
        damaged = "\n".join(json.dumps(line) for line in lines) if isinstance(lines, list) else json.dumps(lines)
        try:
            found = traces(Path("x.jsonl"), damaged.encode())
        except BadLog:
            continue
        for trace in found:
            assert [str(problem) for problem in check(trace) if not problem.warning] == [], f"seed {seed}"


def test_results_cut_anywhere_give_the_whole_lines() -> None:
    data = (LOGS / "chain-and-tree.jsonl").read_bytes()
    first = data.index(b"\n")
    for cut in range(first, len(data) - 2, 31):
        assert [trace.id for trace in traces(Path("x.jsonl"), data[:cut])] == ["x:1"]


def test_a_long_line_that_never_becomes_a_message_is_read_at_once() -> None:
    talk = {"task_assignments": {"a": "x"}, "communications": ["From " + "a to " * 100_000]}
    assert lost(of_record(iterations=[talk])) == {"communications without a message": 1}


# Real logs


REAL = {
    # for each record: agents, tokens, rewards of the task or the code, milestones, counted by hand in the file
    "coding": [
        (
            3,
            24994,
            {"code/instruction_following": 3, "code/executability": 4, "code/consistency": 3, "code/quality": 3},
            5,
        ),
        (3, 19852, {}, 3),
    ],
    "star": [
        (2, 39920, {"task/innovation": 5, "task/safety": 4, "task/feasibility": 4}, 4),
        (2, 42017, {"task/innovation": 5, "task/safety": 4, "task/feasibility": 4}, 6),
        (3, 53293, {"task/innovation": 5, "task/safety": 4, "task/feasibility": 3}, 5),
    ],
}


@pytest.mark.parametrize("name", REAL)
def test_real_results_give_what_was_counted_in_them_by_hand(name: str, real: Callable[[str], Path]) -> None:
    found = traces(real(f"marble/{name}.jsonl"))
    assert len(found) == len(REAL[name])
    for trace, (agents, tokens, rewards, milestones) in zip(found, REAL[name], strict=True):
        assert Counter(event.type for event in trace) == {
            "message": 1,
            "orchestrator_decision": 1,
            "delegate": agents,
            "return": agents,
            "aggregate": 1,
            "stop": 1,
        }
        assert (len(trace.agents), trace.costs["tokens"]) == (agents + 1, tokens)
        assert {key: reward for key, reward in trace.rewards.items() if key.startswith(("task", "code"))} == rewards
        assert trace.head["metrics"] == {"total_milestones": milestones}
        assert lost(trace)["evaluations that were not scored"] == 2  # both communication scores of each
        assert trace.topology == "unknown"
        assert [str(problem) for problem in check(trace)] == []


def test_real_scores_of_plans_and_agents_are_those_of_the_file(real: Callable[[str], Path]) -> None:
    path = real("marble/star.jsonl")
    for trace, line in zip(traces(path), path.read_text().splitlines(), strict=True):
        record = json.loads(line)
        assert [trace.rewards[f"planning/{place}"] for place in (1, 2)] == record["planning_scores"]
        assert {f"kpi/{agent}": kpi for agent, kpi in record["agent_kpis"].items()}.items() <= trace.rewards.items()
