"""Hierarchical credit: the main agent, and its sub-agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean

from survey.plurals import plural
from survey.traces.credit.counterfactual import leave_one_out
from survey.traces.credit.games import Progress, game_of, no_progress
from survey.traces.credit.group import actors, group_relative
from survey.traces.credit.group import scores as given
from survey.traces.credit.rows import BadRuns, Credit
from survey.traces.credit.units import agents, roles
from survey.traces.credit.values import Value, event_reward, recorded
from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Trace
from survey.traces.replay import DELEGATING, beginners, replay

Scores = Callable[[Trace], Mapping[str, float]]
"""Maps a run to the score of each sub-agent's invocation, by the event that handed it the work (or by the sub-agent,
if it has one score for all)."""


def main_agent(run: Run) -> str:
    """Return the agent that begins the run; raise ``NotMeasurable`` if several do, or none."""
    first = beginners(run.replayed)
    if len(first) != 1:
        shown = " and ".join(first) or "none"
        raise NotMeasurable(f"{run.replayed.trace.id}: needs one main agent that begins the run, found {shown}")
    return first[0]


def invocations(run: Run) -> dict[str, tuple[str, list[int]]]:
    """Return for each time a sub-agent was given work the sub-agent and the places of what it did until the next one.

    Invocations are named after the events that handed over the work, and after the agent itself for one that was
    given none.
    """
    main = main_agent(run)
    given = {(one.agent, one.place): run.events[one.place].id for one in run.delegations}
    found: dict[str, tuple[str, list[int]]] = {}
    latest = dict.fromkeys(agents(run), "")
    for place, event in enumerate(run.events):
        for (agent, start), name in given.items() if event.type in DELEGATING else ():
            if start == place:
                latest[agent] = name
                found[name] = (agent, [])
        doer = run.timeline.actors[place]
        if doer in latest and doer != main:
            found.setdefault(latest[doer] or doer, (doer, []))[1].append(place)
    return found


def own_scores(trace: Trace) -> dict[str, float]:
    """Return the score of each invocation: the mean of the rewards of its events. Needs at least one for each.

    The mean, since a sum would pay three calls of 0.5 more than one of 0.9.
    """
    run = Run(replay(trace))
    found: dict[str, float] = {}
    missing = []
    for name, (agent, places) in invocations(run).items():
        paid = [given for place in places if (given := event_reward(trace, run.events[place])) is not None]
        if paid:
            found[name] = fmean(paid)
        else:
            missing.append(f'"{agent}" ({name})' if name != agent else f'"{agent}"')
    if missing:
        raise NotMeasurable(
            f"{trace.id}: needs a reward of its own for every invocation of a sub-agent (`reward` of its events): "
            f"{', '.join(missing)} has none"
        )
    return found


def two_level(
    traces: Sequence[Trace], scores: Scores = own_scores, reward: str | None = None, kind: str = "agent"
) -> list[list[Credit]]:
    """Group-relative advantages on each level: ``A = (R - mean) / std`` among units of the same level.

    Above, the unit is the run: the main agent is compared with the main agents of the group by the reward of the
    run. Below, it is the invocation: one piece of work that a sub-agent was given, compared with all invocations of
    the group by its own score. A turn gets the advantage of its invocation, an agent the mean over its invocations,
    so that being called often is worth nothing by itself.

    This is our form of M-GRPO (arXiv:2511.13288, version 2, section 4.1): equations 9 and 10 are the level above,
    equations 12 and 13 the one below, and the released code (AQ-MedAI/MrlX) likewise makes each trajectory of a
    sub-agent a sample. Ours differs in the following:

    - The paper first brings every run to the same number of invocations, d, by duplicating or dropping some at random
      (equation 11 and after), and takes mean and deviation over the d * K that result, for K runs. Ours takes each
      invocation once, so that a run with more of them weighs more in the statistics.
    - The paper's deviations divide by n, without a floor; see ``group.arrays``.
    - The paper shows one sub-agent; ours pools the invocations of all sub-agents.
    - The paper's score of an invocation joins its format, the main agent's correctness and a judge's verdict
      (equation 5; weights 0.1, 0.4 and 0.5 in section 5.1). Ours is whatever ``scores`` returns, by default the
      rewards recorded at its events, to which no correctness is added.
    - The mean per agent is ours; the paper gives a trajectory's advantage to each of its steps.

    Needs a group, and at least two invocations in it.
    """
    if kind not in ("agent", "turn"):
        raise NotMeasurable(f"its levels are the main agent and its sub-agents, by agent or turn, not by {kind}")
    main, bad, own = group_relative(given(traces, reward)), dict[int, str](), list[Mapping[str, float]]()
    for place, trace in enumerate(traces):
        try:
            own.append(scores(trace))
        except NotMeasurable as reason:
            bad[place] = str(reason)
    if bad:
        raise BadRuns(bad)
    pooled = [score for of_run in own for score in of_run.values()]
    if len(pooled) < 2:
        raise NotMeasurable("needs sub-agents: at least two invocations in the group")
    below = iter(group_relative(pooled).tolist())
    why = f"sub-agent, over {len(pooled)} invocations"
    found = []
    for trace, advantage, of_run in zip(traces, main.tolist(), own, strict=True):
        run = Run(replay(trace))
        earned = {name: next(below) for name in of_run}
        parted = invocations(run)
        by_agent: dict[str, list[float]] = {}
        for name, value in earned.items():
            by_agent.setdefault(parted[name][0] if name in parted else name, []).append(value)
        root = main_agent(run)
        first = f"main agent, over {plural(len(traces), 'run')}"
        if kind == "agent":
            found.append(
                [Credit(kind, root, advantage, "two-level", why=first)]
                + [Credit(kind, agent, fmean(values), "two-level", why=why) for agent, values in by_agent.items()]
            )
            continue
        of_event = {
            run.events[place].id: earned.get(name, fmean(by_agent.get(agent, [nan])))
            for name, (agent, places) in parted.items()
            for place in places
        }
        found.append(
            [
                Credit(kind, turn, of_event[turn], "two-level", why=why)
                if agent != root
                else Credit(kind, turn, advantage, "two-level", why=first)
                for turn, agent in actors(trace, "turn").items()
            ]
        )
    return found


def composite(
    trace: Trace,
    value: Value,
    *,
    reward: str | None = None,
    weights: tuple[float, float, float] = (0.9, 0.9, 0.1),
    planner: float = 1.0,
    progress: Progress = no_progress,
) -> list[Credit]:
    """SHARP's composite reward of each agent: ``R(m) = a * R_b + b * R_mc(m) + g * R_tool(m)``.

    ``R_b`` is the reward of the run, the same for all. For a worker, ``R_mc`` is its leave-one-out credit (the value
    of the whole minus that without it); for the planner, here the main agent, it is ``planner`` times the mean over
    workers of ``max(credit, 0)``. ``R_tool`` is the share of an agent's calls whose result is ok.

    Form and weights follow secondary sources on SHARP (arXiv:2602.08335); of the paper the abstract was seen, which
    names the three parts. The planner's factor was not seen: 1 is ours. Also ours: an agent without calls gets
    0 for its tools (``why`` says so), and events are removed from the trace, where SHARP reruns the team.
    """
    run = Run(replay(trace))
    common = recorded(trace, reward)
    game = game_of(trace, "agent", value)
    singles = {credit.unit: credit.value for credit in leave_one_out(game, progress)}
    root = main_agent(run)
    workers = [agent for agent in game.units if agent != root]
    if not workers:
        raise NotMeasurable(f"{trace.id}: needs workers: only the main agent acts")
    singles[root] = planner * fmean(max(singles[agent], 0.0) for agent in workers)
    valid = _validity(run)
    a, b, g = weights
    return [
        Credit(
            "agent", agent, a * common + b * singles[agent] + g * valid.get(agent, 0.0), "sharp",
            why=f"{a:g} * {common:.4g} + {b:g} * {singles[agent]:.4g} + {g:g} * "
                + (f"{valid[agent]:.4g}" if agent in valid else "0 (no calls)"),
        )
        for agent in game.units
    ]  # fmt: skip


def composite_group(
    traces: Sequence[Trace],
    value: Callable[[Trace], Value],
    *,
    reward: str | None = None,
    progress: Progress = no_progress,
) -> list[list[Credit]]:
    """SHARP's advantages: the composite of each agent, normalised among those of its role over the group.

    ``A(m) = (R(m) - mean) / std``. Agents without a role count as "planner" if they are the main agent,
    else as "worker". A role that only one agent of the whole group has no statistics: its value is NaN.
    """
    given(traces, reward)
    raw, bad = list[list[Credit]](), dict[int, str]()
    for number, trace in enumerate(traces):
        try:
            raw.append(composite(trace, value(trace), reward=reward, progress=progress))
        except NotMeasurable as reason:
            bad[number] = str(reason)
    if bad:
        raise BadRuns(bad)
    places: dict[str, list[tuple[int, int]]] = {}
    for number, trace in enumerate(traces):
        known, root = roles(trace), main_agent(Run(replay(trace)))
        for place, credit in enumerate(raw[number]):
            role = known.get(credit.unit, "planner" if credit.unit == root else "worker")
            places.setdefault(role, []).append((number, place))
    found = [list(own) for own in raw]
    for role, members in places.items():
        if len(members) < 2:
            [(number, place)] = members
            missing = f'needs at least two agents of every role in the group: "{role}" has one'
            found[number][place] = replace(raw[number][place], value=nan, method="sharp-group", why=missing)
            continue
        scaled = group_relative([raw[number][place].value for number, place in members])
        for (number, place), advantage in zip(members, scaled.tolist(), strict=True):
            was = raw[number][place]
            found[number][place] = replace(was, value=advantage, why=f"among {len(members)} of role {role}: {was.why}")
    return found


def _validity(run: Run) -> dict[str, float]:
    answers, calls = run.replayed.answers, run.places_of("tool_call")
    valid: dict[str, list[bool]] = {}
    for place in calls:
        ok = place in answers and run.events[answers[place]].status == "ok" and run.events[place].status == "ok"
        valid.setdefault(run.events[place].agent, []).append(ok)
    return {agent: fmean(own) for agent, own in valid.items()}
