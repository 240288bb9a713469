"""Work that agents give one another: who gave it, whether it was returned, and what an agent does after that."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from survey.traces.model import OUTSIDE, Event, Graph
from survey.traces.problems import quoted

WORK = frozenset({"model_call", "tool_call", "aggregate", "spawn"})
"""Event types that are work of an agent's own: after a return it may still speak, decide, and pass work on."""

Warn = Callable[[int, str, str, str], None]
"""Reports a warning: the place of its event, its kind, its text and the id of another event."""


class Assignments:
    """The work given so far in a replay, and warnings about returns of it that fit no work."""

    def __init__(self, graph: Graph, names: Collection[str], warn: Warn) -> None:
        self.graph, self.names, self.warn = graph, names, warn
        self.returned: dict[str, str] = {}
        """Agents whose work has all been returned, with the last return."""
        self._givers: dict[str, str] = {}  # who spawned each agent, or last delegated to it
        self._expected: dict[str, int] = {}  # returns still expected of each agent that was given work
        self._any_return = False

    def give(self, giver: str, agent: str, *, new: bool = False) -> None:
        """Expect one more return of an agent; of a new one, the first."""
        self._givers[agent] = giver
        self._expected[agent] = 1 if new else self._expected.get(agent, 0) + 1
        self.returned.pop(agent, None)

    def ask(self, agent: str, known: bool) -> None:
        """Take a message for work, as it may be; an agent that is not known may be any that shares its name."""
        if agent in self._expected:
            self._expected[agent] += 1
        self.returned.pop(agent, None)
        if not known:
            self.returned.clear()

    def superiors(self, agent: str) -> set[str]:
        """Return who gave an agent its work, who gave them theirs, and so on."""
        found: set[str] = set()
        while (giver := self._givers.get(agent)) is not None and giver not in found:
            found.add(giver)
            agent = giver
        return found

    def has_work(self, agent: str) -> bool:
        """Return whether anybody ever gave the agent work."""
        return agent in self._givers

    def continued(self, place: int, event: Event) -> None:
        """Report work after an agent's own return, once, unless something gave the agent new work."""
        agent, back = event.agent, self.returned[event.agent]
        if self.graph.events[self.graph.places[back]].t == event.t:
            return  # either may have come first
        del self.returned[agent]
        if not self._prompted(place, agent):
            text = f"{quoted(agent)} continues although it returned with {quoted(back)} and has no new task"
            self.warn(place, "work-after-return", text, back)

    def take_back(self, place: int, event: Event, task: str | None) -> None:
        """Take a return; ``task`` is the event that gave the work, if it is known and the receiver is reachable."""
        agent, back = event.sender, self.returned.get(event.sender)
        self._any_return = True
        if back is not None and not self._prompted(place, agent):
            text = f"{quoted(agent)} already returned with {quoted(back)} and has no new task"
            self.warn(place, "second-return", text, back)
        if event.to and self._givers.get(event.to) == agent and event.to not in self.superiors(agent):
            self.warn(place, "return-to-own-agent", f"returns to {quoted(event.to)}, to whom it gave work itself", "")
        if agent in self._expected:
            self._expected[agent] = max(self._expected[agent] - 1, 0)
            if not self._expected[agent]:
                self.returned[agent] = event.id
        if task is not None:
            self._check_receiver(place, event, self.graph.events[self.graph.places[task]])

    def report_open(self, tasks: Mapping[str, str], waiting: Collection[str]) -> None:
        """Report work that is never returned, where other work is: some systems record no returns.

        An agent whose acts led to another's has passed its work on; one that waits for a result is reported for it.
        """
        if not tasks or not self._any_return:
            return
        given = {agent: self.graph.places[id] for agent, id in tasks.items() if agent not in OUTSIDE}
        agents = self.graph.agents
        passed_on = {agents[a] for a, b, _ in self.graph.edges() if agents[a] in given and agents[a] != agents[b]}
        passed_on |= {sender for sender, _ in self._addressed} | set(waiting)
        for agent, place in given.items():
            if agent not in passed_on and not self.graph.events[place].transfer:
                self.warn(place, "task-without-return", f"{quoted(agent)} never returns", "")

    def _prompted(self, place: int, agent: str) -> bool:
        """Return whether an edge leads to an event from another agent's."""
        agents, sources, targets = self.graph.agents, self.graph.sources, self.graph.targets
        edge = bisect_left(targets, place)
        while edge < len(targets) and targets[edge] == place:
            if agents[sources[edge]] != agent:
                return True
            edge += 1
        return False

    def _check_receiver(self, place: int, event: Event, task: Event) -> None:
        """Report a return to an agent that neither gave the work nor sent anything to the one that did it."""
        to = event.to
        if to is None or to in OUTSIDE or to in self.names or task.sender in OUTSIDE or task.transfer:
            return
        if to not in self.superiors(event.sender) and (to, event.sender) not in self._addressed:
            text = f"returns to {quoted(to)}, but {quoted(task.id)} of {quoted(task.sender)} gave the task"
            self.warn(place, "return-to-other-agent", text, task.id)

    @cached_property
    def _addressed(self) -> set[tuple[str, str]]:
        """All pairs of agents of which one wrote or delegated to the other."""
        places = self.graph.places_of("message", "delegate", "spawn")
        acts = map(self.graph.events.__getitem__, places)
        return {(act.sender, act.to) for act in acts if act.to is not None}
