"""Batches in which some runs cannot be credited, and agents that a group hardly knows."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from survey.traces import Trace
from survey.traces.credit import (
    METHODS,
    BadRuns,
    NotMeasurable,
    agent_wise,
    alternatives,
    assign,
    coma,
    gae_advantages,
    group_centred,
    group_relative,
    leave_one_out_baseline,
)
from tests.traces.credit.drawn import fork, shares
from tests.traces.strategies import Json, small

TURN: Json = {"type": "model_call"}
GOOD = [fork(score, trace_id=f"run-{number}") for number, score in enumerate([1, 0, 0.5])]
ALONE = fork(1, trace_id="alone", task_id="other")
SILENT = fork(trace_id="silent", rewards={})
BROKEN = fork(nan, trace_id="broken")
ENDLESS = fork(trace_id="endless", rewards={}, outcome={"score": inf, "success": True})
BATCH = [GOOD[0], ALONE, GOOD[1], SILENT, BROKEN, GOOD[2], ENDLESS]


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("counterfactual", "coma", "two-level")])
def test_all_bad_runs_of_a_batch_are_named_at_once(name: str) -> None:
    kind = "turn" if name == "gae" else "agent"
    with pytest.raises(BadRuns) as raised:
        assign(BATCH, kind, name)
    said = str(raised.value).splitlines()
    assert [line.partition(":")[0] for line in said if "alone" not in line] == ["silent", "broken", "endless"]
    alone = 'alone: needs a group: at least two runs of the same task; it is alone in task "other"'
    assert (alone in said) == METHODS[name].group
    assert 'broken: needs a finite number: the reward "team" is nan' in said
    assert "endless: needs a finite number: outcome.score is inf" in said
    assert "silent: needs a reward or an outcome of the whole run" in said


@pytest.mark.parametrize("name", ["group", "magrpo", "rloo", "agent-wise", "sharp-group", "shapley"])
def test_the_other_runs_are_credited_as_if_the_bad_ones_were_not_there(name: str) -> None:
    good = assign(GOOD, "agent", name)
    said: list[str] = []
    skipped = assign(BATCH, "agent", name, bad="skip", report=said.append)
    zeroed = assign(BATCH, "agent", name, bad="zero")
    assert [skipped[place] for place in (0, 2, 5)] == [zeroed[place] for place in (0, 2, 5)] == good
    assert [skipped[place] for place in (3, 4, 6)] == [[], [], []]
    assert [[own.value for own in zeroed[place]] for place in (3, 4, 6)] == [[0] * 5] * 3
    assert zeroed[3][0].why == "0: silent: needs a reward or an outcome of the whole run"
    assert {line.partition(":")[0] for line in said} >= {"silent", "broken", "endless"}


@pytest.mark.parametrize("name", ["group", "rloo", "magrpo", "agent-wise"])
def test_a_run_without_units_of_the_kind_is_the_only_one_to_be_named(name: str) -> None:
    said: Json = {"type": "message", "to": "a"}
    runs = [small([TURN, said], rewards={"team": score}, trace_id=f"run-{score}") for score in (0, 1)]
    quiet = small([TURN], rewards={"team": 5}, trace_id="quiet")
    with pytest.raises(BadRuns, match=r"^quiet: needs messages: nobody sends one$"):
        assign([runs[0], quiet, runs[1]], "message", name)
    found = assign([runs[0], quiet, runs[1]], "message", name, bad="skip")
    assert [found[0], found[2]] == assign(runs, "message", name)
    assert found[1] == []


def test_a_reward_that_belongs_to_no_turn_is_named_with_its_run() -> None:
    good = [small([{**TURN, "reward": 1.0}], rewards={"team": n}, trace_id=f"run-{n}") for n in (0, 1)]
    stray = [{**TURN, "reward": 1.0}, {"type": "return", "agent": "a", "to": "lead", "reward": 1.0}]
    with pytest.raises(BadRuns, match=r'^stray: "e2" has a reward, but "a" takes no turn that could be given it$'):
        assign([*good, small(stray, rewards={"team": 1}, trace_id="stray")], "turn", "magrpo")


def test_what_is_left_of_a_group_may_be_alone_in_it() -> None:
    with pytest.raises(BadRuns, match=r"(?s)^silent: .*\nrun-0: needs a group"):
        assign([GOOD[0], SILENT], "agent", "group")


def rare() -> list[Trace]:
    """Eight runs of a lead; a specialist acts in one of them."""
    runs = [[{**TURN}] for _ in range(8)]
    runs[3].append({**TURN, "agent": "specialist"})
    return [small(events, rewards={"team": place % 3}, trace_id=f"run-{place}") for place, events in enumerate(runs)]


def test_a_specialist_that_acts_once_in_a_group_is_named_and_costs_nobody_else_the_batch() -> None:
    with pytest.raises(BadRuns) as raised:
        assign(rare(), "turn", "agent-wise")
    wanted = 'run-3: "e2" needs at least two turns of every agent in the group: "specialist" takes one'
    assert str(raised.value) == wanted
    assert shares(assign(rare(), "turn", "agent-wise", bad="zero")[3])["e2"] == 0
    assert list(shares(assign(rare(), "turn", "agent-wise", bad="skip")[3])) == ["e1"]
    known = agent_wise({"lead": [place % 3 for place in range(8)]})["lead"]
    assert [own[0].value for own in assign(rare(), "turn", "agent-wise", bad="skip")] == pytest.approx(list(known))


def test_a_policy_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r'"skp" is not a policy \(did you mean "skip"\?\)'):
        assign(GOOD, "agent", "group", bad="skp")  # type: ignore[arg-type]


NUMBERS: list[tuple[Any, str]] = [
    (lambda: group_relative([1, nan, inf]), "return 1 is nan, return 2 is inf"),
    (lambda: group_centred([[1.0, 2.0], [nan, 0.0]]), "return 1/0 is nan"),
    (lambda: leave_one_out_baseline([nan, 1]), "return 0 is nan"),
    (lambda: agent_wise({"a": [1, -inf]}), "return 1 is -inf"),
    (lambda: alternatives({"a": [1, nan], "b": [0, 1]}), '"a" returned nan'),
    (lambda: coma({"a": [1], "b": [inf]}), '"b" returned inf'),
    (lambda: gae_advantages([0, nan], [0, 0]), "reward 1 is nan"),
    (lambda: gae_advantages([0, 1], [inf, 0]), "value 0 is inf"),
]


@pytest.mark.parametrize(("computed", "said"), NUMBERS, ids=[row[1] for row in NUMBERS])
def test_numbers_that_are_not_finite_are_named_and_never_averaged(computed: Any, said: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        computed()
    assert str(raised.value) == f"needs finite numbers: {said}"


def test_a_reward_of_an_event_and_a_prediction_must_be_finite() -> None:
    trace = small([TURN, {**TURN, "reward": {"judge": nan}}], rewards={"team": 1})
    with pytest.raises(NotMeasurable, match=r'^r: needs a finite number: the reward of "e2" is nan$'):
        assign(trace, "turn", "gae")
    with pytest.raises(NotMeasurable, match=r'^r: needs finite numbers: the critic predicts inf for "e2"$'):
        assign(small([TURN, TURN], rewards={"team": 1}), "turn", "gae", critic=lambda name: inf)
