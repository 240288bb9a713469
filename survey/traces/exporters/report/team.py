"""The members of the team in the order of the spawn tree, with the figures of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from survey.traces.exporters.report.formatting import short
from survey.traces.metrics import Run
from survey.traces.model import OUTSIDE


@dataclass(frozen=True)
class Member:
    """An agent and its figures."""

    id: str
    also: str
    """Its name, role and model, where they add to the id."""
    short: str
    """The first of these, without the path that some systems prepend to a name."""
    depth: int
    steps: int
    calls: int
    tokens: float
    busy: float
    waiting: float
    asked: float
    """Seconds of waiting for people, permissions apart."""
    permission: float
    """Seconds of waiting for permissions."""
    recorded: bool
    """Whether the trace records its actions; of some agents only the return is known."""
    counted: bool
    """Whether any of its events records tokens."""
    ended: str
    bad: bool
    """Whether any of its tasks returned with a status other than ok."""


WAITS = ("agents", "people", "permission")
"""What an agent can wait for."""


def members(run: Run) -> list[Member]:
    """Return all agents: the root first, every agent before those that it spawned, these in order of time."""
    trace, timeline = run.replayed.trace, run.timeline
    busy, tokens = dict(timeline.work), defaultdict[str, float](float)
    steps, calls = Counter[str](), Counter[str]()
    recorded, counted = set[str](), set[str]()
    names, roles = dict[str, str](), dict[str | None, str]()
    for place, event in enumerate(run.events):
        actor = timeline.actors[place]
        steps[actor] += timeline.steps[place]
        calls[actor] += event.type == "tool_call"
        tokens[actor] += run.tokens[place]
        if event.type not in ("return", "despawn"):
            recorded.add(actor)
        if event.tokens_ is not None:
            counted.add(actor)
        if event.agent_name and event.type != "spawn":  # a spawn may carry the name of the new agent
            names.setdefault(event.agent, event.agent_name)
        if event.role:
            roles.setdefault(event.child if event.type == "spawn" else event.agent, event.role)
    acted = set(timeline.actors)
    returned = _returned(run)

    def member(id: str, depth: int) -> Member:
        declared = trace.agents.get(id, {})
        words = (declared.get("name") or names.get(id), declared.get("role") or roles.get(id), declared.get("model"))
        also = list(_additions(id, words))
        ended, bad = returned.get(id, ("", False)) if id in acted or id in returned else ("never acts", False)
        first = also[0].rsplit(":", 1)[-1] if also else ""
        agents, people, permission = (timeline.waiting[whom].get(id, 0.0) for whom in WAITS)
        spent = (steps[id], calls[id], tokens[id], busy.get(id, 0.0), agents, people, permission)
        return Member(id, " · ".join(also), first, depth, *spent, id in recorded, id in counted, ended, bad)

    return [member(id, depth) for id, depth in _order(run)]


def _additions(id: str, words: tuple[object, ...]) -> Iterator[str]:
    """Yield the words that add to the id, each once."""
    known = [id.lower()]
    for word in words:
        if isinstance(word, str) and word and word.lower() not in known:
            known.append(word.lower())
            yield short(word)


def _order(run: Run) -> Iterator[tuple[str, int]]:
    """Yield all agents with their depth in the tree, depth first. Agents in a spawn cycle count as roots."""
    parents: dict[str, str] = {}
    present: dict[str, None] = dict.fromkeys([run.root]) if run.root else {}
    for event in run.events:
        child = event.child if event.type == "spawn" else None
        for agent in (event.agent, child):
            if agent in run.members:
                present.setdefault(agent)
        if child and child != run.root and child != event.sender:
            parents.setdefault(child, event.sender)
    for agent in run.replayed.trace.agents:
        if agent not in OUTSIDE:
            present.setdefault(agent)
    children = defaultdict(list)
    for agent in present:
        if parents.get(agent) in present:
            children[parents[agent]].append(agent)
    seen: set[str] = set()
    for top in [*(agent for agent in present if parents.get(agent) not in present), *present]:
        waiting = [(top, 0)]
        while waiting:
            agent, depth = waiting.pop()
            if agent not in seen:
                seen.add(agent)
                yield agent, depth
                waiting += [(child, depth + 1) for child in reversed(children[agent])]


def _returned(run: Run) -> Mapping[str, tuple[str, bool]]:
    """Return, for each agent, the statuses of its tasks in words, and whether any is not ok."""
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for delegation in run.delegations:
        ends[delegation.agent]["no return" if delegation.status == "open" else delegation.status] += 1
    return {agent: (", ".join(map(_counted, found.items())), set(found) != {"ok"}) for agent, found in ends.items()}


def _counted(item: tuple[str, int]) -> str:
    word, count = item
    return word if count == 1 else f"{count} × {word}"
