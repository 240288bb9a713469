"""Measures of time: work, concurrency and the critical path."""

from __future__ import annotations

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.problems import NotMeasurable
from survey.traces.replay import profile, union

THEME = Theme("time")


@THEME.measure("Wall time", "s")
def wall_s(run: Run) -> float:
    """The time from the first event to the end of the last."""
    run.need_seconds()
    return run.replayed.end - run.events[0].t


@THEME.measure("Work", "s")
def work_s(run: Run) -> float:
    """The total busy time of all agents.

    An event takes the time between the last event it had to wait for and its own end; people's time and calls that
    only wait are not counted.
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
    """The busy time along the longest chain of events in which each had to wait for the previous one.

    The run cannot be shorter than this with any number of agents.
    """
    run.need_seconds()
    return max(run.timeline.longest_s)


@THEME.measure("Sub-agent work", "s")
def sub_agent_work_s(run: Run) -> float:
    """The total time from the delegation of a piece of work to its return, over all pieces."""
    run.need_seconds()
    return sum(delegation.end - delegation.start for delegation in run.need_delegations())


@THEME.measure("Sub-agent union time", "s")
def sub_agent_union_s(run: Run) -> float:
    """The time in which at least one piece of delegated work was in progress."""
    run.need_seconds()
    return union((delegation.start, delegation.end) for delegation in run.need_delegations())


@THEME.measure("Peak concurrent sub-agents", "agents")
def sub_agents_at_once(run: Run) -> int:
    """The largest number of pieces of delegated work in progress at the same time."""
    run.need_seconds()
    return max(profile((delegation.start, delegation.end) for delegation in run.need_delegations()), default=0)


@THEME.measure("Parallelism profile", "s at each level")
def parallelism(run: Run) -> dict[str, float]:
    """The seconds in which exactly 0, 1, 2, ... agents were busy at once."""
    run.need_seconds()
    return {str(level): seconds for level, seconds in sorted(run.profile.items())}


@THEME.measure("Potential speed-up", "times")
def speedup_graph(run: Run) -> float:
    """Work divided by the critical path.

    The largest possible speed-up over one agent, given the dependencies between events.
    """
    return ratio(work_s(run), critical_path_s(run), "its critical path takes no time")


@THEME.measure("Observed speed-up", "times")
def speedup_observed(run: Run) -> float:
    """Work divided by union-active time: the mean number of busy agents while any was busy."""
    return ratio(work_s(run), union_s(run), "no agent was busy for any time")


@THEME.measure("Critical path with people", "s")
def critical_path_with_people_s(run: Run) -> float:
    """The critical path, where the time in which an agent waits for people counts as well."""
    run.need_seconds()
    return max(run.timeline.longest_with_people_s)


@THEME.measure("Waiting for agents", "s by agent")
def waiting_s(run: Run) -> dict[str, float]:
    """For each agent, the time in which it could not go on before another agent had acted."""
    run.need_seconds()
    return dict(run.timeline.waiting["agents"])


@THEME.measure("Waiting for people", "s by agent")
def waiting_people_s(run: Run) -> dict[str, float]:
    """For each agent, the time in which it could not go on before a person had written or answered."""
    run.need_seconds()
    return dict(run.timeline.waiting["people"])


@THEME.measure("Waiting for permission", "s by agent")
def waiting_permission_s(run: Run) -> dict[str, float]:
    """For each agent, the time in which a tool call waited for a person to allow or refuse it.

    Many logs record only refusals: the time before a permission that was given is then part of the call.
    """
    run.need_seconds()
    return dict(run.timeline.waiting["permission"])


@THEME.measure("Model time", "s by agent")
def model_s(run: Run) -> dict[str, float]:
    """The part of each agent's busy time in which it waited for its model."""
    run.need_seconds()
    return dict(run.timeline.model)


@THEME.measure("Tool time", "s by agent")
def tool_s(run: Run) -> dict[str, float]:
    """The part of each agent's busy time in which a tool of its own ran."""
    run.need_seconds()
    return dict(run.timeline.tools)


@THEME.measure("Idle time", "s by agent")
def idle_s(run: Run) -> dict[str, float]:
    """For each agent, the time in which nothing blocked its next event, and it had not begun.

    Only events with an end time (`t_end`) show this.
    """
    run.need_seconds()
    if not run.timeline.bounded:
        raise NotMeasurable("no event has an end time (t_end)")
    return {agent: seconds for agent, seconds in run.timeline.idle.items() if seconds > 0}


@THEME.measure("Busy time", "s by agent")
def busy_s(run: Run) -> dict[str, float]:
    """The busy time of each agent."""
    run.need_seconds()
    return dict(run.timeline.work)
