"""What became of the work that was returned."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from survey.traces.metrics.run import NotMeasurable, Run
from survey.traces.metrics.theme import Theme
from survey.traces.model import EVENT_TYPES

THEME = Theme("aggregation")


@THEME.measure("Returned work that is used", "share")
def returns_used(run: Run) -> float:
    """The share of returns that reach the end.

    That is, from which a chain of edges leads to the last aggregation of the agent that was there first
    or, where nothing is aggregated, to its last turn.
    """
    returns = run.of("return")
    if not returns:
        raise NotMeasurable("nothing was returned")
    final = final_turn(run)
    useful = run.replayed.graph.upstream(final)
    return sum(useful[place] for place in returns) / len(returns)


def final_turn(run: Run) -> int:
    """The place of the last aggregation of the agent that was there first; without any, of its last turn or act."""
    for types in (("aggregate",), ("orchestrator_decision", "model_call", "stop"), EVENT_TYPES):
        for place in reversed(run.of(*types)):
            if run.events[place].agent == run.root:
                return place
    raise NotMeasurable("the first agent takes no turn")


@THEME.measure("Aggregation fan-in", "returns per aggregation")
def aggregation_fan_in(run: Run) -> float:
    """How many returns and messages lead straight into an aggregation, on average."""
    aggregations = run.of("aggregate")
    if not aggregations:
        raise NotMeasurable("nothing is aggregated")
    graph, brought = run.replayed.graph, 0
    for place in aggregations:
        first, last = bisect_left(graph.targets, place), bisect_right(graph.targets, place)
        sources = set(graph.sources[first:last])
        brought += sum(run.events[source].type in ("return", "message") for source in sources)
    return brought / len(aggregations)
