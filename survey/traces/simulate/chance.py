"""Random numbers of the simulation, calibrated where measurements exist.

Unless noted otherwise, durations and costs follow figures that were measured on public logs of one
company's developers, early in 2026 (82 sessions of a coding agent with 196 sub-agents; the largest
files were not included):

- from a spawn to the first act of the sub-agent: median 0.25 s, nine in ten under 0.59 s;
- from its return to the next act of the lead: median 0.28 s, nine in ten under 2.4 s;
- a sub-agent: median 75 s, 71,000 tokens, 18 tool calls.

Only these medians and ninth deciles are measured. Our assumptions are the log-normal distributions,
the split of the 75 seconds into thinking (some 6 s a turn) and tools (1.2 s a call), the nine turns
per part, the variation in size between parts, and the speed of messages. The numbers make no claim
about any other system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from random import Random
from statistics import NormalDist
from typing import TypeVar

TURNS = 9
"""Turns per part, unless a setting gives the total number."""

T = TypeVar("T")
NORMAL = NormalDist()
NINTH_DECILE = NORMAL.inv_cdf(0.9)


class Chance:
    """All random draws of a run, in order of time from one source.

    At a message whose number is in ``branches`` the source is replaced: earlier draws stay the same,
    later ones differ.

    From an act in ``departures`` on, each act has a source of its own, named after it and ``again``. Two runs
    that depart alike and then differ in one act share all chance that the others have: their difference is
    the effect of the act, and not luck.
    """

    def __init__(
        self, seed: str, branches: Mapping[int, str], departures: frozenset[str] = frozenset(), again: str = ""
    ) -> None:
        self._random = Random(seed)
        self._branches = branches
        self._messages = 0
        self._departures, self._again = departures, again
        self._departed = False

    def begin(self, act: str) -> None:
        """Draw what follows for this act."""
        if self._departed:
            self._random = Random(f"{self._again}/{act}")

    def depart(self, act: str) -> None:
        """End what two reruns have in common, if it ends with this act."""
        if act in self._departures and not self._departed:
            self._departed = True
            self.begin(f"{act}/then")

    def next_message(self) -> int:
        """Return the number of the message being sent."""
        number = self._messages
        self._messages += 1
        if number in self._branches:
            self._random = Random(self._branches[number])
        return number

    def hit(self, share: float) -> bool:
        """Return True with this probability."""
        return self._random.random() < share

    def below(self, size: int) -> int:
        """Draw an integer uniformly from 0 to below ``size``."""
        return int(self._random.random() * size)

    def one(self, choices: Sequence[T]) -> T:
        """Draw one of the choices uniformly."""
        return choices[self.below(len(choices))]

    def effect(self, informing: float, misleading: float) -> int:
        """Draw the effect of a message: 1 informs, -1 misleads, 0 neither."""
        drawn = self._random.random()
        return 1 if drawn < informing else -1 if drawn < informing + misleading else 0

    def spread(self, median: float, sigma: float) -> float:
        """Draw a log-normal number with this median."""
        return median * exp(sigma * NORMAL.inv_cdf(max(self._random.random(), 1e-12)))

    def about(self, mean: float, sigma: float) -> float:
        """Draw a log-normal number with this mean."""
        return self.spread(mean * exp(-sigma * sigma / 2), sigma)

    def startup(self) -> float:
        """Draw the seconds from a spawn to the first act of the new agent (measured)."""
        return self.spread(0.25, log(0.59 / 0.25) / NINTH_DECILE)

    def overhead(self) -> float:
        """Draw the seconds from a return to the receiver's next act (measured)."""
        return self.spread(0.28, log(2.4 / 0.28) / NINTH_DECILE)

    def size(self) -> float:
        """Draw the size of a piece of work relative to the median one, in time and tokens."""
        return self.spread(1, 0.5)

    def thinking(self) -> float:
        """Draw the seconds of a turn, without its tools."""
        return self.about(5.9, 0.5)

    def tool(self) -> float:
        """Draw the seconds of a tool call."""
        return self.about(1.2, 1.0)

    def transit(self) -> float:
        """Draw the seconds until a message arrives."""
        return self.spread(0.1, 0.5)

    def tokens(self, size: float, more: float = 0) -> dict[str, int]:
        """Draw the input and output tokens of a turn."""
        return {"input": round(self.about(7050, 0.4) * size + more), "output": round(self.about(590, 0.6) * size)}


def poisson(random: Random, mean: float) -> int:
    """Draw a Poisson number with this mean."""
    count, left = 0, exp(-mean)
    total = random.random()
    while total > left:
        count += 1
        total *= random.random()
    return count
