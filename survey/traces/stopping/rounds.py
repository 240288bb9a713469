"""The rounds of a recorded run, from its graph alone.

**The rule.** *Contributions* are what the parties of a run do for each other to see. A contribution belongs to the
latest round of which its author has heard from another party. If the author had contributed to that round, or to a
later one, before it heard of it, the contribution opens the next. A return ends what it answers, and opens nothing. A
round counts if at least two parties contribute to it; what follows the last such round *closes* the run.

The parties are the agents, and the contributions are the acts that reach another agent: spawns, delegations,
messages, returns. So a round of a debate is one statement of each debater, whether they speak at once or in turn; one
of a review loop is a draft and its review; and one of a search is a wave of branches that somebody hands out and
collects. Where one agent works alone, the parties are its tools, and the contributions are its calls, of which the
agent carries the results on: edit, test, edit, test are two rounds, and reading three files first opens no round.
Where that agent has one tool only, each call that follows a result is a round.

The rule cannot tell a repetition from a next stage: a planner, its workers and a joiner that one agent starts one after
the other are three rounds. A tree whose branches start their own, with nobody who collects in between, is one. Acts
that only end a team, such as a request to shut down and its answer, are an exchange like any other.

Who contributes after what is read from edges and from each agent's own past. Events of one agent with the same time
and type follow each other only along edges, and acts of one turn (``parent``) know what the turn knew: the order of
independent lines of a log changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from survey.traces.metrics import Run
from survey.traces.model import OUTSIDE, Event
from survey.traces.model.order import RANKS
from survey.traces.problems import NotMeasurable
from survey.traces.replay import TURNS

Known = TypeVar("Known")

REACHING = frozenset({"spawn", "delegate", "message", "return"})
"""Types of acts that name another agent."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of a run, numbered from 1."""

    count: int
    by_tools: bool
    """Whether the parties are the tools of a lone agent, not agents."""
    contributions: Mapping[int, int]
    """The place of each contribution, with its round; those that close the run have the round ``count + 1``."""
    of: Sequence[int]
    """The round of each event, by place: that of the contribution it leads to, and for a result that of its call,
    whoever gives it. 0 for people and the environment."""


def rounds(run: Run) -> Rounds:
    """Return the rounds of a run. Raises ``NotMeasurable`` unless there are two or more."""
    if len(run.members) == 1:
        return _rounds(run, _among_tools(run), by_tools=True)
    return _rounds(run, _among_agents(run), by_tools=False)


@dataclass(frozen=True, slots=True)
class _Clock:
    """What a party knows of rounds."""

    spoke: int = 0
    """The latest round to which it contributed."""
    heard: int = 0
    """The latest round of which it heard."""
    next: int = 0
    """The round to which it would contribute next."""

    def hears(self, round: int) -> _Clock:
        """Return the clock after a contribution of another party: one that follows an own one asks for a new round."""
        follows = round if self.spoke < round else round + 1
        return _Clock(self.spoke, max(self.heard, round), max(self.next, follows))

    def speaks(self, round: int) -> _Clock:
        """Return the clock after an own contribution."""
        return _Clock(max(self.spoke, round), self.heard, max(self.next, round))

    def joined(self, other: _Clock) -> _Clock:
        """Return what is known from two pasts."""
        return _Clock(max(self.spoke, other.spoke), max(self.heard, other.heard), max(self.next, other.next))


NEW = _Clock()


def _among_agents(run: Run) -> tuple[dict[int, int], list[int]]:
    """Return the round of each contribution, and for each event the round to which its agent would contribute."""
    events, graph, members = run.events, run.replayed.graph, run.members
    reaching = {place for place, event in enumerate(events) if _reaches(event, members)}
    heard_from: list[list[int]] = [[] for _ in events]
    own_causes: list[list[int]] = [[] for _ in events]
    for source, target in zip(graph.sources, graph.targets, strict=True):
        a, b = events[source].sender, events[target].sender
        if a == b:
            own_causes[target].append(source)
        elif a in members and b in members:
            reaching.add(source)
            heard_from[target].append(source)
    found: dict[int, int] = {}
    clocks: list[_Clock] = []
    past = _Past[_Clock](NEW, _Clock.joined)
    for place, event in enumerate(events):
        turn = _turn(run, event, place)
        known = past.before(event) if turn is None else clocks[turn]
        for cause in own_causes[place] if turn is None else ():
            known = known.joined(clocks[cause])
        for cause in heard_from[place]:
            known = known.hears(found[cause])
        if place in reaching:
            told = max(known.spoke, known.heard) if event.type == "return" else known.next
            found[place] = max(told, 1)
            known = known.speaks(found[place])
        clocks.append(known)
        past.add(event, known)
    if not found:
        raise NotMeasurable("no act of one agent reaches another: there are no rounds")
    return found, [max(clock.next, 1) for clock in clocks]


def _reaches(event: Event, members: Collection[str]) -> bool:
    if event.type not in REACHING or event.sender not in members:
        return False
    to = event.child if event.type == "spawn" else event.to
    return to in members and to != event.sender


Clocks = Mapping[str, _Clock]


