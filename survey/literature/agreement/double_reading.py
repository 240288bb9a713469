"""How many entries would count if all were read twice and every disagreement were settled: a distribution.

One yes-or-no question is asked of each entry: does it count? One reader answered for all entries, a second for some of
them: double sampling (Tenenbein 1970), with beta-binomial prediction for the rest (Ericson 1969). Where the readers
agree, the answer stands. Where they differ and nobody has settled it, the data do not say who is right: any number of
these entries, from none to all, is taken as equally likely to count. There is a closed form; nothing is drawn.

Assumed: a second reader would differ on the entries read once as often as on those read twice that had the same first
answer; and an answer on which both readers agree is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import exp, lgamma

LEVEL = 0.95
"""The probability with which an interval is meant to hold, under the stated assumptions."""

PRIOR = 0.5
"""Pseudo-counts of the two answers of a second reader (Jeffreys)."""

NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True)
class Answers:
    """How often readers said that an entry counts.

    ``both``, ``first_only``, ``second_only`` and ``neither`` are the entries read twice. Of these, ``stands`` count in
    any case (agreed, or settled so), and ``open`` are those on which the readers differ and that nobody has settled.
    ``once_yes`` and ``once_no`` are the entries read once.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    stands: int
    open: int
    once_yes: int
    once_no: int


@lru_cache(maxsize=4096)
def distribution(answers: Answers) -> tuple[float, ...]:
    """Return the probability of each count, from zero to the number of entries."""
    a = answers
    dropped = _second_says(a.once_yes, a.first_only, a.both)
    found = _second_says(a.once_no, a.second_only, a.neither)
    steps: dict[int, float] = defaultdict(float)
    for m, p in enumerate(dropped):
        for n, q in enumerate(found if p > NEGLIGIBLE else ()):
            if p * q > NEGLIGIBLE:
                first, last = a.stands + a.once_yes - m, a.stands + a.once_yes + a.open + n
                steps[first] += p * q / (last - first + 1)
                steps[last + 1] -= p * q / (last - first + 1)
    whole = a.both + a.first_only + a.second_only + a.neither + a.once_yes + a.once_no
    return tuple(accumulate(steps[n] for n in range(whole + 1)))


def bounds(probabilities: Sequence[float], level: float = LEVEL) -> tuple[int, int]:
    """Return the lowest and the highest count of the interval.

    Equal tails by mid-p: a count is left out if what lies beyond it, with half of its own probability, has less than
    half of what the interval may miss. Otherwise intervals of whole numbers would hold more often than stated.
    """
    tail = (1 - level) / 2
    upward = accumulate(probabilities)
    inside = [n for n, (p, up) in enumerate(zip(probabilities, upward, strict=True)) if tail <= up - p / 2 <= 1 - tail]
    likeliest = max(range(len(probabilities)), key=probabilities.__getitem__)
    return (inside[0], inside[-1]) if inside else (likeliest, likeliest)


def _second_says(entries: int, alike: int, others: int) -> list[float]:
    """Return the probability that a second reader gives an answer to each number of ``entries``: beta-binomial.

    Of the entries read twice with the same first answer, the second reader gave it to ``alike`` and not to ``others``.
    """
    a, b = alike + PRIOR, others + PRIOR
    start = lgamma(entries + 1) - _log_beta(a, b)
    return [
        exp(start - lgamma(n + 1) - lgamma(entries - n + 1) + _log_beta(n + a, entries - n + b))
        for n in range(entries + 1)
    ]


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
