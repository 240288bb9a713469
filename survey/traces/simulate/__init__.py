"""Simulated runs of teams of all six topologies, with the true contribution of every unit.

A task splits into parts; workers do them turn by turn, with tools; some fail, and the part is
retried; messages inform, mislead, or do neither. The outcome is the value of a game whose Shapley values
are known exactly (``game``, ``dividends``), so that the error of a credit method can be measured. Time
and tokens are calibrated on measured figures where available (``chance``).

    >>> from survey.traces.replay.edits import without
    >>> run = simulate(Setting("swarm", agents=6, seed=3))
    >>> round(sum(run.truth.values()), 9) == round(run.trace.head["outcome"]["score"], 9)
    True
    >>> value = value_of(run)
    >>> value(run.trace) == run.value(run.truth), value(without(run.trace, "lead"))
    (True, 0.0)

``reruns`` lets a team play on without a unit, or with another message, where the ledger only strikes out what the
unit earned:

    >>> from survey.traces.credit import Play
    >>> [reward] = reruns(run)([Play(run.trace, None, seed=1, without=frozenset({"worker-1"}))])
    >>> run.value(set(run.truth) - {"worker-1"}) < reward < 1
    True

All runs are simulated: they show what a method does where the truth is known, and nothing about any
real system.
"""

from survey.traces.simulate.game import Game
from survey.traces.simulate.reruns import message_policy, reruns
from survey.traces.simulate.setting import TOPOLOGIES, Setting
from survey.traces.simulate.simulation import Kind, Simulation, alternatives, rollouts, simulate, value_of

__all__ = [
    "TOPOLOGIES", "Game", "Kind", "Setting", "Simulation", "alternatives", "message_policy", "reruns", "rollouts",
    "simulate", "value_of",
]  # fmt: skip
