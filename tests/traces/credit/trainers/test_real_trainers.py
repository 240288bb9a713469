"""Real trainers take our numbers: a step of training of a tiny model, with the examples of the page as they stand.

``make trainers`` installs the packages and runs this. Models have one layer and random weights, and the tokenizer
knows seven words: nothing is downloaded, and nothing is learned.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from survey.traces.training.trainers import comlrl
from tests.traces.credit.trainers.page import example

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

WORDS = ("<pad>", "<eos>", "2", "+", "4", "plan", "5")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no other host for anything."""
    for name, value in {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "TRL_EXPERIMENTAL_SILENCE": "1"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def tokenizer() -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<pad>"))
    made.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>")


def model() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    size = {"n_positions": 64, "n_embd": 8, "n_layer": 1, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), bos_token_id=1, eos_token_id=1, pad_token_id=0, **size))


def prompts(*texts: str) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": text} for text in texts])


# ----------------------------------------------------------------------------------------- TRL


def grpo(tokenizer: Any, folder: Path, scores: list[float | None]) -> Any:
    """A trainer of the page, after a step on two runs, each of a planner and a solver."""
    turns = [
        {"prompt_ids": [2, 3, 2], "completion_ids": said, "logprobs": [-1.0] * 2, "run": run, "agent": agent, "score": score}
        for said, run, agent, score in zip(
            ([5, 1], [4, 1], [5, 1], [6, 1]), "aabb", ("planner", "solver") * 2, scores, strict=True
        )
    ]  # fmt: skip
    settings = {"per_device_train_batch_size": 4, "num_generations": 4, "max_steps": 1, "report_to": []}
    trainer = example("TRL")["trainer"](
        model(), tokenizer, prompts(*["2 + 2"] * 4), lambda given: turns, output_dir=str(folder), use_cpu=True,
        bf16=False, **settings,
    )  # fmt: skip
    trainer.train()
    return trainer


def test_trl_trains_on_the_numbers_as_they_are(tokenizer: Any, tmp_path: Path) -> None:
    trainer = grpo(tokenizer, tmp_path, [1.0, 1.0, 0.0, 0.0])
    assert list(trainer._logs["advantages"]) == pytest.approx([0.7071, 0.7071, -0.7071, -0.7071], abs=1e-3)


def test_trl_leaves_out_what_was_skipped(tokenizer: Any, tmp_path: Path) -> None:
    """A run alone in its group has nothing to be compared with: all get None, which TRL turns into 0."""
    trainer = grpo(tokenizer, tmp_path, [1.0, 1.0, None, None])
    assert list(trainer._logs["advantages"]) == [0.0] * 4


def test_trl_trains_on_a_number_for_each_token(tokenizer: Any, tmp_path: Path) -> None:
    from trl import GRPOConfig

    taken: list[Any] = []
    shown = example("TRL", 1)["CreditTrainer"]

    class Trainer(shown):  # type: ignore[misc, valid-type]
        """The trainer of the page, which tells what its loss is given."""

        def _compute_loss(self, model: Any, inputs: Any) -> Any:
            taken.append(inputs["advantages"].tolist())
            return super()._compute_loss(model, inputs)

    said = {
        "prompt_ids": [[2, 3, 2]] * 4,
        "completion_ids": [[5, 4, 1], [4, 1]] * 2,
        "logprobs": [[-1.0] * 3, [-1.0] * 2] * 2,
    }
    credit = [[0.5, 0.25, 1.0], [-1.0, -0.5], [0.0] * 3, [0.0] * 2]
    settings = {
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_steps": 1,
        "report_to": [],
        "shuffle_dataset": False,
    }
    Trainer(
        model=model(), reward_funcs=lambda completions, **columns: [0.0] * len(completions), processing_class=tokenizer,
        rollout_func=lambda given, trainer: {**said, "credit": credit}, train_dataset=prompts(*["2 + 2"] * 4),
        args=GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, **settings),
    ).train()  # fmt: skip
    [given] = taken
    assert sorted(given) == sorted([[0.5, 0.25, 1.0], [-1.0, -0.5, 0.0], [0.0] * 3, [0.0] * 3])


# ----------------------------------------------------------------------------------------- CoMLRL


def test_comlrl_trains_on_returns_of_each_agent(tokenizer: Any) -> None:
    defined = example("CoMLRL")
    settings, shown = defined["SETTINGS"], defined["CreditTrainer"]
    settings.num_train_epochs, settings.num_generations, settings.max_new_tokens = 1, 3, 6
    settings.rollout_buffer_size, settings.eval_interval, settings.eval_num_samples = 1, 0, 0
    taken: list[list[list[float]]] = []

    class Trainer(shown):  # type: ignore[misc, valid-type]
        """The trainer of the page, which credits the first agent with everything."""

        def worth(self, trace: Any) -> Any:
            return lambda part: trace.rewards["return"] * any(event.agent == "agent-0" for event in part)

        def _process_buffer(self, agent: int, buffer: list[Any]) -> Any:
            taken.append([sample.returns for sample in buffer])
            return super()._process_buffer(agent, buffer)

    Trainer(
        agents=[model(), model()], num_agents=2, tokenizer=tokenizer, train_dataset=prompts("2 + 2"), args=settings,
        reward_func=lambda one, two: [float(len(said) + len(other) + 1) for said, other in zip(one, two, strict=True)],
    ).train()  # fmt: skip
    [[first], [second]] = taken
    assert min(first) >= 1
    assert second == [0.0] * 3


def test_the_samples_of_comlrl_have_the_fields_that_we_read() -> None:
    from comlrl.trainers.reinforce.magrpo import NodeSample

    data = {"completion_input_ids": [[[1, 2], [3]]]}
    given = [[NodeSample(agent, 0, data, [1.0, 0.0], 0.5, 0.5, 2)] for agent in range(2)]
    comlrl.credit(given, "agent", "magrpo")
    assert [own[0].returns for own in given] == [[0.5, -0.5]] * 2
