"""Events that are part of others, by their field ``parent``: what cannot be, or hardly."""

from __future__ import annotations

from collections.abc import Callable

from survey.traces.model import EXTERNAL_ACTS, OUTSIDE, Event, Graph
from survey.traces.problems import quoted
from survey.traces.replay.assignments import Assignments

Report = Callable[..., None]
"""Reports a problem: the place of its event, its kind, its text, the id of another event; ``warning`` if it is one."""


class Parts:
    """Checks of the parent of each event in a replay."""

    def __init__(self, graph: Graph, assignments: Assignments, report: Report) -> None:
        self.graph, self.assignments, self.report = graph, assignments, report
        self._later_parents: list[int] = []  # events whose parent comes after them, at the same time

    def check(self, place: int, event: Event, id: str) -> None:
        """Check the event that another is part of."""
        at = self.graph.places.get(id)
        if at is None:
            self.report(place, "unknown-event", f"is part of {quoted(id)}, but no event has that id", id)
            return
        whole = self.graph.events[at]
        if at == place:
            self.report(place, "parent-cycle", "is part of itself")
        elif whole.t > event.t and at > place:  # else edges put it first, which is reported for them
            text = f"is part of {quoted(id)} (t = {whole.t:g}), which is later than {event.t:g}"
            self.report(place, "parent-later", text, id)
        elif at > place:
            self._later_parents.append(place)
        if whole.agent != event.agent and event.type not in EXTERNAL_ACTS:
            self._check_agent(place, event, whole)

    def _check_agent(self, place: int, event: Event, whole: Event) -> None:
        """Report a part of an act by an agent that neither gave the work nor addressed its agent."""
        agents = {event.agent, event.sender}
        if agents & OUTSIDE or {whole.agent, whole.sender} & (agents | OUTSIDE) or {whole.to, whole.child} & agents:
            return
        if self.assignments.has_work(event.agent) and whole.agent not in self.assignments.superiors(event.agent):
            text = f"is part of {quoted(whole.id)} of {quoted(whole.agent)}, who gave {quoted(event.agent)} no work"
            self.report(place, "parent-of-other-agent", text, whole.id, warning=True)

    def report_cycles(self) -> None:
        """Report events that are part of one another. Where every parent comes first, there are none."""
        if not self._later_parents:
            return
        places, events = self.graph.places, self.graph.events
        seen: set[int] = set()
        for start in self._later_parents:
            path: dict[int, None] = {}
            place: int | None = start
            while place is not None and place not in seen:
                seen.add(place)
                path[place] = None
                parent = events[place].parent
                place = places.get(parent) if parent is not None else None
            if place in path and events[place].parent != events[place].id:
                text = f"is part of {quoted(events[place].parent)}, which is part of it"
                self.report(place, "parent-cycle", text)
