"""Checks of declared costs and topology against the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import compress

from survey.traces.checks import pointer
from survey.traces.model import EVENT_TYPES, OUTSIDE, Graph
from survey.traces.problems import Problems

TOLERANCE = 1e-6
SEVERAL = 10
SETTING_UP = 60.0
"""A run may take this many times as long as its events, and this many seconds more, without a warning."""
TALKS = ("message", "return")
ACTS = tuple(type for type in EVENT_TYPES if type != "tool_result")


def check(graph: Graph, spent: Mapping[str, float], end: float, problems: Problems) -> None:
    """Report negative costs, totals that contradict the events, and a topology that contradicts the graph."""
    for name, cost in graph.trace.costs.items():
        if cost < 0:
            problems.add("negative-cost", f"found {cost:g}, expected 0 or more", pointer=pointer(("costs", name)))
    _counts(graph, spent, problems)
    _span(graph, end, problems)
    _topology(graph, problems)


def _counts(graph: Graph, spent: Mapping[str, float], problems: Problems) -> None:
    """Check counts. Calls and messages must be complete unless losses are recorded; tokens may be partly known."""
    costs = graph.trace.costs
    incomplete = bool(graph.trace.source.get("lost"))
    for name, word in (("tool_calls", "tool_call"), ("messages", "message")):
        with_people = graph.marks(word).count(1)  # some systems count the prompts of people as messages
        if name in costs and costs[name] not in (spent[name], with_people):
            excused = incomplete and costs[name] > spent[name]
            message = f"found {costs[name]:g}, expected {spent[name]:g} (the number of {word} events)"
            problems.add("total", message, pointer=pointer(("costs", name)), warning=excused)
    for name in ("tokens", "usd"):
        if name in costs and spent[name] > costs[name] * (1 + TOLERANCE) + TOLERANCE:
            problems.add(
                "total",
                f"found {costs[name]:g}, but the events add up to {spent[name]:g}",
                pointer=pointer(("costs", name)),
            )


def _span(graph: Graph, end: float, problems: Problems) -> None:
    if graph.trace.time != "seconds" or not len(graph):
        return
    span = end - graph.events[0].t
    wall = graph.trace.costs.get("wall_clock_s")
    unsure = not graph.trace.head.keys() & {"time", "schema_version"}  # the unit of t is not declared
    if wall is not None and span > wall * (1 + TOLERANCE) + 1e-3:
        message = f"found {wall:g}, but the events span {span:g} seconds"
        problems.add("total", message, pointer="/costs/wall_clock_s", warning=unsure)
    elif wall is not None and wall > span * SEVERAL + SETTING_UP and span > 0 and not unsure:
        message = f"found {wall:g}, but the events span only {span:g} seconds"
        problems.add("total", message, pointer="/costs/wall_clock_s", warning=True)


def _topology(graph: Graph, problems: Problems) -> None:
    """Report a declared topology that the events rule out. A team that did not grow is no contradiction."""
    depth, deepest = spawn_depths(graph)
    message = ""
    match graph.trace.topology:
        case "centralized" if depth > 1:
            message = f"centralized, but {deepest} was spawned by an agent that was itself spawned"
        case "hierarchical" if depth == 1 and not any(graph.marks("delegate")):
            message = "hierarchical, but no spawned agent spawns or delegates"
        case "debate" if (agents := _acting(graph)) < 2 or not any(graph.marks(*TALKS)):
            talks = graph.marks(*TALKS).count(1)
            message = f"debate, but found {agents} agents and {talks} messages or returns between them"
        case "planner_executor_critic" | "swarm" if _acting(graph) < 2:
            message = f"{graph.trace.topology}, but only one agent acts"
    if message:
        problems.add("topology", f"declared as {message}", pointer="/topology")


def _acting(graph: Graph) -> int:
    """Return the number of agents that act."""
    return len(set(compress(graph.agents, graph.marks(*ACTS))) - OUTSIDE)


def spawn_depths(graph: Graph) -> tuple[int, str]:
    """Return the depth of the spawn tree (0: no spawns), and the id of the deepest spawn."""
    depth: Counter[str] = Counter()
    deepest = (0, "")
    for event in map(graph.events.__getitem__, graph.places_of("spawn")):
        if event.child:
            depth[event.child] = depth[event.sender] + 1
            deepest = max(deepest, (depth[event.child], event.id), key=lambda found: found[0])
    return deepest
