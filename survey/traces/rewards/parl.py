"""The reward of parallel-agent reinforcement learning (PARL), after the technical report of Kimi K2.5."""

from __future__ import annotations

from bisect import bisect_left

from survey.traces.metrics import Run
from survey.traces.replay import ACTS, Delegation
from survey.traces.rewards.outcome import shared
from survey.traces.rewards.reward import Reward, acting, count, formatted


def parl(
    run: Run,
    *,
    parallel: float = 0.2,
    finish: float = 0.1,
    progress: float = 0.0,
    until: float = 1.0,
    width: float = 5.0,
) -> list[Reward]:
    """R7 as in Kimi K2.5: ``r_PARL = lambda_1 * r_parallel + lambda_2 * r_finish + r_perf``.

    From the report (arXiv:2602.02276, section 3, "PARL Reward", not numbered): the sum of these three terms;
    ``r_parallel`` rewards instantiating sub-agents, against sequential execution; ``r_finish`` is the rate at which
    sub-agents finish what they were assigned, against spawning for its own sake; ``r_perf`` is the outcome of the
    task, its success and quality; both lambdas are annealed to zero; only the orchestrator is trained.
    Section 3 does not give the function inside ``r_parallel``, what exactly counts as finished, the values of the
    lambdas or the annealing schedule. These are therefore ours:

    - ``r_parallel = min(1, n / width)``, where n is the largest number of sub-agents at work at the same time on
      what they got in one stage: one turn of the orchestrator with the work that it delegates (as for
      ``critical_steps``). A sub-agent is at work from its first act, or from the delegation if it does nothing but
      return: sub-agents that are started together and work one after the other are not parallel. The report calls the
      term an instantiation reward; ours pays for work at the same time, not for the start itself;
    - ``r_finish``: the share of all pieces of work delegated by the orchestrator that returned ``ok``.
      Without any, both terms are 0, and their ``why`` says so;
    - ``r_perf`` = R1, and ``lambda(p) = lambda * max(0, 1 - p / until)`` with p the progress of the training.

    - ``parallel``: lambda_1 at the start; a term whose weight is 0, initially or by annealing, has no row.
    - ``finish``: lambda_2 at the start.
    - ``progress``: the progress of the training, 0 to 1.
    - ``until``: the progress from which both lambdas are 0.
    - ``width``: the number of sub-agents at work at once that earns the full reward.

    Needs what R1 needs, and an orchestrator; raises ``NotMeasurable`` otherwise. A run without sub-agents is paid for
    its outcome.
    """
    if width <= 0:
        raise ValueError(f"the width is {formatted(width)} (expected more than 0)")
    one, two = annealed(parallel, progress, until), annealed(finish, progress, until)
    orchestrator = acting(run)
    own = [place for place, step in enumerate(run.timeline.steps) if step and run.events[place].agent == orchestrator]
    given = [delegation for delegation in run.delegations if delegation.delegator == orchestrator]
    stages: dict[int, list[tuple[float, float]]] = {}
    for delegation in given:
        stages.setdefault(bisect_left(own, delegation.place), []).append(_at_work(run, delegation))
    most = max(map(_at_once, stages.values()), default=0)
    done = sum(delegation.status == "ok" for delegation in given)
    rate = done / len(given) if given else 0.0
    outcome = shared(run)[0]
    started = f"{count(most, 'sub-agent')} at work at once, full reward at {formatted(width)}"
    finished = f"{done} of {count(len(given), 'subtask')} returned ok"
    if not given:
        started = finished = "no sub-agent got any work"
    terms = (
        ("r_parallel", one, min(1.0, most / width), f"{started}; lambda {formatted(one)}"),
        ("r_finish", two, rate, f"{finished}; lambda {formatted(two)}"),
        ("r_perf", 1.0, outcome.reward, outcome.why),
    )
    return [
        Reward("orchestrator", orchestrator, weight * value, "R7", why, part)
        for part, weight, value, why in terms
        if weight
    ]


def _at_work(run: Run, delegation: Delegation) -> tuple[float, float]:
    """Return when a sub-agent was at work on what it was given."""
    later = map(run.events.__getitem__, range(delegation.place + 1, len(run.events)))
    begun = (e.t for e in later if e.agent == delegation.agent and e.type in ACTS and e.type != "return")
    return min(next(begun, delegation.start), delegation.end), delegation.end


def _at_once(spans: list[tuple[float, float]]) -> int:
    """Return the largest number of spans with a moment in common; one that ends when another begins has none."""
    return max(sum(begin == start or begin <= start < end for begin, end in spans) for start, _ in spans)


def annealed(weight: float, progress: float, until: float = 1.0) -> float:
    """Return a weight annealed linearly to zero: ``weight * max(0, 1 - progress / until)``.

    Annealing to zero over the training is Kimi K2.5's (section 3 of its report); the linear schedule is ours.

    >>> annealed(0.2, 0), annealed(0.2, 0.25, until=0.5), annealed(0.2, 0.5, until=0.5)
    (0.2, 0.1, 0.0)
    """
    if not 0 <= progress <= 1:
        raise ValueError(f"the progress is {formatted(progress)} (expected 0 to 1)")
    if not 0 < until <= 1:
        raise ValueError(f"the end of the annealing is {formatted(until)} (expected more than 0, and 1 at most)")
    return weight * max(0.0, 1 - progress / until)
