"""Credit from reruns, held against environments whose expectations are known in closed form, and the simulator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Literal

import numpy as np
import pytest
from scipy.stats import spearmanr

from survey.traces.credit import (
    KINDS,
    Budget,
    Credit,
    Game,
    NotMeasurable,
    Play,
    against_policy,
    differences,
    exact,
    shapley_shares,
    units,
)
from survey.traces.credit.counterfactual import Policies
from survey.traces.simulate import TOPOLOGIES, Setting, Simulation, message_policy, reruns, simulate
from tests.traces.credit.drawn import fork, permuted, shares
from tests.traces.strategies import small

WORTH = {"lead": 0.5, "a": 0.3, "b": 0.2, "c": -0.1, "idle": 0.0}


@dataclass
class Noisy:
    """An environment in which each agent adds its worth, a and b something more together, and chance the rest.

    Chance of its own for every play, or shared by the plays of one seed.
    """

    noise: float = 0.3
    shared: bool = False
    asked: list[Play] = field(default_factory=list)
    batches: int = 0

    def __call__(self, plays: Sequence[Play]) -> list[float]:
        self.batches += 1
        self.asked += plays
        return [self._reward(play, len(self.asked) + place) for place, play in enumerate(plays)]

    def _reward(self, play: Play, number: int) -> float:
        luck = Random(play.seed if self.shared else f"{play.seed}/{number}").gauss(0, self.noise)
        return self.worth(WORTH.keys() - play.without) + luck

    @staticmethod
    def worth(present: Collection[str]) -> float:
        return sum(WORTH[agent] for agent in present) + (0.4 if {"a", "b"} <= set(present) else 0)


SHARE = shares(exact(Game(tuple(WORTH), Noisy.worth)))
TRUE = {agent: Noisy.worth(WORTH.keys()) - Noisy.worth(WORTH.keys() - {agent}) for agent in WORTH}


# ------------------------------------------------------------------------------------ leaving a unit out


def test_shared_chance_cancels() -> None:
    found = differences(Noisy(shared=True), fork(), "agent", Budget(plays=20))
    assert shares(found) == pytest.approx(TRUE)


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_intervals_hold_the_true_difference_as_often_as_they_say(tolerance: float) -> None:
    held = []
    for repeat in range(200):
        found = differences(
            Noisy(), fork(), "agent", Budget(plays=400, tolerance=tolerance, seed=1000 * repeat, level=0.9)
        )
        held += [(one.low or 0) <= TRUE[one.unit] <= (one.high or 0) for one in found]
    assert fmean(held) >= 0.86
    assert tolerance or fmean(held) <= 0.94


def test_the_budget_is_never_exceeded_and_spent_in_a_few_batches() -> None:
    for plays in (20, 137, 1000):
        patient, eager = Noisy(), Noisy()
        differences(patient, fork(), "agent", Budget(plays=plays))
        differences(eager, fork(), "agent", Budget(plays=plays, tolerance=1e-6))
        assert plays - 10 < len(patient.asked) <= plays
        assert len(eager.asked) <= plays
        assert patient.batches == 1
        assert eager.batches <= 8


def test_a_unit_that_is_known_well_enough_leaves_its_share_to_the_others() -> None:
    class Uneven(Noisy):
        def _reward(self, play: Play, number: int) -> float:
            self.noise = 0.5 if "a" in play.without else 0.05
            return super()._reward(play, number)

    asked = Uneven()
    found = {one.unit: one for one in differences(asked, fork(), "agent", Budget(plays=6000, tolerance=0.05))}
    draws = {unit: sum(play.without == {unit} for play in asked.asked) for unit in WORTH}
    assert draws["a"] > 4 * max(draws["c"], draws["idle"])
    assert all((one.high or 0) - (one.low or 0) <= 0.1 for one in found.values())
    assert len(asked.asked) < 6000


def test_reruns_depart_where_the_unit_begins() -> None:
    asked, trace = Noisy(), fork()
    differences(asked, trace, "agent", Budget(plays=20))
    spawns = {event.to: event.id for event in trace.events if event.type == "spawn"}
    assert {(next(iter(play.without)), play.at) for play in asked.asked if play.without} == {
        ("lead", None),
        *((agent, spawns[agent]) for agent in WORTH if agent != "lead"),
    }
    asked = Noisy()
    differences(asked, trace, "role", Budget(plays=20))
    assert {play.at for play in asked.asked} == {spawns["a"]}


def test_the_order_of_lines_does_not_matter() -> None:
    run = simulate(Setting("swarm", agents=4, steps=8, seed=5))
    found = differences(reruns(run), run.trace, "turn", Budget(plays=200))
    again = differences(reruns(run), permuted(run.trace, 3), "turn", Budget(plays=200))
    assert shares(found) == pytest.approx(shares(again))


def test_a_token_gets_an_equal_share_of_its_turn() -> None:
    trace = fork()
    by_turn = shares(differences(OfTurns(), trace, "turn", Budget(plays=100)))
    tokens = differences(OfTurns(), trace, "token", Budget(plays=100))
    assert [token.unit for token in tokens] == units(trace, "token")
    for turn, worth in by_turn.items():
        own = [token.value for token in tokens if token.unit.partition(":")[0] == turn]
        assert own == pytest.approx([worth / len(own)] * len(own))


class OfTurns(Noisy):
    """An environment that pays for the number of each turn that takes place."""

    def _reward(self, play: Play, number: int) -> float:
        return -float(sum(int(id[1:]) for id in play.without))


def test_a_reward_that_is_no_number_names_the_run_and_what_was_left_out() -> None:
    def broken(plays: Sequence[Play]) -> list[float]:
        return [float("nan") if "b" in play.without else 1.0 for play in plays]

    with pytest.raises(NotMeasurable, match=r'^r: needs a finite reward: the rerun from "e5" without b returned nan$'):
        differences(broken, fork(), "agent", Budget(plays=100))
    with pytest.raises(NotMeasurable, match="20 were asked for, 1 came back"):
        differences(lambda plays: [1.0], fork(), "agent", Budget(plays=20))


def test_too_few_reruns_are_refused_with_the_number_that_is_needed() -> None:
    with pytest.raises(NotMeasurable, match=r"^r: 19 reruns are too few for 5 units of kind agent: each needs .* 4$"):
        differences(Noisy(), fork(), "agent", Budget(plays=19))
    with pytest.raises(
        NotMeasurable, match=r"^r: 11 reruns are too few for two orders of 5 units: each order takes 6$"
    ):
        shapley_shares(Noisy(), fork(), "agent", Budget(plays=11))


# ----------------------------------------------------------------------------------------- another act


SPOKEN = small(
    [{"type": "message", "to": "b"}, {"type": "message", "to": "b"}, {"type": "model_call", "agent": "b"}],
    [("e1", "e3", "message"), ("e2", "e3", "message")],
    rewards={"team": 1.0},
)
RETURN = {"yes": 1.0, "no": 0.0, "maybe": 0.6}
Method = Literal["counterfactual", "coma"]
POLICY = {"yes": 0.5, "no": 0.3, "maybe": 0.2}
TAKEN = {"e1": "yes", "e2": "no"}


class Answered(Noisy):
    """An environment that pays for one message, with noise."""

    def _reward(self, play: Play, number: int) -> float:
        act = play.instead or TAKEN[str(play.at)]
        return RETURN[act] + Random(f"{play.seed}/{number}").gauss(0, self.noise)


@pytest.mark.parametrize("method", ["counterfactual", "coma"])
def test_an_act_is_worth_what_it_returns_beyond_the_policys_mean(method: Method) -> None:
    mean = sum(POLICY[act] * RETURN[act] for act in POLICY)
    found = against_policy(Answered(), SPOKEN, "message", policy(POLICY), Budget(plays=8000), method=method)
    assert shares(found) == pytest.approx({id: RETURN[act] - mean for id, act in TAKEN.items()}, abs=0.05)
    assert all((one.low or 0) < RETURN[TAKEN[one.unit]] - mean < (one.high or 0) for one in found)


def test_the_mean_over_the_policy_needs_no_luck_in_drawing_acts() -> None:
    def spread(method: Method) -> float:
        runs = range(0, 4000, 100)
        own = [
            shares(
                against_policy(
                    Answered(0.0), SPOKEN, "message", policy(POLICY), Budget(plays=80, seed=s), method=method
                )
            )
            for s in runs
        ]
        return float(np.std([one["e1"] for one in own]))

    assert spread("coma") == pytest.approx(0)
    assert spread("counterfactual") > 0.01


def test_what_is_no_policy_is_refused() -> None:
    for wrong, shown in (({}, "none"), ({"yes": 0.5}, "yes 0.5"), ({"yes": 1.5, "no": -0.5}, "yes 1.5, no -0.5")):
        with pytest.raises(ValueError, match=f'"e1": expected the probability of each act, together 1; found {shown}'):
            against_policy(Answered(), SPOKEN, "message", policy(wrong))


def policy(acts: dict[str, float]) -> Policies:
    return lambda event: acts


def test_a_message_that_informs_has_an_advantage_and_one_that_misleads_has_none() -> None:
    run = simulate(Setting("swarm", agents=4, steps=12, messages=1, failure=0, lift=1, harm=1, seed=2))
    found = against_policy(reruns(run), run.trace, "message", message_policy(run), Budget(plays=4000), method="coma")
    by_effect = {e: [one.value for one in found if run.effects[one.unit] == e] for e in ("informs", "misleads")}
    assert fmean(by_effect["informs"]) > 0.005 > 0 > fmean(by_effect["misleads"])


# -------------------------------------------------------------------------------------------- shares


def test_shares_are_those_of_the_game_that_is_played() -> None:
    found = shapley_shares(Noisy(shared=True), fork(), "agent", Budget(plays=1800))
    assert shares(found) == pytest.approx(SHARE, abs=0.05)
    assert sum(shares(found).values()) == pytest.approx(Noisy.worth(WORTH.keys()))


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_intervals_hold_the_true_share_as_often_as_they_say(tolerance: float) -> None:
    held = []
    for repeat in range(100):
        budget = Budget(plays=600, tolerance=tolerance, seed=1000 * repeat, level=0.9)
        found = shapley_shares(Noisy(), fork(), "agent", budget)
        held += [(one.low or 0) <= SHARE[one.unit] <= (one.high or 0) for one in found]
    assert fmean(held) >= 0.86


def test_orders_are_drawn_until_all_is_known_well_enough_or_the_budget_is_spent() -> None:
    quick, slow = Noisy(0.05), Noisy(0.05)
    shapley_shares(quick, fork(), "agent", Budget(plays=6000, tolerance=0.1))
    shapley_shares(slow, fork(), "agent", Budget(plays=1000, tolerance=1e-9))
    assert len(quick.asked) < 2000
    assert 500 < len(slow.asked) <= 1000
    assert slow.batches <= 8


# --------------------------------------------------------------------------- what the simulator knows


Played = Callable[[Simulation, str, Budget], list[Credit]]


def without(run: Simulation, kind: str, budget: Budget) -> list[Credit]:
    return differences(reruns(run), run.trace, kind, budget)


def in_coalitions(run: Simulation, kind: str, budget: Budget) -> list[Credit]:
    return shapley_shares(reruns(run), run.trace, kind, budget)


def against(method: Literal["counterfactual", "coma"]) -> Played:
    return lambda run, kind, budget: against_policy(
        reruns(run), run.trace, kind, message_policy(run), budget, method=method
    )


def correlation(kind: str, played: Played, plays: int, steps: int = 8) -> float:
    """Rank correlation of credit from few reruns with that from many others, over runs of all topologies."""
    few: list[float] = []
    many: list[float] = []
    for number, topology in enumerate(TOPOLOGIES):
        run = simulate(Setting(topology, agents=4, steps=steps, tools=1.5, messages=0.6, failure=0.2, seed=number))
        few += shares(played(run, kind, Budget(plays=plays, seed=77))).values()
        many += shares(played(run, kind, Budget(plays=3 * plays, seed=10**6))).values()
    return float(spearmanr(few, many).statistic)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "token"])
def test_credit_of_every_kind_of_unit_follows_its_true_effect(kind: str) -> None:
    assert correlation(kind, without, 200) >= 0.8


@pytest.mark.parametrize(
    ("kind", "played", "plays"),
    [
        ("message", against("counterfactual"), 160),
        ("message", against("coma"), 160),
        ("agent", in_coalitions, 1000),
    ],
    ids=["C3", "COMA", "Shapley"],
)
def test_so_does_credit_of_every_other_method_at_the_budgets_of_the_notebook(
    kind: str, played: Played, plays: int
) -> None:
    assert correlation(kind, played, plays, steps=6) >= 0.8
