"""Policy gradients with credit by run or by message, at equal budgets of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy
from survey.traces.training.transformers.model import Size
from survey.traces.training.transformers.tasks import Task
from survey.traces.training.transformers.team import Runs, Team, draw_luck, play, replay, say

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch = lazy("torch")

GROUP = 8
"""How often broadcast plays each task: the mean of the group is the baseline."""
ENTROPY = 0.01
"""What a nat of entropy of a token is worth: a little, so that no word dies out while others still change."""
IMITATED = 200
"""Runs in a lesson of imitation."""
SLIPS = 0.5
"""How often the speakers that a new team imitates say any word instead of the right one."""
TESTED = 1000
"""Runs in which a team is tested."""


@dataclass(frozen=True)
class Lesson:
    """Messages to make more likely or less, each by its advantage: by seed and run."""

    place: int
    read: Tensor
    message: Tensor
    advantage: Tensor


Lessons: TypeAlias = "Callable[[Team, int, int, torch.Generator], list[Lesson]]"
"""Plays so many runs of so many seeds, and says what they teach."""


def broadcast(team: Team, runs: int, seeds: int, chance: torch.Generator) -> list[Lesson]:
    """Every message of a run gets the reward of the run less the mean of its group, as in GRPO."""
    world = team.task.draw((seeds, runs // GROUP), chance)
    played = play(team, {name: seen.repeat_interleave(GROUP, dim=1) for name, seen in world.items()}, chance)
    groups = played.reward.view(seeds, -1, GROUP)
    advantage = (groups - groups.mean(dim=-1, keepdim=True)).view(seeds, -1)
    return [
        Lesson(place, team.read(place, played.world, played.messages), message, advantage)
        for place, message in played.messages.items()
    ]


def counterfactual(others: int) -> Lessons:
    """Return credit that compares each message with others drawn in its place, each played on to the end (C3).

    All of them teach: the baseline of each is the mean of the rest.
    """

    def lessons(team: Team, runs: int, seeds: int, chance: torch.Generator) -> list[Lesson]:
        played = play(team, team.task.draw((seeds, runs), chance), chance)
        copies = _copies(played, others)
        found = []
        for place, message in played.messages.items():
            luck = draw_luck(team.task, place, (seeds, others * runs), chance)
            drawn = say(team, place, copies.world, copies.messages, luck)
            reward = torch.cat([played.reward, replay(team, copies, place, drawn)], dim=1).view(seeds, others + 1, runs)
            advantage = (reward - reward.mean(dim=1, keepdim=True)) * (others + 1) / others
            read = team.read(place, played.world, played.messages).repeat(1, others + 1, 1)
            found.append(Lesson(place, read, torch.cat([message, drawn], dim=1), advantage.view(seeds, -1)))
        return found

    return lessons


def _copies(runs: Runs, times: int) -> Runs:
    """Return each run so many times."""
    world = {name: seen.repeat(1, times, 1) for name, seen in runs.world.items()}
    luck = {place: drawn.repeat(1, times, 1, 1) for place, drawn in runs.luck.items()}
    messages = {place: said.repeat(1, times, 1) for place, said in runs.messages.items()}
    return Runs(world, luck, messages, runs.reward.repeat(1, times))


@dataclass(frozen=True)
class Credit:
    """A kind of credit: what it teaches from so many runs of each seed."""

    title: str
    lessons: Lessons
    others: int = 0
    """How many other messages it draws for each message, each with a rerun."""
    group: int = 1
    """Runs come in groups of so many."""


CREDITS = {
    "broadcast": Credit("Broadcast (GRPO)", broadcast, group=GROUP),
    "one": Credit("Counterfactual, 1 rerun a message", counterfactual(1), others=1),
    "three": Credit("Counterfactual, 3 reruns a message", counterfactual(3), others=3),
}
"""Kinds of credit by name."""


def runs_for(task: Task, credit: str, tokens: int) -> int:
    """Return how many runs, with their reruns, so many tokens suffice for."""
    kind = CREDITS[credit]
    again = sum(task.tokens((place, *task.hearing(place))) for place in range(len(task.messages)))
    cost = kind.group * (task.tokens() + kind.others * again)
    runs = tokens // cost * kind.group
    if not runs:
        raise ValueError(f"tokens: found {tokens}, expected {cost} or more: the runs that are compared take as many")
    return runs


def gradient(team: Team, lessons: Sequence[Lesson], entropy: float = 0.0) -> None:
    """Add to each weight the gradient of the sum of log-probabilities, each times its advantage, over the runs.

    Advantages are divided by their spread in the batch of a seed, so that one step size suits all kinds of credit.
    """
    every = torch.cat([lesson.advantage for lesson in lessons], dim=1)
    spread = every.std(dim=1, keepdim=True).clamp(min=1e-3)
    total = torch.zeros(())
    for lesson in lessons:
        said = team.said(lesson.place, lesson.read, lesson.message[..., :-1])
        taken = said.gather(-1, lesson.message[..., None]).squeeze(-1).sum(dim=-1)
        doubt = -(said.exp() * said).sum(dim=-1).sum(dim=-1)
        gain = (lesson.advantage / spread * taken + entropy * doubt).mean(dim=1).sum()
        total = total.to(gain.device) - gain
    total.backward()


def train(
    task: Task,
    credit: str,
    *,
    size: Size,
    tokens: int,
    updates: int,
    rates: Sequence[float],
    seeds: Sequence[int],
    lessons: int = 200,
    every: int = 10,
    device: str = "cpu",
) -> Tensor:
    """Train teams side by side, each with its seed and step size; return their mean rewards, by team and test.

    An update may take ``tokens`` tokens of each team, those of reruns included. A team is tested in fresh runs before
    the first update and after ``every`` few.
    """
    team = Team.new(task, size, seeds, device)
    chance = torch.Generator(device).manual_seed(seeds[0])
    test = torch.Generator(device).manual_seed(10_000 + seeds[0])
    imitate(team, lessons, len(seeds), chance)
    steps = Adam(team, torch.tensor(rates, device=device))
    runs = runs_for(task, credit, tokens)
    curve = [_tested(team, len(seeds), test)]
    for update in range(1, updates + 1):
        gradient(team, CREDITS[credit].lessons(team, runs, len(seeds), chance), ENTROPY)
        steps.take()
        if update % every == 0:
            curve.append(_tested(team, len(seeds), test))
    return torch.stack(curve, dim=1).cpu()


def imitate(team: Team, lessons: int, seeds: int, chance: torch.Generator) -> None:
    """Let a new team imitate speakers who say a wrong word as often as not, until it does the same."""
    steps = Adam(team, torch.full((seeds,), 2e-3, device=chance.device))
    for _ in range(lessons):
        world = team.task.draw((seeds, IMITATED), chance)
        said: dict[int, Tensor] = {}
        loss = torch.zeros((), device=chance.device)
        for place, message in enumerate(team.task.messages):
            right = message.script(world, said)[..., None].expand(-1, -1, message.tokens)
            wrong = torch.randint(message.words, right.shape, generator=chance, device=chance.device)
            slips = torch.rand(right.shape, generator=chance, device=chance.device) < SLIPS
            said[place] = torch.where(slips, wrong, right)
            chances = team.said(place, team.read(place, world, said), said[place][..., :-1])
            loss = loss - chances.gather(-1, said[place][..., None]).mean(dim=(1, 2, 3)).sum()
        loss.backward()
        steps.take()


def _tested(team: Team, seeds: int, chance: torch.Generator) -> Tensor:
    return play(team, team.task.draw((seeds, TESTED), chance), chance).reward.mean(dim=1)


class Adam:
    """Adam with a step size for each seed, and gradients cut to a norm of 1 for each seed."""

    def __init__(self, team: Team, rates: Tensor) -> None:
        self.weights = [weight for own in team.agents.values() for weight in own.values()]
        self.rates, self.number = rates, 0
        weights = self.weights
        self.first = [torch.zeros_like(weight) for weight in weights]
        self.second = [torch.zeros_like(weight) for weight in weights]

    def take(self) -> None:
        """Take a step along the gradients, and forget them."""
        self.number += 1
        slopes = [weight.grad if weight.grad is not None else torch.zeros_like(weight) for weight in self.weights]
        norm = sum(slope.flatten(1).square().sum(dim=1) for slope in slopes)
        cut = 1 / norm.sqrt().clamp(min=1.0)
        with torch.no_grad():
            for weight, slope, first, second in zip(self.weights, slopes, self.first, self.second, strict=True):
                own = (-1, *[1] * (weight.dim() - 1))
                slope = slope * cut.view(own)
                first.lerp_(slope, 0.1)
                second.lerp_(slope.square(), 0.05)
                mean, spread = first / (1 - 0.9**self.number), second / (1 - 0.95**self.number)
                weight -= self.rates.view(own) * mean / (spread.sqrt() + 1e-8)
                weight.grad = None
