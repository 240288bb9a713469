"""Optimal stopping environment: diminishing returns, a cost per round, and a known optimum.

A team works on a task in rounds. After each round its lead observes the state and chooses *continue* or
*stop*. The task has ``parts`` questions; a hidden share of them is within the team's reach, and each of
these that is still unsolved is solved in a round with a hidden probability. The rest draw wrong answers
instead. Both hidden numbers vary between tasks, and so does the best number of rounds.

    quality(t) = share of the parts that are solved after t rounds
    return     = quality(t) - cost * t        for a team that stops after t rounds

The observation (``OBSERVED``) hints at the hidden numbers: how much is answered, how far the workers agree
(nine in ten support a right answer, three in ten a wrong one, on average), and how fast this changes.

>>> team = Stopping(seed=1)
>>> seen, reward, done = team.reset(seed=7), 0.0, False
>>> while not done:
...     seen, gained, done = team.step(CONTINUE if seen[0] < 0.2 else STOP)
...     reward += gained
>>> round(reward, 9) == round(team.episode(7).returns[4], 9) <= team.episode(7).oracle
True

This is our own model for testing stopping rules on simulated tasks; none of its numbers is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from survey.traces.stopping.rules import Rule, Seen, stopped

CONTINUE, STOP = 0, 1

OBSERVED = ("rounds", "answered", "agreement", "change", "pace", "quiet")
"""The observation after each round: rounds played / maximum rounds; the share of parts with an answer; the
mean share of workers who support it (the agreement), with 0 for an unanswered part; the change of the
agreement in the last round, and its mean change per round; for how many rounds it has not risen / maximum
rounds. ``pace`` times the number of rounds is the agreement again."""

CHANCES = (0.15, 0.6)
"""Hidden, one of these for each task: the probability that a part within reach is solved in a round."""

REACHES = (0.05, 0.95)
"""Hidden, one of these for each task: the share of parts that is within the team's reach, on average."""

WRONG = 0.1
"""The probability that a part without an answer draws a wrong one in a round."""

Observation = tuple[float, ...]


class Step(NamedTuple):
    """The result of an action."""

    observation: Observation
    reward: float
    done: bool


@dataclass(frozen=True)
class Episode:
    """All observations and qualities of one task played without stopping; index t is the state after t rounds."""

    seed: int
    observations: tuple[Observation, ...]
    qualities: tuple[float, ...]
    cost: float
    chance: float
    """Hidden: the probability that a part within reach is solved in a round."""
    reach: int
    """Hidden: how many parts are within reach."""
    parts: int

    @property
    def rounds(self) -> int:
        """The maximum number of rounds."""
        return len(self.qualities) - 1

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """The observations in the terms of rules that also decide on recorded runs."""
        return tuple(
            Seen(played, agreement, round(quiet * self.rounds))
            for played, (_, _, agreement, _, _, quiet) in enumerate(self.observations)
        )

    @cached_property
    def returns(self) -> tuple[float, ...]:
        """The return of stopping after each number of rounds."""
        return tuple(quality - self.cost * played for played, quality in enumerate(self.qualities))

    @property
    def oracle(self) -> float:
        """The best return with hindsight: no rule reaches it on average, since the future is random."""
        return max(self.returns)

    @property
    def oracle_rounds(self) -> int:
        """The number of rounds with the best return; the smallest if several are equal."""
        return self.returns.index(self.oracle)

    @cached_property
    def informed_rounds(self) -> int:
        """The number of rounds after which an agent that knows the hidden numbers, but not the future, stops.

        On average, another round solves ``chance`` times the remaining parts within reach. This never increases,
        so the optimal rule looks one round ahead: stop as soon as the gain is no more than the cost.
        """
        for played, quality in enumerate(self.qualities):
            left = self.reach - round(quality * self.parts)
            if self.chance * left / self.parts <= self.cost:
                return played
        return self.rounds

    @property
    def informed(self) -> float:
        """The return of that rule: the optimum on average."""
        return self.returns[self.informed_rounds]


