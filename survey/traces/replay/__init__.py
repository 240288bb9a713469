"""A trace walked event by event: states, timeline, totals, edits, and whatever cannot have happened."""

from survey.traces.replay.checking import check
from survey.traces.replay.edits import CAUSES, until, without
from survey.traces.replay.replay import Replay, replay, states
from survey.traces.replay.timeline import (
    GIVING,
    TURNS,
    Stint,
    Timeline,
    levels,
    profile,
    step_counts,
    stints,
    timeline,
    union,
)
from survey.traces.replay.totals import spawn_depths
from survey.traces.replay.walk import Walk

__all__ = [
    "CAUSES",
    "GIVING",
    "TURNS",
    "Replay",
    "Stint",
    "Timeline",
    "Walk",
    "check",
    "levels",
    "profile",
    "replay",
    "spawn_depths",
    "states",
    "step_counts",
    "stints",
    "timeline",
    "union",
    "until",
    "without",
]
