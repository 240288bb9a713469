"""A task for a team of each topology: who acts when, what each sees, and what the team is paid.

An act sees a number, its state, and chooses a number, or -1 if nobody acts. Everything is an array with a row for
each seed and a column for each run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Ints: TypeAlias = "NDArray[np.int64]"
Floats: TypeAlias = "NDArray[np.float64]"
World = Mapping[str, "NDArray[np.float64]"]
"""What chance has drawn for each run: goals, hints, noise."""
Acts = Sequence["NDArray[np.int64]"]
"""What was chosen in the acts so far."""
Draw = Callable[["np.random.Generator", tuple[int, int]], World]


@dataclass(frozen=True)
class Act:
    """One act of one agent: a row of its table for each state."""

    agent: str
    states: int
    actions: int
    sees: Callable[[World, Acts], Ints]
    """The state, from 0; -1 where the act does not take place."""
    hears: tuple[int, ...] = ()
    """The places of the acts that the state depends on."""
    score: Callable[[World, Acts], Floats] | None = None
    """The agent's own score for this act, where it is not the reward of the team."""


@dataclass(frozen=True)
class Task:
    """A task of a team."""

    acts: tuple[Act, ...]
    draw: Draw
    reward: Callable[[World, Acts], Floats]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents in the order of their first acts."""
        return tuple(dict.fromkeys(act.agent for act in self.acts))

    def hearing(self, changed: int) -> frozenset[int]:
        """Return the acts that hear of a change of one act: a rerun plays these again, and no others."""
        heard = {changed}
        for place, act in enumerate(self.acts):
            if not heard.isdisjoint(act.hears):
                heard.add(place)
        return frozenset(heard - {changed})


def _number(world: World, name: str) -> Ints:
    return _whole(world[name])


def _whole(values: ArrayLike) -> Ints:
    return np.asarray(values, dtype=np.int64)


def _real(values: ArrayLike) -> Floats:
    """Return numbers, 1 for what is true."""
    return np.asarray(values, dtype=np.float64)


def _centralized() -> Task:
    """A lead gives a task of one of three types to one of three workers, each of whom is able at one type."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        return {"type": _real(rng.integers(3, size=shape)), "luck": rng.random(shape)}

    def turn(worker: int) -> Callable[[World, Acts], Ints]:
        return lambda world, acts: np.where(acts[0] == worker, _number(world, "type"), -1)

    def right(place: int) -> Callable[[World, Acts], Floats]:
        return lambda world, acts: _real(acts[place] == world["type"])

    def reward(world: World, acts: Acts) -> Floats:
        tool = np.max(acts[1:], axis=0)  # of the one worker that acts
        able = np.where(acts[0] == world["type"], 0.9, 0.3)
        return _real((tool == world["type"]) & (world["luck"] < able))

    workers = [Act(f"worker-{n + 1}", 3, 4, turn(n), (0,), right(n + 1)) for n in range(3)]
    return Task((Act("lead", 3, 3, lambda world, acts: _number(world, "type")), *workers), draw, reward)


