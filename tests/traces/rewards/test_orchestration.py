"""R7: rewards for organisation, and PARL."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from survey.traces.metrics import measure
from survey.traces.rewards import (
    NotMeasurable,
    PartsNotMeasurable,
    Run,
    annealed,
    orchestration,
    parl,
    rewards,
    shared,
    time_saved,
)
from tests.traces.rewards.runs import by_part, paid_runs, run_of, search
from tests.traces.strategies import MODEST, Json

PARTS = ("parallelism", "coverage", "distinct", "balance", "aggregation", "economy", "latency")
OFF: dict[str, Any] = dict.fromkeys(PARTS, 0.0)


def test_each_part_is_what_it_is_by_hand() -> None:
    # busy: lead 1 + 2, a 3, b 2, c 1; at least one busy in 0-1, 1-4, 6-8; the longest chain is 1 + 3 + 2
    assert by_part(orchestration(search())) == pytest.approx(
        {
            "parallelism": 1 - 6 / 9,
            "coverage": 2 / 3,
            "distinct": 1 - 2 / 3,
            "balance": (2 + 1 + 1) / 3 / 2,
            "aggregation": 1 / 2,
            "economy": 1 / 3,
            "latency": 1 - 6 / 9,
        }
    )


def test_each_part_says_how_it_came_about() -> None:
    assert {one.part: one.why for one in orchestration(search())} == {
        "parallelism": "1.5 agents were busy on average while any was",
        "coverage": "2 of 3 delegated pieces of work returned ok",
        "distinct": "66.7% of sub-agents' tool calls were also made by another one",
        "balance": "a piece of work took on average 0.667 times the steps of the largest",
        "aggregation": "1 of 2 returns lead to the final turn",
        "economy": "1 of 3 spawned agents returned a result that was used",
        "latency": "the critical path has 6 of 9 seconds of work",
    }


def test_a_weight_multiplies_its_part_and_0_leaves_it_out() -> None:
    paid = orchestration(search(), **{**OFF, "coverage": 3.0, "economy": -1.0})
    assert by_part(paid) == pytest.approx({"coverage": 2.0, "economy": -1 / 3})
    assert paid[0].why == "2 of 3 delegated pieces of work returned ok; weight 3"
    assert {(one.kind, one.unit) for one in paid} == {("orchestrator", "lead")}


def test_coverage_can_be_of_what_the_task_needs() -> None:
    paid = orchestration(search(), **{**OFF, "coverage": 1.0}, needed=["fact-1", "fact-2"])
    assert [(one.reward, one.why) for one in paid] == [(0.5, "1 of 2 needed items was delegated or returned")]


def test_latency_can_be_in_steps_where_times_only_order() -> None:
    (paid,) = orchestration(search(time="ordinal"), **{**OFF, "latency": 1.0}, latency_in="steps")
    assert paid.reward == pytest.approx(1 - 4 / 6)


def test_work_that_came_back_as_an_error_is_not_covered() -> None:
    events: list[Json] = [
        {"type": "spawn", "to": "a"},
        {"type": "return", "agent": "a", "to": "lead", "status": "error"},
    ]
    assert orchestration(run_of(events), **{**OFF, "coverage": 1.0})[0].reward == 0


def test_economy_is_about_those_who_were_spawned() -> None:
    events: list[Json] = [
        {"type": "spawn", "to": "a"},
        {"type": "delegate", "to": "old"},
        {"type": "return", "agent": "old", "to": "lead"},
        {"type": "aggregate"},
    ]
    run = run_of(events, [("e3", "e4", "aggregate")], agents=[{"id": "lead"}, {"id": "old"}])
    assert orchestration(run, **{**OFF, "economy": 1.0})[0].reward == 0
    assert orchestration(run, **{**OFF, "aggregation": 1.0})[0].reward == 1


def test_a_slow_down_saves_nothing() -> None:
    assert [time_saved(speedup) for speedup in (0.5, 1, 2)] == [0, 0, 0.5]


ONE: list[Json] = [{"type": "model_call", "t": 0, "t_end": 2}]
SPAWNED: list[Json] = [{"type": "spawn", "to": "a"}, {"type": "tool_call", "agent": "a", "tool": "t"}]
MISSING: list[tuple[str, list[Json], dict[str, Any], dict[str, Any], str]] = [
    ("parallelism", ONE, {"time": "ordinal"}, {}, "its times are ordinal: they order events but give no durations"),
    ("parallelism", [{"type": "stop"}], {}, {}, "no agent was busy for any time"),
    ("coverage", ONE, {}, {}, "no work was delegated"),
    ("coverage", SPAWNED, {}, {"needed": ["x"]}, "needs a content_ref on delegations or returns"),
    ("distinct", SPAWNED, {}, {}, "no tool call of a sub-agent has a content_ref"),
    ("balance", SPAWNED, {}, {}, "only one piece of work was delegated"),
    ("aggregation", SPAWNED, {}, {}, "there are no returns"),
    ("economy", ONE, {}, {}, "needs spawns: nobody spawned an agent"),
    ("latency", ONE, {"time": "mixed"}, {}, "its times are mixed: they order events but give no durations"),
    ("latency", [{"type": "stop"}], {}, {}, "needs work that takes seconds"),
]


@pytest.mark.parametrize(
    ("part", "events", "head", "options", "reason"), MISSING, ids=[f"{row[0]}: {row[4][:30]}" for row in MISSING]
)
def test_missing_data_is_named(part: str, events: list[Json], head: Any, options: Any, reason: str) -> None:
    with pytest.raises(PartsNotMeasurable) as raised:
        orchestration(run_of(events, **head), **{**OFF, part: 1.0}, **options)
    assert raised.value.reasons == {part: reason}


@MODEST
@given(paid_runs())
def test_every_part_lies_between_0_and_1_on_any_run(run: Run) -> None:
    for one in rewards(run, ["R7"]).rewards:
        assert 0 <= one.reward <= 1, one


@MODEST
@given(paid_runs())
def test_parallelism_is_the_observed_speed_up_bounded(run: Run) -> None:
    found = by_part(rewards(run, ["R7"]).rewards)
    speedup = measure(run.replayed, ["speedup_observed"])["speedup_observed"].value
    assert ("parallelism" in found) == (speedup is not None)
    if speedup is not None:
        assert found["parallelism"] == pytest.approx(1 - 1 / speedup)


# --------------------------------------------------------------------------------------- PARL


def widths(*sizes: int, finished: int, **head: Any) -> Run:
    """Stages in which an orchestrator starts this many sub-agents at once; only the first few of all finish."""
    events: list[Json] = []
    for stage, size in enumerate(sizes):
        events.append({"type": "orchestrator_decision"})
        events += [{"type": "spawn", "to": f"s{stage}-{number}"} for number in range(size)]
        for number in range(size):
            done = finished > 0
            finished -= 1
            events.append(
                {"type": "return", "agent": f"s{stage}-{number}", "to": "lead", **({} if done else {"status": "error"})}
            )
    return run_of([*events, {"type": "aggregate"}], **head)


@pytest.mark.parametrize(
    ("run", "progress", "total"),
    [
        (widths(finished=0, rewards={"team": 1}), 0.0, 1.00),
        (widths(3, finished=3, rewards={"team": 1}), 0.0, 1.22),
        (widths(10, finished=2, rewards={"team": 0}), 0.0, 0.22),
        (widths(3, finished=3, rewards={"team": 1}), 0.5, 1.11),
        (widths(3, finished=3, rewards={"team": 1}), 1.0, 1.00),
        (widths(1, 1, 1, finished=3, rewards={"team": 1}), 0.0, 1 + 0.2 / 5 + 0.1),
    ],
    ids=["alone and right", "three and right", "ten, two finish, wrong", "half annealed", "annealed", "three in a row"],
)
def test_parl_pays_what_the_chapter_on_rewards_works_out(run: Run, progress: float, total: float) -> None:
    assert sum(one.reward for one in parl(run, progress=progress)) == pytest.approx(total)


def test_a_heavy_first_weight_makes_a_wasteful_wrong_run_the_best() -> None:
    assert sum(by_part(parl(widths(10, finished=2, rewards={"team": 0}), parallel=2)).values()) == pytest.approx(2.02)


def test_a_run_without_sub_agents_says_that_its_terms_are_empty() -> None:
    paid = parl(widths(finished=0, rewards={"team": 1}))
    assert [(one.part, one.reward, one.why) for one in paid] == [
        ("r_parallel", 0, "no sub-agent got any work; lambda 0.2"),
        ("r_finish", 0, "no sub-agent got any work; lambda 0.1"),
        ("r_perf", 1, 'the run\'s reward "team" is 1'),
    ]


def test_parl_looks_at_the_work_that_the_orchestrator_itself_handed_out() -> None:
    events: list[Json] = [
        {"type": "orchestrator_decision"},
        {"type": "spawn", "to": "a"},
        {"type": "spawn", "agent": "a", "to": "b"},
        {"type": "return", "agent": "a", "to": "lead"},
    ]
    assert by_part(parl(run_of(events, rewards={"team": 1}))) == pytest.approx(
        {"r_parallel": 0.2 / 5, "r_finish": 0.1, "r_perf": 1}
    )


def staged(*spans: tuple[float, float]) -> Run:
    """Sub-agents that are all started in one stage, each at work from its model call to its return."""
    events: list[Json] = [{"type": "orchestrator_decision", "t": 0}]
    for number, (begin, end) in enumerate(spans):
        name = f"s{number}"
        events += [
            {"type": "spawn", "to": name, "t": 0},
            {"type": "model_call", "agent": name, "t": begin},
            {"type": "return", "agent": name, "to": "lead", "t": end},
        ]
    return run_of([*events, {"type": "aggregate", "t": 99}], rewards={"team": 1})


@pytest.mark.parametrize(
    ("spans", "at_once"),
    [
        ([(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)], 1),
        ([(1, 3), (2, 4), (3, 5), (4, 6), (5, 7)], 2),
        ([(1, 9)] * 5, 5),
        ([(1, 9), (2, 3), (4, 5), (4, 6), (8, 9)], 3),
        ([(1, 1), (1, 1), (2, 2)], 2),
    ],
    ids=["one after the other", "in pairs", "all at once", "one throughout", "in no time"],
)
def test_parl_pays_sub_agents_for_working_at_once_and_not_for_being_started_together(
    spans: list[tuple[float, float]], at_once: int
) -> None:
    assert by_part(parl(staged(*spans), parallel=1.0))["r_parallel"] == pytest.approx(at_once / 5)


def test_an_orchestrator_is_never_the_one_that_is_logged_first() -> None:
    events = [{"type": "model_call", "agent": name, "t": 0} for name in ("a", "b")]
    for lines in (events, events[::-1]):
        with pytest.raises(NotMeasurable, match=r"^needs one orchestrator: a, b begin at one time$"):
            parl(run_of(lines, rewards={"team": 1}))
    later = [events[0], {**events[1], "t": 1}]
    assert {one.unit for one in parl(run_of(later, rewards={"team": 1}))} == {"a"}


def test_parl_needs_an_outcome() -> None:
    with pytest.raises(NotMeasurable, match=r'^needs a reward "team" of the run, outcome\.score or outcome\.success$'):
        parl(widths(2, finished=2))


@MODEST
@given(paid_runs())
def test_at_the_end_of_training_parl_is_the_shared_outcome(run: Run) -> None:
    try:
        outcome = shared(run)[0].reward
    except NotMeasurable:
        return
    assert by_part(parl(run, progress=1)) == {"r_perf": outcome}


@pytest.mark.parametrize(
    ("options", "said"),
    [({"progress": 1.5}, "progress is 1.5"), ({"until": 0}, "annealing is 0"), ({"width": 0}, "width is 0")],
)
def test_what_makes_no_sense_is_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parl(widths(2, finished=2, rewards={"team": 1}), **options)


def test_a_weight_falls_in_a_straight_line_and_stays_at_zero() -> None:
    assert [annealed(1, step / 4, until=0.5) for step in range(5)] == [1, 0.5, 0, 0, 0]
