"""Counts with their uncertainty: worked cases, other people's arithmetic, and simulated readers whose truth is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.literature import Pool, load
from survey.literature.agreement import (
    Figure,
    ReadingCounts,
    Uncertainty,
    cell_interval,
    interval,
    near_threshold,
    readings_of,
)
from survey.literature.agreement.double_reading import Answers, bounds, distribution
from survey.literature.pool import Adjudication, Coding, Judgement
from tests.conftest import ROOT

PUBLISHED, AGAIN = "published-2026-05-04", "second-reading-2026-11"
FIRST, SECOND = "facets-a-2026-11", "facets-b-2026-11"
AXES = ("category", "rl", "reward-for", "credit-holder", "credit-grain", "credit-method", "topology", "scenario")

numbers = st.integers(0, 12)
answers = st.builds(
    lambda both, one, other, neither, unsettled, yes, no: Answers(
        both, one, other, neither, both, min(unsettled, one + other), yes, no
    ),
    *[numbers] * 7,
)

# ------------------------------------------------------------------------- by hand


def test_where_all_was_read_twice_and_nothing_is_open_the_count_is_certain() -> None:
    assert bounds(distribution(Answers(3, 1, 2, 4, stands=5, open=0, once_yes=0, once_no=0))) == (5, 5)


def test_any_number_of_open_disagreements_is_equally_likely_to_count() -> None:
    found = distribution(Answers(3, 1, 2, 4, stands=3, open=3, once_yes=0, once_no=0))
    assert found == pytest.approx([0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0])
    assert bounds(found) == (3, 6)


def test_an_entry_read_once_is_doubted_as_often_as_those_read_twice() -> None:
    """Of three entries counted by the first reader the second confirmed two: (1 + 1/2) of 4 in doubt, half of these out."""
    found = distribution(Answers(2, 1, 0, 0, stands=2, open=0, once_yes=1, once_no=0))
    doubted = (1 + 0.5) / (3 + 1)
    assert found == pytest.approx([0, 0, doubted / 2, 1 - doubted / 2, 0])


def test_a_count_of_zero_is_not_certain_where_entries_were_read_once() -> None:
    low, high = bounds(distribution(Answers(0, 0, 0, 84, stands=0, open=0, once_yes=0, once_no=168)))
    assert (low, high > 0) == (0, True)


@given(answers)
def test_it_is_a_distribution_over_the_counts_that_are_possible(a: Answers) -> None:
    found = np.array(distribution(a))
    assert found.sum() == pytest.approx(1)
    assert (found > -1e-12).all()
    possible = np.nonzero(found > 1e-9)[0]
    assert possible.min() >= a.stands
    assert possible.max() <= a.stands + a.open + a.once_yes + a.once_no


@pytest.mark.parametrize(
    "a",
    [Answers(20, 9, 6, 49, 22, 11, 60, 108), Answers(3, 12, 1, 68, 3, 13, 8, 160), Answers(0, 0, 3, 81, 0, 3, 0, 168)],
)
def test_the_closed_form_is_what_drawing_gives(a: Answers) -> None:
    """Each unknown is drawn in turn: how often a second reader differs, on which entries, how many of them count."""
    draw, times = np.random.default_rng(5), 200_000
    dropped = draw.binomial(a.once_yes, draw.beta(a.first_only + 0.5, a.both + 0.5, times))
    found = draw.binomial(a.once_no, draw.beta(a.second_only + 0.5, a.neither + 0.5, times))
    count = a.stands + a.once_yes - dropped + draw.integers(0, a.open + dropped + found, endpoint=True)
    drawn = np.bincount(count, minlength=len(distribution(a))).cumsum() / times
    assert np.abs(np.cumsum(distribution(a)) - drawn).max() < 0.005


# ---------------------------------------------------- readers whose truth is known


def worlds(number: int, seed: int, share: float = 1 / 3, entries: int = 252) -> Iterator[tuple[Answers, int, int]]:
    """Two fallible readers of the same works: the answers, the settled count and the true count, for each value.

    After Dawid and Skene (1979), which is not the model of the interval: each work has a true value; each reader has an
    accuracy for each value, and a habit of mistaking it for others; they err independently. One reads all, the other a
    share. Settled is what an adjudicator who knows the truth would make of every disagreement.
    """
    draw = np.random.default_rng(seed)
    for _ in range(number):
        values = int(draw.integers(3, 10))
        truth = draw.choice(values, entries, p=draw.dirichlet(np.ones(values)))
        level = draw.choice([0.6, 0.7, 0.8, 0.9, 0.95])
        readings = []
        for _reader in range(2):
            habits = draw.dirichlet(np.ones(values), values)
            np.fill_diagonal(habits, 0)
            habits /= habits.sum(axis=1, keepdims=True)
            accuracy = draw.beta(10 * level, 10 * (1 - level), values)
            habits *= (1 - accuracy)[:, None]
            np.fill_diagonal(habits, accuracy)
            readings.append(np.array([draw.choice(values, p=habits[t]) for t in truth]))
        twice = np.arange(entries) < share * entries
        adjudicated = twice & (draw.random(entries) < draw.choice([0, 0.3]))
        for value in range(values):
            one, other, true = readings[0] == value, readings[1] == value, truth == value
            settled = np.where(one == other, one, true)
            open = (one != other) & twice & ~adjudicated
            yield (
                Answers(
                    int((one & other & twice).sum()), int((one & ~other & twice).sum()),
                    int((~one & other & twice).sum()), int((~one & ~other & twice).sum()),
                    stands=int((settled & twice & ~open).sum()), open=int(open.sum()),
                    once_yes=int((one & ~twice).sum()), once_no=int((~one & ~twice).sum()),
                ),
                int(settled.sum()),
                int(true.sum()),
            )  # fmt: skip


@pytest.mark.parametrize("share", [1 / 3, 1 / 2, 2 / 3, 1], ids=["a third", "half", "two thirds", "all"])
def test_intervals_hold_the_settled_count_as_often_as_they_state_within_two_points(share: float) -> None:
    """An interval states at least 95 %: of few open disagreements no number is so unlikely that it can be left out."""
    held, stated = [], []
    for a, settled, _ in worlds(100, seed=11, share=share):
        probabilities = distribution(a)
        low, high = bounds(probabilities)
        held.append(low <= settled <= high)
        stated.append(sum(probabilities[low : high + 1]))
    assert len(held) > 500
    assert np.mean(stated) >= 0.95 - 0.001
    assert abs(np.mean(held) - np.mean(stated)) <= 0.02


# ------------------------------------------------------------------- our own data


def coded(name: str, axis: str) -> pd.Series:
    table = pd.read_csv(ROOT / "bib" / "codings" / f"{name}.csv")
    return table[table["axis"] == axis].set_index("key")["value"].str.split(";").str[0].str.strip()


@pytest.mark.parametrize("axis", AXES)
def test_the_answers_are_those_of_the_files(pool: Pool, axis: str) -> None:
    """Counted again from the CSV files by pandas; the pool's own tags from its text."""
    other = coded(SECOND, axis)
    one = coded(FIRST, axis).loc[other.index]
    text = (ROOT / "bib" / "pool.bib").read_text()
    own = pd.Series(dict(zip(
        re.findall(r"^@\w+\{([^,]+),$", text, re.M),
        re.findall(rf"^  tag-{axis}\s*= \{{([^;}}]+)", text, re.M), strict=True,
    )))  # fmt: skip
    settled = pd.read_csv(ROOT / "bib" / "codings" / "adjudications.csv").query("axis == @axis")["key"]
    uncertain = Uncertainty(pool)
    for value in pool.taxonomy[axis].values:
        a, b, now = one == value, (other == value).reindex(one.index), own.reindex(one.index) == value
        table = pd.crosstab(a, b).reindex(index=[True, False], columns=[True, False], fill_value=0)
        once = own.drop(one.index) == value
        # the pool departs from the first reader, or was settled
        known = (now != a) | ((a != b) & a.index.isin(settled))
        differ = (a != b) & ~known
        both, first_only, second_only, neither = table.to_numpy().ravel().tolist()
        stands = int((a & b & ~known).sum() + (now & known).sum())
        unread = int(once.sum()), int((~once).sum())
        expected = Answers(both, first_only, second_only, neither, stands, int(differ.sum()), *unread)
        found = uncertain.value(axis, value)
        assert found.count == int((own == value).sum())
        assert (found.low, found.high) == bounds(distribution(expected))


