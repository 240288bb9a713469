"""The members of a trace, as exporters show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from survey.traces.model import OUTSIDE
from survey.traces.replay import Replay, Timeline


@dataclass(frozen=True, slots=True)
class Member:
    """An agent instance, or a participant outside the team; an unknown field is ""."""

    id: str
    name: str = ""
    role: str = ""
    model: str = ""

    @property
    def label(self) -> str:
        """The displayed name: the instance, and the logical agent unless the id starts with it.

        >>> Member("critic-2", "critic").label, Member("7f3a", "critic").label
        ('critic-2', 'critic (7f3a)')
        """
        return self.id if self.id.startswith(self.name) else f"{self.name} ({self.id})"


def members(replayed: Replay, line: Timeline) -> Mapping[str, Member]:
    """Return all members by id: the root first, then in order of appearance, participants outside the team last."""
    seen: dict[str, dict[str, str]] = {}
    for event, actor in zip(replayed.graph.events, line.actors, strict=True):
        child = event.child if event.type == "spawn" else None
        for id in (actor, event.from_, event.to, child):
            if id:
                seen.setdefault(id, {})
        for key, attributes in (("name", event.agent_name), ("role", event.role)):
            if attributes and (child or actor == event.agent):  # a spawn describes the new agent
                seen[child or actor].setdefault(key, attributes)
    for id, about in replayed.trace.agents.items():
        declared = {key: str(about[key]) for key in ("name", "role", "model") if about.get(key)}
        seen[id] = {**seen.get(id, {}), **declared}
    return {id: Member(id, **seen[id]) for id in sorted(seen, key=OUTSIDE.__contains__)}
