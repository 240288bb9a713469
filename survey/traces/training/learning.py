"""The policy gradient: every act becomes more likely if its advantage is positive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.problems import nearest, quoted
from survey.traces.training.credit import CREDITS, advantages
from survey.traces.training.tasks import TASKS, Floats, Task
from survey.traces.training.team import Runs, Team, drawn, played

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

TESTED = 500
"""Runs in which a team is tested."""

MANY = 2000
"""Runs from which the true gradient is taken."""


def train(
    task: str | Task,
    credit: str,
    *,
    turns: int = 400,
    updates: int = 60,
    seeds: int = 10,
    step: float = 8.0,
    seed: int = 0,
    every: int = 1,
) -> Floats:
    """Train a team; return its mean reward in fresh runs, by seed, before the first update and after ``every`` few.

    An update may take ``turns`` turns of each seed, reruns included: with finer credit it sees fewer runs. Advantages
    are divided by their spread in the batch, so that one step size suits all kinds of credit.

    Raises ``ValueError`` for an unknown name, and if the turns do not suffice for two runs.
    """
    for name, known, what in ((task, TASKS, "task"), (credit, CREDITS, "credit")):
        if isinstance(name, str) and name not in known:
            raise ValueError(f"{what}: found {quoted(name)}{nearest(name, known)}, expected one of {', '.join(known)}")
    task = TASKS[task]() if isinstance(task, str) else task
    size = runs_for(task, credit, turns)
    rng, test = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    team = Team.new(task, seeds)
    curve = [_tested(team, test)]
    for update in range(1, updates + 1):
        runs = played(team, *drawn(task, rng, seeds, size))
        found = advantages(credit, team, runs, rng)
        spread = found.std(axis=(0, 2), keepdims=True).clip(1e-6)
        for agent, slope in gradient(team, runs, found / spread).items():
            team.logits[agent] += step * slope
        if update % every == 0:
            curve.append(_tested(team, test))
    return np.stack(curve, axis=1)


def runs_for(task: Task, credit: str, turns: int) -> int:
    """Return how many runs, with their reruns, so many turns suffice for."""
    cost = len(task.acts) + CREDITS[credit].reruns(task)
    if turns < 2 * cost:
        raise ValueError(f"turns: found {turns}, expected {2 * cost} or more: a run with its reruns takes {cost}")
    return turns // cost


def alignment(task: str | Task, credit: str, *, turns: int = 400, seeds: int = 20, seed: int = 0) -> Floats:
    """Return the cosine between a team's gradient from so many turns and its true one, for teams with random habits.

    The true one is that of COMA, which is unbiased, over many more runs. A team without habits would not do: where
    words have no meaning yet, the true gradient is nothing.
    """
    task = TASKS[task]() if isinstance(task, str) else task
    rng = np.random.default_rng([seed, 2])
    team = Team.with_habits(task, seeds, rng)
    many = played(team, *drawn(task, rng, seeds, MANY))
    true = _flat(gradient(team, many, advantages("coma", team, many, rng)))
    few = played(team, *drawn(task, rng, seeds, runs_for(task, credit, turns)))
    found = _flat(gradient(team, few, advantages(credit, team, few, rng)))
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(true, axis=1)
    cosine: Floats = (found * true).sum(axis=1) / lengths.clip(1e-12)
    return cosine


def _flat(slopes: dict[str, Floats]) -> Floats:
    return np.concatenate([slope.reshape(len(slope), -1) for slope in slopes.values()], axis=1)


def gradient(team: Team, runs: Runs, found: Floats) -> dict[str, Floats]:
    """Return the gradient of the sum of log-probabilities, each times its advantage, divided by the number of runs."""
    slopes = {agent: np.zeros_like(table) for agent, table in team.logits.items()}
    seeds = np.arange(len(runs.reward))[:, None]
    for place, act in enumerate(team.task.acts):
        state, action = np.maximum(runs.states[place], 0), runs.actions[place]
        score = (np.arange(act.actions) == action[..., None]) - team.policy(act.agent, state)
        weight = np.where(action < 0, 0.0, found[place])[..., None] / runs.size
        np.add.at(slopes[act.agent], (seeds, state), score * weight)
    return slopes


def _tested(team: Team, rng: np.random.Generator) -> Floats:
    seeds = len(next(iter(team.logits.values())))
    reward: Floats = played(team, *drawn(team.task, rng, seeds, TESTED)).reward.mean(axis=1)
    return reward
