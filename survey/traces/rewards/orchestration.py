"""R7, orchestration: rewards for how the work was organised."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Literal

from survey.traces.metrics import (
    NotMeasurable,
    Run,
    critical_path_s,
    critical_path_steps,
    final_turn,
    returns_used,
    speedup_observed,
    split_balance,
    split_overlap,
    steps,
    work_s,
)
from survey.traces.rewards.debate import weight_note
from survey.traces.rewards.reward import Reward, acting, count, formatted, parts

Clock = Literal["seconds", "steps"]


def orchestration(
    run: Run,
    *,
    parallelism: float = 1.0,
    coverage: float = 1.0,
    distinct: float = 1.0,
    balance: float = 1.0,
    aggregation: float = 1.0,
    economy: float = 1.0,
    latency: float = 1.0,
    needed: Collection[str] | None = None,
    latency_in: Clock = "seconds",
) -> list[Reward]:
    """R7, the orchestrator (the first agent) is paid ``sum_q w_q * q(organisation)`` with parts q between 0 and 1.

    - parallelism: ``1 - 1/s`` of the observed speed-up ``s`` = work / union-active time: the share of the
      work's time saved by concurrency. 0 for sequential work, 1/2 for twice as fast, always below 1.
    - coverage: the share of delegated pieces of work that returned ``ok``; with ``needed``, the share of
      needed items that are the content of a delegation or a return.
    - distinct: 1 minus the share of sub-agents' tool calls that another sub-agent also made.
    - balance: the mean number of steps per piece of work divided by that of the largest.
    - aggregation: the share of returns from which a chain of edges leads to the final turn.
    - economy: the share of spawned agents with at least one such return.
    - latency: ``1 - critical path / work``: how much shorter the run could be, given its dependencies, than
      one agent doing all of it. Parallelism measures how much of this was used.

    Coverage, distinctness and balance are our definition of a correct split. All forms are ours; measures
    of the same names are in ``survey.traces.metrics``. None of them asks whether the answer is right: used
    alone, they reward organisation for its own sake.

    The first seven parameters are the weights of the parts; 0 omits a part. The other two:

    - ``needed``: what the task needs, as values of ``content_ref``. A trace does not contain this.
    - ``latency_in``: ``steps`` for a trace whose times only give an order.

    Needs times in seconds for parallelism and latency, delegated work for coverage and balance (at least
    two pieces), ``content_ref`` on sub-agents' calls for distinct, returns for aggregation, spawns for economy.
    Raises ``NotMeasurable`` if data for a part with a weight is missing: sums over different parts are not comparable.
    """
    orchestrator = acting(run)

    def part(name: str, function: Callable[[], tuple[float, str]]) -> Callable[[float], list[Reward]]:
        def rewarded(weight: float) -> list[Reward]:
            value, why = function()
            return [Reward("orchestrator", orchestrator, weight * value, "R7", why + weight_note(weight), name)]

        return rewarded

    weighted = {
        "parallelism": (parallelism, partial(_parallelism, run)),
        "coverage": (coverage, partial(_coverage, run, needed)),
        "distinct": (distinct, partial(_distinct, run)),
        "balance": (balance, partial(_balance, run)),
        "aggregation": (aggregation, partial(_aggregation, run)),
        "economy": (economy, partial(_economy, run)),
        "latency": (latency, partial(_latency, run, latency_in)),
    }
    return parts({name: (weight, part(name, function)) for name, (weight, function) in weighted.items()})


def time_saved(speedup: float) -> float:
    """Return the share of time that a speed-up saves: ``1 - 1/s``, and 0 for s below 1.

    >>> time_saved(1), time_saved(2), time_saved(4)
    (0.0, 0.5, 0.75)
    """
    return 1 - 1 / max(speedup, 1.0)


def _parallelism(run: Run) -> tuple[float, str]:
    speedup = speedup_observed(run)
    return time_saved(speedup), f"{speedup:.3g} agents were busy on average while any was"


def _coverage(run: Run, needed: Collection[str] | None) -> tuple[float, str]:
    delegations = run.need_delegations()
    if needed is None:
        done = sum(delegation.status == "ok" for delegation in delegations)
        return done / len(delegations), f"{done} of {count(len(delegations), 'delegated piece')} of work returned ok"
    wanted = set(needed)
    if not wanted:
        raise ValueError("needed is empty (expected values of content_ref)")
    named = {run.events[place].content_ref for place in run.places_of("spawn", "delegate", "return")} - {None}
    if not named:
        raise NotMeasurable("needs a content_ref on delegations or returns")
    covered = len(wanted & named)
    return covered / len(wanted), f"{covered} of {count(len(wanted), 'needed item')} was delegated or returned"


def _distinct(run: Run) -> tuple[float, str]:
    overlap = split_overlap(run)
    return 1 - overlap, f"{100 * overlap:.3g}% of sub-agents' tool calls were also made by another one"


def _balance(run: Run) -> tuple[float, str]:
    value = split_balance(run)
    return value, f"a piece of work took on average {value:.3g} times the steps of the largest"


def _aggregation(run: Run) -> tuple[float, str]:
    value, all = returns_used(run), len(run.places_of("return"))
    return value, f"{round(value * all)} of {count(all, 'return')} lead to the final turn"


def _economy(run: Run) -> tuple[float, str]:
    spawned = {child for place in run.places_of("spawn") if (child := run.events[place].child)}
    if not spawned:
        raise NotMeasurable("needs spawns: nobody spawned an agent")
    useful = run.replayed.graph.upstream(final_turn(run))
    used = {run.events[place].sender for place in run.places_of("return") if useful[place]} & spawned
    return len(used) / len(
        spawned
    ), f"{len(used)} of {count(len(spawned), 'spawned agent')} returned a result that was used"


def _latency(run: Run, clock: Clock) -> tuple[float, str]:
    work, path = (work_s(run), critical_path_s(run)) if clock == "seconds" else (steps(run), critical_path_steps(run))
    if not work:
        raise NotMeasurable(f"needs work that takes {clock}")
    return max(1 - path / work, 0.0), f"the critical path has {formatted(path)} of {formatted(work)} {clock} of work"
