"""A replayed trace with what several measures need of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from survey.traces.model import EVENT_TYPES, OUTSIDE, Event, first_agent
from survey.traces.replay import Replay, Stint, Timeline, levels, stints, timeline

ACTING = tuple(type for type in EVENT_TYPES if type not in ("human_intervention", "safety_event", "tool_result"))
"""Types of events by which an agent shows that it is one; people, guards and tools have the others."""


class NotMeasurable(Exception):
    """Raised by a measure's function with what it needs."""


@dataclass(frozen=True)
class Run:
    """A replayed trace with what several measures need of it, each worked out once."""

    replayed: Replay

    @property
    def events(self) -> Sequence[Event]:
        """Events in causal order."""
        return self.replayed.graph.events

    def marks(self, *types: str) -> bytes:
        """For each event 1 if it is of one of these types, else 0."""
        return self.replayed.graph.marks(*types)

    def of(self, *types: str) -> list[int]:
        """The places of all events of these types."""
        return self.replayed.graph.of(*types)

    def acts(self, *types: str) -> Iterator[Event]:
        """All events of these types."""
        return compress(self.events, self.marks(*types))

    @cached_property
    def timeline(self) -> Timeline:
        """Who was busy when."""
        return timeline(self.replayed)

    @cached_property
    def profile(self) -> dict[int, float]:
        """For how long how many agents were busy."""
        busy = self.timeline.busy.values()
        return levels((own.starts for own in busy), (own.ends for own in busy))

    @cached_property
    def stints(self) -> list[Stint]:
        """Work that was handed out."""
        return stints(self.replayed)

    @cached_property
    def members(self) -> set[str]:
        """Instances that acted or were spawned; people and tools are none."""
        acted = set(compress(self.replayed.graph.agents, self.marks(*ACTING)))
        spawned = {child for event in self.acts("spawn") if (child := event.child)}
        return (acted | spawned) - OUTSIDE

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The role of each agent that has one.

        As the trace's list of agents has it, else as its spawn or its events have it; the first to say one counts.
        """
        said: dict[str, str] = {}
        for event in self.events:
            if event.role:
                said.setdefault(event.to if event.type == "spawn" and event.to else event.agent, event.role)
        return said | {id: str(agent["role"]) for id, agent in self.replayed.trace.agents.items() if agent.get("role")}

    @cached_property
    def tokens(self) -> list[float]:
        """Tokens of each event; 0 where none are given."""
        return [0 if event.tokens_ is None else event.tokens or 0 for event in self.events]

    @cached_property
    def priced(self) -> list[int]:
        """The places of all events that say what they cost."""
        return [place for place, event in enumerate(self.events) if event.cost is not None]

    @cached_property
    def root(self) -> str:
        """The agent that was there first."""
        return first_agent(self.events)

    def need_seconds(self) -> None:
        """Stop unless durations can be read off."""
        time = self.replayed.trace.time
        if time != "seconds":
            raise NotMeasurable(f"its times are {time}: they order the events and measure nothing")

    def need_tokens(self) -> None:
        """Stop unless some event says what it spent."""
        if not any(True for event in self.events if event.tokens_ is not None):
            raise NotMeasurable("no event says how many tokens it took")

    def need_stints(self) -> list[Stint]:
        """All handed-out work; stop if there was none."""
        if not self.stints:
            raise NotMeasurable("no agent was given work by another")
        return self.stints

    def need_roles(self) -> Mapping[str, str]:
        """The role of each agent that has one; stop if none has."""
        if not self.roles:
            raise NotMeasurable("no agent has a role")
        return self.roles
