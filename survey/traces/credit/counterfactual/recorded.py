"""Counterfactual credit: comparison with a unit removed, or with another act in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from statistics import fmean, variance
from typing import Literal

from survey.traces.credit.games import Game, Progress, no_progress
from survey.traces.credit.group import scores
from survey.traces.credit.intervals import student
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import units
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest


def leave_one_out(game: Game, progress: Progress = no_progress) -> list[Credit]:
    """Compute difference rewards: ``D_i = v(all) - v(all without i)``, from n + 1 evaluations.

    They equal the Shapley value where contributions are additive. Units that can replace each other all get 0.
    """
    number = len(game.units)
    if not number:
        raise NotMeasurable("needs units: there are none")
    whole, found = game.worth(game.grand_coalition), []
    for place, unit in enumerate(game.units):
        rest = game.worth(game.grand_coalition & ~(1 << place))
        found.append(Credit(game.kind, unit, whole - rest, "leave-one-out", why=f"{whole:g} with it, {rest:g} without"))
        progress(place + 1, number)
    return found


def alternatives(
    returns: Mapping[str, Sequence[float]], level: float = 0.95
) -> dict[str, tuple[float, float | None, float | None]]:
    """C3's estimator: ``A_i = R_i - (1 / (K - 1)) * sum over j != i of R_j`` over K alternatives to one act.

    ``R_i`` is the mean return of the continuations of alternative i. K must be at least 2. As in the released code
    of C3 (arXiv:2603.06859; EIT-EAST-Lab/C3, ``c3/credit/c3/provider.py``, variant ``reward_only`` with baseline
    ``loo``, read at 628185b); of the paper the abstracts were read, which name the leave-one-out baseline. Unless
    switched off, that code's trainer then standardises the advantages of a group, with a deviation that divides by K;
    ours leaves them as they are. Where it gives a lone alternative 0, this function raises. Each advantage comes with
    the bounds of a confidence interval (ours) if every alternative has at least two continuations; else None.

    >>> {act: round(a, 2) for act, (a, _, _) in alternatives({"w": [1], "x": [0.5], "y": [0.5], "z": [0]}).items()}
    {'w': 0.67, 'x': 0.0, 'y': 0.0, 'z': -0.67}
    """
    if len(returns) < 2:
        raise NotMeasurable(f"needs at least two alternatives to one act, found {len(returns)}")
    means = _means(returns)
    others, total = len(means) - 1, sum(means.values())
    found: dict[str, tuple[float, float | None, float | None]] = {}
    for act, mean in means.items():
        advantage = mean - (total - mean) / others
        half = _half(returns, act, level)
        found[act] = (advantage, None, None) if half is None else (advantage, advantage - half, advantage + half)
    return found


def coma(returns: Mapping[str, Sequence[float]], policy: Mapping[str, float] | None = None) -> dict[str, float]:
    """COMA's advantage of each alternative to one act: ``A_i = Q_i - sum over j of pi_j * Q_j``, with i among the j.

    ``Q_i`` is the mean return of the continuations of alternative i, where COMA (arXiv:1705.08926, equation 4) has a
    critic; all other acts stay as they were. ``policy`` is the probability of each alternative, by default the share
    of the continuations that took it: the probability, as far as the alternatives were sampled from the policy.

    >>> {act: round(a, 2) for act, a in coma({"w": [1], "x": [0]}, {"w": 0.75, "x": 0.25}).items()}
    {'w': 0.25, 'x': -0.75}
    """
    means, whole = _means(returns), sum(map(len, returns.values()))
    weights = policy if policy is not None else {act: len(own) / whole for act, own in returns.items()}
    if weights.keys() != means.keys() or min(weights.values()) < 0 or abs(sum(weights.values()) - 1) > 1e-9:
        given = ", ".join(f"{act} {weight:g}" for act, weight in weights.items())
        raise ValueError(f"expected a probability for each of {', '.join(means)}, together 1; found {given}")
    baseline = sum(weights[act] * mean for act, mean in means.items())
    return {act: mean - baseline for act, mean in means.items()}


def _means(returns: Mapping[str, Sequence[float]]) -> dict[str, float]:
    if not returns or not all(returns.values()):
        raise NotMeasurable("needs at least one continuation of every alternative")
    wrong = [f'"{act}" returned {value}' for act, own in returns.items() for value in own if not isfinite(value)]
    if wrong:
        raise NotMeasurable(f"needs finite numbers: {', '.join(wrong)}")
    return {act: fmean(own) for act, own in returns.items()}


def _half(returns: Mapping[str, Sequence[float]], act: str, level: float) -> float | None:
    """Return half the width of the interval: variances of independent means add up, with Welch's degrees of freedom."""
    if min(map(len, returns.values())) < 2:
        return None
    weights = {other: 1.0 if other == act else 1 / (len(returns) - 1) ** 2 for other in returns}
    errors = [(weights[other] * variance(own) / len(own), len(own) - 1) for other, own in returns.items()]
    total = sum(error for error, _ in errors)
    if not total:
        return 0.0
    freedom = total**2 / sum(error**2 / number for error, number in errors)
    return student(level, max(1, int(freedom))) * sqrt(total)


