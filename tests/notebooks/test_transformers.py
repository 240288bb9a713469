"""The measured curves of small transformers: complete, from known settings, and as the page says they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

from survey.traces.training.transformers import __main__ as command
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
def test_the_best_step_is_the_largest_but_in_the_small_divide_and_add_as_the_limits_say(name: str) -> None:
    for task, credit in product(TASKS, CREDITS):
        for curve in curves(name, task, credit):
            assert (curve["rate"] == max(SETTINGS[name].rates)) == ((name, task) != ("small", "divide"))


@pytest.mark.parametrize(("name", "fewest", "most"), [("small", 30, 125), ("large", 250, 666)])
def test_credit_by_message_sees_as_many_runs_an_update_as_the_page_says(name: str, fewest: int, most: int) -> None:
    runs = {curve["runs"] for curve in results(name)["curves"] if curve["credit"] != "broadcast"}
    assert (min(runs), max(runs)) == (fewest, most)


def slipped(dice: Random, word: int, words: int) -> int:
    return dice.randrange(words) if dice.random() < 0.5 else word


def divides(dice: Random, base: int) -> bool:
    digits = [dice.randrange(base) for _ in range(4)]
    left, right = slipped(dice, sum(digits[:2]) % base, base), slipped(dice, sum(digits[2:]) % base, base)
    return slipped(dice, (left + right) % base, base) == sum(digits) % base


def relays(dice: Random, base: int) -> bool:
    table, key = [dice.randrange(base) for _ in range(4)], dice.randrange(4)
    value = slipped(dice, table[slipped(dice, key, base) % 4], base)
    return slipped(dice, value, base) == table[key]


def checks(dice: Random, base: int) -> bool:
    candidates = dice.sample(range(base), 3)
    right, accepted = dice.choice(candidates), None
    for candidate in candidates[:2]:
        proposed = slipped(dice, candidate if accepted is None else accepted, base)
        if slipped(dice, int(proposed == right), 2):
            accepted = proposed
    return slipped(dice, candidates[2] if accepted is None else accepted, base) == right


@every_setting
@pytest.mark.parametrize(("task", "speakers"), [("divide", divides), ("relay", relays), ("check", checks)])
def test_a_team_begins_about_as_well_as_the_speakers_that_it_imitates_but_where_it_has_to_add(
    name: str, task: str, speakers: Callable[[Random, int], bool]
) -> None:
    dice, base, times = Random(1), SETTINGS[name].base, 40_000
    theirs = sum(speakers(dice, base) for _ in range(times)) / times
    ours = fmean(curve["rewards"][0] for curve in curves(name, task, "broadcast"))
    if task == "divide":
        assert ours < theirs - 0.03
    else:
        assert abs(ours - theirs) < 0.02


def test_without_pytorch_the_command_names_the_extra_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> None:
        raise ModuleNotFoundError(name="torch")

    monkeypatch.setattr(command, "experiment", absent)
    done = CliRunner().invoke(command.main, [str(tmp_path / "results.json"), "--commit", "0" * 40])
    assert done.exit_code == 1
    assert done.output == ("Error: training transformers needs torch (pip install 'orchestration-survey[torch]')\n")
    assert not (tmp_path / "results.json").exists()
