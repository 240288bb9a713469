"""Credit from the reward alone: broadcast, and relative to a group of runs of one task.

None of these methods considers causes. They compare the reward of a run with those of the other runs of its group,
and give the result to every unit; they differ in the statistics. Standard deviations are sample deviations (n - 1
in the denominator), as in the released code of verl and Dr. MAS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import logical, parts, units
from survey.traces.credit.values import event_reward, recorded
from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Trace
from survey.traces.replay import replay, timeline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Numbers: TypeAlias = "NDArray[np.float64]"


def broadcast(trace: Trace, kind: str, reward: str | None = None) -> list[Credit]:
    """Give every unit the run's reward: A = R. Needs a reward or an outcome of the whole run."""
    score = recorded(trace, reward)
    return [
        Credit(kind, unit, score, "broadcast", why="the reward of the run, the same for all units")
        for unit in units(trace, kind)
    ]


def group_relative(returns: ArrayLike) -> Numbers:
    """GRPO's advantage: ``A_g = (R_g - mean(R)) / std(R)`` over a group of at least two runs of one task.

    The advantages sum to 0. If all runs have the same return, every advantage is 0.

    >>> group_relative([1, 0, 0, 1]).round(3).tolist()
    [0.866, -0.866, -0.866, 0.866]
    """
    array = _group(returns)
    centred = array - array.mean()
    spread = centred.std(ddof=1)
    return centred / spread if spread > 1e-12 * max(1.0, float(np.abs(array).max())) else np.zeros_like(array)


def group_centred(returns: ArrayLike) -> Numbers:
    """``A_g = R_g - mean(R)`` over a group of at least two runs; for a table of runs by turns, turn by turn.

    This centred form, without a division, is MAGRPO's, where all agents and all their tokens get the same number
    (as described in an audit in the repository of C3).
    """
    array = np.asarray(returns, dtype=np.float64)
    _group(array[:, 0] if array.ndim == 2 and array.shape[1] else array)
    return np.asarray(array - array.mean(axis=0), dtype=np.float64)


def returns_to_go(rewards: ArrayLike, gamma: float = 1.0) -> Numbers:
    """Return ``R_t = r_t + gamma * R_(t+1)`` along the last axis: the return from each turn on."""
    found = np.array(rewards, dtype=np.float64)
    for turn in range(found.shape[-1] - 2, -1, -1):
        found[..., turn] += gamma * found[..., turn + 1]
    return found


def agent_wise(rewards: Mapping[str, Sequence[float]]) -> dict[str, Numbers]:
    """Normalise rewards by the statistics of each agent: ``A_(i,k) = (R_i - mu_k) / sigma_k``.

    ``rewards`` holds for each agent k one number per step, over all runs of the group: the reward of the run that
    the step belongs to. A run in which an agent acts twice thus counts twice for it. The released code of Dr. MAS
    (arXiv:2602.08847; langfengQ/DrMAS, ``group_by_agent_id``, read at its last commit of February 2026) does the
    same with rows of one task and one agent; only the abstract of the paper itself was seen. That code leaves the
    reward of an agent with a single step unchanged; this function raises: one step has no statistics.
    """
    alone = [agent for agent, own in rewards.items() if len(own) < 2]
    if alone:
        raise NotMeasurable(f'needs at least two steps of every agent in the group: "{alone[0]}" has one')
    return {agent: group_relative(own) for agent, own in rewards.items()}


def relative(traces: Sequence[Trace], kind: str, reward: str | None = None) -> list[list[Credit]]:
    """GRPO over a group: the advantage of each run, the same for all its units."""
    return _shared(
        traces, kind, group_relative([recorded(trace, reward) for trace in traces]), "group", "(R - mean) / std"
    )


def centred(traces: Sequence[Trace], kind: str, reward: str | None = None, gamma: float = 1.0) -> list[list[Credit]]:
    """MAGRPO's group-centred form over a group.

    If events have rewards of their own and the units are turns, ``R_t`` is the return from turn t on, with the
    run's reward at the last turn, and all runs must have the same number of turns; else R is the run's reward. A
    published copy of the authors' trainer computes this discounted return from a turn on; the paper's text was not
    seen.
    """
    _group(np.zeros(len(traces)))
    scores = [recorded(trace, reward) for trace in traces]
    by_turn = kind == "turn" and any(event.reward is not None for trace in traces for event in trace.events)
    if not by_turn:
        return _shared(traces, kind, group_centred(scores), "magrpo", "R - mean")
    tables = [turn_rewards(trace) for trace in traces]
    if len({len(table) for table in tables}) > 1:
        raise NotMeasurable("needs runs with the same number of turns: they are compared turn by turn")
    steps = np.array([list(table.values()) for table in tables])
    steps[:, -1] += scores
    advantages = group_centred(returns_to_go(steps, gamma))
    return [
        [
            Credit(kind, unit, float(value), "magrpo", why="return from this turn on, minus the group's mean")
            for unit, value in zip(table, row, strict=True)
        ]
        for table, row in zip(tables, advantages, strict=True)
    ]


