"""Reruns of simulated runs: the team plays on without a unit, or with another act.

What is left out is not taken out of a ledger: the lead gives a missing worker's part to the next one, nobody waits
for an answer that was not asked for, and later messages count for more where an earlier one is missing. All chance
that does not hang on the change is shared by the reruns of one seed (``chance.Chance``).

Without a decision, what it would have handed out is not done; without an aggregation, the results reach nobody who
puts them together; without a turn, its findings, calls and messages are missing, and so is its failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum

from survey.traces.credit.counterfactual import Play, Rerun
from survey.traces.metrics import NotMeasurable
from survey.traces.problems import nearest, quoted
from survey.traces.simulate.chance import Chance
from survey.traces.simulate.dividends import dividends
from survey.traces.simulate.engine import Engine
from survey.traces.simulate.orchestrator import run_to_end
from survey.traces.simulate.record import Unrecorded
from survey.traces.simulate.simulation import EFFECTS, Simulation
from survey.traces.simulate.task import assign_parts, team

START = "start"
"""Where a run departs that is played again as a whole."""

MESSAGES = {name: effect for effect, name in EFFECTS.items() if effect is not None}


def reruns(simulation: Simulation) -> Rerun:
    """Return the environment of a simulated run. It plays any of its units, and any effect of a message."""

    def play(plays: Sequence[Play]) -> list[float]:
        return [_reward(simulation, one) for one in plays]

    return play


def message_policy(simulation: Simulation) -> Callable[[str], Mapping[str, float]]:
    """Return what a message could have been, with the probabilities that the simulator draws it with."""
    setting = simulation.setting
    neither = 1 - setting.informing - setting.misleading
    drawn = {"informs": setting.informing, "misleads": setting.misleading, "neither": max(0.0, neither)}
    return lambda message: {"neither": 1.0} if simulation.effects[message] == "asks" else drawn


def _reward(simulation: Simulation, play: Play) -> float:
    if play.trace.id != simulation.trace.id:
        raise NotMeasurable(f"needs the trace {quoted(simulation.trace.id)}, found {quoted(play.trace.id)}")
    setting = simulation.setting
    departs = frozenset({START} if play.at is None else {_act(simulation, play.at)})
    gone = {_act(simulation, unit) for unit in play.without}
    instead = {} if play.instead is None or play.at is None else {_act(simulation, play.at): _effect(play)}
    again = f"{simulation.trace.id}/{play.at or START}/{play.seed}"
    root = team(setting)
    assign_parts(setting, root)
    chance = Chance(f"{setting.seed}/run/{simulation.rollout}", simulation.branches, departs, again)
    engine = Engine(setting, chance, gone, instead, Unrecorded())
    chance.depart(START)
    run_to_end(engine, root)
    return fsum(amount for _, amount in dividends(setting, engine.done, engine.unread))


def _act(simulation: Simulation, unit: str) -> str:
    """Return what a rerun calls an event or an agent."""
    agents = simulation.units("agent")
    if unit in agents:
        return unit
    if unit not in simulation.acts:
        known = [*agents, *simulation.acts]
        raise NotMeasurable(f"{simulation.trace.id}: cannot play on without {quoted(unit)}{nearest(unit, known)}")
    return simulation.acts[unit]


def _effect(play: Play) -> int:
    if play.instead not in MESSAGES:
        hint = nearest(str(play.instead), MESSAGES)
        raise NotMeasurable(f"found {quoted(str(play.instead))}{hint}, expected one of {', '.join(MESSAGES)}")
    return MESSAGES[play.instead]
