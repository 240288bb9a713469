"""Credit from the rewards of the runs of a group.

None of these methods considers causes. They compare the reward of a run with those of the other runs of its group,
and give the result to every unit; they differ in the statistics. Where a unit has nothing to be compared with, its
value is NaN and ``why`` says what is missing; ``assign`` decides what becomes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.plurals import plural
from survey.traces.credit.group.arrays import (
    Numbers,
    group_centred,
    group_relative,
    leave_one_out_baseline,
    returns_to_go,
)
from survey.traces.credit.group.turns import actors, rounds, turn_rewards
from survey.traces.credit.rows import BadRuns, Credit
from survey.traces.credit.units import logical, units
from survey.traces.credit.values import recorded
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


def broadcast(trace: Trace, kind: str, reward: str | None = None) -> list[Credit]:
    """Give every unit the run's reward: A = R. Needs a reward or an outcome of the whole run."""
    score = recorded(trace, reward)
    return [
        Credit(kind, unit, score, "broadcast", why="the reward of the run, the same for all units")
        for unit in units(trace, kind)
    ]


def scores(traces: Sequence[Trace], reward: str | None = None, least: int = 2) -> list[float]:
    """Return the recorded reward of each run of a group.

    Raises ``BadRuns`` with every run that has none or one that is not finite, and with the runs of too small a group.
    """
    found, bad = [], {}
    for place, trace in enumerate(traces):
        try:
            found.append(recorded(trace, reward))
        except NotMeasurable as reason:
            bad[place] = str(reason)
    if not traces:
        raise NotMeasurable("needs runs: there are none")
    if not bad and len(traces) < least:
        given = traces[0].head.get("group") or {}
        named = f'group "{given["id"]}"' if "id" in given else f'task "{traces[0].task}"'
        bad[0] = f"{traces[0].id}: needs a group: at least two runs of the same task; it is alone in {named}"
    if bad:
        raise BadRuns(bad)
    return found


FORMULAS: Mapping[str, tuple[Callable[[Sequence[float]], Numbers], str]] = {
    "group": (group_relative, "(R - mean) / std"),
    "rloo": (leave_one_out_baseline, "R - mean of the others"),
    "magrpo": (group_centred, "R - mean"),
}
"""By method: the formula, on the rewards of a group, and in words."""


def relative(
    traces: Sequence[Trace], kind: str, reward: str | None = None, method: str = "group"
) -> list[list[Credit]]:
    """GRPO, RLOO, or MAGRPO without rewards of turns: the advantage of each run, the same for all its units."""
    formula, words = FORMULAS[method]
    why = f"{words} over {plural(len(traces), 'run')}, the same for all units"
    return [
        [Credit(kind, unit, float(value), method, why=why) for unit in units(trace, kind)]
        for trace, value in zip(traces, formula(scores(traces, reward)), strict=True)
    ]


def centred(traces: Sequence[Trace], kind: str, reward: str | None = None, gamma: float = 1.0) -> list[list[Credit]]:
    """MAGRPO's group-centred form over a group.

    Without rewards of events, or for other units than turns, R is the run's reward. Else a turn gets the return of
    the team from its round on (``rounds``; the run's reward comes with the last round), minus the mean return at the
    same turn of the same agent in the runs of the group. Agents that act in one round thus share its advantage, and
    no agent is compared with another. An agent is identified across runs by its name, else by its id, and its turns
    by their number. A turn that is taken in one run only has the value NaN.

    In the authors' trainer (OpenMLRL/CoMLRL, ``magrpo.py``, read at 1665784 and bb77955) all agents act in every
    turn, and each gets the joint return ``r_t + gamma * R_(t+1)`` of that turn. There a group is the joint answers to
    one history: rollouts branch at every turn, and ``R_(t+1)`` is the mean over the branches. Ours compares separate
    runs of one task at turns of the same number, whose histories differ after the first. Also ours: the form for
    teams whose members do not act in step, and gamma 1, where the trainer's default is 0.9.
    """
    by_turn = kind == "turn" and any(event.reward is not None for trace in traces for event in trace.events)
    if not by_turn:
        return relative(traces, kind, reward, "magrpo")
    given = scores(traces, reward)
    tables = [_returns(trace, score, gamma) for trace, score in zip(traces, given, strict=True)]
    pooled: dict[tuple[str, int], list[float]] = {}
    for table in tables:
        for key, value in {(name, number): value for name, number, value in table.values()}.items():
            pooled.setdefault(key, []).append(value)
    return [[_against(turn, *row, pooled) for turn, row in table.items()] for table in tables]


def _against(turn: str, name: str, number: int, value: float, pooled: Mapping[tuple[str, int], list[float]]) -> Credit:
    own = pooled[name, number]
    if len(own) < 2:
        missing = f'needs another run of the group in which "{name}" takes a turn {number + 1}'
        return Credit("turn", turn, nan, "magrpo", why=missing)
    why = f"return from this round on, minus the mean at turn {number + 1} of {name} in {plural(len(own), 'run')}"
    return Credit("turn", turn, value - sum(own) / len(own), "magrpo", why=why)


def _returns(trace: Trace, score: float, gamma: float) -> dict[str, tuple[str, int, float]]:
    """Return for each turn its agent's name, its number among the rounds of that name, and the return from it on."""
    names, own, paid, whose = logical(trace), rounds(trace), turn_rewards(trace), actors(trace, "turn")
    steps = np.zeros(max(own.values()) + 1)
    for turn, number in own.items():
        steps[number] += paid[turn]
    steps[-1] += score
    ahead = returns_to_go(steps, gamma)
    taken: dict[str, set[int]] = {}
    for turn, number in own.items():
        taken.setdefault(names.get(whose[turn], whose[turn]), set()).add(number)
    place = {name: {number: k for k, number in enumerate(sorted(numbers))} for name, numbers in taken.items()}
    called = {turn: names.get(whose[turn], whose[turn]) for turn in own}
    return {turn: (called[turn], place[called[turn]][number], float(ahead[number])) for turn, number in own.items()}


def by_agent(traces: Sequence[Trace], kind: str, reward: str | None = None) -> list[list[Credit]]:
    """``agent_wise`` over a group. An agent is identified across runs by its name, else by its id; its steps are turns.

    An agent with a single turn in the group has the value NaN. Raises ``NotMeasurable`` for the team and for roles,
    which comprise several agents.
    """
    if kind in ("team", "role"):
        raise NotMeasurable(f"a {kind} comprises several agents, and the statistics are those of one agent")
    given = scores(traces, reward)
    called = [logical(trace) for trace in traces]
    pooled: dict[str, list[float]] = {}
    for trace, names, score in zip(traces, called, given, strict=True):
        for agent in actors(trace, "turn").values():
            pooled.setdefault(names.get(agent, agent), []).append(score)
    scaled = {
        name: dict(zip(own, group_relative(own).tolist(), strict=True)) for name, own in pooled.items() if len(own) > 1
    }

    def row(unit: str, name: str, score: float) -> Credit:
        if name in scaled:
            why = f"(R - mean) / std over the turns of {name}"
            return Credit(kind, unit, scaled[name][score], "agent-wise", why=why)
        turns = "one" if name in pooled else "none"
        missing = f'needs at least two turns of every agent in the group: "{name}" takes {turns}'
        return Credit(kind, unit, nan, "agent-wise", why=missing)

    return [
        [row(unit, names.get(agent, agent), score) for unit, agent in actors(trace, kind).items()]
        for trace, names, score in zip(traces, called, given, strict=True)
    ]
