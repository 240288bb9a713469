"""Measures of how far errors and untrusted content spread."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.problems import NotMeasurable

THEME = Theme("harm")


@THEME.measure("Error propagation", "share of events")
def error_spread(run: Run) -> float:
    """The share of all events downstream of one labelled `decisive_error`, along edges of any type."""
    return _spread(run, run.replayed.trace.labelled("decisive_error"), "no event is labelled decisive_error")


@THEME.measure("Reach of untrusted content", "share of agents")
def unsafe_reach(run: Run) -> float:
    """The share of agents that hold untrusted content or act downstream of it, along edges of any type.

    Content is untrusted if it is marked so (`trusted: false`) or labelled `unsafe_content`.
    """
    places = [place for place, event in enumerate(run.events) if event.trusted is False]
    places += _places(run, run.replayed.trace.labelled("unsafe_content"))
    if not places:
        raise NotMeasurable("no event is marked as untrusted or unsafe")
    reached = run.replayed.graph.downstream(places)
    members = run.members
    touched = set(compress(run.timeline.actors, reached)) & members
    return ratio(len(touched), len(members), "there are no agents")


def _spread(run: Run, ids: Iterable[str], missing: str) -> float:
    places = _places(run, ids)
    if not places:
        raise NotMeasurable(missing)
    after = run.replayed.graph.downstream(places)
    return (sum(after) - len(set(places))) / len(run.events)


def _places(run: Run, ids: Iterable[str]) -> list[int]:
    wanted = set(ids)
    return [place for place, event in enumerate(run.events) if event.id in wanted] if wanted else []
