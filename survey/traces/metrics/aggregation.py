"""Measures of the use of returned work."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme
from survey.traces.model import EVENT_TYPES
from survey.traces.problems import NotMeasurable

THEME = Theme("aggregation")


@THEME.measure("Returns used", "share")
def returns_used(run: Run) -> float:
    """The share of returns that contribute to the result.

    That is, from which a chain of edges leads to the last aggregation of the first agent or, if it
    aggregates nothing, to its last turn.
    """
    returns = run.places_of("return")
    if not returns:
        raise NotMeasurable("there are no returns")
    final = final_turn(run)
    useful = run.replayed.graph.upstream(final)
    return sum(useful[place] for place in returns) / len(returns)


def final_turn(run: Run) -> int:
    """Return the place of the first agent's last aggregation or, without any, of its last turn or act."""
    for types in (("aggregate",), ("orchestrator_decision", "model_call", "stop"), EVENT_TYPES):
        for place in reversed(run.places_of(*types)):
            if run.events[place].agent == run.root:
                return place
    raise NotMeasurable("the first agent takes no turn")


@THEME.measure("Aggregation fan-in", "returns per aggregation")
def aggregation_fan_in(run: Run) -> float:
    """The mean number of returns and messages with an edge into an aggregation."""
    aggregations = run.places_of("aggregate")
    if not aggregations:
        raise NotMeasurable("there are no aggregations")
    graph, brought = run.replayed.graph, 0
    for place in aggregations:
        first, last = bisect_left(graph.targets, place), bisect_right(graph.targets, place)
        sources = set(graph.sources[first:last])
        brought += sum(run.events[source].type in ("return", "message") for source in sources)
    return brought / len(aggregations)
