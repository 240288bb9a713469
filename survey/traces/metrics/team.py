"""The shape of the team, and how work was split among its members."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean

from survey.traces.metrics.run import NotMeasurable, Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.replay import spawn_depths

THEME = Theme("team")


@THEME.measure("Agents", "agents")
def agents(run: Run) -> int:
    """Instances that acted or were spawned; people and tools do not count."""
    return len(run.members)


@THEME.measure("Depth of the spawn tree", "levels")
def spawn_depth(run: Run) -> int:
    """The longest chain of agents that spawned one another; 0 if nobody spawned anybody."""
    return spawn_depths(run.replayed.graph)[0]


@THEME.measure("Width of the spawn tree", "agents")
def spawn_width(run: Run) -> int:
    """The most agents that one agent spawned."""
    made = Counter(event.sender for event in run.acts("spawn"))
    return max(made.values(), default=0)


@THEME.measure("Split balance", "share")
def split_balance(run: Run) -> float:
    """How evenly work was handed out: the mean number of steps of all pieces over that of the largest.

    1 is even; with n pieces, 1/n means that one did everything.
    """
    loads = [stint.steps for stint in run.need_stints()]
    if len(loads) < 2:
        raise NotMeasurable("only one piece of work was handed out")
    return ratio(fmean(loads), max(loads), "no handed-out work shows any steps")


@THEME.measure("Split overlap", "share")
def split_overlap(run: Run) -> float:
    """The share of sub-agents' tool calls that another sub-agent made, too.

    That is: the same tool with the same content.
    """
    handed = {stint.agent for stint in run.need_stints()}
    calls = [event for event in run.acts("tool_call") if event.agent in handed and event.content_ref]
    if not calls:
        raise NotMeasurable("no tool call of a sub-agent says what it was called with")
    contents = [event.content_ref for event in calls]
    if len(set(contents)) == len(calls):  # nothing comes twice, as in most traces
        return 0.0
    made_by: dict[tuple[str | None, str | None], set[str]] = defaultdict(set)
    for event in calls:
        made_by[event.tool, event.content_ref].add(event.agent)
    return sum(len(made_by[event.tool, event.content_ref]) > 1 for event in calls) / len(calls)
