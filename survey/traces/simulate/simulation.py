"""Simulated runs with ground truth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from survey import garbage_collection
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest, quoted
from survey.traces.simulate.chance import Chance
from survey.traces.simulate.dividends import dividends
from survey.traces.simulate.engine import Engine
from survey.traces.simulate.game import Game, game
from survey.traces.simulate.orchestrator import run_to_end
from survey.traces.simulate.setting import Setting
from survey.traces.simulate.task import assign_parts, team

Kind = Literal["agent", "message", "turn", "tool_call"]
KINDS: tuple[Kind, ...] = ("agent", "message", "turn", "tool_call")
EFFECTS = {1: "informs", -1: "misleads", 0: "neither", None: "asks"}
PLAYERS: tuple[Kind, ...] = ("agent", "message")
"""The default kinds of players."""


@dataclass(frozen=True)
class Simulation:
    """A simulated trace with its ground truth."""

    setting: Setting
    trace: Trace
    game: Game = field(repr=False)
    """The game of all units of all kinds."""
    kinds: Mapping[str, Kind] = field(repr=False)
    """The kind of each unit."""
    effects: Mapping[str, str] = field(repr=False)
    """The effect of each message, in order of sending, on a receiver that hears it: informs, misleads,
    neither; or asks, if its effect is that of the answer."""
    rollout: int = 0
    size: int = 1
    branches: Mapping[int, str] = field(default_factory=dict, repr=False)
    acts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The act behind each event that a rerun can leave out, by the id of the event."""

    def units(self, kind: Kind) -> list[str]:
        """Return the ids of all units of a kind: agents, messages, turns (of workers and critics), tool calls."""
        if kind not in KINDS:
            raise ValueError(f"found {quoted(kind)}{nearest(str(kind), KINDS)}, expected one of {', '.join(KINDS)}")
        return [unit for unit, own in self.kinds.items() if own == kind]

    def among(self, *kinds: Kind) -> Game:
        """Return the game of only the units of these kinds.

        Acts of other units happen whenever the units that perform them are present: without an agent, its
        turns are absent in every game.
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
        """Return the true contribution of each unit in the game of only these kinds.

        It is the target for a method that credits, for example, only agents or only tool calls.
        """
        return self.among(*kinds).shapley

    def value(self, present: Collection[str], *kinds: Kind) -> float:
        """Return the value of the run with only these units taking part.

        They are agents and messages, or units of the given kinds. All of them together give the score of the
        outcome. No agents and no messages give 0; without units of another kind, the agents are still present.
        """
        return self.among(*kinds or PLAYERS).value(present)

    @cached_property
    def _games(self) -> dict[tuple[Kind, ...], Game]:
        return {}


def simulate(setting: Setting) -> Simulation:
    """Simulate one run. Equal settings give identical bytes."""
    return _simulated(setting, 0, 1, {})


def rollouts(setting: Setting, count: int) -> list[Simulation]:
    """Simulate a group: several runs of one task by one team, which differ in all random draws."""
    _at_least_one(count)
    return [_simulated(setting, rollout, count, {}) for rollout in range(count)]


def alternatives(simulation: Simulation, message: str, count: int) -> list[Simulation]:
    """Simulate alternative continuations of a run from one message on.

    Each is identical until the message is sent; everything after is redrawn, starting with the effect of the
    message itself. Acts already in progress (such as a turn of another agent) stay. The alternatives form a
    group of their own, without the original run.

    Raises ``KeyError`` for an id that is not a message of the run.
    """
    _at_least_one(count)
    if message not in simulation.effects:
        raise KeyError(f"there is no message {quoted(message)}{nearest(message, simulation.effects)}")
    number = list(simulation.effects).index(message)
    before = {place: seed for place, seed in simulation.branches.items() if place < number}
    drawn = [f"{simulation.trace.id}/{message}/{place}" for place in range(count)]
    found = []
    for place, seed in enumerate(drawn):
        other = _simulated(simulation.setting, simulation.rollout, simulation.size, {**before, number: seed})
        group = {"id": f"{simulation.trace.id}/{message}", "rollout": place, "size": count, "branches_at": message}
        departs = {"trace_id": simulation.trace.id, "how": "rerun", "from": message}
        trace = other.trace.with_head(trace_id=seed, group=group, counterfactual_of=departs)
        found.append(replace(other, trace=trace))
    return found


def value_of(simulation: Simulation, *kinds: Kind) -> Callable[[Trace], float]:
    """Return a value function on traces: the value of the run with only the units left in a trace.

    It is meant for traces returned by ``survey.traces.replay.edits.without`` or ``until``. An agent is present as
    long as it has an event.

    Units of kinds that are not named count as present; by default all four kinds are considered. The function
    raises ``NotMeasurable`` for a trace of any other run.
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


@garbage_collection.paused()  # the objects of a run refer to each other and are kept until its end
def _simulated(setting: Setting, rollout: int, size: int, branches: Mapping[int, str]) -> Simulation:
    root = team(setting)
    assign_parts(setting, root)
    engine = Engine(setting, Chance(f"{setting.seed}/run/{rollout}", branches))
    run_to_end(engine, root)
    group = f"simulated-{setting.topology}-{setting.agents}-{setting.digest}"
    trace, ids = engine.record.trace({
        "schema_version": 1,
        "trace_id": f"{group}/{rollout}",
        "task_id": f"simulated-task-{setting.seed}",
        "system": "simulation",
        "topology": setting.topology,
        "time": "seconds",
        "source": {"system": "simulation", "importer": "survey.traces.simulate", "setting": setting.digest},
    })  # fmt: skip
    agents = [agent.id for agent in root.everyone()]
    effects = {ids[event]: EFFECTS[effect] for event, effect in engine.sent}
    kinds: dict[str, Kind] = dict.fromkeys(agents, "agent")
    kinds |= dict.fromkeys(effects, "message")
    kinds |= {ids[event]: "turn" for event in engine.turns}
    kinds |= {ids[event]: "tool_call" for event in engine.calls}
    named = (
        (frozenset(ids[u] if isinstance(u, int) else u for u in needs), d)
        for needs, d in dividends(setting, engine.done)
    )
    draft = Simulation(setting, trace, game(kinds, named), kinds, effects, rollout, size, branches)
    players = draft.among(*PLAYERS)
    score = players.value(players.known)
    ended = trace.with_head(
        outcome={"success": score >= setting.bar, "score": score},
        rewards={"team": score},
        group={"id": group, "rollout": rollout, "size": size},
    )
    acts = {ids[event]: act for event, act in engine.acts.items()}
    return replace(draft, trace=ended, acts=acts)