class Stopping:
    """The environment. One object plays one episode after another; nothing is shared between them.

    Raises ``ValueError`` for invalid parameters.
    """

    def __init__(self, parts: int = 20, workers: int = 5, rounds: int = 20, cost: float = 0.02, seed: int = 0) -> None:
        for name, value in (("parts", parts), ("workers", workers), ("rounds", rounds)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: found {value!r}, expected an integer of at least 1")
        if not 0 <= cost <= 1:
            raise ValueError(f"cost: found {cost!r}, expected a number from 0 to 1")
        self.parts, self.workers, self.rounds, self.cost, self.seed = parts, workers, rounds, cost, seed
        self._episode: Episode | None = None
        self._played = 0

    def reset(self, seed: int) -> Observation:
        """Start the task of this seed and return the initial observation."""
        self._episode, self._played = self.episode(seed), 0
        return self._episode.observations[0]

    def step(self, action: int) -> Step:
        """Continue (play a round and pay its cost) or stop (earn the quality).

        After the last round the task stops automatically. Raises ``RuntimeError`` if no task is in progress,
        ``ValueError`` for any other action.
        """
        if self._episode is None:
            raise RuntimeError("no task is in progress: call reset first")
        if action not in (CONTINUE, STOP):
            raise ValueError(f"action: found {action!r}, expected {CONTINUE} (continue) or {STOP} (stop)")
        episode, reward = self._episode, 0.0
        if action == CONTINUE:
            self._played += 1
            reward -= self.cost
        done = action == STOP or self._played == self.rounds
        if done:
            reward += episode.qualities[self._played]
            self._episode = None
        return Step(episode.observations[self._played], reward, done)

    def episode(self, seed: int) -> Episode:
        """Return the task of a seed, played to the last round."""
        random = Random(f"{self.seed}/stopping/{seed}")
        chance = random.choice(CHANCES)
        share = random.choice(REACHES)
        reach = sum(random.random() < share for _ in range(self.parts))
        solved_in = [self._when(random, chance) if part < reach else None for part in range(self.parts)]
        wrong_in = [self._when(random, WRONG) for _ in range(self.parts)]
        backing = [(self._backing(random, 0.9), self._backing(random, 0.3)) for _ in range(self.parts)]
        qualities, seen, quiet = [0.0], [(0.0,) * len(OBSERVED)], 0
        for played in range(1, self.rounds + 1):
            solved = [when is not None and when <= played for when in solved_in]
            answered = [is_solved or wrong <= played for is_solved, wrong in zip(solved, wrong_in, strict=True)]
            backed = [
                (right if is_solved else wrong) * has
                for is_solved, has, (right, wrong) in zip(solved, answered, backing, strict=True)
            ]
            agreement = sum(backed) / self.parts
            change = agreement - seen[-1][2]
            quiet = 0 if change > 0 else quiet + 1
            far = self.rounds
            seen.append((played / far, sum(answered) / self.parts, agreement, change, agreement / played, quiet / far))
            qualities.append(sum(solved) / self.parts)
        return Episode(seed, tuple(seen), tuple(qualities), self.cost, chance, reach, self.parts)

    @staticmethod
    def _when(random: Random, chance: float) -> int:
        """Draw the first round in which an event with this probability per round occurs."""
        count = 1
        while random.random() >= chance:
            count += 1
        return count

    def _backing(self, random: Random, share: float) -> float:
        """Draw the share of workers who support an answer, each with this probability."""
        return sum(random.random() < share for _ in range(self.workers)) / self.workers


def episodes(team: Stopping, count: int, first: int = 0) -> Iterator[Episode]:
    """Yield tasks with consecutive seeds, for training or, with another ``first``, for testing."""
    return (team.episode(seed) for seed in range(first, first + count))


def played(episode: Episode, rule: Rule) -> int:
    """Return the number of rounds after which a rule stops; 0 is a stop before the first."""
    end = stopped(episode.seen, rule)
    return episode.rounds if end is None else end
