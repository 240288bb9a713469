"""Dependents of removed units, by the rules of ``survey.traces.replay.edits``, for many units of one trace."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from survey.traces.model import Event, Trace
from survey.traces.replay import CAUSES, Replay, replay


@dataclass(frozen=True)
class Dependents:
    """A trace with its dependencies between events."""

    trace: Trace

    def removed_with(self, ids: Iterable[str], *, possibly: bool = False) -> tuple[set[str], set[str]]:
        """Return the events (by id) and agents removed with these events and agents, including these.

        By the rule of ``edits.without`` an event is removed when all its causes are. With ``possibly``, it is
        removed when any is, which gives everything that could be removed in combination with other removals.
        """
        ordered = self._replayed.graph
        gone = {id for id in ids if id in ordered.places}
        agents = {id for id in ids if id not in ordered.places}
        for event in ordered.events:
            if event.id in gone or self._goes(event, gone, agents, possibly):
                gone.add(event.id)
                if event.type == "spawn" and (child := event.child):
                    agents.add(child)
        return gone, agents

    def _goes(self, event: Event, gone: Collection[str], agents: set[str], possibly: bool) -> bool:
        causes = self._causes.get(event.id, [])
        return (
            not agents.isdisjoint((event.agent, event.sender, event.to or ""))
            or event.parent in gone
            or self._calls.get(event.id) in gone
            or (bool(causes) and (any if possibly else all)(cause in gone for cause in causes))
        )

    @cached_property
    def _replayed(self) -> Replay:
        return replay(self.trace)

    @cached_property
    def _calls(self) -> dict[str, str]:
        events = self._replayed.graph.events
        return {events[result].id: events[call].id for call, result in self._replayed.answers.items()}

    @cached_property
    def _causes(self) -> dict[str, list[str]]:
        ordered = self._replayed.graph
        found: dict[str, list[str]] = {}
        for source, target, type in ordered.edges():
            if type in CAUSES:
                found.setdefault(ordered.events[target].id, []).append(ordered.events[source].id)
        return found