def _among_tools(run: Run) -> tuple[dict[int, int], None]:
    """Return the round of each call of a lone agent: of its tools, each hears through the agent what others gave."""
    events, graph, answers = run.events, run.replayed.graph, run.replayed.answers
    calls = {result: call for call, result in answers.items()}
    tools = {_tool(event) for event in run.acts("tool_call")}
    if not tools:
        raise NotMeasurable("one agent works alone and calls no tools: there are no rounds")
    causes: list[list[int]] = [[] for _ in events]
    for source, target in zip(graph.sources, graph.targets, strict=True):
        causes[target].append(source)
    found: dict[int, int] = {}
    known: list[Clocks] = []
    past = _Past[Clocks]({}, _joined)
    for place, event in enumerate(events):
        turn = _turn(run, event, place)
        own = past.before(event) if turn is None else known[turn]
        for cause in causes[place] if turn is None else ():
            own = _joined(own, known[cause])
        if event.type == "tool_call":
            tool = _tool(event)
            clock = own.get(tool, NEW)
            found[place] = max(1, clock.next)
            own = {**own, tool: clock.speaks(found[place])}
        elif place in calls and calls[place] in found:
            tool, round = _tool(events[calls[place]]), found[calls[place]]
            listeners = tools - {tool} or tools
            own = {**own, **{one: own.get(one, NEW).hears(round) for one in listeners}}
        known.append(own)
        past.add(event, own)
    return found, None


def _joined(one: Clocks, other: Clocks) -> Clocks:
    if one is other or not other:
        return one
    return {**one, **{tool: one.get(tool, NEW).joined(clock) for tool, clock in other.items()}}


def _tool(call: Event) -> str:
    return call.tool or "unnamed"


def _turn(run: Run, event: Event, place: int) -> int | None:
    """Return the place of the turn that an act is part of."""
    if event.parent is None or event.type not in REACHING | {"tool_call"}:
        return None
    turn = run.replayed.graph.places.get(event.parent)
    if turn is None or turn >= place:
        return None
    return turn if run.events[turn].type in TURNS and run.events[turn].sender == event.sender else None


class _Past(Generic[Known]):
    """What each agent knows from its own earlier events."""

    def __init__(self, nothing: Known, joined: Callable[[Known, Known], Known]) -> None:
        self._nothing, self._joined = nothing, joined
        self._own: dict[str, tuple[tuple[float, int], Known, Known]] = {}

    def before(self, event: Event) -> Known:
        """Return what the agent knew before this event; events of the same time and type tell it nothing."""
        standing = (event.t, RANKS[event.type])
        last, earlier, here = self._own.get(event.sender, (standing, self._nothing, self._nothing))
        if standing > last:
            last, earlier, here = standing, self._joined(earlier, here), self._nothing
        self._own[event.sender] = last, earlier, here
        return earlier

    def add(self, event: Event, known: Known) -> None:
        """Add what the agent knows after this event."""
        standing = (event.t, RANKS[event.type])
        last, earlier, here = self._own.get(event.sender, (standing, self._nothing, self._nothing))
        if standing > last:
            last, earlier, here = standing, self._joined(earlier, here), self._nothing
        self._own[event.sender] = last, earlier, self._joined(here, known)


def _rounds(run: Run, counted: tuple[dict[int, int], list[int] | None], by_tools: bool) -> Rounds:
    contributions, upcoming = counted
    parties: dict[int, set[str]] = {}
    for place, round in contributions.items():
        event = run.events[place]
        parties.setdefault(round, set()).add(_tool(event) if by_tools else event.sender)
    count = max(parties)
    alone = by_tools and len(set.union(*parties.values())) == 1
    if not alone and len(parties[count]) == 1:  # nobody answers
        count -= 1
    if count < 2:
        if by_tools:
            raise NotMeasurable("one agent works alone, and repeats no call after what another tool gave it")
        raise NotMeasurable(
            "the agents exchange their work once: there is no round to stop before"
            if count
            else "no agent answers another: there are no rounds"
        )
    leads = _led_to(run, contributions)
    calls = {result: call for call, result in run.replayed.answers.items()}
    found: list[int] = []
    for place, event in enumerate(run.events):
        if place in calls:
            found.append(found[calls[place]])  # a call precedes its result
        elif event.sender in OUTSIDE:
            found.append(0)
        elif leads[place] < inf:
            found.append(min(int(leads[place]), count + 1))
        else:
            found.append(min(upcoming[place] if upcoming is not None else count + 1, count + 1))
    kept = {place: min(round, count + 1) for place, round in contributions.items()}
    return Rounds(count, by_tools, kept, found)


def _led_to(run: Run, contributions: Mapping[int, int]) -> Sequence[float]:
    """Return for each event the round of its agent's first contribution from it on; infinity if there is none."""
    events, graph = run.events, run.replayed.graph
    found: list[float] = [inf] * len(events)
    later: dict[str, tuple[tuple[float, int], float, float]] = {}
    targets: list[list[int]] = [[] for _ in events]
    for source, target in zip(graph.sources, graph.targets, strict=True):
        if events[source].sender == events[target].sender:
            targets[source].append(target)
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        standing = (event.t, RANKS[event.type])
        first, after, here = later.get(event.sender, (standing, inf, inf))
        if standing < first:
            first, after, here = standing, min(after, here), inf
        if place in contributions:
            found[place] = contributions[place]
        else:
            found[place] = min(_least(found[target] for target in targets[place]), after)
        later[event.sender] = first, after, min(here, found[place])
    return found


def _least(values: Iterable[float]) -> float:
    return min(values, default=inf)
