"""Teams of small transformers: their gradients held against exact ones, their reruns and their budgets counted.

``make trainers`` installs PyTorch and runs this.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from survey.extras import lazy
from survey.traces.training.transformers import learning, team
from survey.traces.training.transformers.learning import CREDITS, gradient, runs_for, train
from survey.traces.training.transformers.model import Size, logits, parameters, transformer
from survey.traces.training.transformers.tasks import TASKS, Message, Task, World, look_up_and_relay
from survey.traces.training.transformers.team import Team, draw_luck, play, replay, say

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch = lazy("torch")

pytestmark = pytest.mark.trainers

TINY = Size(width=8, layers=1, heads=2)
every_task = pytest.mark.parametrize("name", TASKS)


def chance(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# --------------------------------------------------------------------------------- the exact gradient


def unscripted(world: World, said: Mapping[int, Tensor]) -> Tensor:
    raise NotImplementedError


def draw(shape: tuple[int, int], chance: torch.Generator) -> World:
    digits = torch.randint(3, (*shape, 2), generator=chance)
    answer = digits.sum(dim=-1, keepdim=True) % 3
    return {"left": digits[..., :1], "right": digits[..., 1:], "lead": digits[..., :0], "answer": answer}


SUM = Task(
    "Sum of two",
    3,
    (
        Message("left", (), 2, 3, unscripted),
        Message("right", (0,), 1, 3, unscripted),
        Message("lead", (0, 1), 1, 3, unscripted),
    ),
    draw,
)


def decided(seeds: int) -> Team:
    """Return teams that prefer some words, since the gradient of teams without habits is lost in noise."""
    made = Team.new(SUM, TINY, range(seeds))
    for weights in made.agents.values():
        weights["out"].data *= 5
    return made


def expected_reward(team: Team, seeds: int) -> Tensor:
    """Sum over all worlds and all conversations: each with its probability and its reward."""
    total = torch.zeros(seeds)
    for left, right in product(range(3), repeat=2):
        number = torch.zeros((seeds, 1, 1), dtype=torch.long)
        world = {"left": number + left, "right": number + right, "lead": number[..., :0]}
        world["answer"] = number + (left + right) % 3
        for words in product(range(3), repeat=4):
            said = torch.tensor(words).expand(seeds, 1, -1)
            messages = {0: said[..., :2], 1: said[..., 2:3], 2: said[..., 3:]}
            chance = torch.zeros((seeds, 1))
            for place, own in messages.items():
                each = team.said(place, team.read(place, world, messages), own[..., :-1])
                chance = chance + each.gather(-1, own[..., None])[..., 0].sum(dim=-1)
            total = total + (chance.exp() * (messages[2] == world["answer"]).all(dim=-1))[:, 0] / 9
    return total


def slopes(team: Team) -> Tensor:
    """Return the gradient of each seed as one vector, and forget it."""
    every = [weight for weights in team.agents.values() for weight in weights.values()]
    found = torch.cat([torch.zeros_like(w).flatten(1) if w.grad is None else w.grad.flatten(1) for w in every], dim=1)
    for weight in every:
        weight.grad = None
    return found


@pytest.mark.parametrize("credit", CREDITS)
def test_each_credit_sees_the_gradient_of_the_expected_reward(credit: str) -> None:
    seeds, many = 4, 50_000
    team = decided(seeds)
    expected_reward(team, seeds).sum().backward()
    true = slopes(team)
    lessons = CREDITS[credit].lessons(team, many, seeds, chance(1))
    spread = torch.cat([lesson.advantage for lesson in lessons], dim=1).std(dim=1, keepdim=True)
    gradient(team, lessons)
    found = -slopes(team) * spread  # which the update divides by
    group = CREDITS[credit].group
    whole = group / (group - 1) if group > 1 else 1.0  # the mean of a group holds the run itself
    for seed in true.norm(dim=1).topk(2).indices:
        cosine = torch.nn.functional.cosine_similarity(found[seed], true[seed], dim=0)
        assert cosine > 0.95
        assert 0.8 < whole * found[seed].norm() / true[seed].norm() < 1.2


def test_credit_of_a_message_that_nobody_hears_is_nothing() -> None:
    deaf = Task("Deaf", 3, (*SUM.messages[:2], Message("lead", (1,), 1, 3, unscripted)), draw)
    deaf = Task("Deaf", 3, (deaf.messages[0], Message("right", (), 1, 3, unscripted), deaf.messages[2]), draw)
    made = Team.new(deaf, TINY, range(2))
    unheard, *_ = CREDITS["three"].lessons(made, 500, 2, chance())
    assert unheard.place == 0
    assert (unheard.advantage == 0).all()


# --------------------------------------------------------------------------------- transformers


def test_a_transformer_reads_only_what_came_before_and_only_with_its_own_weights() -> None:
    weights = transformer(TINY, 5, 6, (3, 4))
    text = torch.randint(5, (2, 7, 6), generator=chance())
    found = logits(weights, text, 2)
    other = text.clone()
    other[:, :, 4:] = (text[:, :, 4:] + 1) % 5
    assert torch.allclose(logits(weights, other, 2)[:, :, :4], found[:, :, :4], atol=1e-6)
    assert not torch.allclose(logits(weights, other, 2)[:, :, 4:], found[:, :, 4:], atol=1e-3)
    alone = logits({name: weight[1:] for name, weight in weights.items()}, text[1:], 2)
    assert torch.allclose(alone[0], found[1], atol=1e-5)


def test_a_transformer_agrees_with_one_that_pytorch_builds() -> None:
    """The same layer from PyTorch's own parts, with our weights put into them."""
    weights = transformer(TINY, 5, 6, (0,))
    text = torch.randint(5, (1, 3, 6), generator=chance())
    layer = torch.nn.TransformerEncoderLayer(
        8, 2, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True, bias=True
    )
    own = {name: weight[0].detach() for name, weight in weights.items()}
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(own["0.attend"].T)
        layer.self_attn.out_proj.weight.copy_(own["0.join"].T)
        layer.linear1.weight.copy_(own["0.widen"].T)
        layer.linear2.weight.copy_(own["0.narrow"].T)
        for bias in (layer.self_attn.in_proj_bias, layer.self_attn.out_proj.bias, layer.linear1.bias):
            bias.zero_()
        layer.linear2.bias.zero_()
        x = own["words"][text[0]] + own["places"][:6]
        mask = torch.nn.Transformer.generate_square_subsequent_mask(6)
        x = torch.nn.functional.layer_norm(layer(x, src_mask=mask), (8,)) @ own["out"]
    assert torch.allclose(logits(weights, text, 2)[0], x, atol=1e-5)