def _planner() -> Task:
    """A planner tells an executor what to do; a critic, who has a hint, lets it try once more at a price."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        return {"goal": _real(rng.integers(4, size=shape)), "hint": rng.random(shape)}

    def verdict(world: World, acts: Acts) -> Ints:
        return _whole((acts[1] == world["goal"]) == (world["hint"] < 0.9))

    def again(world: World, acts: Acts) -> Ints:
        return np.where(acts[2] == 0, 5 + 5 * (acts[0] + 1) + acts[1] + 1, -1)

    def last(acts: Acts) -> Ints:
        return np.where(acts[3] >= 0, acts[3], acts[1])

    def right(world: World, acts: Acts) -> Floats:
        return _real(last(acts) == world["goal"])

    def judged(world: World, acts: Acts) -> Floats:
        return _real((acts[1] == world["goal"]) == (acts[2] == 1))

    acts = (
        Act("planner", 4, 4, lambda world, acts: _number(world, "goal")),
        Act("executor", 30, 4, lambda world, acts: acts[0] + 1, (0,), right),
        Act("critic", 2, 2, verdict, (1,), judged),
        Act("executor", 30, 4, again, (0, 1, 2), right),
    )
    return Task(acts, draw, lambda world, acts: right(world, acts) - 0.1 * (acts[2] == 0))


def _debate() -> Task:
    """Three debaters with hints speak twice, the second time knowing what the others said; a judge decides."""
    hints = (0.8, 0.7, 0.6)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        truth = _real(rng.integers(2, size=shape))
        seen = {f"hint-{n}": np.where(rng.random(shape) < p, truth, 1 - truth) for n, p in enumerate(hints)}
        return {"truth": truth, **seen}

    def first(n: int) -> Callable[[World, Acts], Ints]:
        return lambda world, acts: _number(world, f"hint-{n}")

    def second(n: int) -> Callable[[World, Acts], Ints]:
        others = [m for m in range(3) if m != n]
        return lambda world, acts: (
            2 + 3 * _number(world, f"hint-{n}") + _whole(np.sum([acts[m] == 1 for m in others], axis=0))
        )

    def own(place: int) -> Callable[[World, Acts], Floats]:
        return lambda world, acts: _real(acts[place] == world["truth"])

    def votes(world: World, acts: Acts) -> Ints:
        return _whole((np.stack(acts[3:6]) == 1).sum(axis=0))

    speakers = [Act(f"debater-{n + 1}", 8, 2, first(n), (), own(n)) for n in range(3)]
    speakers += [Act(f"debater-{n + 1}", 8, 2, second(n), tuple({0, 1, 2} - {n}), own(n + 3)) for n in range(3)]
    judge = Act("judge", 4, 2, votes, (3, 4, 5))
    return Task((*speakers, judge), draw, lambda world, acts: _real(acts[6] == world["truth"]))


def _swarm() -> Task:
    """Five peers search five places that are worth unequally much; a place found twice is paid once."""
    worth = (0.32, 0.25, 0.19, 0.14, 0.1)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        return {"noise": rng.normal(0, 0.1, shape)}

    def place_of(n: int) -> Callable[[World, Acts], Floats]:
        return lambda world, acts: np.where(acts[n] >= 0, np.array(worth)[acts[n]], 0.0)

    def reward(world: World, acts: Acts) -> Floats:
        found = [np.any(np.stack(acts) == place, axis=0) * value for place, value in enumerate(worth)]
        return _real(np.sum(found, axis=0) + world["noise"])

    peers = [
        Act(f"peer-{n + 1}", 1, 5, lambda world, acts: np.zeros(world["noise"].shape, np.int64), (), place_of(n))
        for n in range(5)
    ]
    return Task(tuple(peers), draw, reward)


def _hierarchical() -> Task:
    """A lead knows what four workers should do, and reaches them through two managers."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        return {f"goal-{n}": _real(rng.integers(2, size=shape)) for n in range(4)}

    def both(team: int) -> Callable[[World, Acts], Ints]:
        return lambda world, acts: (
            4 * team + 2 * _number(world, f"goal-{2 * team}") + _number(world, f"goal-{2 * team + 1}")
        )

    def told(place: int, which: int) -> Callable[[World, Acts], Ints]:
        return lambda world, acts: 5 * which + acts[place] + 1

    def right(place: int, n: int) -> Callable[[World, Acts], Floats]:
        return lambda world, acts: _real(acts[place] == world[f"goal-{n}"])

    def reward(world: World, acts: Acts) -> Floats:
        return _real(np.mean([right(6 + n, n)(world, acts) for n in range(4)], axis=0))

    lead = [Act("lead", 8, 4, both(team)) for team in range(2)]
    managers = [Act(f"manager-{n // 2 + 1}", 10, 2, told(n // 2, n % 2), (n // 2,), right(2 + n, n)) for n in range(4)]
    workers = [Act(f"worker-{n + 1}", 5, 2, told(2 + n, 0), (2 + n,), right(6 + n, n)) for n in range(4)]
    return Task((*lead, *managers, *workers), draw, reward)


def harness(workers: int = 4) -> Task:
    """A program hands each worker a part; what they earn adds up, with noise."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> World:
        parts = {f"part-{n}": _real(rng.integers(3, size=shape)) for n in range(workers)}
        return {**parts, "noise": rng.normal(0, 0.3, shape)}

    def part(n: int) -> Callable[[World, Acts], Ints]:
        return lambda world, acts: _number(world, f"part-{n}")

    def right(n: int) -> Callable[[World, Acts], Floats]:
        return lambda world, acts: _real(acts[n] == world[f"part-{n}"])

    def reward(world: World, acts: Acts) -> Floats:
        return _real(np.mean([right(n)(world, acts) for n in range(workers)], axis=0) + world["noise"])

    return Task(tuple(Act(f"worker-{n + 1}", 3, 3, part(n), (), right(n)) for n in range(workers)), draw, reward)


TASKS: dict[str, Callable[[], Task]] = {
    "centralized": _centralized,
    "planner_executor_critic": _planner,
    "debate": _debate,
    "swarm": _swarm,
    "hierarchical": _hierarchical,
    "harness": harness,
}
"""A task for each topology of ``survey.traces.simulate``."""
