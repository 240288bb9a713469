"""The figures of many runs, each held against another way to compute it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from survey.traces.exporters.report.runs import Table, html, summary, table
from survey.traces.exporters.report.runs.contrasts import (
    FEWEST,
    FEWEST_TASKS,
    holm,
    mann_whitney,
    superiority,
    superiority_within,
)
from survey.traces.exporters.report.runs.distributions import BINS, FENCE, quartiles
from survey.traces.exporters.report.runs.table import COLUMNS, DIGITS
from survey.traces.exporters.report.runs.wording import about_contrasts, flags, lead
from survey.traces.metrics import MEASURES

SAMPLES = st.lists(st.integers(0, 12).map(float), min_size=FEWEST, max_size=30).map(sorted)


def scored(number: int, measures: dict[str, Any], *, success: bool | None = None, errors: int = 0) -> dict[str, Any]:
    outcome = {} if success is None else {"success": success}
    return {
        "place": f"runs/{number}.jsonl, trace r{number}", "trace_id": f"r{number}", "task_id": f"t{number}",
        "outcome": outcome, "errors": errors, "problems": [], "measures": measures,
    }  # fmt: skip


def table_of(rows: Sequence[dict[str, Any]]) -> Table:
    return table(json.dumps(row).encode() + b"\n" for row in rows)


# ----------------------------------------------------------------------------------------- rows


def test_every_column_is_a_measure_or_a_sum_of_measures() -> None:
    for name, column in COLUMNS.items():
        assert {name, *column.more, *filter(None, [column.instead])} <= MEASURES.keys()
        assert column.definition.startswith(MEASURES[name][0].definition)


def test_a_measure_by_agent_is_summed_and_a_recorded_cost_comes_before_a_listed_one() -> None:
    rows = [
        scored(0, {"waiting_s": {"a": 1.5, "b": 2}, "cost_usd": 3.0, "list_cost_usd": 9.0}),
        scored(1, {"waiting_people_s": {"a": 4.0}, "waiting_permission_s": {"a": 1.0}, "list_cost_usd": 9.0}),
    ]
    one, other = table_of(rows).runs
    assert one.values == {"waiting_s": 3.5, "cost_usd": 3.0}
    assert other.values == {"waiting_people_s": 5.0, "cost_usd": 9.0}


def test_a_run_with_errors_is_listed_and_counts_in_no_figure() -> None:
    rows = [scored(place, {"wall_s": 10.0 + place}) for place in range(4)] + [scored(9, {"wall_s": 1e6}, errors=1)]
    found = summary(table_of(rows))
    assert [row.id for row in found.table.runs] == ["r0", "r1", "r2", "r3", "r9"]
    assert (found.distributions["wall_s"].count, found.distributions["wall_s"].most) == (4, 13.0)


# -------------------------------------------------------------------------------- distributions


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_quartiles_are_those_of_numpy(values: list[float]) -> None:
    assert quartiles(sorted(values)) == pytest.approx(np.percentile(values, [25, 50, 75]))


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=60))
def test_a_histogram_holds_every_value_where_the_scale_has_it(values: list[float]) -> None:
    values = [float(f"{value:.{DIGITS}g}") for value in values]
    found = summary(table_of([scored(place, {"wall_s": value}) for place, value in enumerate(values)]))
    one = found.distributions["wall_s"]
    scale = np.log if one.logarithmic else np.positive
    assert sum(one.bins) == one.count == len(values)
    if one.least < one.most:
        counted, _ = np.histogram(scale(values), BINS, (float(scale(one.least)), float(scale(one.most))))
        moved = np.abs(np.cumsum(counted) - np.cumsum(one.bins))
        assert moved.max() <= 1 + np.sum(np.isin(values, [0.0]))  # a value on an edge may fall to either side


def test_a_run_is_far_from_the_others_by_the_stated_rule() -> None:
    chance = random.Random(7)
    usual = [chance.lognormvariate(4, 0.3) for _ in range(60)]
    values = [*usual, 5000.0, 0.5, 0.0]
    found = summary(table_of([scored(place, {"wall_s": value}) for place, value in enumerate(values)]))
    logs = np.log([value for value in values if value > 0])
    low, high = np.percentile(logs, [25, 75])
    fences = np.exp([low - FENCE * (high - low), high + FENCE * (high - low)])
    assert {one.row.id: one.limit for one in found.outliers} == {
        "r60": pytest.approx(fences[1]), "r61": pytest.approx(fences[0]),
    }  # fmt: skip


def test_a_value_next_to_nothing_is_an_outlier_like_any_other() -> None:
    values = [28.0, 31.0, 37.0, 16.0, 14.0, 17.0, 21.0, 5e-324]
    found = summary(table_of([scored(place, {"wall_s": value}) for place, value in enumerate(values)]))
    assert [one.row.id for one in found.outliers] == ["r7"]


def test_few_runs_or_runs_that_agree_have_no_outlier() -> None:
    few = [1.0] * 3 + [1.1] * 3 + [1e6]
    agreeing = [1.0] * 40 + [1e6]
    for values in (few, agreeing):
        assert not summary(table_of([scored(n, {"wall_s": value}) for n, value in enumerate(values)])).outliers


# ------------------------------------------------------------------------------------- patterns


def test_patterns_are_counted_in_the_runs_that_would_show_them() -> None:
    measures: list[dict[str, Any]] = [
        {"retries": 0}, {"retries": 3}, {"retries": 1}, {},
        {"wall_s": 100.0, "last_sub_agent_s": 11.0}, {"wall_s": 100.0, "last_sub_agent_s": 9.0},
    ]  # fmt: skip
    found = {one.column.name: one for one in summary(table_of([scored(*one) for one in enumerate(measures)])).patterns}
    retries, late = found["retries"], found["last_sub_agent_s"]
    assert (retries.known, retries.runs, retries.total) == (3, 2, 4)
    assert [row.id for row in retries.examples] == ["r1", "r2"]
    assert (late.known, late.runs, late.total) == (2, 1, 11.0)
    assert "silent_sub_agents" not in found


# ------------------------------------------------------------------------------------ contrasts


@given(SAMPLES, SAMPLES)
def test_the_test_is_that_of_scipy(one: list[float], other: list[float]) -> None:
    if one[0] == other[0] == one[-1] == other[-1]:
        return
    wanted = stats.mannwhitneyu(one, other, alternative="two-sided", method="asymptotic", use_continuity=True)
    assert mann_whitney([(one, other)]) == pytest.approx(wanted.pvalue)


@given(SAMPLES, SAMPLES)
def test_the_probability_and_its_interval_follow_from_all_pairs(more: list[float], less: list[float]) -> None:
    x, y = np.array(more)[:, None], np.array(less)[None, :]
    pairs = (x > y) + 0.5 * (x == y)
    value, low, high = superiority(more, less)
    assert value == pytest.approx(pairs.mean())
    assert 0 <= low <= value <= high <= 1
    if 0 < value < 1:
        variance = pairs.mean(1).var(ddof=1) / len(more) + pairs.mean(0).var(ddof=1) / len(less)
        odds, half = np.log(value / (1 - value)), 1.959964 * np.sqrt(variance) / (value * (1 - value))
        assert [low, high] == pytest.approx(1 / (1 + np.exp(-np.array([odds - half, odds + half]))), abs=1e-6)
    else:
        assert 0 < high - low < 1, "samples that do not overlap leave something open"


@given(SAMPLES, SAMPLES)
def test_the_other_side_has_what_one_side_lacks(more: list[float], less: list[float]) -> None:
    value, low, high = superiority(more, less)
    assert superiority(less, more) == pytest.approx((1 - value, 1 - high, 1 - low))


@pytest.mark.parametrize(("sizes", "ratio"), [((5, 5), 1.0), ((5, 12), 3.0), ((30, 30), 8.0), ((8, 60), 1.5)])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(sizes: tuple[int, int], ratio: float) -> None:
    """Of waiting times with means in a known ratio, it is known how often one exceeds the other."""
    truth, chance, plays = ratio / (ratio + 1), np.random.default_rng(11), 2000
    held = 0
    for _ in range(plays):
        more, less = np.sort(chance.exponential(ratio, sizes[0])), np.sort(chance.exponential(1, sizes[1]))
        _, low, high = superiority(more.tolist(), less.tolist())
        held += low <= truth <= high
    assert 0.92 <= held / plays <= 0.99


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1))
def test_the_correction_is_the_closed_test_that_it_shortens(found: dict[str, float]) -> None:
    """After Holm, a p-value is the largest that Bonferroni gives in any set of the questions that holds it."""

    def largest(name: str) -> float:
        sets = chain.from_iterable(combinations(found, size) for size in range(1, len(found) + 1))
        return max(min(len(one) * min(found[each] for each in one), 1.0) for one in sets if name in one)

    assert holm(found) == pytest.approx({name: largest(name) for name in found})


def outcomes(chance: random.Random, number: int, effect: float) -> Iterator[dict[str, Any]]:
    for place in range(number):
        solved = chance.random() < 0.5
        measures = {"wall_s": chance.lognormvariate(4, 1) * (effect if solved else 1), "steps": chance.randint(1, 40)}
        yield scored(place, measures | {"agents": chance.randint(2, 9), "tokens": chance.random()}, success=solved)


def test_a_real_difference_is_found_and_is_the_first() -> None:
    first, *others = summary(table_of(list(outcomes(random.Random(3), 300, 0.5)))).contrasts
    assert first.column.name == "wall_s"
    assert first.adjusted < 0.001
    assert first.high < 0.5
    assert first.medians[0] < first.medians[1]
    assert min(one.adjusted for one in others) > 0.05


def test_where_nothing_differs_one_report_in_twenty_errs_at_most() -> None:
    chance = random.Random(5)
    reports = [summary(table_of(list(outcomes(chance, 60, 1.0)))).contrasts for _ in range(200)]
    assert (
        sum(any(one.adjusted < 0.05 for one in found) for found in reports)
        <= 0.05 * 200 + 2 * (200 * 0.05 * 0.95) ** 0.5
    )


# ------------------------------------------------------------------------- several runs of one task

TASKS = st.lists(
    st.tuples(*[st.lists(st.integers(0, 4).map(float), min_size=1, max_size=3).map(sorted)] * 2), min_size=2, max_size=4
)


@given(TASKS)
def test_the_test_within_tasks_is_that_of_all_ways_to_share_out_the_outcomes(
    tasks: list[tuple[list[float], ...]],
) -> None:
    """If outcomes do not hang on the value, any of the runs of a task could have been those that solved it."""

    def wins(solved: Sequence[float], unsolved: Sequence[float]) -> float:
        return float(sum((a > b) + 0.5 * (a == b) for a in solved for b in unsolved))

    off, spread = 0.0, 0.0
    for solved, unsolved in tasks:
        values = [*solved, *unsolved]
        ways = [
            wins([values[place] for place in chosen], [v for place, v in enumerate(values) if place not in chosen])
            for chosen in combinations(range(len(values)), len(solved))
        ]
        off, spread = off + wins(solved, unsolved) - float(np.mean(ways)), spread + float(np.var(ways))
    if spread > 1e-9:
        wanted = min(2 * stats.norm.sf((abs(off) - 0.5) / np.sqrt(spread)), 1.0)
        assert mann_whitney([(one, other) for one, other in tasks]) == pytest.approx(wanted)


@pytest.mark.parametrize(("tasks", "ratio"), [(FEWEST_TASKS, 1.0), (12, 3.0), (40, 1.5)])
def test_the_interval_within_tasks_holds_the_truth_about_as_often_as_it_says(tasks: int, ratio: float) -> None:
    """Tasks differ in how long they take by a factor of its own each, and in how often they are solved."""
    truth, chance, plays, held = ratio / (ratio + 1), np.random.default_rng(5), 1000, 0
    for _ in range(plays):
        found = []
        for _ in range(tasks):
            hard, solved, unsolved = chance.lognormal(0, 2), *chance.integers(1, 5, 2)
            found.append(
                (
                    sorted((hard * chance.exponential(ratio, solved)).tolist()),
                    sorted((hard * chance.exponential(1.0, unsolved)).tolist()),
                )
            )
        _, low, high = superiority_within(found)
        held += low <= truth <= high
    assert 0.90 <= held / plays <= 0.99


def test_tasks_that_are_hard_make_no_difference_of_nothing() -> None:
    """Ten tasks of twenty runs, each task with a time and a share of successes of its own."""
    chance = random.Random(13)
    wrong = 0
    for _ in range(100):
        rows: list[dict[str, Any]] = []
        for task in range(10):
            solving = chance.random()
            usual = {name: chance.lognormvariate(4, 1) for name in ("wall_s", "tokens", "steps", "work_s", "model_s")}
            for _ in range(20):
                measures = {name: value * chance.lognormvariate(0, 0.1) for name, value in usual.items()}
                rows.append(scored(len(rows), measures, success=chance.random() < solving) | {"task_id": f"t{task}"})
        wrong += any(one.adjusted < 0.05 for one in summary(table_of(rows)).contrasts)
    assert wrong <= 0.05 * 100 + 2 * (100 * 0.05 * 0.95) ** 0.5


def test_what_differs_within_tasks_is_found_though_tasks_differ_more() -> None:
    chance, rows = random.Random(2), list[dict[str, Any]]()
    for task in range(20):
        hard = chance.lognormvariate(4, 1.5)
        for number in range(6):
            seconds = hard * chance.lognormvariate(0, 0.2) * (0.7 if number % 2 else 1)
            rows.append(scored(len(rows), {"wall_s": seconds}, success=bool(number % 2)) | {"task_id": f"t{task}"})
    [one] = summary(table_of(rows)).contrasts
    assert one.adjusted < 0.001
    assert one.high < 0.3
    few = [row for row in rows if row["task_id"] in [f"t{task}" for task in range(FEWEST_TASKS - 1)]]
    found = summary(table_of(few))
    assert found.contrasts == []
    assert f"A comparison needs at least {FEWEST_TASKS} tasks" in about_contrasts(found)


def test_two_runs_of_one_place_keep_apart() -> None:
    rows = [scored(place, {"wall_s": 10.0 + place}) for place in range(20)]
    rows += [{**row, "measures": {"wall_s": 12.0}} for row in rows[:2]]
    rows[0]["measures"]["wall_s"] = 1e5
    found = summary(table_of(rows))
    assert [one.row.at for one in found.outliers] == [0]
    assert list(flags(found)) == [0]
    assert "time: high outlier" in html(found, "two machines")


def test_what_differs_in_the_last_digit_is_the_same() -> None:
    rows = [
        scored(place, {"speedup_observed": 1 + (place % 7 - 3) * 2.2e-16}, success=place % 2 == 0)
        for place in range(40)
    ]
    found = summary(table_of(rows))
    assert (found.distributions["speedup_observed"].least, found.distributions["speedup_observed"].most) == (1.0, 1.0)
    assert found.contrasts == []


def test_runs_with_errors_are_not_counted_as_solved() -> None:
    rows = [scored(place, {"wall_s": 9.0}, success=place < 6, errors=int(place < 6)) for place in range(16)]
    found = summary(table_of(rows))
    said = " ".join(lead(found)).replace("\u00a0", " ")
    assert said.startswith(
        "Of 16 runs, 6 have errors and are excluded from all statistics. "
        "Of the other 10 runs, 0 solved their task (0 %)."
    )


def test_runs_that_do_not_say_how_they_ended_are_on_neither_side() -> None:
    rows = [scored(place, {"steps": place}, success=[True, False, None][place % 3]) for place in range(30)]
    found = summary(table_of(rows))
    assert (found.solved, found.unsolved) == (10, 10)
    assert [(one.solved, one.unsolved) for one in found.contrasts] == [(10, 10)]
    assert not summary(table_of(rows[:12])).contrasts, "four of a kind are too few"
