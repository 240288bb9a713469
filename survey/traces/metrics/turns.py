"""Steps: how many there were, and how many one after the other."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme

THEME = Theme("steps")


@THEME.measure("Steps", "steps")
def steps(run: Run) -> int:
    """Turns of all agents: decisions, model calls and aggregations.

    Of an agent whose turns are not in the trace, each tool call and each message counts as one.
    """
    return sum(run.timeline.steps)


@THEME.measure("Critical path in steps", "steps")
def critical_path_steps(run: Run) -> int:
    """The most steps on any chain of events of which each had to wait for the one before."""
    return int(max(run.timeline.longest_steps))


@THEME.measure("Critical steps", "steps")
def critical_steps(run: Run) -> int:
    """Over all stages, the steps of the orchestrator and those of the slowest sub-agent of the stage, added up.

    As in Kimi K2.5's report. A stage is one turn of the orchestrator with the work that it hands out;
    what sub-agents hand out in turn does not count.
    """
    events, root = run.events, run.root
    taken = compress(range(len(events)), run.timeline.steps)
    own = [place for place in taken if events[place].agent == root]
    slowest: dict[int, int] = {}
    for stint in run.stints:
        if stint.giver == root:
            stage = bisect_left(own, stint.place)
            slowest[stage] = max(slowest.get(stage, 0), stint.steps)
    return len(own) + sum(slowest.values())
