"""A simulated run, and how to get one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest, quoted
from survey.traces.simulate.chance import Chance
from survey.traces.simulate.earnings import earned
from survey.traces.simulate.game import Game, game
from survey.traces.simulate.lead import play_out
from survey.traces.simulate.play import Play
from survey.traces.simulate.setting import Setting
from survey.traces.simulate.task import share_out, team

Kind = Literal["agent", "message", "turn", "tool_call"]
KINDS: tuple[Kind, ...] = ("agent", "message", "turn", "tool_call")
EFFECTS = {1: "informs", -1: "misleads", 0: "neither", None: "asks"}
PLAYERS: tuple[Kind, ...] = ("agent", "message")
"""The units that take part on their own account, unless one asks for others."""


@dataclass(frozen=True)
class Simulation:
    """A trace, and the truth about it."""

    setting: Setting
    trace: Trace
    game: Game = field(repr=False)
    """The game that all units of all kinds play."""
    kinds: Mapping[str, Kind] = field(repr=False)
    """Every unit with its kind."""
    effects: Mapping[str, str] = field(repr=False)
    """What every message, in the order of sending, does to a receiver who hears it: informs, misleads,
    neither; or asks, where what it does is the answer's doing."""
    rollout: int = 0
    size: int = 1
    branches: Mapping[int, str] = field(default_factory=dict, repr=False)

    def units(self, kind: Kind) -> list[str]:
        """The ids of all units of a kind: agents, messages, turns (of workers and critics), tool calls."""
        if kind not in KINDS:
            raise ValueError(f"found {quoted(kind)}{nearest(str(kind), KINDS)}, expected one of {', '.join(KINDS)}")
        return [unit for unit, own in self.kinds.items() if own == kind]

    def among(self, *kinds: Kind) -> Game:
        """The game that only units of these kinds play.

        What other units do is done whenever those are there who do it: without an agent there are none of
        its turns, whoever plays.
        """
        key = tuple(sorted(set(kinds)))
        if key not in self._games:
            self._games[key] = self.game.among([unit for kind in key for unit in self.units(kind)])
        return self._games[key]

    @property
    def truth(self) -> Mapping[str, float]:
        """The true contribution of each agent and each message: its exact Shapley value."""
        return self.among(*PLAYERS).shapley

    def contributions(self, *kinds: Kind) -> Mapping[str, float]:
        """The true contribution of each unit where only units of these kinds play.

        It is what a method should find that credits agents alone, say, or tool calls alone.
        """
        return self.among(*kinds).shapley

    def value(self, present: Collection[str], *kinds: Kind) -> float:
        """What the run would have been worth with only these units taking part.

        They are agents and messages, or units of the kinds that are named. All of them give the outcome's
        score. No agent and no message give 0; without units of another kind, the agents are still there.
        """
        return self.among(*kinds or PLAYERS).value(present)

    @cached_property
    def _games(self) -> dict[tuple[Kind, ...], Game]:
        return {}


def simulate(setting: Setting) -> Simulation:
    """One run. The same setting gives the same bytes."""
    return _simulated(setting, 0, 1, {})


def rollouts(setting: Setting, count: int) -> list[Simulation]:
    """Several runs of one task by one team: a group. They differ in everything that chance decides."""
    _at_least_one(count)
    return [_simulated(setting, rollout, count, {}) for rollout in range(count)]


def alternatives(simulation: Simulation, message: str, count: int) -> list[Simulation]:
    """What else could have come of a run from one message on.

    Each is the same until the message is sent, and from there on drawn anew, the message's own effect first.
    What began before and is not over (a turn of another agent) stays. They are a group of their own, without
    the run itself.

    Raises ``KeyError`` for what is no message of the run.
    """
    _at_least_one(count)
    if message not in simulation.effects:
        raise KeyError(f"there is no message {quoted(message)}{nearest(message, simulation.effects)}")
    number = list(simulation.effects).index(message)
    before = {place: seed for place, seed in simulation.branches.items() if place < number}
    drawn = [f"{simulation.trace.id}/{message}/{place}" for place in range(count)]
    made = []
    for place, seed in enumerate(drawn):
        other = _simulated(simulation.setting, simulation.rollout, simulation.size, {**before, number: seed})
        group = {"id": f"{simulation.trace.id}/{message}", "rollout": place, "size": count, "branches_at": message}
        departs = {"trace_id": simulation.trace.id, "how": "rerun", "from": message}
        trace = other.trace.with_head(trace_id=seed, group=group, counterfactual_of=departs)
        made.append(replace(other, trace=trace))
    return made


def value_of(simulation: Simulation, *kinds: Kind) -> Callable[[Trace], float]:
    """A value function on traces: what the run is worth with only those units that are left in one.

    It is for traces as they are after ``survey.traces.replay.edits.without`` or ``until``. An agent is there as long
    as it does anything.

    Units of kinds that are not named count as being there; without any named, all four kinds are looked at.
    The function raises ``NotMeasurable`` for a trace of any other run.
    """
    chosen = simulation.among(*kinds or KINDS)
    own = simulation.trace.id

    def value(trace: Trace) -> float:
        if trace.id != own and not trace.id.startswith(f"{own} without "):
            raise NotMeasurable(f"needs the trace {quoted(own)} or a part of it, found {quoted(trace.id)}")
        left = {event.id for event in trace.events} | {event.agent for event in trace.events}
        return chosen.value(left & chosen.known)

    return value


def _at_least_one(count: int) -> None:
    if count < 1:
        raise ValueError(f"count: found {count}, expected 1 or more")


def _simulated(setting: Setting, rollout: int, size: int, branches: Mapping[int, str]) -> Simulation:
    root = team(setting)
    share_out(setting, root)
    play = Play(setting, Chance(f"{setting.seed}/run/{rollout}", branches))
    play_out(play, root)
    group = f"simulated-{setting.topology}-{setting.agents}-{setting.digest}"
    trace, ids = play.record.trace({
        "schema_version": 1,
        "trace_id": f"{group}/{rollout}",
        "task_id": f"simulated-task-{setting.seed}",
        "system": "simulation",
        "topology": setting.topology,
        "time": "seconds",
        "source": {"system": "simulation", "importer": "survey.traces.simulate", "setting": setting.digest},
    })  # fmt: skip
    agents = [agent.id for agent in root.everyone()]
    effects = {ids[event]: EFFECTS[effect] for event, effect in play.sent}
    kinds: dict[str, Kind] = dict.fromkeys(agents, "agent")
    kinds |= dict.fromkeys(effects, "message")
    kinds |= {ids[event]: "turn" for event in play.turns}
    kinds |= {ids[event]: "tool_call" for event in play.calls}
    named = (
        (frozenset(ids[u] if isinstance(u, int) else u for u in needs), d) for needs, d in earned(setting, play.done)
    )
    made = Simulation(setting, trace, game(kinds, named), kinds, effects, rollout, size, branches)
    players = made.among(*PLAYERS)
    score = players.value(players.known)
    ended = trace.with_head(
        outcome={"success": score >= setting.bar, "score": score},
        rewards={"team": score},
        group={"id": group, "rollout": rollout, "size": size},
    )
    return Simulation(setting, ended, made.game, kinds, effects, rollout, size, branches)