def by_agent(traces: Sequence[Trace], kind: str, reward: str | None = None) -> list[list[Credit]]:
    """``agent_wise`` over a group. An agent is identified across runs by its name, else by its id; its steps are turns.

    Raises ``NotMeasurable`` for the team and for roles, which comprise several agents.
    """
    if kind in ("team", "role"):
        raise NotMeasurable(f"a {kind} comprises several agents, and the statistics are those of one agent")
    _group(np.zeros(len(traces)))
    pooled: dict[str, list[float]] = {}
    for trace in traces:
        names, score = logical(trace), recorded(trace, reward)
        for agent in actors(trace, "turn").values():
            pooled.setdefault(names.get(agent, agent), []).append(score)
    scaled = {
        agent: dict(zip(own, agent_wise({agent: own})[agent].tolist(), strict=True)) for agent, own in pooled.items()
    }
    found = []
    for trace in traces:
        names, score, rows = logical(trace), recorded(trace, reward), []
        for unit, agent in actors(trace, kind).items():
            name = names.get(agent, agent)
            if name not in scaled:
                raise NotMeasurable(f'needs turns of every agent: "{agent}" takes none in any run')
            rows.append(
                Credit(kind, unit, scaled[name][score], "agent-wise", why=f"(R - mean) / std over the turns of {name}")
            )
        found.append(rows)
    return found


def actors(trace: Trace, kind: str) -> dict[str, str]:
    """Return the agent of each unit that belongs to one agent."""
    if kind == "agent":
        return {unit: unit for unit in parts(trace, kind)}
    replayed = replay(trace)
    at_work = timeline(replayed).actors
    places = replayed.graph.places
    return {unit: at_work[places[unit.rpartition(":")[0] if kind == "token" else unit]] for unit in units(trace, kind)}


def turn_rewards(trace: Trace) -> dict[str, float]:
    """Sum the rewards of events by turn; other events belong to their agent's latest turn, or its first."""
    run = Run(replay(trace))
    owner = owners(trace)
    found = dict.fromkeys(parts(trace, "turn"), 0.0)
    for event in run.events:
        given = event_reward(event)
        if given is not None:
            if event.id not in owner:
                raise NotMeasurable(
                    f'"{event.id}" has a reward, but "{event.agent}" takes no turn that could be given it'
                )
            found[owner[event.id]] += given
    return found


def owners(trace: Trace) -> dict[str, str]:
    """Return the turn that each event belongs to.

    That is the turn it is part of (``parent``), else the latest turn of the agent at work in it, else that agent's
    first. Events of agents without turns are omitted.
    """
    replayed = replay(trace)
    at_work, turns = timeline(replayed).actors, set(parts(trace, "turn"))
    latest: dict[str, str] = {}
    first: dict[str, str] = {}
    for event, actor in zip(replayed.graph.events, at_work, strict=True):
        if event.id in turns:
            first.setdefault(actor, event.id)
    found: dict[str, str] = {}
    for event, actor in zip(replayed.graph.events, at_work, strict=True):
        if event.id in turns:
            latest[actor] = event.id
        chosen = found.get(event.parent or "") or latest.get(actor) or first.get(actor)
        if event.id in turns:
            chosen = event.id
        if chosen:
            found[event.id] = chosen
    return found


def _shared(traces: Sequence[Trace], kind: str, advantages: Numbers, method: str, formula: str) -> list[list[Credit]]:
    why = f"{formula} over {len(traces)} runs, the same for all units"
    return [
        [Credit(kind, unit, float(value), method, why=why) for unit in units(trace, kind)]
        for trace, value in zip(traces, advantages, strict=True)
    ]


def _group(returns: ArrayLike) -> Numbers:
    array = np.asarray(returns, dtype=np.float64)
    if array.ndim != 1 or len(array) < 2:
        raise NotMeasurable("needs a group: at least two runs of the same task")
    return array
