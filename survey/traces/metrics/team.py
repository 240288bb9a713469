"""Measures of the team's shape and of the division of work."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import attrgetter
from statistics import fmean

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.problems import NotMeasurable
from survey.traces.replay import spawn_depths

THEME = Theme("team")


@THEME.measure("Agents", "agents")
def agents(run: Run) -> int:
    """Instances that acted or were spawned; people and tools do not count."""
    return len(run.members)


@THEME.measure("Depth of the spawn tree", "levels")
def spawn_depth(run: Run) -> int:
    """The longest chain of agents that spawned one another; 0 without spawns."""
    return spawn_depths(run.replayed.graph)[0]


@THEME.measure("Width of the spawn tree", "agents")
def spawn_width(run: Run) -> int:
    """The largest number of agents spawned by one agent."""
    made = Counter(event.sender for event in run.acts("spawn"))
    return max(made.values(), default=0)


@THEME.measure("Split balance", "share")
def split_balance(run: Run) -> float:
    """How evenly work was divided: the mean number of steps per piece divided by that of the largest.

    1 is even; with n pieces, 1/n means that one took all steps.
    """
    loads = [delegation.steps for delegation in run.need_delegations()]
    if len(loads) < 2:
        raise NotMeasurable("only one piece of work was delegated")
    return ratio(fmean(loads), max(loads), "no delegated work has any steps")


@THEME.measure("Split overlap", "share")
def split_overlap(run: Run) -> float:
    """The share of sub-agents' tool calls that another sub-agent also made.

    Two calls are the same if they use the same tool with the same content.
    """
    handed = {delegation.agent for delegation in run.need_delegations()}
    calls = [event for event in run.acts("tool_call") if event.content_ref and event.agent in handed]
    if not calls:
        raise NotMeasurable("no tool call of a sub-agent has a content_ref")
    if len(set(map(attrgetter("content_ref"), calls))) == len(calls):  # no duplicates, as in most traces
        return 0.0
    made_by: dict[tuple[str | None, str | None], set[str]] = defaultdict(set)
    for event in calls:
        made_by[event.tool, event.content_ref].add(event.agent)
    return sum(len(made_by[event.tool, event.content_ref]) > 1 for event in calls) / len(calls)
