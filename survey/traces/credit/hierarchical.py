"""Hierarchical credit: the main agent, and its sub-agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from survey.traces.credit.counterfactual import leave_one_out
from survey.traces.credit.games import Progress, game_of, no_progress
from survey.traces.credit.group import group_relative
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import agents, roles
from survey.traces.credit.values import Value, event_reward, recorded
from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Trace
from survey.traces.replay import replay

Scores = Callable[[Trace], Mapping[str, float]]
"""Maps a run to the score of each of its sub-agents."""


def own_scores(trace: Trace) -> dict[str, float]:
    """Sum the rewards of each sub-agent's events. Needs at least one for each."""
    run = Run(replay(trace))
    found: dict[str, float] = {}
    for event in run.events:
        given = event_reward(event)
        if given is not None:
            found[event.agent] = found.get(event.agent, 0.0) + given
    helpers = [agent for agent in agents(run) if agent != run.root]
    missing = [agent for agent in helpers if agent not in found]
    if missing:
        raise NotMeasurable(
            f'needs a reward of its own for every sub-agent (`reward` of its events): "{missing[0]}" has none'
        )
    return {agent: found[agent] for agent in helpers}


def two_level(traces: Sequence[Trace], scores: Scores = own_scores, reward: str | None = None) -> list[list[Credit]]:
    """Group-relative advantages on each level: ``A = (R - mean) / std`` among agents of the same level.

    The main agent is compared with the main agents of the group by the reward of the run, each sub-agent with all
    sub-agents of all runs of the group by their own scores.

    This is our form of the idea behind M-GRPO (arXiv:2511.13288), whose abstract describes group-relative advantages
    for main and sub-agents; its sub-agent reward and its alignment of a varying number of sub-agents to batches of
    one size were not seen and are not implemented. Needs a group, and at least two sub-agents in it.
    """
    main = group_relative([recorded(trace, reward) for trace in traces])
    own = [scores(trace) for trace in traces]
    pooled = [score for of_run in own for score in of_run.values()]
    if len(pooled) < 2:
        raise NotMeasurable("needs sub-agents: at least two in the group")
    below = iter(group_relative(pooled).tolist())
    found = []
    for trace, advantage, of_run in zip(traces, main, own, strict=True):
        root = Run(replay(trace)).root
        why = f"main agent, over {len(traces)} runs"
        rows = [Credit("agent", root, float(advantage), "two-level", why=why)]
        rows += [
            Credit("agent", agent, next(below), "two-level", why=f"sub-agent, over {len(pooled)} of them")
            for agent in of_run
        ]
        found.append(rows)
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
    of the whole minus that without it); for the planner, here the first agent, it is ``planner`` times the mean over
    workers of ``max(credit, 0)``. ``R_tool`` is the share of an agent's calls whose result is ok.

    Form and weights follow secondary sources on SHARP (arXiv:2602.08335); of the paper the abstract was seen, which
    names the three parts. The planner's factor was not seen: 1 is ours. Also ours: an agent without calls gets
    0 for its tools (``why`` says so), and events are removed from the trace, where SHARP reruns the team.
    """
    run = Run(replay(trace))
    common = recorded(trace, reward)
    game = game_of(trace, "agent", value)
    singles = {credit.unit: credit.value for credit in leave_one_out(game, progress)}
    workers = [agent for agent in game.units if agent != run.root]
    if not workers:
        raise NotMeasurable("needs workers: only the first agent acts")
    singles[run.root] = planner * fmean(max(singles[agent], 0.0) for agent in workers)
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

    ``A(m) = (R(m) - mean) / std``. Agents without a role count as "planner" if they are the first agent, else as
    "worker". Raises ``NotMeasurable`` for a role that only one agent of the whole group has: it has no statistics.
    """
    if len(traces) < 2:
        raise NotMeasurable("needs a group: at least two runs of the same task")
    raw = [composite(trace, value(trace), reward=reward, progress=progress) for trace in traces]
    places: dict[str, list[tuple[int, int]]] = {}
    for number, trace in enumerate(traces):
        known, root = roles(trace), Run(replay(trace)).root
        for place, credit in enumerate(raw[number]):
            role = known.get(credit.unit, "planner" if credit.unit == root else "worker")
            places.setdefault(role, []).append((number, place))
    found = [list(own) for own in raw]
    for role, members in places.items():
        if len(members) < 2:
            raise NotMeasurable(f'needs at least two agents of every role in the group: "{role}" has one')
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
