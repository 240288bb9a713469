"""Comparison of team runs with a single-agent baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from survey.traces.metrics.durations import wall_s
from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Measure, evaluated, ratio
from survey.traces.metrics.turns import steps
from survey.traces.model import Trace
from survey.traces.problems import NotMeasurable
from survey.traces.replay import replay


def compare(team: Sequence[Trace], single: Sequence[Trace]) -> dict[str, Measure]:
    """Compare runs of a team with runs of one agent on the same tasks.

    The definitions of overhead, efficiency and error amplification are those of Kim et al.
    (arXiv:2512.08296, section 4.1 of version 2), with steps as their turns; success is ``outcome.success``.
    The factors of amplification that they print do not follow from their success rates by this definition.
    """
    ours, theirs = [Run(replay(trace)) for trace in team], [Run(replay(trace)) for trace in single]
    return {name: evaluated(blank, function, ours, theirs) for name, (blank, function) in COMPARISONS.items()}


Runs = Sequence[Run]


def _mean(runs: Runs, function: Callable[[Run], float], what: str) -> float:
    if not runs:
        raise NotMeasurable(f"there are no runs of {what}")
    return fmean(function(run) for run in runs)


def _relative_steps(team: Runs, single: Runs) -> float:
    alone = _mean(single, steps, "one agent")
    return ratio(_mean(team, steps, "the team"), alone, "the runs of one agent have no steps")


def _success(run: Run) -> float:
    outcome: Mapping[str, Any] = run.replayed.trace.head.get("outcome") or {}
    if not isinstance(outcome.get("success"), bool):
        raise NotMeasurable("not every run says whether it succeeded (outcome.success)")
    return float(outcome["success"])


def _overhead(team: Runs, single: Runs) -> float:
    return _relative_steps(team, single) - 1


def _efficiency(team: Runs, single: Runs) -> float:
    return ratio(_mean(team, _success, "the team"), _relative_steps(team, single), "the team has no steps")


def _amplification(team: Runs, single: Runs) -> float:
    failures = 1 - _mean(single, _success, "one agent")
    return ratio(1 - _mean(team, _success, "the team"), failures, "one agent never failed")


def _speedup(team: Runs, single: Runs) -> float:
    return ratio(_mean(single, wall_s, "one agent"), _mean(team, wall_s, "the team"), "the team took no time")


COMPARISONS: dict[str, tuple[Measure, Callable[[Runs, Runs], float]]] = {
    name: (Measure(name, "comparison", title, unit, definition), function)
    for name, title, unit, definition, function in (
        (
            "overhead", "Overhead", "share",
            "The additional steps of the team, divided by the steps of one agent.", _overhead,
        ),
        (
            "efficiency", "Efficiency", "success per relative step",
            "The team's success rate divided by its steps relative to those of one agent.", _efficiency,
        ),
        (
            "error_amplification", "Error amplification", "times",
            "The team's failure rate divided by that of one agent.", _amplification,
        ),
        (
            "speedup_baseline", "Speed-up over one agent", "times",
            "The mean wall time of one agent divided by that of the team.", _speedup,
        ),
    )
}  # fmt: skip
