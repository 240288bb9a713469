"""Credit from rewards alone: broadcast, and relative to a group of runs of one task.

``arrays`` has the formulas on numbers, ``runs`` applies them to traces, and ``turns`` says whose each turn is, what
it was paid, and which turns a team takes at once.
"""

from survey.traces.credit.group.arrays import (
    agent_wise,
    group_centred,
    group_relative,
    leave_one_out_baseline,
    returns_to_go,
)
from survey.traces.credit.group.runs import broadcast, by_agent, centred, relative, scores
from survey.traces.credit.group.turns import actors, owners, rounds, turn_rewards

__all__ = [
    "actors", "agent_wise", "broadcast", "by_agent", "centred", "group_centred", "group_relative",
    "leave_one_out_baseline", "owners", "relative", "returns_to_go", "rounds", "scores", "turn_rewards",
]  # fmt: skip
