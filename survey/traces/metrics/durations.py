"""Time: who was busy for how long, at once or one after the other."""

from __future__ import annotations

from survey.traces.metrics.run import NotMeasurable, Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.replay import profile, union

THEME = Theme("time")


@THEME.measure("Wall time", "s")
def wall_s(run: Run) -> float:
    """From the first event to the end of the last."""
    run.need_seconds()
    return run.replayed.end - run.events[0].t


@THEME.measure("Work", "s")
def work_s(run: Run) -> float:
    """The busy time of all agents, added up.

    An event took the time between the last thing it had to wait for and its own end; people's time
    is not counted.
    """
    run.need_seconds()
    return sum(run.timeline.work.values())


@THEME.measure("Union-active time", "s")
def union_s(run: Run) -> float:
    """The time in which at least one agent was busy."""
    run.need_seconds()
    return sum(seconds for level, seconds in run.profile.items() if level)


@THEME.measure("Critical path", "s")
def critical_path_s(run: Run) -> float:
    """The busy time along the heaviest chain of events, each of which had to wait for the one before.

    However many agents there are, the run cannot be shorter than this.
    """
    run.need_seconds()
    return max(run.timeline.longest_s)


@THEME.measure("Sub-agent work", "s")
def sub_agent_work_s(run: Run) -> float:
    """The time from handing out a piece of work to its return, added up over all pieces."""
    run.need_seconds()
    return sum(stint.end - stint.start for stint in run.need_stints())


@THEME.measure("Sub-agent union", "s")
def sub_agent_union_s(run: Run) -> float:
    """The time in which at least one piece of handed-out work was under way."""
    run.need_seconds()
    return union((stint.start, stint.end) for stint in run.need_stints())


@THEME.measure("Sub-agents at once", "agents")
def sub_agents_at_once(run: Run) -> int:
    """The most pieces of handed-out work that were under way at one time."""
    run.need_seconds()
    return max(profile((stint.start, stint.end) for stint in run.need_stints()), default=0)


@THEME.measure("Parallelism profile", "s at each level")
def parallelism(run: Run) -> dict[str, float]:
    """For how many seconds exactly 0, 1, 2, ... agents were busy at once."""
    run.need_seconds()
    return {str(level): seconds for level, seconds in sorted(run.profile.items())}


@THEME.measure("Speed-up by the graph", "times")
def speedup_graph(run: Run) -> float:
    """Work over critical path.

    How much faster than one agent the team could be at best, given what had to wait for what.
    """
    return ratio(work_s(run), critical_path_s(run), "its critical path takes no time")


@THEME.measure("Speed-up observed", "times")
def speedup_observed(run: Run) -> float:
    """Work over union-active time: how many agents were busy on average while any was."""
    return ratio(work_s(run), union_s(run), "no agent was busy for any time")


@THEME.measure("Waiting", "s by agent")
def waiting_s(run: Run) -> dict[str, float]:
    """For each agent the time in which its next event had to wait for somebody else."""
    run.need_seconds()
    return {agent: seconds for agent, seconds in run.timeline.waiting.items() if seconds > 0}


@THEME.measure("Idle", "s by agent")
def idle_s(run: Run) -> dict[str, float]:
    """For each agent the time in which nothing held its next event up and it still did not begin.

    Only events that say when they began and ended (`t_end`) show this.
    """
    run.need_seconds()
    if not run.timeline.bounded:
        raise NotMeasurable("no event says both when it began and when it ended")
    return {agent: seconds for agent, seconds in run.timeline.idle.items() if seconds > 0}


@THEME.measure("Busy", "s by agent")
def busy_s(run: Run) -> dict[str, float]:
    """For each agent its busy time."""
    run.need_seconds()
    return dict(run.timeline.work)