def test_readings_are_counted_from_the_codings(pool: Pool) -> None:
    assert readings_of(pool, "reward", ["magrpo", "mas-zero2025"]).twice == 2
    assert readings_of(pool, "topology", ["halo", "magrpo"]) == ReadingCounts(once=0, twice=2, adjudicated=1)
    assert readings_of(pool, "standing", ["neuromas2026"]) == ReadingCounts(once=1, twice=0, adjudicated=0)


def test_a_cell_of_a_table_has_an_interval_of_its_own(pool: Pool) -> None:
    found = cell_interval(pool, "reward", "hybrid", "credit", "agent")
    assert found == cell_interval(pool, "credit", "agent", "reward", "hybrid")
    assert found.count == len(pool.where([("reward", "hybrid"), ("credit", "agent")], primary=True))
    assert found.low is not None
    assert found.low <= found.count


def test_the_snapshot_that_was_read_twice_is_uncertain_only_where_readers_differ(pool: Pool) -> None:
    codings = {id: pool.codings[id] for id in (PUBLISHED, AGAIN)}
    then = replace(pool.as_of(min(pool.editions)), codings=codings, adjudications={})
    found, sides = interval(then, "reward", "hybrid"), (coded(PUBLISHED, "reward"), coded(AGAIN, "reward"))
    both, either = (sum(int(f(pair)) for pair in zip(*[s == "hybrid" for s in sides], strict=True)) for f in (all, any))
    assert (found.readings.once, found.low, found.high) == (0, both, either)


