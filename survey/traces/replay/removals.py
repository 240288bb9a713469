"""Many removals from a run at once: a bit of each number stands for one of them.

``edits.without`` removes one set of units and builds the trace that is left. Credit asks for hundreds of sets of the
same run, and only for what of it still leads to the result. Here one pass over the events answers for all sets
together, by the same rules: bit i of an event's number says whether it is gone in the i-th.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from survey.traces.model import EXTERNAL_ACTS, OUTSIDE, Event
from survey.traces.model.order import RANKS, by_time
from survey.traces.replay.edits import CAUSES
from survey.traces.replay.replay import Replay
from survey.traces.replay.walk import AFTER_THE_STOP

ENDS = frozenset({"stop", "despawn"})
"""Types of events after which an agent, or nobody, acts."""

Bits = int
"""The removals for which something holds, a bit for each."""


@dataclass(frozen=True)
class Gone:
    """For each event (by its place) and each agent, the removals with which it goes."""

    events: Sequence[Bits]
    agents: Mapping[str, Bits]


@dataclass(frozen=True)
class Removals:
    """A replayed run, from which many sets of units are removed at once."""

    replayed: Replay

    def gone(self, units: Mapping[str, Bits]) -> Gone:
        """Return what goes with these events and agents (by id), each given with the removals that name it."""
        ordered = self.replayed.graph
        places = ordered.places
        gone = [0] * len(ordered)
        agents = {id: bits for id, bits in units.items() if id not in places}
        for id, bits in units.items():
            if id in places:
                gone[places[id]] = bits
        while self._pass(gone, agents) and self._backward:
            pass
        return Gone(gone, agents)

    def _pass(self, gone: list[Bits], agents: dict[str, Bits]) -> bool:
        """Add what goes with these, in one pass, and return whether there was any."""
        ordered = self.replayed.graph
        places = ordered.places
        causes, calls, known = self._causes, self._calls, agents.get
        changed = False
        for place, event in enumerate(ordered.events):
            own = places[event.id]
            out = gone[own] | known(event.agent, 0)
            if event.from_ is not None:
                out |= known(event.from_, 0)
            if event.to is not None:
                out |= known(event.to, 0)
            if event.parent is not None and event.parent in places:
                out |= gone[places[event.parent]]
            if place in calls:
                out |= gone[calls[place]]
            if sources := causes.get(place):
                every = gone[sources[0]]
                for source in sources[1:]:
                    every &= gone[source]
                out |= every
            if out != gone[own]:
                gone[own], changed = out, True
            if event.type == "spawn" and (child := event.child) and out & ~known(child, 0):
                agents[child], changed = known(child, 0) | out, True
        return changed

    @cached_property
    def _backward(self) -> bool:
        """Whether an event may take an earlier one with it: a part before its whole, or an agent before its spawn."""
        ordered = self.replayed.graph
        spawned: dict[str, int] = {}
        for place in ordered.places_of("spawn"):
            if child := ordered.events[place].child:
                spawned[child] = place
        for place, event in enumerate(ordered.events):
            whole = ordered.places.get(event.parent, -1) if event.parent is not None else -1
            named = (spawned.get(agent, -1) for agent in (event.agent, event.from_, event.to) if agent is not None)
            if max(whole, *named) > place:
                return True
        return False

    def leading(self, gone: Gone, all: Bits, goals: Iterable[str], *, past_failures: bool = True) -> list[Bits]:
        """Return for each event with which removals it stays and a path leads from it to a goal that stays.

        ``all`` has a bit for each removal. Paths are those of ``replay.leading_to``. Only for ``steady`` runs.
        """
        ordered = self.replayed.graph
        sources, targets = ordered.sources, ordered.targets
        wanted = {ordered.places[id] for id in goals}
        found = [0] * len(ordered)
        past = defaultdict[str, _Past](_Past)
        edge = len(targets) - 1
        for place in range(len(ordered) - 1, -1, -1):
            event = ordered.events[place]
            own, rank = past[event.agent], RANKS[event.type]
            leads = found[place] | own.after(event.t, rank)
            if place in wanted:
                leads = all
            elif not past_failures and event.status != "ok":
                leads = 0
            leads &= ~gone.events[place]
            found[place] = leads
            own.ranks[rank] = own.ranks.get(rank, 0) | leads
            while edge >= 0 and targets[edge] == place:
                found[sources[edge]] |= leads
                edge -= 1
        return found

    @cached_property
    def steady(self) -> bool:
        """Whether whatever is left of the run after a removal stays possible, in the same order.

        Else what is left has to be replayed: without a spawn, a despawn or a person's word, other events may
        contradict it (``edits.without`` removes these as well). It is a sufficient condition, met by most runs.
        """
        ordered = self.replayed.graph
        return (
            not self.replayed.problems.errors
            and len(ordered.places) == len(ordered)
            and self._the_order_stays()
            and self._everybody_stays_known()
            and self._everything_stays_in_place()
            and self._nobody_goes_on_after_a_stop()
        )

    def _the_order_stays(self) -> bool:
        """Whether no event could change places with another where that counts.

        Edges among events of one time may keep an event after one that would else follow it, until what links the
        two is removed. It counts for acts of one agent, which know its past, and after the end of an agent or the run.
        """
        ordered, delayed = self.replayed.graph, self._delayed
        events = ordered.events
        at_once: dict[tuple[str, float], dict[int, list[int]]] = {}
        for place, event in enumerate(events) if delayed else ():
            at_once.setdefault((event.agent, event.t), {}).setdefault(RANKS[event.type], []).append(place)
        linked = set(zip(ordered.sources, ordered.targets, strict=True)) if delayed else set()
        for place in delayed:
            event = events[place]
            for rank, others in at_once[event.agent, event.t].items():
                for other in others if rank > RANKS[event.type] else ():  # each pair takes an edge, or is the last
                    if (other, place) not in linked and (place, other) not in linked:
                        return False
        return not any(events[a].type in ENDS and events[a].t == events[b].t for a, b in linked)

    @cached_property
    def _delayed(self) -> set[int]:
        """The events that edges put after one that would follow them by time and type alone."""
        ordered = self.replayed.graph
        natural = [0] * len(ordered)
        position = {at: place for place, at in enumerate(ordered.positions)}
        for number, at in enumerate(by_time(ordered.trace.events)):
            natural[position[at]] = number
        last = [-1] * len(ordered)
        for source, target in zip(ordered.sources, ordered.targets, strict=True):  # sorted by target
            last[target] = max(last[target], last[source], natural[source])
        return {place for place, number in enumerate(natural) if last[place] > number}

    def _everybody_stays_known(self) -> bool:
        """Whether each agent is spawned once, before it acts or is addressed, or listed; or nobody is spawned."""
        events = self.replayed.graph.events
        spawned: dict[str, int] = {}
        despawned: set[str] = set()
        for place, event in enumerate(events):
            if event.type == "spawn" and (child := event.child):
                if child in spawned:
                    return False
                spawned[child] = place
            if event.type == "despawn":
                if (agent := event.to or event.agent) in despawned:
                    return False
                despawned.add(agent)
        if not spawned:
            return True
        known = self.replayed.trace.agents.keys() | OUTSIDE
        for place, event in enumerate(events):
            for agent in _named(event):
                if spawned.get(agent, -1) > place or not (agent in spawned or agent in known):
                    return False
        return True

    def _everything_stays_in_place(self) -> bool:
        """Whether each part follows what it is part of, and each result names its call."""
        ordered = self.replayed.graph
        is_call, named = ordered.marks("tool_call"), set(self._calls)
        linked = {target for source, target, _ in ordered.edges() if is_call[source]}
        for place, event in enumerate(ordered.events):
            parent = ordered.places.get(event.parent, place) if event.parent is not None else -1
            if parent >= place:
                return False
            calls = place in linked or (parent >= 0 and is_call[parent] and parent not in self._delayed)
            if event.type == "tool_result" and not (place in named and calls):
                return False
        return True

    def _nobody_goes_on_after_a_stop(self) -> bool:
        """Whether no stop is lifted later by something that could be removed."""
        halted: set[str] = set()
        stopped = False
        for event in self.replayed.graph.events:
            if event.type not in AFTER_THE_STOP:
                if stopped or (event.agent in halted and event.type != "message"):
                    return False
            elif event.type == "stop":
                if event.to:
                    halted.add(event.to)
                else:
                    stopped = True  # of the whole team, or of its agent where another is its root
        return True

    @cached_property
    def _causes(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for source, target, type in self.replayed.graph.edges():
            if type in CAUSES:
                found.setdefault(target, []).append(source)
        return found

    @cached_property
    def _calls(self) -> dict[int, int]:
        """The place of the call that each result answers."""
        return {result: call for call, result in self.replayed.answers.items()}


@dataclass
class _Past:
    """Of one agent: with which removals any of the events seen so far leads on, those of its latest time by rank."""

    t: float = inf
    ranks: dict[int, Bits] = field(default_factory=dict)
    later: Bits = 0

    def after(self, t: float, rank: int) -> Bits:
        """Go back to a time, and return the removals with which an event after this time and rank leads on."""
        if t != self.t:
            for bits in self.ranks.values():
                self.later |= bits
            self.t, self.ranks = t, {}
        found = self.later
        for other, bits in self.ranks.items():
            if other > rank:
                found |= bits
        return found


def _named(event: Event) -> list[str]:
    """Return the agents that must be on the team for this event."""
    acting = () if event.type in EXTERNAL_ACTS else (event.agent, event.sender)
    return [agent for agent in (*acting, event.to) if agent is not None]
