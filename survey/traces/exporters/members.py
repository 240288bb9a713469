"""Who takes part in a trace, as exporters show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from survey.traces.model import OUTSIDE
from survey.traces.replay import Replay, Timeline


@dataclass(frozen=True, slots=True)
class Member:
    """An agent instance, or somebody outside the team; "" where nothing is said."""

    id: str
    name: str = ""
    role: str = ""
    model: str = ""

    @property
    def label(self) -> str:
        """What a reader is shown: the instance, and the logical agent if the instance does not say it.

        >>> Member("critic-2", "critic").label, Member("7f3a", "critic").label
        ('critic-2', 'critic (7f3a)')
        """
        return self.id if self.id.startswith(self.name) else f"{self.name} ({self.id})"


def members(replayed: Replay, line: Timeline) -> Mapping[str, Member]:
    """Everybody by id: the root first, the others as they are spawned or come up, the world outside last."""
    seen: dict[str, dict[str, str]] = {}
    for event, actor in zip(replayed.graph.events, line.actors, strict=True):
        child = event.child if event.type == "spawn" else None
        for id in (actor, event.from_, event.to, child):
            if id:
                seen.setdefault(id, {})
        for key, said in (("name", event.agent_name), ("role", event.role)):
            if said and (child or actor == event.agent):  # at a spawn, both are those of the new agent
                seen[child or actor].setdefault(key, said)
    for id, about in replayed.trace.agents.items():
        declared = {key: str(about[key]) for key in ("name", "role", "model") if about.get(key)}
        seen[id] = {**seen.get(id, {}), **declared}
    return {id: Member(id, **seen[id]) for id in sorted(seen, key=OUTSIDE.__contains__)}
