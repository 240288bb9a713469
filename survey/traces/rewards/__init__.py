"""Rewards: the eight reward families of arXiv:2605.02801 as functions of a replayed trace.

Each family is a function ``(run, *, parameters) -> list[Reward]``. It raises ``NotMeasurable`` with what
it needs where a trace lacks it: a missing reward is never a reward of 0. The families and their names
are the survey's; a formula is attributed to a work only where its docstring names it.

>>> from survey.traces import Trace
>>> trace = Trace.of({
...     "trace_id": "r", "task_id": "t", "rewards": {"team": 1, "a": 0.25}, "edges": [],
...     "costs": {"tokens": 0, "wall_clock_s": 1},
...     "events": [{"id": "e1", "t": 0, "type": "model_call", "agent": "a"}]})
>>> for one in rewards(trace, ["R8"], {"R8": {"local": 0.5}}).rewards:
...     print(one.kind, one.unit, one.reward, "=", one.why)
agent a 0.625 = 0.5 × 1 (R1) + 0.5 × 0.25 (R2)
"""

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.rewards.debate import debate
from survey.traces.rewards.families import FAMILIES, VARIANTS, RewardResult, family, frame, rewards, table
from survey.traces.rewards.mixing import combined, hybrid
from survey.traces.rewards.orchestration import orchestration, time_saved
from survey.traces.rewards.outcome import individual, per_role, shared
from survey.traces.rewards.parl import annealed, parl
from survey.traces.rewards.process import process
from survey.traces.rewards.reward import Family, Kind, PartsNotMeasurable, Reward
from survey.traces.rewards.tools import tool_use

__all__ = [
    "FAMILIES", "VARIANTS", "Family", "Kind", "NotMeasurable", "PartsNotMeasurable", "Reward", "RewardResult",
    "Run", "annealed", "combined", "debate", "family", "frame", "hybrid", "individual", "orchestration", "parl",
    "per_role", "process", "rewards", "shared", "table", "time_saved", "tool_use",
]  # fmt: skip
