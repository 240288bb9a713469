"""Turns: whose they are, what they were paid, and which of them a team takes at once."""

from __future__ import annotations

from survey.traces.credit.units import parts, units
from survey.traces.credit.values import event_reward
from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Trace, graph
from survey.traces.model.order import RANKS
from survey.traces.replay import replay, timeline


def rounds(trace: Trace) -> dict[str, int]:
    """Return for each turn how many turns the longest chain before it has, along edges and its agent's own past.

    Turns with the same number form a round: they could be taken at once, in whatever order a log names them. In a
    team whose members act in step these are its rounds; the turns of a single agent are rounds of their own.
    """
    ordered, turns = graph(trace), parts(trace, "turn").keys()
    before = [0] * len(ordered)
    causes: list[list[int]] = [[] for _ in range(len(ordered))]
    for source, target in zip(ordered.sources, ordered.targets, strict=True):
        causes[target].append(source)
    own: dict[str, tuple[tuple[float, int], int, int]] = {}
    for place, event in enumerate(ordered.events):
        standing = (event.t, RANKS[event.type])
        last, earlier, here = own.get(event.agent, (standing, 0, 0))
        if standing > last:
            last, earlier, here = standing, max(earlier, here), 0
        before[place] = max(
            [earlier, *(before[cause] + (ordered.events[cause].id in turns) for cause in causes[place])]
        )
        own[event.agent] = last, earlier, max(here, before[place] + (event.id in turns))
    return {turn: before[ordered.places[turn]] for turn in turns}


def actors(trace: Trace, kind: str) -> dict[str, str]:
    """Return the agent of each unit that belongs to one agent."""
    if kind == "agent":
        return {unit: unit for unit in parts(trace, kind)}
    replayed = replay(trace)
    at_work = timeline(replayed).actors
    places = replayed.graph.places
    return {unit: at_work[places[unit.rpartition(":")[0] if kind == "token" else unit]] for unit in units(trace, kind)}


def turn_rewards(trace: Trace) -> dict[str, float]:
    """Sum the rewards of events by turn; other events belong to their agent's latest turn, or its first."""
    run = Run(replay(trace))
    owner = owners(trace)
    found = dict.fromkeys(parts(trace, "turn"), 0.0)
    for event in run.events:
        given = event_reward(trace, event)
        if given is not None:
            if event.id not in owner:
                raise NotMeasurable(
                    f'"{event.id}" has a reward, but "{event.agent}" takes no turn that could be given it'
                )
            found[owner[event.id]] += given
    return found


def owners(trace: Trace) -> dict[str, str]:
    """Return the turn that each event belongs to.

    That is the turn it is part of (``parent``), else the latest turn of the agent at work in it, else that agent's
    first. Events of agents without turns are omitted.
    """
    replayed = replay(trace)
    at_work, turns = timeline(replayed).actors, set(parts(trace, "turn"))
    latest: dict[str, str] = {}
    first: dict[str, str] = {}
    for event, actor in zip(replayed.graph.events, at_work, strict=True):
        if event.id in turns:
            first.setdefault(actor, event.id)
    found: dict[str, str] = {}
    for event, actor in zip(replayed.graph.events, at_work, strict=True):
        if event.id in turns:
            latest[actor] = event.id
        chosen = found.get(event.parent or "") or latest.get(actor) or first.get(actor)
        if event.id in turns:
            chosen = event.id
        if chosen:
            found[event.id] = chosen
    return found
