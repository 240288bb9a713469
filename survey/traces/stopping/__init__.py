"""Stopping on recorded runs: rounds of a trace, rules that end it earlier, and what these would have saved.

``episode`` turns a trace into a stopping episode, and a rule decides on it as on a simulated task. ``savings`` says
what the rule would have saved in each run; ``evaluate`` and ``weighted`` estimate its return, with their limits.
"""

from survey.traces.stopping.episodes import Cost, Episode, Round, episode
from survey.traces.stopping.evaluation import Evaluation, Weighted, evaluate, weighted
from survey.traces.stopping.rounds import Rounds, rounds
from survey.traces.stopping.rules import (
    RULES,
    Rule,
    Seen,
    agreement,
    fixed,
    giving_up,
    passing,
    patience,
    rule,
    stopped,
)
from survey.traces.stopping.savings import Saving, Savings, savings

__all__ = [
    "RULES", "Cost", "Episode", "Evaluation", "Round", "Rounds", "Rule", "Saving", "Savings", "Seen", "Weighted",
    "agreement", "episode", "evaluate", "fixed", "giving_up", "passing", "patience", "rounds", "rule", "savings",
    "stopped", "weighted",
]  # fmt: skip