def test_parameters_are_those_of_one_transformer() -> None:
    width, words, length = 8, 5, 6
    weights = transformer(TINY, words, length, (0, 1, 2))
    assert parameters(weights) == width * (2 * words + length) + 12 * width**2


def test_messages_are_drawn_as_often_as_their_probability_says() -> None:
    made = decided(1)
    world = {name: seen[:, :1].expand(-1, 20_000, -1) for name, seen in draw((1, 1), chance()).items()}
    said = say(made, 0, world, {}, draw_luck(SUM, 0, (1, 20_000), chance(1)))
    read = made.read(0, world, {})[:, :1]
    for words in product(range(3), repeat=2):
        own = torch.tensor(words).view(1, 1, 2)
        each = made.said(0, read, own[..., :-1]).gather(-1, own[..., None])
        share = (said == own).all(dim=-1).float().mean()
        assert share.item() == pytest.approx(each.sum().exp().item(), abs=0.015)


# --------------------------------------------------------------------------------- tasks and reruns


@every_task
def test_a_team_that_follows_the_script_is_always_right(name: str) -> None:
    task = TASKS[name]()
    world = task.draw((1, 2000), chance())
    said: dict[int, Tensor] = {}
    for place, message in enumerate(task.messages):
        said[place] = message.script(world, said)[..., None].expand(-1, -1, message.tokens)
        assert said[place].max() < message.words
    assert task.reward(world, said[place]).mean() == 1


@every_task
def test_a_rerun_with_the_same_message_is_the_same_run(name: str) -> None:
    task = TASKS[name]()
    made = Team.new(task, TINY, (0, 1))
    runs = play(made, task.draw((2, 300), chance()), chance(1))
    for place, message in runs.messages.items():
        assert torch.equal(replay(made, runs, place, message), runs.reward)


def test_a_rerun_asks_only_who_hears_of_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    task = look_up_and_relay()
    made = Team.new(task, TINY, (0,))
    runs = play(made, task.draw((1, 50), chance()), chance(1))
    asked: list[int] = []
    real = team.say

    def noted(made: Team, place: int, *args: Any) -> Tensor:
        asked.append(place)
        return real(made, place, *args)

    monkeypatch.setattr(team, "say", noted)
    for place in range(3):
        replay(made, runs, place, runs.messages[place])
    assert asked == [1, 2, 2]


# --------------------------------------------------------------------------------- budgets and learning


@every_task
@pytest.mark.parametrize("credit", CREDITS)
def test_the_tokens_of_an_update_are_those_that_the_team_is_asked_for(
    name: str, credit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, budget = TASKS[name](), 900
    made = Team.new(task, TINY, (0,))
    spent = []
    real = team.say

    def counted(*args: Any) -> Tensor:
        said = real(*args)
        spent.append(said[0].numel())
        return said

    monkeypatch.setattr(team, "say", counted)
    monkeypatch.setattr(learning, "say", counted)
    runs = runs_for(task, credit, budget)
    CREDITS[credit].lessons(made, runs, 1, chance())
    per_run = sum(spent) / runs
    assert budget - CREDITS[credit].group * per_run < sum(spent) <= budget


def test_too_few_tokens_are_an_error_that_says_how_many_it_takes() -> None:
    with pytest.raises(ValueError, match="tokens: found 10, expected 40 or more"):
        runs_for(look_up_and_relay(), "broadcast", 10)


@pytest.mark.parametrize("credit", CREDITS)
def test_a_team_learns_and_the_same_seeds_give_the_same_curve(credit: str) -> None:
    def curve() -> Tensor:
        return train(
            look_up_and_relay(keys=2, base=3), credit, size=Size(16, 1, 2), tokens=900, updates=40,
            lessons=60, rates=(3e-3, 3e-3), seeds=(0, 1), every=20,
        )  # fmt: skip

    first = curve()
    assert first.shape == (2, 3)
    assert (first[:, -1] > first[:, 0] + 0.15).all()
    assert torch.equal(first, curve())
