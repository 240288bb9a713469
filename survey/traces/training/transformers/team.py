"""A team of transformers, the runs that it plays, and the reruns of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.training.transformers.model import Size, Weights, logits, transformer
from survey.traces.training.transformers.tasks import Task, World

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch = lazy("torch")


@dataclass(frozen=True)
class Team:
    """A transformer for each agent of a task, for several seeds at once."""

    task: Task
    size: Size
    agents: Mapping[str, Weights]

    @classmethod
    def new(cls, task: Task, size: Size, seeds: Sequence[int], device: str = "cpu") -> Team:
        """Return a team that knows nothing."""
        world = task.draw((1, 1), torch.Generator(device))
        agents = {}
        for number, agent in enumerate(task.agents):
            own = [message for message in task.messages if message.agent == agent]
            heard = max(task.tokens(message.hears) + len(message.hears) + message.tokens for message in own)
            length = world[agent].shape[-1] + 1 + heard
            drawn = [1000 * seed + number for seed in seeds]
            agents[agent] = transformer(size, task.words + 1 + len(task.messages), length, drawn, device)
        return cls(task, size, agents)

    def said(self, place: int, read: Tensor, own: Tensor) -> Tensor:
        """Return the log-probability of each token of a message, by seed, run and token, among all words it could be.

        ``own`` are the tokens of the message so far; one more is foretold than it holds.
        """
        message = self.task.messages[place]
        found = logits(self.agents[message.agent], torch.cat([read, own], dim=-1), self.size.heads)
        return found[:, :, read.shape[-1] - 1 :, : message.words].log_softmax(dim=-1)

    def read(self, place: int, world: World, messages: Mapping[int, Tensor]) -> Tensor:
        """Return what an agent has before it when it speaks: what it sees, then each message after its number."""
        message = self.task.messages[place]
        seen = world[message.agent]
        mark = torch.full_like(world["answer"], self.task.words)
        parts = [seen, mark]  # which of its messages it is to give, the numbers of those that it heard say
        for heard in message.hears:
            parts += [mark + 1 + heard, messages[heard]]
        return torch.cat(parts, dim=-1)


@dataclass(frozen=True)
class Runs:
    """What a team said in many runs."""

    world: World
    luck: Mapping[int, Tensor]
    """What chance adds to the logits of each message: a rerun with the same luck shares it."""
    messages: Mapping[int, Tensor]
    reward: Tensor


def draw_luck(task: Task, place: int, shape: tuple[int, int], chance: torch.Generator) -> Tensor:
    """Return luck for a message: the largest sum of logit and luck is drawn as often as its probability says."""
    message = task.messages[place]
    uniform = torch.rand((*shape, message.tokens, message.words), generator=chance, device=chance.device)
    return -(-uniform.clamp(1e-9, 1 - 1e-6).log()).log()


def say(team: Team, place: int, world: World, messages: Mapping[int, Tensor], luck: Tensor) -> Tensor:
    """Return a message, drawn token by token."""
    with torch.no_grad():
        read = team.read(place, world, messages)
        own = read[..., :0]
        for number in range(team.task.messages[place].tokens):
            chances = team.said(place, read, own)[:, :, -1] + luck[:, :, number]
            own = torch.cat([own, chances.argmax(dim=-1, keepdim=True)], dim=-1)
    return own


def play(team: Team, world: World, chance: torch.Generator) -> Runs:
    """Play a run in each world."""
    seeds, runs = world["answer"].shape[:2]
    luck = {place: draw_luck(team.task, place, (seeds, runs), chance) for place in range(len(team.task.messages))}
    messages: dict[int, Tensor] = {}
    for place in luck:
        messages[place] = say(team, place, world, messages, luck[place])
    return Runs(world, luck, messages, team.task.reward(world, messages[place]))


def replay(team: Team, runs: Runs, changed: int, message: Tensor) -> Tensor:
    """Return the rewards of reruns with another message in one place: who does not hear of it speaks as before."""
    messages = {**runs.messages, changed: message}
    for place in team.task.hearing(changed):
        messages[place] = say(team, place, runs.world, messages, runs.luck[place])
    return team.task.reward(runs.world, messages[len(messages) - 1])
