"""The first sentences of a report: what holds however the times of a log are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from survey.traces import Trace, replay
from survey.traces.exporters.report.headline import as_text
from survey.traces.importers import Log, importers
from survey.traces.metrics import Run, measure
from survey.traces.model import Builder, Content
from survey.traces.replay import timeline
from tests.traces.importers.samples import sample
from tests.traces.strategies import MODEST
from tests.traces.strategies import traces as drawn


def headline(trace: Trace) -> str:
    run = Run(replay(trace))
    return as_text(run, measure(run))


def built(*turns: dict[str, object], asked: bool = True) -> Trace:
    """A prompt at 0, and the turns of a lead."""
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    prompt = builder.event("message", "user", 0.0, to="lead") if asked else None
    for place, turn in enumerate(turns):
        made = builder.event("model_call", "lead", **turn)  # type: ignore[arg-type]
        if prompt and not place:
            builder.link(prompt, made, "message")
    return builder.build()


@pytest.mark.parametrize(("name", "least"), [("oneblock", "1.0 s"), ("twoblocks", "2.0 s")])
def test_work_has_bounds_where_a_log_does_not_say_when_turns_began(
    name: str, least: str, real: Callable[[str], Path]
) -> None:
    [trace] = importers()["claude-code"].read(Log(real("").parent / "hand" / f"{name}.jsonl"), Content())
    assert headline(trace) == (
        f"1 agent did {least} to 2 min 1 s of work in 2 min 1 s. The log does not say when turns began: the larger "
        "figure for work counts each from what it answers, the smaller from its first record."
    )


def test_a_log_that_says_when_turns_began_has_one_figure_for_each_thing() -> None:
    assert headline(built({"t": 0.0, "t_end": 10.0}, {"t": 15.0, "t_end": 20.0})) == (
        "1 agent did 15 s of work in 20 s. For 5.0 s of that time (25 %) no agent was working."
    )


def test_silence_that_only_one_reading_knows_is_at_least_what_both_know() -> None:
    trace = built({"t": 0.0, "t_first": 4.0, "t_end": 10.0}, {"t": 15.0, "t_first": 18.0, "t_end": 20.0})
    assert headline(trace).startswith(
        "1 agent did 8.0 s to 15 s of work in 20 s. For at least 5.0 s of that time (25 %) no agent was working."
    )


def test_the_message_of_a_team_may_have_taken_no_time() -> None:
    [trace] = importers()["claude-code-team"].read(Log(sample("claude-code-team/harbour")), Content())
    run = Run(replay(trace))
    assert run.ambiguous
    assert measure(run.shortest, ["work_s"])["work_s"].value < measure(run, ["work_s"])["work_s"].value
    assert " to " in headline(trace).split(" of work")[0]


def test_a_program_that_only_starts_agents_is_named_beside_them() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    returned = None
    for place, name in enumerate(("planner", "worker")):
        spawned = builder.event("spawn", "main", 10.0 * place, to=name)
        worked = builder.event("model_call", name, 10.0 * place, t_end=10.0 * place + 10)
        builder.link(returned or spawned, spawned, "causal")
        builder.link(spawned, worked, "spawn")
        returned = builder.event("return", name, 10.0 * place + 10, to="main")
    builder.link(returned, builder.event("stop", "main", 20.0), "return")
    assert headline(builder.build()).startswith("2 agents and the program around them did 20 s of work in 20 s.")


def test_an_agent_that_decides_is_counted_though_it_only_starts_others() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    decided = builder.event("orchestrator_decision", "lead", 0.0, t_end=5.0)
    spawned = builder.event("spawn", "lead", 5.0, to="worker")
    builder.link(decided, spawned, "causal")
    builder.link(spawned, builder.event("model_call", "worker", 5.0, t_end=10.0), "spawn")
    assert headline(builder.build()).startswith("2 agents did 10 s of work in 10 s.")


@MODEST
@given(drawn())
def test_turns_that_begin_later_make_no_run_longer(trace: Trace) -> None:
    replayed = replay(trace.with_head(time="seconds"))
    long, short = timeline(replayed), timeline(replayed, shortest=True)
    assert sum(short.work.values()) <= sum(long.work.values()) + 1e-6
    assert max(short.longest_s) <= max(long.longest_s) + 1e-6
