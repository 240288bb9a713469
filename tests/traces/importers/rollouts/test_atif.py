"""ATIF trajectories, read as traces."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.exporters.atif import atif
from survey.traces.importers.coding_agents.claude_code import IMPORTER as CLAUDE_CODE
from survey.traces.importers.log import BadLog, Log
from survey.traces.importers.rollouts.atif import IMPORTER
from survey.traces.model import Content
from tests.traces.importers.losses import lost
from tests.traces.importers.mutants import faults, mutant

LOGS = Path(__file__).parent / "logs" / "atif"


def traces(path: Path) -> list[Trace]:
    return list(IMPORTER.read(Log(path), Content(salt="test")))


def the_trace(name: str) -> Trace:
    (trace,) = traces(LOGS / name)
    return trace


def acts(trace: Trace, agent: str) -> list[str]:
    return [event.type for event in trace if event.agent == agent]


def links(trace: Trace, type: str) -> list[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    events = {event.id: f"{event.type} {event.agent}" for event in trace}
    return [(events[edge.src], events[edge.dst]) for edge in trace.edges if edge.type == type]


def written(folder: Path, **changes: Any) -> Path:
    document = {**json.loads((LOGS / "team.json").read_text()), **changes}
    (folder / "changed.json").write_text(json.dumps(document))
    return folder / "changed.json"


@pytest.mark.parametrize("name", ["team.json", "untimed.json", "sidechains.json", "segments"])
def test_a_trajectory_is_recognised_by_its_content_and_gives_a_trace_without_errors(name: str) -> None:
    assert IMPORTER.recognises(Log(LOGS / name))
    assert [str(problem) for problem in check(the_trace(name))] == []


def test_a_log_of_something_else_is_not_recognised(tmp_path: Path) -> None:
    for number, text in enumerate(
        ["", "{}", "[]", '{"schema_version": 1, "steps": []}', '{"schema_version": "ATIF-v1.7"}']
    ):
        (tmp_path / f"{number}.json").write_text(text)
        assert not IMPORTER.recognises(Log(tmp_path / f"{number}.json"))
    assert not IMPORTER.recognises(Log(tmp_path))


def test_a_run_is_told_agent_by_agent() -> None:
    trace = the_trace("team.json")
    assert acts(trace, "main") == [
        "model_call", "tool_call", "tool_call", "tool_result", "tool_result",
        "orchestrator_decision", "tool_call", "spawn", "spawn", "spawn", "tool_result",
        "aggregate", "tool_call", "tool_result", "compaction", "model_call", "stop",
    ]  # fmt: skip
    assert acts(trace, "reader-1") == [
        "orchestrator_decision",
        "tool_call",
        "spawn",
        "tool_result",
        "aggregate",
        "return",
        "despawn",
    ]
    assert acts(trace, "digger-1") == acts(trace, "writer-1") == ["model_call", "return", "despawn"]
    assert acts(trace, "lost-1") == ["return", "despawn"]
    assert acts(trace, "user") == ["message", "human_intervention"]


def test_the_head_says_whose_run_it_is() -> None:
    trace = the_trace("team.json")
    assert (trace.id, trace.time, trace.head["system"]) == ("run-1", "seconds", "lead")
    assert trace.source["started"] == "2026-03-08T09:30:00+00:00"
    assert trace.agents["writer-1"] == {"id": "writer-1", "name": "writer", "model": "m-small"}
    assert trace.agents["reader-1"]["role"] == "reviewer"
    assert trace.head["metrics"] == {
        "total_completion_tokens": 243, "total_cost_usd": 0.06, "total_prompt_tokens": 4890, "total_steps": 9,
    }  # fmt: skip


def test_tokens_of_a_prompt_are_split_into_fresh_and_cached_and_each_counts_once() -> None:
    trace = the_trace("team.json")
    first = next(event for event in trace if event.type == "model_call")
    assert first.by_kind == {"input": 300, "output": 50, "cache_read": 600, "cache_write": 100, "reasoning": 30}
    assert trace.costs == {"tokens": 5133, "wall_clock_s": 50.0, "tool_calls": 5, "messages": 0, "usd": 0.06}


def test_spawns_returns_and_results_are_linked() -> None:
    trace = the_trace("team.json")
    assert links(trace, "spawn") == [
        ("spawn main", "orchestrator_decision reader-1"),
        ("spawn reader-1", "model_call digger-1"),
        ("spawn main", "model_call writer-1"),
    ]
    assert sorted(links(trace, "aggregate")) == [
        ("return digger-1", "aggregate reader-1"),
        ("return lost-1", "aggregate main"),
        ("return reader-1", "aggregate main"),
        ("return writer-1", "aggregate main"),
    ]
    assert Counter(links(trace, "tool_dependency"))["tool_call main", "tool_result main"] == 4
    assert ("spawn main", "return lost-1") in links(trace, "causal")
    assert trace.head["link_quality"]["missing"] == 0


def test_how_results_went_is_kept() -> None:
    trace = the_trace("team.json")
    assert [(event.type, event.agent, event.status) for event in trace if event.status != "ok"] == [
        ("return", "lost-1", "timeout"),
        ("tool_result", "reader-1", "error"),
    ]


def test_what_the_log_does_not_say_is_counted() -> None:
    assert lost(the_trace("team.json")) == {
        "model calls merged into one step": 1,
        "observations without a tool call in their step": 1,
        "sub-agents whose own trajectory is missing": 1,
        "system messages": 1,
        "times of results, set to those of their calls": 5,
    }


def test_a_step_without_a_model_call_is_no_turn() -> None:
    trace = the_trace("team.json")
    call = next(event for event in trace if event.tool == "lint")
    assert (call.parent, call.t) == (None, 41.0)


def test_without_times_a_trace_has_an_order_and_sub_agents_work_side_by_side() -> None:
    trace = the_trace("untimed.json")
    assert trace.time == "ordinal"
    assert [event.type for event in trace] == [
        "message", "orchestrator_decision", "spawn", "spawn", "model_call", "model_call",
        "return", "despawn", "return", "despawn", "aggregate", "stop",
    ]  # fmt: skip


def test_steps_of_sub_agents_between_those_of_their_parent_are_theirs() -> None:
    trace = the_trace("sidechains.json")
    assert acts(trace, "aa1") == ["model_call", "tool_call", "tool_result", "model_call"]
    assert acts(trace, "bb2") == ["model_call"]
    assert links(trace, "spawn") == [("spawn main", "model_call aa1"), ("spawn main", "model_call bb2")]
    assert lost(trace)["returns of sub-agents that are not logged"] == 2
    assert trace.costs["tokens"] == 55 + 66 + 77 + 220


def test_a_continued_trajectory_is_one_run_and_copied_steps_count_once() -> None:
    for path in (LOGS / "segments", LOGS / "segments" / "trajectory.json"):
        (trace,) = traces(path)
        assert acts(trace, "main") == ["model_call", "compaction", "spawn", "aggregate", "stop"]
        assert acts(trace, "seg-summary") == ["model_call", "return", "despawn"]
        assert trace.costs["tokens"] == 110 + 99 + 88
        assert lost(trace)["steps copied from an earlier trajectory"] == 3


def test_nothing_outside_the_folder_of_the_log_is_read(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.json").write_text((LOGS / "untimed.json").read_text())
    (trace,) = traces(written(inside, continued_trajectory_ref="../secret.json"))
    assert lost(trace)["continuations that are missing"] == 1
    assert "stop" not in acts(trace, "main")


def test_several_trajectories_in_one_file_are_several_traces(tmp_path: Path) -> None:
    one, two = (json.loads((LOGS / name).read_text()) for name in ("team.json", "untimed.json"))
    (tmp_path / "list.json").write_text(json.dumps([one, two]))
    (tmp_path / "lines.jsonl").write_text(f"{json.dumps(one)}\n{json.dumps(two)}\n")
    for name in ("list.json", "lines.jsonl"):
        assert [trace.id for trace in traces(tmp_path / name)] == ["run-1", "s-root"]


def test_a_file_is_found_by_its_name_even_where_its_session_is_that_of_the_run(tmp_path: Path) -> None:
    for name in ("trajectory.json", "trajectory.cont-1.json", "trajectory.summary.json"):
        text = (LOGS / "segments" / name).read_text()
        (tmp_path / name).write_text(text.replace("seg-summary", "seg"))
    (trace,) = traces(tmp_path / "trajectory.json")
    assert sum(event.type == "model_call" for event in trace) == 2
    assert trace.costs["tokens"] == 110 + 99 + 88


@pytest.mark.parametrize("name", ["parallel6-sync", "parallel6-async", "parallel5-progress", "parallel3-ask"])
def test_a_real_team_survives_the_way_to_atif_and_back(name: str, real: Callable[[str], Path], tmp_path: Path) -> None:
    (trace,) = CLAUDE_CODE.read(Log(real(f"claude-code/{name}.jsonl")), Content(salt="test"))
    (tmp_path / "trace.json").write_text(json.dumps(atif(trace)))
    (back,) = traces(tmp_path / "trace.json")
    assert Counter((event.agent, event.type, event.tokens) for event in back) == Counter(
        (event.agent, event.type, event.tokens) for event in trace
    )
    assert back.costs == pytest.approx(trace.costs)
    assert [str(problem) for problem in check(back) if not problem.warning] == []


def test_texts_stay_out_unless_they_are_asked_for() -> None:
    path = LOGS / "team.json"
    told = json.dumps(the_trace("team.json").to_json())
    assert "Half is fine" not in told and "page one" not in told
    (kept,) = IMPORTER.read(Log(path), Content(keep=True, salt="test"))
    spawn = next(event for event in kept if event.type == "spawn")
    assert spawn.content == "Read the first half."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'log.json: found no trajectory (expected an object with "schema_version": "ATIF-v1..." and steps)'),
        (
            '{"schema_version": "ATIF-v1.7", "steps": []}',
            "log.json: empty trajectories (expected steps of an agent)",
        ),
    ],
)
def test_a_log_without_a_run_says_so(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(BadLog) as caught:
        traces(tmp_path / "log.json")
    assert str(caught.value) == message


def test_trajectories_that_refer_to_each_other_in_a_circle_are_read_once(tmp_path: Path) -> None:
    document = json.loads((LOGS / "team.json").read_text())
    for step in document["subagent_trajectories"][1]["steps"]:
        step["observation"] = {
            "results": [{"subagent_trajectory_ref": [{"trajectory_id": "writer-1"}, {"trajectory_id": "reader-1"}]}]
        }
    (tmp_path / "circle.json").write_text(json.dumps(document))
    (trace,) = traces(tmp_path / "circle.json")
    assert lost(trace)["references to an agent that is still working"] == 2
    assert Counter(event.to for event in trace if event.type == "spawn")["reader-1"] == 1


def test_a_sub_agent_that_works_on_after_its_call_was_answered_returns_when_it_is_done(tmp_path: Path) -> None:
    document = json.loads((LOGS / "team.json").read_text())
    document["subagent_trajectories"][1]["steps"][1]["timestamp"] = "2026-03-08T09:30:48Z"
    (tmp_path / "late.json").write_text(json.dumps(document))
    (trace,) = traces(tmp_path / "late.json")
    assert ("return writer-1", "aggregate main") in links(trace, "aggregate")
    assert [event.t for event in trace if event.type == "aggregate" and event.agent == "main"] == [25.0, 50.0]


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_log_gives_sound_traces_or_says_that_it_is_none(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    originals = [json.loads((LOGS / name).read_text()) for name in ("team.json", "untimed.json", "sidechains.json")]
    path = tmp_path / "mutant.json"
    for _ in range(100):
        path.write_text(json.dumps(mutant(chance.choice(originals), chance)))
        log = Log(path)
        IMPORTER.recognises(log)
        assert faults(partial(IMPORTER.read, log, Content(salt="test"))) == []


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_log_that_was_cut_off_is_none(tmp_path: Path, share: float) -> None:
    text = (LOGS / "team.json").read_text()
    (tmp_path / "cut.json").write_text(text[: int(len(text) * share)])
    assert not IMPORTER.recognises(Log(tmp_path / "cut.json"))
    with pytest.raises(BadLog, match="no trajectory"):
        traces(tmp_path / "cut.json")


def test_lines_that_are_no_trajectory_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    whole = [json.dumps(json.loads((LOGS / name).read_text())) for name in ("team.json", "untimed.json")]
    path.write_text("\n".join([whole[0], "not json", '{"a": 1}', "[]", whole[1]]) + "\n")
    first, second = traces(path)
    assert lost(first)["lines that are not JSON objects"] == 2
    assert lost(first)["records that are not trajectories"] == 1
    assert "lines that are not JSON objects" not in lost(second)


@pytest.mark.parametrize(
    ("reference", "agent"),
    [
        ({"trajectory_path": "../elsewhere/lost-1.json"}, "lost-1"),
        ({"trajectory_path": "."}, "sub-agent"),
        ({"trajectory_id": "user"}, "user-agent"),
    ],
)
def test_a_sub_agent_without_a_trajectory_is_called_by_what_refers_to_it(
    reference: dict[str, str], agent: str, tmp_path: Path
) -> None:
    text = (LOGS / "team.json").read_text()
    said = re.sub(r'\{\s*"trajectory_path": "../elsewhere/lost-1.json"\s*\}', json.dumps(reference), text)
    (tmp_path / "team.json").write_text(said)
    (trace,) = traces(tmp_path / "team.json")
    assert agent in trace.agents
    assert not check(trace).errors
