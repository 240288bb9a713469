"""Credit assignment: which units earned the reward of a run, for eight kinds of units and many methods.

    >>> from survey.traces import Trace
    >>> from survey.traces.credit import Game, exact
    >>> found = {"": 0, "a": 0.4, "b": 0.4, "c": 0.3, "ab": 0.4, "ac": 1, "bc": 1, "abc": 1}  # a and b find the same
    >>> game = Game(("a", "b", "c"), lambda present: found["".join(sorted(present))])
    >>> [(share.unit, round(share.value, 3)) for share in exact(game)]
    [('a', 0.25), ('b', 0.25), ('c', 0.5)]

``game_of(trace, "agent", estimate(trace))`` makes a game of a trace and a value. ``assign`` selects everything by
name, as the command ``survey trace credit`` does, and raises ``NotMeasurable`` for invalid combinations.
pandas and pyarrow are loaded only when a frame or a file is requested.
"""

from survey.traces.credit.batches import ALIKE, Policy, assign
from survey.traces.credit.counterfactual import (
    Budget,
    Play,
    Rerun,
    against_policy,
    alternatives,
    branches,
    coma,
    counterfactual,
    differences,
    leave_one_out,
    shapley_shares,
)
from survey.traces.credit.gae import gae_advantages, gae_credits
from survey.traces.credit.games import LIMIT, Game, game_of, simulated_game
from survey.traces.credit.group import (
    agent_wise,
    broadcast,
    by_agent,
    centred,
    group_centred,
    group_relative,
    leave_one_out_baseline,
    relative,
    rounds,
)
from survey.traces.credit.hierarchical import composite, composite_group, two_level
from survey.traces.credit.methods import METHODS, Method
from survey.traces.credit.rows import BadRuns, Credit, frame, rows
from survey.traces.credit.shapes import advantages, to_parquet
from survey.traces.credit.shapley import exact, sampled
from survey.traces.credit.structure import bystanders, without_bystanders
from survey.traces.credit.units import KINDS, parts, units
from survey.traces.credit.values import VALUES, Value, estimate, outcome, reach, recorded
from survey.traces.metrics import NotMeasurable

__all__ = [
    "ALIKE", "KINDS", "LIMIT", "METHODS", "VALUES", "BadRuns", "Budget", "Credit", "Game", "Method", "NotMeasurable",
    "Play", "Policy", "Rerun", "Value", "advantages", "against_policy", "agent_wise", "alternatives", "assign",
    "branches", "broadcast", "by_agent", "bystanders", "centred", "coma", "composite", "composite_group",
    "counterfactual", "differences", "estimate", "exact", "frame", "gae_advantages", "gae_credits", "game_of",
    "group_centred", "group_relative", "leave_one_out", "leave_one_out_baseline", "outcome", "parts", "reach",
    "recorded", "relative", "rounds", "rows", "sampled", "shapley_shares", "simulated_game", "to_parquet", "two_level",
    "units", "without_bystanders",
]  # fmt: skip