def branches(traces: Sequence[Trace]) -> tuple[str, list[str]]:
    """Return the event at which a group of runs branches, and the alternative that each run plays.

    A rerun is marked as such: ``counterfactual_of`` names the original run, the event ``from`` which it branches
    (or the only one in ``without``), and ``how: rerun``. It may also name its ``alternative``, which groups
    several continuations of the same act; else each run is an alternative of its own. The original run may be in
    the group.
    """
    origins: set[str] = set()
    events: set[str] = set()
    for trace in traces:
        departs = trace.head.get("counterfactual_of")
        if departs:
            if departs.get("how") != "rerun":
                raise NotMeasurable(f"needs reruns (how: rerun): {trace.id} is not one")
            origins.add(str(departs["trace_id"]))
            events.add(departure(trace))
    stray = [trace.id for trace in traces if not trace.head.get("counterfactual_of") and trace.id not in origins]
    if not events or stray or len(origins) > 1:
        shown = f": {stray[0]} is neither" if stray and events else ""
        raise NotMeasurable(
            f"needs runs that branch from one run (counterfactual_of), and optionally that run itself{shown}"
        )
    if len(events) > 1:
        raise NotMeasurable(f"needs runs that all branch at one event, found {', '.join(sorted(events))}")
    [event] = events
    return event, [str((trace.head.get("counterfactual_of") or {}).get("alternative", trace.id)) for trace in traces]


def departure(trace: Trace) -> str:
    """Return the event at which a run branches from another."""
    departs = trace.head["counterfactual_of"]
    named = [departs["from"]] if "from" in departs else list(departs.get("without", ()))
    if len(named) != 1:
        raise NotMeasurable(f"needs the one event at which {trace.id} branches (counterfactual_of.from)")
    return str(named[0])


def counterfactual(
    traces: Sequence[Trace],
    kind: str,
    reward: str | None = None,
    level: float = 0.95,
    method: Literal["counterfactual", "coma"] = "counterfactual",
) -> list[list[Credit]]:
    """Apply C3's or COMA's estimator to runs that branch at one event; returns the advantage of each run's act.

    The unit is the event at which they branch, by its id in the original run, and must be of the requested kind.
    Nothing is removed: an act is compared with its alternatives.
    """
    event, chosen = branches(traces)
    origin = next((trace for trace in traces if not trace.head.get("counterfactual_of")), traces[0])
    known = units(origin, kind)
    if event not in known:
        raise NotMeasurable(
            f'the runs branch at "{event}", which is not a unit of kind {kind} in {origin.id}{nearest(event, known)}'
        )
    returns: dict[str, list[float]] = {}
    for alternative, score in zip(chosen, scores(traces, reward, least=1), strict=True):
        returns.setdefault(alternative, []).append(score)
    found: dict[str, tuple[float, float | None, float | None]]
    if method == "coma":
        found = {act: (advantage, None, None) for act, advantage in coma(returns).items()}
        why = f"against the policy's mean over {len(returns)}"
    else:
        found = alternatives(returns, level)
        why = f"against {len(returns) - 1} other{'s' if len(returns) > 2 else ''} in its place"
    return [[Credit(kind, event, value, method, low, high, f"{act}, {why}")] for act in chosen
            for value, low, high in [found[act]]]  # fmt: skip
