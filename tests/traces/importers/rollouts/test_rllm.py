"""Episodes of rLLM, read as traces."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.rollouts.rllm import IMPORTER
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "rllm"
NAMES = ["solver_judge.json", "walk.json", "tools.json", "early.json"]


def traces(name: str) -> list[Trace]:
    return list(IMPORTER.read(Log(LOGS / name), Content(keep=True, salt="test")))


def of(document: object) -> list[Trace]:
    log = Log(Path("episode.json"), json.dumps(document).encode())
    return list(IMPORTER.read(log, Content(keep=True, salt="test")))


def episode(*agents: tuple[str, list[dict[str, Any]]], **fields: Any) -> dict[str, Any]:
    """An episode with a trajectory for each agent."""
    found = [{"name": name, "steps": steps, "reward": None} for name, steps in agents]
    return {"id": "t:0", "is_correct": True, "termination_reason": None, "trajectories": found, **fields}


def step(prompt: list[dict[str, Any]], reply: str, **fields: Any) -> dict[str, Any]:
    return {"chat_completions": [*prompt, {"role": "assistant", "content": reply}], **fields}


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def story(trace: Trace) -> list[tuple[Any, ...]]:
    return [tuple(filter(None, (event.type, event.agent, event.to or event.tool))) for event in trace]


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_is_recognised_by_its_content_and_gives_traces_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for trace in traces(name) for problem in check(trace)] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"trajectories": []}',
        '{"is_correct": true, "termination_reason": null, "trajectories": [{"name": "a", "steps": []}]}',
        '{"training_step": 1, "num_episodes": 2, "episode_files": ["a.json"]}',
    ],
)
def test_a_log_of_something_else_is_not_recognised_and_says_so_when_read(text: str) -> None:
    log = Log(Path("log.json"), text.encode())
    assert not IMPORTER.recognises(log)
    with pytest.raises(BadLog, match="no episode"):
        list(IMPORTER.read(log, Content()))


def test_each_trajectory_is_an_agent_and_a_quoted_answer_a_message() -> None:
    first, _ = traces("solver_judge.json")
    assert story(first) == [
        ("message", "user", "solver"),
        ("model_call", "solver"),
        ("message", "user", "solver#2"),
        ("model_call", "solver#2"),
        ("message", "user", "judge"),
        ("message", "solver", "judge"),
        ("message", "solver#2", "judge"),
        ("model_call", "judge"),
    ]
    assert first.agents["solver#2"]["name"] == "solver"
    assert first.time == "ordinal"


def test_a_message_between_agents_is_inferred_and_the_task_is_not() -> None:
    first, _ = traces("solver_judge.json")
    events = {event.id: event for event in first}
    said = [(events[edge.src].agent, events[edge.dst].agent) for edge in first.edges if edge.type == "message"]
    assert sorted(said) == [
        ("solver", "judge"), ("solver#2", "judge"), ("user", "judge"), ("user", "solver"), ("user", "solver#2"),
    ]  # fmt: skip
    assert first.head["link_quality"] == {"exact": 3, "derived": 2, "missing": 0}


def test_rewards_are_those_of_agents_of_steps_and_of_the_episode() -> None:
    first, second = traces("solver_judge.json")
    assert first.rewards == {"solver": 1.0, "solver#2": 0.0, "judge": 1.0, "correct": 1.0}
    assert [event.reward for event in first if event.type == "model_call"] == [1.0, 0.0, 1.0]
    assert first.head["outcome"] == {"success": True, "status": "ok"}
    assert second.rewards == {"solver": 0.0, "solver#2": 0.0, "judge": 0.0, "correct": 0.0}
    assert second.head["metrics"] == {"solver_acc": 0.0, "judge_acc": 0}


def test_episodes_of_a_task_are_a_group() -> None:
    first, second = traces("solver_judge.json")
    assert (first.id, first.task, first.head["group"]) == ("t-9:0", "t-9", {"id": "t-9", "rollout": 0})
    assert second.head["group"] == {"id": "t-9", "rollout": 1}
    assert traces("walk.json")[0].head["group"] == {"id": "step-12/lake-4", "rollout": 2}


def test_tokens_are_the_lengths_of_prompt_and_completion_or_the_numbers_of_their_ids() -> None:
    first, _ = traces("solver_judge.json")
    assert [event.by_kind for event in first if event.tokens] == [
        {"input": 40, "output": 12}, {"input": 40, "output": 15}, {"input": 90, "output": 8},
    ]  # fmt: skip
    [trace] = of(episode(("a", [step([user("x")], "y", prompt_ids=[1, 2, 3], response_ids=[4])])))
    assert trace.costs["tokens"] == 4


def test_one_agent_with_times_spends_them_on_the_model_and_on_the_environment() -> None:
    [trace] = traces("walk.json")
    assert [(event.t, event.end, event.type, event.tool) for event in trace] == [
        (0.0, 0.0, "message", None),
        (0.0, 3.0, "model_call", None),
        (3.0, 3.0, "tool_call", "environment"),
        (3.5, 3.5, "tool_result", None),
        (3.5, 6.0, "model_call", None),
        (6.0, 6.0, "tool_call", "environment"),
        (6.75, 6.75, "tool_result", None),
    ]
    assert [event.content for event in trace if event.type == "tool_result"] == ["..S\n..G", None]
    assert trace.source["started"] == "2026-03-08T09:30:01+00:00"


def test_times_that_several_agents_share_are_left_out() -> None:
    document = json.loads((LOGS / "walk.json").read_text())
    document["trajectories"] *= 2
    [trace] = of(document)
    assert trace.time == "ordinal"
    assert lost(trace)["times of steps, which several agents share"] == 4


def test_without_times_the_environment_sends_messages() -> None:
    talk = [user("go")]
    [trace] = of(
        episode(
            ("a", [step(talk, "left"), step([*talk, {"role": "assistant", "content": "left"}, user("wall")], "up")])
        )
    )
    assert story(trace) == [
        ("message", "user", "a"), ("model_call", "a"), ("message", "environment", "a"), ("model_call", "a"),
    ]  # fmt: skip


def test_results_go_to_the_calls_that_they_name() -> None:
    [trace] = traces("tools.json")
    results = {event.parent: event.content for event in trace if event.type == "tool_result"}
    calls = [event.id for event in trace if event.tool == "tide"]
    assert [results[call] for call in calls] == ["11:20", "11:55"]
    assert trace.rewards == {"harbour": 1.0, "harbour/exact": 1.0, "harbour/brief": 0.5, "correct": 1.0}


def test_tool_calls_may_be_in_the_action_and_their_results_in_order() -> None:
    asked = [{"id": "k", "type": "function", "function": {"name": "tide", "arguments": "{}"}}]
    talk = [user("go")]
    then = [*talk, {"role": "assistant", "content": "I ask"}, {"role": "tool", "content": "low", "tool_call_id": "k"}]
    [trace] = of(episode(("a", [step(talk, "I ask", action=asked), step(then, "low")])))
    assert story(trace) == [
        ("message", "user", "a"), ("model_call", "a"), ("tool_call", "a", "tide"), ("tool_result", "a"), ("model_call", "a"),
    ]  # fmt: skip


def test_the_first_form_is_read_too_and_its_finish_is_no_tool() -> None:
    [trace] = traces("early.json")
    assert (trace.id, story(trace)) == ("q1", [("message", "user", "agent"), ("model_call", "agent")])


def test_a_short_answer_or_one_from_the_task_itself_is_no_message() -> None:
    choices = "Choose: the northern harbour, or the southern one."
    short = episode(("a", [step([user("sum")], "42")]), ("b", [step([user("was it 42?")], "yes")]))
    chosen = episode(("a", [step([user(choices)], "the northern harbour")]), ("b", [step([user(choices)], "neither")]))
    for document in (short, chosen):
        [trace] = of(document)
        assert trace.head["link_quality"]["derived"] == 0


def test_what_a_trace_has_no_place_for_is_counted() -> None:
    [trace] = of(
        episode(
            (
                "a",
                [
                    step([user("x")], "y", thought="hm", mc_return=0.5, advantage=[0.1]),
                    step([{"role": "tool", "content": "z"}], "w"),
                ],
            ),
            artifacts={"answer": 1},
        )
    )
    assert lost(trace) == {
        "advantages of steps": 1,
        "model calls without tokens": 2,
        "outputs of the whole run": 1,
        "results without a tool call": 1,
        "steps with numbers of single tokens": 1,
        "thoughts of steps": 1,
    }


def test_a_name_of_somebody_outside_the_team_is_changed() -> None:
    [trace] = of(episode(("user", [step([user("x")], "y")])))
    assert list(trace.agents) == ["user-agent"]


def test_what_is_no_episode_is_counted(tmp_path: Path) -> None:
    whole = json.dumps(json.loads((LOGS / "walk.json").read_text()))
    (tmp_path / "e.jsonl").write_text(f'{whole}\nnot json\n{{"a": 1}}\n')
    [trace] = IMPORTER.read(Log(tmp_path / "e.jsonl"), Content())
    assert lost(trace)["lines that are not JSON objects"] == lost(trace)["records that are not runs"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(seed: int) -> None:
    chance = random.Random(seed)
    originals = [json.loads((LOGS / name).read_text()) for name in NAMES[1:]]
    originals.append(json.loads((LOGS / NAMES[0]).read_text())[0])
    for _ in range(100):
        log = Log(Path("1.json"), json.dumps(mutant(chance.choice(originals), chance)).encode())
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test"))) == []
