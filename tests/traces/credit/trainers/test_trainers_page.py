"""The examples of the page on trainers, run as they stand there against what the packages document."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.traces.credit.trainers import test_agent_lightning, test_comlrl, test_rllm, test_trl, test_verl
from tests.traces.credit.trainers.page import PAGE, ROOT, example

Packages = Callable[..., None]


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Packages:
    """Put modules with these names in the place of packages that are not installed here."""

    def put(path: str, **names: Any) -> None:
        parts = path.split(".")
        for depth in range(1, len(parts) + 1):
            name = ".".join(parts[:depth])
            if name not in sys.modules:
                monkeypatch.setitem(sys.modules, name, ModuleType(name))
            if depth > 1:
                monkeypatch.setattr(
                    sys.modules[".".join(parts[: depth - 1])], parts[depth - 1], sys.modules[name], False
                )
        for name, value in names.items():
            monkeypatch.setattr(sys.modules[path], name, value, raising=False)

    return put


def test_rllm_groups_the_episodes_that_have_advantages(packages: Packages) -> None:
    packages("rllm.trainer", AgentTrainer=lambda **settings: settings)
    packages("rllm.trainer.algorithms.transform", _default_traj_grouping_hook=lambda episodes, *configs: episodes)
    defined = example("rLLM")
    hook = defined["trainer"](config="c")["traj_grouping_hook"]
    batch = [test_rllm.episode("a:0"), test_rllm.episode("a:1", False), test_rllm.episode("b:0")]
    assert hook(batch, "transform", "filtering") == batch[:2]  # alone in its group, b:0 cannot be compared
    assert test_rllm.given(batch[0]) == pytest.approx([0.707, 0.707, 0.707], abs=0.3)


def test_verl_returns_the_numbers_unchanged(packages: Packages) -> None:
    registered: dict[str, Any] = {}
    packages(
        "verl.trainer.ppo.core_algos", register_adv_est=lambda name: lambda found: registered.setdefault(name, found)
    )
    defined = example("verl")
    data = defined["with_credit"](test_verl.table(), test_verl.KEYS, test_verl.AGENTS)
    rewards, mask = data.batch["token_level_rewards"], data.batch["response_mask"]
    advantages, returns = registered["credit"](token_level_rewards=rewards, response_mask=mask, config=None, index=None)
    assert advantages.tolist() == returns.tolist() == rewards.tolist()
    assert advantages.tolist()[0] == pytest.approx([0.707, 0.707, 0, 0.707, 0], abs=1e-3)


def test_trl_passes_columns_from_the_rollout_to_the_reward(packages: Packages) -> None:
    packages("trl", GRPOTrainer=lambda **settings: SimpleNamespace(**settings), GRPOConfig=dict)
    given = test_trl.columns()
    names = {
        "prompt_ids": [[0]] * 4,
        "logprobs": [[-1.0]] * 4,
        **{name: given[name] for name in ("run", "agent", "score")},
    }
    turns = [
        {"completion_ids": own, **{name: values[place] for name, values in names.items()}}
        for place, own in enumerate(test_trl.IDS)
    ]
    made = example("TRL")["trainer"]("model", "tokenizer", "data", lambda prompts: turns, max_steps=1)
    assert made.args == {"scale_rewards": "none", "max_steps": 1}
    rolled = made.rollout_func(["2 + 2?"] * 4, made)
    assert {"prompt_ids", "completion_ids", "logprobs"} <= rolled.keys()
    columns = {name: rolled[name] for name in ("completion_ids", "run", "agent", "score")}
    assert made.reward_funcs(prompts=["2 + 2?"] * 4, completions=[""] * 4, **columns) == pytest.approx(
        [0.707, 0.707, -0.707, -0.707], abs=1e-3
    )


def test_comlrl_credits_the_buffers_before_they_are_drained(packages: Packages) -> None:
    drained: list[Any] = []

    class Trainer:
        def _drain_ready_buffers(self, ready: list[int]) -> None:
            drained.append([[sample.returns for sample in own] for own in self.rollout_buffers])  # type: ignore[attr-defined]

    packages("comlrl.trainers.reinforce.magrpo", MAGRPOTrainer=Trainer, MAGRPOConfig=dict)
    defined = example("CoMLRL")
    assert defined["SETTINGS"]["advantage_mode"] == "mean"
    trainer = defined["CreditTrainer"]()
    trainer.rollout_buffers = test_comlrl.buffers([1.0, 0.5])
    trainer._drain_ready_buffers([0, 1])
    assert drained == [[[[1.0, 0.5]], [[1.0, 0.5]]]]  # without either, nothing is left


def test_agent_lightning_puts_the_numbers_into_the_batch(packages: Packages) -> None:
    class Adapter:
        def get_train_data_batch(self, rollouts: list[Any], *, global_steps: int = 0) -> Any:
            return test_agent_lightning.batch(rollouts), {"step": global_steps}

    packages("agentlightning.verl.rollout_adapter", RolloutAdapter=Adapter)
    packages("agentlightning.verl.trainer", RolloutAdapter=Adapter)
    defined = example("Agent Lightning")
    made = sys.modules["agentlightning.verl.trainer"].RolloutAdapter()
    assert isinstance(made, defined["CreditAdapter"])
    team = test_agent_lightning.TEAM
    for rollout in team:
        rollout.triplets[1].prompt["token_ids"] = [2]  # type: ignore[index]
    batch, metrics = made.get_train_data_batch(team, global_steps=3)
    assert metrics == {"step": 3}
    assert test_agent_lightning.scores(batch)[1][:5] == pytest.approx([0.707] * 4 + [0], abs=1e-3)


def test_every_trainer_has_an_example_of_about_twenty_lines() -> None:
    for block in re.findall(r"(?s)```python\n(.*?)```", PAGE):
        assert 12 <= len(block.splitlines()) <= 30


def test_the_versions_of_the_page_are_those_that_are_installed() -> None:
    pinned = (ROOT / "requirements" / "trainers.txt").read_text()
    for package in ("trl", "comlrl"):
        [version] = re.findall(rf"(?m)^{package}==(\S+)", pinned)
        assert version in PAGE
