"""What a stopping rule would have saved in recorded runs, one by one and in total."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from survey.traces.model import Trace
from survey.traces.problems import NotMeasurable
from survey.traces.stopping.episodes import Cost, Episode, episode
from survey.traces.stopping.evaluation import Evaluation, evaluate
from survey.traces.stopping.rules import Rule


@dataclass(frozen=True)
class Saving:
    """One run under a rule."""

    episode: Episode
    stop: int | None
    """The round after which the rule stops; None if it goes on beyond the recorded end (the run is censored)."""

    @property
    def saved(self) -> Cost | None:
        """What the stop saves; None for a censored run, for which the rule would have spent more."""
        return None if self.stop is None else self.episode.saved(self.stop)

    @property
    def reward(self) -> float | None:
        """The recorded reward of that stop."""
        return None if self.stop is None else self.episode.reward(self.stop)

    @property
    def reward_at_end(self) -> float | None:
        """The recorded reward of the run."""
        return self.episode.rewards[-1]


@dataclass(frozen=True)
class Savings:
    """All runs under a rule."""

    runs: Sequence[Saving]
    why_not: Sequence[tuple[str, str]]
    """The ids of the other runs, each with the reason: no rounds, or a round that lacks what the rule needs."""

    @property
    def stopped(self) -> list[Saving]:
        """The runs that the rule ends in the record."""
        return [one for one in self.runs if one.stop is not None]

    @property
    def censored(self) -> int:
        """The number of runs in which the rule goes on beyond the recorded end."""
        return len(self.runs) - len(self.stopped)

    def total(self, what: str) -> tuple[float, float, int] | None:
        """Return tokens, calls or seconds: how much is saved, of how much in all rounds, and in how many runs.

        Over the runs that the rule ends and that record it; None without any.
        """
        saved = spent = 0.0
        known = 0
        for one in self.stopped:
            own, whole = getattr(one.saved, what), getattr(one.episode.saved(0), what)
            if own is not None:
                saved, spent, known = saved + own, spent + whole, known + 1
        return (saved, spent, known) if known else None

    def rewards(self) -> tuple[float, float, int] | None:
        """Return the mean reward at the stop and at the end, and over how many runs: those where both are known."""
        pairs = [(one.reward, one.reward_at_end) for one in self.stopped]
        known = [(there, end) for there, end in pairs if there is not None and end is not None]
        if not known:
            return None
        return fmean(there for there, _ in known), fmean(end for _, end in known), len(known)

    def evaluation(self, rule: Rule, between: tuple[float, float] | None = None, level: float = 0.95) -> Evaluation:
        """Evaluate the rule on these runs."""
        return evaluate([one.episode for one in self.runs], rule, between=between, level=level)


def savings(
    traces: Iterable[Trace], rule: Rule, *, reward: str | None = None, debaters: Collection[str] | None = None
) -> Savings:
    """Return what a rule would have saved in each of these runs; ``reward`` and ``debaters`` are as for ``episode``."""
    found, why_not = [], []
    for trace in traces:
        try:
            one = episode(trace, reward=reward, debaters=debaters)
            found.append(Saving(one, one.stop(rule)))
        except NotMeasurable as reason:
            why_not.append((trace.id, str(reason)))
    return Savings(found, why_not)