def test_an_adjudication_narrows_the_interval(pool: Pool) -> None:
    # nothing is settled, and no tag departs from the first reader
    alone = replace(pool.recoded(FIRST), adjudications={})
    before = interval(alone, "topology", "centralized")
    own = {e.key: e.tags["topology"] for e in alone}
    decided = {(key, "topology"): Adjudication(key, "topology", tags, "why") for key, tags in own.items()}
    after = interval(replace(alone, adjudications=decided), "topology", "centralized")
    assert before.low is not None
    assert after.low is not None
    assert after.low > before.low
    assert after.readings.adjudicated == after.readings.twice > before.readings.adjudicated


def test_a_share_within_some_entries_counts_only_these(pool: Pool) -> None:
    methods = [e.key for e in pool.where([("category", "rl-method")])]
    found = Uncertainty(pool).crossed({"reward": "shared"}, within=methods)
    assert found.of == len(methods)
    assert found.shares[0] == pytest.approx(
        len(pool.where([("category", "rl-method"), ("reward", "shared")], True)) / len(methods)
    )


# ----------------------------------------------------------------- without an interval


@pytest.mark.parametrize(
    ("axis", "value", "reason"),
    [
        ("reward", "na", "do not use the words for absence alike"),
        ("standing", "core", "no entry was read on role in the survey by two readers"),
        ("scale", "agents", "numeric"),
    ],
)
def test_there_is_none_and_the_reason_is_given(pool: Pool, axis: str, value: str, reason: str) -> None:
    found = interval(pool, axis, value)
    assert (found.low, found.high, near_threshold(lambda n: n > 1, found)) == (None, None, None)
    assert reason in found.reason


def test_another_survey_without_codings_has_counts_without_intervals() -> None:
    bread = load(Path(__file__).parents[1] / "bread")
    found = interval(bread, "leavening", "soda")
    assert (found.count, found.of, found.low, found.readings) == (1, 3, None, ReadingCounts(1, 0, 0))
    assert "two readers" in found.reason


def twice_read(blind: str) -> Pool:
    bread = load(Path(__file__).parents[1] / "bread")

    def coding(id: str, notes: dict[str, str]) -> Coding:
        rows = tuple(Judgement(e.key, "leavening", e.tags["leavening"], notes) for e in bread)
        return Coding(id, id, bread.day, "", rows)

    return replace(bread, codings={"one": coding("one", {}), "two": coding("two", {"blind": blind})})


def test_another_survey_has_intervals_once_it_stores_two_codings_of_which_one_is_blind() -> None:
    found = interval(twice_read("yes"), "leavening", "soda")
    assert (found.count, found.low, found.high, found.readings) == (1, 1, 1, ReadingCounts(0, 1, 0))
    assert "blind" in interval(twice_read("no"), "leavening", "soda").reason


@pytest.mark.parametrize(
    ("axis", "value", "expected"),
    [
        ("rewards", "shared", 'did you mean "reward"'),
        ("reward", "sharde", 'did you mean "shared"'),
        ("reason", "x", "of entries"),
    ],
)
def test_an_axis_or_value_that_does_not_exist_is_named(pool: Pool, axis: str, value: str, expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        interval(pool, axis, value)


# ------------------------------------------------------------------------ thresholds


def test_a_claim_is_near_its_threshold_if_the_interval_crosses_it() -> None:
    hybrid, shared = (Figure(n, 84, ReadingCounts(n, 0, 0), low, high) for n, low, high in ((15, 3, 15), (10, 8, 20)))
    assert near_threshold(lambda n: n >= 10, hybrid)
    assert not near_threshold(lambda n: n >= 3, hybrid)
    assert not near_threshold(lambda n: n > 20, shared)
    assert near_threshold(lambda n, m: n > m, hybrid, shared)


def test_that_hybrid_leads_depends_on_the_reader(pool: Pool) -> None:
    """The published reader finds it in more entries than any other reward, the second in fewer than shared."""
    then = replace(pool.as_of(min(pool.editions)), codings={id: pool.codings[id] for id in (PUBLISHED, AGAIN)})
    hybrid, shared = interval(then, "reward", "hybrid"), interval(then, "reward", "shared")
    assert hybrid.count > shared.count
    assert near_threshold(lambda n, m: n > m, hybrid, shared)
