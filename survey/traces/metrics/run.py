"""A replayed trace with cached intermediate results that several measures share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from survey.traces.metrics.prices import Prices, public
from survey.traces.metrics.prices.spending import Spending, spending
from survey.traces.model import EVENT_TYPES, OUTSIDE, UNDERCOUNTED, Event, Tokens, first_agent
from survey.traces.problems import NotMeasurable
from survey.traces.replay import (
    BEGINNING_UNKNOWN,
    Delegation,
    Replay,
    Timeline,
    Unseen,
    delegations,
    levels,
    timeline,
    unseen,
)

ACTING = tuple(type for type in EVENT_TYPES if type not in ("human_intervention", "safety_event", "tool_result"))
"""Event types that only agents have; the others may belong to people, guards and tools."""

STARTING = frozenset({"spawn", "delegate", "despawn", "stop"})
"""Types of acts of a program that starts agents and does no work of its own."""


@dataclass(frozen=True)
class Run:
    """A replayed trace with intermediate results that several measures share, each computed once."""

    replayed: Replay
    prices: Prices | None = None
    """The prices of models; None for the public list."""
    is_shortest: bool = False
    """Whether what has no time of beginning counts from its first record only."""

    @property
    def events(self) -> Sequence[Event]:
        """Events in causal order."""
        return self.replayed.graph.events

    def marks(self, *types: str) -> bytes:
        """Return 1 for each event of one of these types, 0 for the others."""
        return self.replayed.graph.marks(*types)

    def places_of(self, *types: str) -> list[int]:
        """Return the places of all events of these types."""
        return self.replayed.graph.places_of(*types)

    def acts(self, *types: str) -> Iterator[Event]:
        """Iterate over all events of these types."""
        return compress(self.events, self.marks(*types))

    @cached_property
    def timeline(self) -> Timeline:
        """Busy times and the critical path."""
        return timeline(self.replayed, shortest=self.is_shortest)

    @cached_property
    def shortest(self) -> Run:
        """The run in which turns began with their first record, if the log does not say when they did."""
        return Run(self.replayed, self.prices, is_shortest=True)

    @property
    def ambiguous(self) -> bool:
        """Whether the trace leaves open when some of its turns or messages began."""
        turns = self.acts(*BEGINNING_UNKNOWN)
        return any(event.t_end is None or event.t_first is not None for event in turns)

    @cached_property
    def profile(self) -> dict[int, float]:
        """Seconds by number of busy agents."""
        busy = self.timeline.busy.values()
        return levels((own.starts for own in busy), (own.ends for own in busy))

    @cached_property
    def unseen(self) -> list[Unseen]:
        """Intervals in which an agent may have worked, though the trace does not show it."""
        return unseen(self.replayed, self.timeline)

    @cached_property
    def delegations(self) -> list[Delegation]:
        """The pieces of delegated work."""
        return delegations(self.replayed)

    @cached_property
    def members(self) -> set[str]:
        """Instances that acted or were spawned; people and tools do not count."""
        acted = set(compress(self.replayed.graph.agents, self.marks(*ACTING)))
        spawned = {child for event in self.acts("spawn") if (child := event.child)}
        return (acted | spawned) - OUTSIDE

    @cached_property
    def program(self) -> str | None:
        """The root, if all it does is start the others and end the run: the program around the agents."""
        types = {event.type for event in self.events if event.agent == self.root}
        return self.root if "spawn" in types and types <= STARTING else None

    @cached_property
    def sent(self) -> Counter[tuple[str, str | None]]:
        """The number of messages by sender and receiver."""
        return Counter((event.from_ or event.agent, event.to) for event in self.acts("message"))

    @cached_property
    def failures(self) -> list[tuple[Event, Event]]:
        """Each tool call with a result that is not ok, and that result."""
        events = self.events
        return [
            (events[call], events[result])
            for call, result in self.replayed.answers.items()
            if (status := events[result].status_) is not None and status != "ok"
        ]

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The role of each agent that has one.

        It is taken from the trace's list of agents, else from the first spawn or event that names one.
        """
        recorded: dict[str, str] = {}
        unknown = {*self.replayed.graph.agents, *(event.to for event in self.acts("spawn") if event.to)}
        for event in self.events if unknown else ():
            if event.role:
                agent = event.to if event.type == "spawn" and event.to else event.agent
                if agent in unknown:
                    recorded[agent] = event.role
                    unknown.remove(agent)
                    if not unknown:  # soon the case in most traces
                        break
        return recorded | {
            id: str(agent["role"]) for id, agent in self.replayed.trace.agents.items() if agent.get("role")
        }

    @property
    def recorded(self) -> Sequence[float | Tokens | None]:
        """The tokens of each event as they are recorded: a total, by kind, or not at all."""
        return self.replayed.graph.recorded

    @property
    def tokens(self) -> Sequence[float]:
        """Tokens of each event; 0 if absent."""
        return self.replayed.graph.tokens

    @cached_property
    def total_tokens(self) -> float:
        """The tokens of all events."""
        return sum(self.tokens)

    @cached_property
    def undercounted(self) -> bool:
        """Whether the import knows that the tokens are too low: those of some calls are missing, or cannot be all."""
        return any(loss["what"] in UNDERCOUNTED for loss in self.replayed.trace.source.get("lost") or ())

    @cached_property
    def priced(self) -> list[int]:
        """The places of all events with a recorded cost."""
        costs = [event.cost for event in self.events]
        if costs.count(None) == len(costs):
            return []
        return [place for place, cost in enumerate(costs) if cost is not None]

    @cached_property
    def spending(self) -> Spending:
        """The tokens that events record."""
        agents, prices = self.replayed.trace.agents, self.prices or public()
        return spending(self.events, self.timeline.actors, self.recorded, agents, prices)

    @cached_property
    def root(self) -> str:
        """The first agent to act."""
        return first_agent(self.events)

    def need_seconds(self) -> None:
        """Raise ``NotMeasurable`` unless times are in seconds."""
        time = self.replayed.trace.time
        if time != "seconds":
            raise NotMeasurable(f"its times are {time}: they order events but give no durations")

    def need_tokens(self) -> None:
        """Raise ``NotMeasurable`` unless some event records its tokens."""
        if not any(spent is not None for spent in self.recorded):
            raise NotMeasurable("no event records its tokens")

    def need_delegations(self) -> list[Delegation]:
        """Return all delegated work; raise ``NotMeasurable`` if there is none."""
        if not self.delegations:
            raise NotMeasurable("no work was delegated")
        return self.delegations

    def need_roles(self) -> Mapping[str, str]:
        """Return the role of each agent that has one; raise ``NotMeasurable`` if none has."""
        if not self.roles:
            raise NotMeasurable("no agent has a role")
        return self.roles
