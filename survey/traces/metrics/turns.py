"""Measures of steps: their number, and the number on the critical path."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme

THEME = Theme("steps")


@THEME.measure("Steps", "steps")
def steps(run: Run) -> int:
    """Turns of all agents: decisions, model calls and aggregations.

    For an agent whose turns are not in the trace, each tool call and each message counts as a step.
    """
    return sum(run.timeline.steps)


@THEME.measure("Critical path in steps", "steps")
def critical_path_steps(run: Run) -> int:
    """The most steps on any chain of events in which each had to wait for the previous one."""
    return int(max(run.timeline.longest_steps))


@THEME.measure("Critical steps", "steps")
def critical_steps(run: Run) -> int:
    """The sum over all stages of the steps of the orchestrator and of the stage's slowest sub-agent.

    The definition follows the report of Kimi K2.5. A stage is one turn of the orchestrator with the
    work that it delegates; work that sub-agents delegate does not count.
    """
    agents, root = run.replayed.graph.agents, run.root
    own = [place for place in compress(range(len(agents)), run.timeline.steps) if agents[place] == root]
    slowest: dict[int, int] = {}
    for delegation in run.delegations:
        if delegation.delegator == root:
            stage = bisect_left(own, delegation.place)
            slowest[stage] = max(slowest.get(stage, 0), delegation.steps)
    return len(own) + sum(slowest.values())
