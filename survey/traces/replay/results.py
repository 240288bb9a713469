"""The agents that begin a run, its final acts, and the events from which a path leads to them.

Paths follow edges of any type and, since an agent knows its own past, lead from each event of an agent to its later
ones. Events of one agent with the same time and the same place in the order of types (``model.order``) follow each
other only along edges: which of them the log names first means nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from survey.traces.model import OUTSIDE, Graph
from survey.traces.model.order import RANKS
from survey.traces.replay.delegations import DELEGATING, delegations
from survey.traces.replay.replay import Replay

ACTS = ("orchestrator_decision", "model_call", "tool_call", "message", "return", "aggregate")
"""Types of events that produce or hand on something; the others open, close or watch the work of agents."""

FINAL = "final"
"""The label of an event that gives the result."""


def final_acts(ordered: Graph) -> list[str]:
    """Return the ids of the acts that give the result of a run; [] if nobody acts.

    The trace may name them: by the label "final", or by the ``content_ref`` of an act that equals
    ``outcome.answer_ref`` (the last of several such acts). Else they follow from the graph: the acts of the team from
    which no path leads to another act; of these, those of agents that nobody spawned or gave work to, if there are
    any; of these, the aggregations, if there are any.
    """
    named = set(ordered.trace.labelled(FINAL))
    acts = [place for place in ordered.places_of(*ACTS) if ordered.events[place].agent not in OUTSIDE]
    if named:
        return [event.id for event in ordered.events if event.id in named]
    answer = (ordered.trace.head.get("outcome") or {}).get("answer_ref")
    told = [place for place in acts if answer and ordered.events[place].content_ref == answer]
    ends = _last(ordered, told or acts)
    if not told:
        handed = {event.child if event.type == "spawn" else event.to for event in ordered.events
                  if event.type in ("spawn", "delegate")}  # fmt: skip
        ends = [place for place in ends if ordered.events[place].agent not in handed] or ends
        ends = [place for place in ends if ordered.events[place].type == "aggregate"] or ends
    return [ordered.events[place].id for place in ends]


def beginners(replayed: Replay) -> list[str]:
    """Return the agents that begin a run: of those that nobody spawned or gave work to, the first to act.

    They are several if these begin at one time: which one a log names first means nothing.
    """
    given = {delegation.agent for delegation in delegations(replayed)}
    began: dict[str, float] = {}
    for event in replayed.graph.events:
        if event.type in (*ACTS, *DELEGATING) and event.sender not in given | OUTSIDE:
            began.setdefault(event.sender, event.t)
    start = min(began.values(), default=0.0)
    return [agent for agent, t in began.items() if t == start]


def leading_to(ordered: Graph, ids: Iterable[str], *, past_failures: bool = True) -> bytearray:
    """Mark these events and every event from which a path leads to one of them.

    Without ``past_failures`` no path leads on from an event whose status is not ok.
    """
    goals = {ordered.places[id] for id in ids}
    found = _before(ordered, goals, past_failures)
    for place in goals:
        found[place] = 1
    return found


def _last(ordered: Graph, places: Collection[int]) -> list[int]:
    before = _before(ordered, set(places), past_failures=True)
    return [place for place in places if not before[place]]


def _before(ordered: Graph, goals: Collection[int], past_failures: bool) -> bytearray:
    """Mark every event from which a path of at least one step leads to a goal."""
    found, sources, targets = bytearray(len(ordered)), ordered.sources, ordered.targets
    latest: dict[str, tuple[float, int]] = {}
    edge = len(targets) - 1
    for place in range(len(ordered) - 1, -1, -1):
        event = ordered.events[place]
        standing = (event.t, RANKS[event.type])
        last = latest.get(event.agent, standing)
        if last > standing:
            found[place] = 1
        if found[place] and not past_failures and event.status != "ok":
            found[place] = 0
        leads = found[place] or place in goals
        if leads:
            latest[event.agent] = max(standing, last)
        while edge >= 0 and targets[edge] == place:  # sorted by target: all that follows the target has been seen
            if leads:
                found[sources[edge]] = 1
            edge -= 1
    return found
