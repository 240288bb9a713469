"""Who was on the team: in the order of the spawn tree, with what each of them did."""

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
    """Its name, role and model, as far as they say more than the id."""
    short: str
    """The first of these, without the path that some systems put before a name."""
    depth: int
    steps: int
    calls: int
    tokens: float
    busy: float
    waiting: float
    told: bool
    """Whether anything is told of what it did; of some only the return is known."""
    counted: bool
    """Whether any of its events says what tokens it took."""
    ended: str
    bad: bool
    """Whether something it was given came back otherwise than ok."""


def members(run: Run) -> list[Member]:
    """Everybody on the team: the root first, every agent before those that it spawned, these in order of time."""
    trace, timeline = run.replayed.trace, run.timeline
    busy, tokens = dict(timeline.work), defaultdict[str, float](float)
    steps, calls = Counter[str](), Counter[str]()
    told, counted = set[str](), set[str]()
    names, roles = dict[str, str](), dict[str | None, str]()
    for place, event in enumerate(run.events):
        actor = timeline.actors[place]
        steps[actor] += timeline.steps[place]
        calls[actor] += event.type == "tool_call"
        tokens[actor] += run.tokens[place]
        if event.type not in ("return", "despawn"):
            told.add(actor)
        if event.tokens_ is not None:
            counted.add(actor)
        if event.agent_name and event.type != "spawn":  # where it may be that of the new agent
            names.setdefault(event.agent, event.agent_name)
        if event.role:
            roles.setdefault(event.child if event.type == "spawn" else event.agent, event.role)
    acted = set(timeline.actors)
    returned = _returned(run)

    def member(id: str, depth: int) -> Member:
        said = trace.agents.get(id, {})
        words = (said.get("name") or names.get(id), said.get("role") or roles.get(id), said.get("model"))
        also = list(_telling(id, words))
        ended, bad = returned.get(id, ("", False)) if id in acted or id in returned else ("never acts", False)
        first = also[0].rsplit(":", 1)[-1] if also else ""
        spent = (steps[id], calls[id], tokens[id], busy.get(id, 0.0), timeline.waiting.get(id, 0.0))
        return Member(id, " · ".join(also), first, depth, *spent, id in told, id in counted, ended, bad)

    return [member(id, depth) for id, depth in _order(run)]


def _telling(id: str, words: tuple[object, ...]) -> Iterator[str]:
    """What tells more than the id, each thing once."""
    said = [id.lower()]
    for word in words:
        if isinstance(word, str) and word and word.lower() not in said:
            said.append(word.lower())
            yield short(word)


def _order(run: Run) -> Iterator[tuple[str, int]]:
    """All agents with their depth in the tree, depth first. Agents that spawn one another in a circle stand alone."""
    made: dict[str, str] = {}
    present: dict[str, None] = dict.fromkeys([run.root]) if run.root else {}
    for event in run.events:
        child = event.child if event.type == "spawn" else None
        for agent in (event.agent, child):
            if agent in run.members:
                present.setdefault(agent)
        if child and child != run.root and child != event.sender:
            made.setdefault(child, event.sender)
    for agent in run.replayed.trace.agents:
        if agent not in OUTSIDE:
            present.setdefault(agent)
    children = defaultdict(list)
    for agent in present:
        if made.get(agent) in present:
            children[made[agent]].append(agent)
    seen: set[str] = set()
    for top in [*(agent for agent in present if made.get(agent) not in present), *present]:
        waiting = [(top, 0)]
        while waiting:
            agent, depth = waiting.pop()
            if agent not in seen:
                seen.add(agent)
                yield agent, depth
                waiting += [(child, depth + 1) for child in reversed(children[agent])]


def _returned(run: Run) -> Mapping[str, tuple[str, bool]]:
    """How the work given to each agent came back, in words, and whether something went wrong."""
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for stint in run.stints:
        ends[stint.agent]["no return" if stint.status == "open" else stint.status] += 1
    return {agent: (", ".join(map(_counted, found.items())), set(found) != {"ok"}) for agent, found in ends.items()}


def _counted(item: tuple[str, int]) -> str:
    word, count = item
    return word if count == 1 else f"{count} × {word}"
