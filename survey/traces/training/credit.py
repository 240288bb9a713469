"""The advantage of every act of every run, under each kind of credit, and what it costs in reruns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.training.tasks import Floats, Ints, Task
from survey.traces.training.team import Runs, Team, played

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

OTHERS = 2
"""How many other acts C3 draws for each act."""


@dataclass(frozen=True)
class Kind:
    """A kind of credit."""

    title: str
    credit: Callable[[Team, Runs, np.random.Generator], Floats]
    reruns: Callable[[Task], int]
    """How many turns its reruns of a run take: only what hears of a change is played again."""


def advantages(name: str, team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    """Return the advantage of each act, by act, seed and run; 0 where nobody acted."""
    return np.where(runs.actions < 0, 0.0, CREDITS[name].credit(team, runs, rng))


def _centred(credit: Floats, taken: Floats) -> Floats:
    """Subtract from each act the mean credit of the same act in the runs in which it was taken."""
    mean: Floats = (credit * taken).sum(axis=-1, keepdims=True) / taken.sum(axis=-1, keepdims=True).clip(1)
    return credit - mean


def _taken(runs: Runs) -> Floats:
    return (runs.actions >= 0).astype(float)


def _broadcast(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    shared = runs.reward - runs.reward.mean(axis=-1, keepdims=True)
    return np.broadcast_to(shared, runs.actions.shape)


def _by_role(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    taken = _taken(runs)
    centred = _centred(np.broadcast_to(runs.reward, runs.actions.shape), taken)
    spread = np.sqrt((centred**2 * taken).sum(axis=-1, keepdims=True) / taken.sum(axis=-1, keepdims=True).clip(1))
    scaled: Floats = centred / spread.clip(1e-4)
    return scaled


def _difference(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    nothing = np.full(runs.reward.shape, -1)
    without = [_again(team, runs, place, nothing) for place in range(len(runs.actions))]
    return _centred(runs.reward - np.stack(without), _taken(runs))


def _coma(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    found = []
    for place, act in enumerate(team.task.acts):
        chance = team.policy(act.agent, runs.states[place])
        mean = np.zeros(runs.reward.shape)
        for action in range(act.actions):
            mean += chance[..., action] * _again(team, runs, place, np.full(runs.reward.shape, action))
        found.append(runs.reward - mean)
    return np.stack(found)


def _c3(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    found = []
    for place, act in enumerate(team.task.acts):
        chance = team.policy(act.agent, runs.states[place]).cumsum(axis=-1)[..., :-1]
        others = [(chance < rng.random(runs.reward.shape)[..., None]).sum(axis=-1) for _ in range(OTHERS)]
        found.append(runs.reward - np.mean([_again(team, runs, place, other) for other in others], axis=0))
    return np.stack(found)


def _again(team: Team, runs: Runs, place: int, action: Ints) -> Floats:
    """Return the rewards of reruns with another action in one act: who does not hear of it acts as before."""
    heard = team.task.hearing(place)
    kept = {other: own for other, own in enumerate(runs.actions) if other not in heard}
    return played(team, runs.world, runs.luck, kept | {place: action}).reward


def _shapley(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    """Let the agents of each run join in an order drawn at random."""
    agents = team.task.agents
    order = rng.random((len(agents), *runs.reward.shape)).argsort(axis=0).argsort(axis=0)  # when each joins
    worth = [
        played(team, runs.world, runs.luck, absent=dict(zip(agents, order >= joined, strict=True))).reward
        for joined in range(len(agents))
    ]
    gains = np.diff(np.stack([*worth, runs.reward]), axis=0)
    share = dict(zip(agents, np.take_along_axis(gains, order, axis=0), strict=True))
    return _centred(np.stack([share[act.agent] for act in team.task.acts]), _taken(runs))


def _two_level(team: Team, runs: Runs, rng: np.random.Generator) -> Floats:
    acts = [*runs.actions]
    own = [runs.reward if act.score is None else act.score(runs.world, acts) for act in team.task.acts]
    return _centred(np.stack(own), _taken(runs))


def _each(count: Callable[[Task, int], int]) -> Callable[[Task], int]:
    return lambda task: sum(count(task, place) for place in range(len(task.acts)))


def _of_orders(task: Task) -> int:
    """Agents that are missing take no turns, and in the mean half of them are."""
    return len(task.agents) * len(task.acts) // 2


CREDITS: dict[str, Kind] = {
    "broadcast": Kind("Broadcast (GRPO)", _broadcast, lambda task: 0),
    "role": Kind("Per role (Dr. MAS)", _by_role, lambda task: 0),
    "two-level": Kind("Two-level, own scores", _two_level, lambda task: 0),
    "difference": Kind("Difference rewards", _difference, _each(lambda task, place: len(task.hearing(place)))),
    "c3": Kind("C3", _c3, _each(lambda task, place: OTHERS * (1 + len(task.hearing(place))))),
    "coma": Kind("COMA", _coma, _each(lambda task, place: task.acts[place].actions * len(task.hearing(place)))),
    "shapley": Kind("Shapley, one order a run", _shapley, _of_orders),
}
"""Kinds of credit by name, from those that need only the reward to those that need reruns."""
