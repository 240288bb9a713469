"""Evaluation of stopping rules on runs that another rule ended, against tasks that were played to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

import pytest

from survey.traces import NotMeasurable
from survey.traces.simulate.review import review_loop
from survey.traces.simulate.stopping import Episode, Stopping, episodes, played
from survey.traces.stopping import Rule, Seen, agreement, episode, evaluate, fixed, giving_up, patience, weighted

TEAM = Stopping(rounds=10)
POOL = list(episodes(TEAM, 1500))
RULES = {"fixed": fixed(4), "patience": patience(2), "giving up": giving_up(3, 0.2, 2, 8)}


@dataclass(frozen=True)
class Record:
    """The first rounds of a task, as a behaviour that ended it leaves them."""

    task: Episode
    end: int
    graded: bool = True

    @property
    def seen(self) -> Sequence[Seen]:
        return self.task.seen[1 : self.end + 1]

    def reward(self, round: int) -> float | None:
        return self.task.qualities[round] if self.graded or round == self.end else None


def chance(task: Episode, round: int) -> float:
    """Stop at random, and sooner where the members agree, as an impatient lead would; surely after the last round."""
    return 1.0 if round == task.rounds else 0.08 + 0.25 * task.observations[round][2]


def ended(random: Random, task: Episode, graded: bool = True) -> tuple[Record, list[float]]:
    """Return the record of a task under that behaviour, and its probabilities."""
    end = next(round for round in range(1, task.rounds + 1) if random.random() < chance(task, round))
    return Record(task, end, graded), [chance(task, round) for round in range(1, end + 1)]


@cache
def truth(name: str) -> float:
    """The mean return of a rule on all tasks of the pool, which are known to the end."""
    return fmean(TEAM.cost * -stop + task.qualities[stop] for task in POOL for stop in [stop_of(task, RULES[name])])


def stop_of(task: Episode, rule: Rule) -> int:
    return max(1, played(task, rule))


def test_on_runs_known_to_the_end_the_evaluation_is_exact() -> None:
    records = [Record(task, task.rounds) for task in POOL]
    for name, rule in RULES.items():
        found = evaluate(records, rule, price=TEAM.cost, most=TEAM.rounds)
        assert (found.exact, found.censored, found.ungraded) == (len(POOL), 0, 0)
        assert found.mean == found.low == found.high == pytest.approx(truth(name))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("graded", [True, False])
def test_the_bounds_always_contain_the_truth(name: str, graded: bool) -> None:
    random, widths = Random(f"bounds/{name}/{graded}"), []
    for _ in range(150):
        tasks = random.choices(POOL, k=60)
        records = [ended(random, task, graded)[0] for task in tasks]
        own = fmean(task.qualities[stop] - TEAM.cost * stop for task in tasks for stop in [stop_of(task, RULES[name])])
        found = evaluate(records, RULES[name], between=(0, 1), price=TEAM.cost, most=TEAM.rounds)
        assert found.low is not None and found.high is not None
        assert found.low - 1e-9 <= own <= found.high + 1e-9
        assert found.exact + found.ungraded + found.censored == found.runs == 60
        widths.append(found.high - found.low)
    assert max(widths) < 1.2


def covered(name: str, *, graded: bool, normalised: bool, runs: int, times: int = 400) -> tuple[float, float]:
    """Return how often the interval holds the truth, and the mean of the estimates."""
    random, holds, values = Random(f"{name}/{graded}/{normalised}"), 0, []
    for _ in range(times):
        drawn = [ended(random, task, graded) for task in random.choices(POOL, k=runs)]
        found = weighted([one for one, _ in drawn], RULES[name], [own for _, own in drawn], graded=graded,
                         normalised=normalised, price=TEAM.cost, most=TEAM.rounds)  # fmt: skip
        holds += found.low <= truth(name) <= found.high
        values.append(found.value)
    return holds / times, fmean(values)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("graded", [True, False])
def test_intervals_of_weighted_runs_hold_the_truth_as_often_as_they_say(
    name: str, graded: bool, normalised: bool
) -> None:
    """At 95 %, over 400 samples: an honest interval stays above 92.5 % in all but one in a hundred such tests."""
    share, mean = covered(name, graded=graded, normalised=normalised, runs=400 if graded else 800)
    assert share >= 0.925
    assert mean == pytest.approx(truth(name), abs=0.01)


def test_the_mean_of_the_known_runs_is_biased_where_the_weighted_one_is_not() -> None:
    random = Random("naive")
    drawn = [ended(random, task) for task in POOL * 4]
    records, chances = [one for one, _ in drawn], [own for _, own in drawn]
    naive = evaluate(records, RULES["patience"], price=TEAM.cost, most=TEAM.rounds)
    fair = weighted(records, RULES["patience"], chances, price=TEAM.cost, most=TEAM.rounds)
    assert naive.mean is not None and naive.censored > 500
    assert abs(naive.mean - truth("patience")) > 0.05
    assert abs(fair.value - truth("patience")) < 0.02


def test_the_interval_of_the_bounds_holds_the_truth_of_the_population() -> None:
    random, holds = Random("population"), 0
    for _ in range(300):
        records = [ended(random, task)[0] for task in random.choices(POOL, k=40)]
        found = evaluate(records, RULES["fixed"], between=(0, 1), price=TEAM.cost, most=TEAM.rounds)
        assert found.interval is not None
        holds += found.interval[0] <= truth("fixed") <= found.interval[1]
    assert holds / 300 >= 0.95


def test_logs_of_ended_runs_are_evaluated_as_the_runs_are() -> None:
    random = Random("logs")
    drawn = [ended(random, task) for task in POOL[:40]]
    drawn = [(record, own) for record, own in drawn if record.end > 1]  # one round is no episode
    logs = [episode(review_loop(record.task, record.end)) for record, _ in drawn]
    for name in (2, 4):
        a = evaluate([record for record, _ in drawn], fixed(name), between=(0, 1))
        b = evaluate(logs, fixed(name), between=(0, 1))
        assert a == b
        chances = [own for _, own in drawn]
        assert weighted(logs, fixed(name), chances) == weighted([r for r, _ in drawn], fixed(name), chances)


# by hand


@dataclass(frozen=True)
class Plain:
    """A run with these rewards, one after each round."""

    rewards: Sequence[float | None]

    @property
    def seen(self) -> Sequence[Seen]:
        return [Seen(number) for number in range(1, len(self.rewards) + 1)]

    def reward(self, round: int) -> float | None:
        return self.rewards[round - 1]


def test_known_unknown_and_censored_runs_by_hand() -> None:
    runs = [Plain([0.2, 0.6]), Plain([0.1, None, 0.9]), Plain([0.5])]
    found = evaluate(runs, fixed(2), between=(0, 1))
    assert (found.runs, found.exact, found.ungraded, found.censored, found.mean) == (3, 1, 1, 1, 0.6)
    assert [found.low, found.high] == pytest.approx([0.2, 2.6 / 3])
    priced = evaluate(runs, fixed(2), between=(0, 1), price=0.1, most=4)
    # 0.6 - 0.2; from -0.2 to 0.8; stopped after 2 to 4 rounds, from -0.4 to 0.8
    assert [priced.low, priced.high] == pytest.approx([(0.4 - 0.2 - 0.4) / 3, (0.4 + 0.8 + 0.8) / 3])
    without = evaluate(runs, fixed(2))
    assert (without.mean, without.low, without.high, without.interval) == (0.6, None, None, None)


def test_weights_by_hand() -> None:
    runs, chances = [Plain([0.2, 0.6]), Plain([0.1, 0.4, 0.9]), Plain([0.5])], [[0.5, 0.2], [0.25, 0.2, 1], [0.5]]
    # the first two got to round 2, with probability 0.5 and 0.75
    ordinary = weighted(runs, fixed(2), chances, normalised=False)
    assert ordinary.value == pytest.approx((0.6 / 0.5 + 0.4 / 0.75) / 3)
    found = weighted(runs, fixed(2), chances)
    assert found.value == pytest.approx((0.6 / 0.5 + 0.4 / 0.75) / (1 / 0.5 + 1 / 0.75))
    assert found.effective == pytest.approx((2 + 4 / 3) ** 2 / (4 + 16 / 9))
    ends = weighted(runs, fixed(2), chances, graded=False, normalised=False)
    assert ends.value == pytest.approx(0.6 / (0.5 * 0.2) / 3)
    assert (ends.used, found.used) == (1, 2)


@pytest.mark.parametrize(
    ("runs", "chances", "options", "message"),
    [
        ([[0.5, 0.5]], [[0.5, 1]], {}, "run 0 was sure to stop after its last round, where the rule goes on"),
        ([[0.5, 0.5, 0.5]], [[0, 0, 0.5]], {"stop": 2, "graded": False}, "could not stop after round 2"),
        ([[0.5, 0.5]], [[1, 0.5]], {"stop": 2}, "cannot have got to round 2"),
        ([[0.5, None]], [[0.5, 0.5]], {"stop": 2}, "no recorded reward of round 2"),
        ([[0.5]], [[0.5]], {}, "no run got to where the rule stops"),
    ],
)
def test_what_the_runs_cannot_answer_is_refused(
    runs: list[list[float | None]], chances: list[list[float]], options: dict[str, int], message: str
) -> None:
    asked = dict(options)
    rule = fixed(asked.pop("stop", 3))
    with pytest.raises(NotMeasurable, match=message):
        weighted([Plain(one) for one in runs], rule, chances, graded=bool(asked.pop("graded", True)))


@dataclass(frozen=True)
class Shown(Plain):
    """A run in which the agreement is known for the first rounds only."""

    known: int

    @property
    def seen(self) -> Sequence[Seen]:
        return [Seen(seen.round, 0.1 if seen.round <= self.known else None) for seen in super().seen]


@pytest.mark.parametrize("known", [1, 2])
def test_a_rule_is_not_asked_at_the_most_rounds_or_later(known: int) -> None:
    run = Shown([0.2, 0.6, 0.9], known)
    found = evaluate([run], agreement(1), most=2)
    assert (found.exact, found.mean) == (1, 0.6)
    assert weighted([run], agreement(1), [[0.5, 0.5, 0.5]], most=2).value == 0.6
    with pytest.raises(NotMeasurable, match=f"round {known + 1} does not show"):
        evaluate([run], agreement(1))


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(NotMeasurable, match="no run to evaluate"):
        evaluate([], fixed(1))
    with pytest.raises(ValueError, match=r"found a reward of 2 \(expected 0 to 1\)"):
        evaluate([Plain([2.0])], fixed(1), between=(0, 1))
    for between in [(1, 0), (0, float("nan")), (float("-inf"), 1)]:
        with pytest.raises(
            ValueError, match=r"found a range from .* \(expected two finite numbers, the lower one first"
        ):
            evaluate([Plain([None])], fixed(1), between=between)
    with pytest.raises(ValueError, match="most: found 0, expected 1 or more"):
        evaluate([Plain([1.0])], fixed(1), most=0)
    with pytest.raises(ValueError, match="need the most rounds"):
        evaluate([Plain([1.0])], fixed(1), between=(0, 1), price=0.1)
    with pytest.raises(ValueError, match="run 0: expected a probability for each of its 1 rounds"):
        weighted([Plain([1.0])], fixed(1), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="run 0: expected a probability"):
        weighted([Plain([1.0])], fixed(1), [[1.5]])
