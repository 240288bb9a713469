"""The measured curves of small transformers: complete, from known settings, and as the page says they are."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import product
from typing import Any

import pytest

from survey.traces.training.transformers.experiment import EVERY, SETTINGS
from survey.traces.training.transformers.learning import CREDITS, runs_for
from survey.traces.training.transformers.results import results
from survey.traces.training.transformers.tasks import TASKS

NOT_RUN = {("large", "check", "three")}

every_setting = pytest.mark.parametrize("name", SETTINGS)


def curves(name: str, task: str, credit: str) -> list[dict[str, Any]]:
    return [curve for curve in results(name)["curves"] if (curve["task"], curve["credit"]) == (task, credit)]


@every_setting
def test_results_say_where_they_came_from(name: str) -> None:
    found = results(name)
    assert re.fullmatch("[0-9a-f]{40}", found["commit"])
    assert found["device"]
    assert found["torch"]
    assert found["every"] == EVERY
    assert found["setting"] == {**asdict(SETTINGS[name]), "rates": list(SETTINGS[name].rates)}


@every_setting
def test_every_task_ran_under_every_credit_with_every_seed(name: str) -> None:
    setting = SETTINGS[name]
    for task, credit in product(TASKS, CREDITS):
        own = curves(name, task, credit)
        seeds = [] if (name, task, credit) in NOT_RUN else list(range(setting.seeds))
        assert [curve["seed"] for curve in own] == seeds
        for curve in own:
            assert curve["rate"] in setting.rates
            assert curve["runs"] == runs_for(TASKS[task](base=setting.base), credit, setting.tokens)
            assert len(curve["rewards"]) == setting.updates // EVERY + 1
            assert all(0 <= reward <= 1 for reward in curve["rewards"])


@pytest.mark.parametrize(("name", "behind"), [("small", 0.08), ("large", 0.02)])
def test_token_for_token_broadcast_is_ahead_by_less_with_more_runs(name: str, behind: float) -> None:
    """The answer of the page: were other results put in, its words would have to change."""

    def area(task: str, credit: str) -> float:
        own = [curve["rewards"] for curve in curves(name, task, credit)]
        return sum(map(sum, own)) / sum(map(len, own))

    for task, credit in product(TASKS, ("one", "three")):
        if (name, task, credit) not in NOT_RUN:
            assert -behind < area(task, credit) - area(task, "broadcast") < 0


@every_setting
def test_the_best_step_of_propose_and_check_is_the_largest_as_the_limits_say(name: str) -> None:
    for credit in CREDITS:
        for curve in curves(name, "check", credit):
            assert curve["rate"] == max(SETTINGS[name].rates)
