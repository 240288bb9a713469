"""Credit: who earned the reward of a run, for eight kinds of units and by many methods.

    >>> from survey.traces import Trace
    >>> from survey.traces.credit import Game, exact
    >>> found = {"": 0, "a": 0.4, "b": 0.4, "c": 0.3, "ab": 0.4, "ac": 1, "bc": 1, "abc": 1}  # a and b find the same
    >>> game = Game(("a", "b", "c"), lambda present: found["".join(sorted(present))])
    >>> [(share.unit, round(share.value, 3)) for share in exact(game)]
    [('a', 0.25), ('b', 0.25), ('c', 0.5)]

A game can be made of a trace and a value: ``game_of(trace, "agent", reach(trace))``. ``assign`` does all of it by
names, as the command ``survey trace credit`` does, and refuses what makes no sense with ``NotMeasurable``.
Nothing here loads pandas or pyarrow until a frame or a file is asked for.
"""

from survey.traces.credit.counterfactual import alternatives, branches, counterfactual, leave_one_out
from survey.traces.credit.gae import along, estimates
from survey.traces.credit.games import LIMIT, Game, game_of, game_played
from survey.traces.credit.group import agent_wise, broadcast, by_agent, centred, group_centred, group_relative, relative
from survey.traces.credit.hierarchical import composite, composite_group, two_level
from survey.traces.credit.methods import METHODS, VALUES, Method, assign
from survey.traces.credit.rows import Credit, frame, rows
from survey.traces.credit.shapes import advantages, to_parquet
from survey.traces.credit.shapley import exact, sampled
from survey.traces.credit.structure import bystanders, structured
from survey.traces.credit.units import KINDS, parts, units
from survey.traces.credit.values import Value, final, outcome, reach, recorded
from survey.traces.metrics import NotMeasurable

__all__ = [
    "KINDS",
    "LIMIT",
    "METHODS",
    "VALUES",
    "Credit",
    "Game",
    "Method",
    "NotMeasurable",
    "Value",
    "advantages",
    "agent_wise",
    "along",
    "alternatives",
    "assign",
    "branches",
    "broadcast",
    "by_agent",
    "bystanders",
    "centred",
    "composite",
    "composite_group",
    "counterfactual",
    "estimates",
    "exact",
    "final",
    "frame",
    "game_of",
    "game_played",
    "group_centred",
    "group_relative",
    "leave_one_out",
    "outcome",
    "parts",
    "reach",
    "recorded",
    "relative",
    "rows",
    "sampled",
    "structured",
    "to_parquet",
    "two_level",
    "units",
]
