"""A team of tables, and the runs that it plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.training.tasks import Floats, Ints, Task, World

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


@dataclass
class Team:
    """The policies of all agents of a task, for several seeds at once: a table of logits each."""

    task: Task
    logits: dict[str, Floats]

    @classmethod
    def new(cls, task: Task, seeds: int) -> Team:
        """Return a team that knows nothing: every action is as likely as any other."""
        return cls(task, {act.agent: np.zeros((seeds, act.states, act.actions)) for act in task.acts})

    @classmethod
    def with_habits(cls, task: Task, seeds: int, rng: np.random.Generator) -> Team:
        """Return teams whose logits are drawn from the normal distribution."""
        return cls(task, {agent: rng.normal(size=table.shape) for agent, table in cls.new(task, seeds).logits.items()})

    def policy(self, agent: str, states: Ints) -> Floats:
        """Return the probability of each action of an agent in these states."""
        return _in_these(states, self.chances(agent))

    def chances(self, agent: str) -> Floats:
        """Return the probability of each action of an agent in every state: there are far fewer states than runs."""
        logits = self.logits[agent]
        weights: Floats = np.exp(logits - logits.max(axis=-1, keepdims=True))
        chances: Floats = weights / weights.sum(axis=-1, keepdims=True)
        return chances

    def choices(self, agent: str, states: Ints, luck: Floats) -> Ints:
        """Return the action that an agent takes in these states, drawn by the luck of each."""
        bounds = self.chances(agent).cumsum(axis=-1)[..., :-1]
        actions: Ints = (_in_these(states, bounds) < luck[..., None]).sum(axis=-1)
        return actions


def _in_these(states: Ints, table: Floats) -> Floats:
    """Return the rows of a table for these states, seed by seed; the first where nobody acts."""
    rows: Floats = table[np.arange(len(states))[:, None], np.maximum(states, 0)]
    return rows


@dataclass(frozen=True)
class Runs:
    """What a team did in many runs."""

    world: World
    luck: Floats
    """What chance gives to each act: a rerun with the same luck shares it."""
    states: Ints
    actions: Ints
    """By act, seed and run; -1 where nobody acted."""
    reward: Floats

    @property
    def size(self) -> int:
        """The number of runs of each seed."""
        return int(self.reward.shape[1])


def drawn(task: Task, rng: np.random.Generator, seeds: int, size: int) -> tuple[World, Floats]:
    """Draw the world of new runs, and the luck of their acts."""
    return task.draw(rng, (seeds, size)), rng.random((len(task.acts), seeds, size))


def played(
    team: Team,
    world: World,
    luck: Floats,
    instead: Mapping[int, Ints] | None = None,
    absent: Mapping[str, NDArray[np.bool_]] | None = None,
) -> Runs:
    """Play runs, with these actions ``instead`` in some acts and without the acts of ``absent`` agents.

    Whoever acts later sees what has changed, with the same luck: this is a rerun.
    """
    states: list[Ints] = []
    actions: list[Ints] = []
    for place, act in enumerate(team.task.acts):
        state = act.sees(world, actions)
        action = instead[place] if instead and place in instead else team.choices(act.agent, state, luck[place])
        if absent and act.agent in absent:
            action = np.where(absent[act.agent], -1, action)
        states.append(state)
        actions.append(np.where(state < 0, -1, action))
    return Runs(world, luck, np.stack(states), np.stack(actions), team.task.reward(world, actions))
