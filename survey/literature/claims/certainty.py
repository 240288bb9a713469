"""How certain the numbers of a claim are: their intervals for misclassification, and who read the works behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from survey.literature.agreement import Figure, ReadingCounts, Readings, Reliability, Uncertainty, near_threshold
from survey.literature.claims.tallies import matching, passes, population, tally
from survey.literature.claims.verdicts import Judge
from survey.literature.pool import Claim, Pool

NOT_A_COUNT = "the number is the largest that a work discloses, and no count"
OF_ALL = "every work of the pool counts"
OF_RECORDS = "excluded records were read by one person"


@dataclass(frozen=True, slots=True)
class Certainty:
    """The numbers of a claim as coded here, with intervals, on the day on which the claim is judged.

    ``of`` is the number of works asked, if tags select them, and ``against`` the number to be exceeded. ``near`` tells
    whether some numbers within the intervals turn the test; it is None, with the reason in ``reason``, if an interval
    is missing. ``readings`` are those of the works that count, on all axes of the claim.
    """

    number: Figure | None
    of: Figure | None
    against: Figure | None
    near: bool | None
    reason: str
    readings: ReadingCounts
    reliability: tuple[Reliability, ...]


class Certainties:
    """The certainty of the claims of a pool; what they share is computed once."""

    def __init__(self, pool: Pool, readings: Readings | None = None, uncertainty: Uncertainty | None = None) -> None:
        self.judge = pool.once(Judge)
        self._readings = readings or Readings(pool)
        self._by_day = {pool.day: uncertainty or Uncertainty(pool)}

    def of(self, claim: Claim, day: date | None = None) -> Certainty:
        """Return how certain the numbers of a claim are, as judged on a day, by default the day of the pool."""
        day = self.judge.day(claim, day)
        now = self.judge.pool.as_of(day)
        if day not in self._by_day:
            self._by_day[day] = Uncertainty(now)
        uncertainty = self._by_day[day]
        axes = [axis for axis in claim.axes if now.taxonomy[axis].on == "entry"]
        broad = tally(now, claim, "pool")
        counts = self._readings.counts(broad.counted, *axes) if axes else ReadingCounts(0, 0, 0)
        reliability = tuple(self._readings.reliability(axis) for axis in axes)
        if reason := _uncountable(now, claim):
            return Certainty(None, None, None, None, reason, counts, reliability)
        number, of = _number(uncertainty, claim), _population(uncertainty, claim)
        others = _against(uncertainty, claim)
        against = max(others, key=lambda figure: (figure.count, figure.high or 0), default=None)
        figures = [figure for figure in (number, of, *others) if figure]
        if missing := next((figure.reason for figure in figures if figure.low is None), ""):
            return Certainty(number, of, against, None, missing, counts, reliability)
        near = _near_rival(number, others) if others else _near(claim, number, of)
        return Certainty(number, of, against, near, "", counts, reliability)


def _uncountable(pool: Pool, claim: Claim) -> str:
    """Return why the number of a claim is no count of tagged works; empty if it is one."""
    if claim.largest:
        return NOT_A_COUNT
    if any(pool.taxonomy[axis].on == "record" for axis in claim.axes):
        return OF_RECORDS
    return "" if claim.axes else OF_ALL


def _number(uncertainty: Uncertainty, claim: Claim) -> Figure:
    axes = tuple(dict.fromkeys((*claim.count, *claim.of)))
    return uncertainty.figure(axes, lambda version: tally(version, claim, "").counted)


def _population(uncertainty: Uncertainty, claim: Claim) -> Figure | None:
    """Return how many works a claim is about; None if these are all, or if its test does not ask."""
    axes = tuple(dict.fromkeys((*claim.of, *(claim.count if claim.applicable else ()))))
    if not axes or not claim.test.startswith("share"):
        return None
    return uncertainty.figure(axes, lambda version: [work.key for work in population(version, claim)])


def _against(uncertainty: Uncertainty, claim: Claim) -> list[Figure]:
    """Return the numbers that a claim must exceed: that of another selection, or of every other value of an axis."""
    if (other := claim.more_than) is not None:
        axes = tuple(other)
        return [uncertainty.figure(axes, lambda v: [work.key for work in matching(v, other, claim.primary)])]
    if claim.leads is None:
        return []
    axis = uncertainty.pool.taxonomy[claim.leads]
    leading = set(axis.resolve(str(claim.count[axis.id])))
    return [
        uncertainty.figure((axis.id,), lambda v, value=value: [e.key for e in v if e.primary(axis.id) == value])  # type: ignore[misc]
        for value in axis.values
        if value not in leading
    ]


def _near(claim: Claim, number: Figure, of: Figure | None) -> bool | None:
    """Return whether the test of a claim turns within the intervals; at most all works of the population count."""
    if of is None:
        return near_threshold(lambda n: passes(claim, n, number.of, 0), number)
    return near_threshold(lambda n, works: passes(claim, min(n, works), works, 0), number, of)


def _near_rival(number: Figure, others: Sequence[Figure]) -> bool:
    """Return whether a number may exceed all others or not, within the intervals."""
    lows, highs = ([end or 0 for end in ends] for ends in zip(*((f.low, f.high) for f in others), strict=True))
    if number.count > max(other.count for other in others):
        return (number.low or 0) <= max(highs)
    return (number.high or 0) > max(lows)
