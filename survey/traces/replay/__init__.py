"""Replay of a trace, event by event: states, timeline, totals, edits and consistency checks."""

from survey.traces.replay.checking import check
from survey.traces.replay.delegations import DELEGATING, Delegation, delegations
from survey.traces.replay.edits import CAUSES, until, without
from survey.traces.replay.intervals import levels, profile, union
from survey.traces.replay.replay import Replay, replay, states
from survey.traces.replay.results import ACTS, beginners, final_acts, leading_to
from survey.traces.replay.timeline import BEGINNING_UNKNOWN, FOR_PEOPLE, TURNS, Timeline, step_counts, timeline
from survey.traces.replay.totals import spawn_depths
from survey.traces.replay.unseen import Unseen, unseen
from survey.traces.replay.walk import Walk

__all__ = [
    "ACTS", "BEGINNING_UNKNOWN", "CAUSES", "DELEGATING", "FOR_PEOPLE", "TURNS", "Delegation", "Replay", "Timeline",
    "Unseen", "Walk", "beginners", "check", "delegations", "final_acts", "leading_to", "levels", "profile", "replay",
    "spawn_depths", "states", "step_counts", "timeline", "union", "unseen", "until", "without",
]  # fmt: skip
