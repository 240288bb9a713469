"""An event of a sample, a span of events, and both of them together: the transcript."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from survey.traces.importers.json_values import Fields, items, mapping, text

ROOT = "main"
SCORERS = frozenset({"scorer", "scorers"})


@dataclass(eq=False, slots=True)
class Span:
    """A span of the sample, with what is inferred about it."""

    id: str
    type: str
    name: str
    parent: str | None
    place: int
    begin: float | None = None
    end: float | None = None
    ended: bool = False
    end_place: int = -1
    depth: int = 0
    asked: bool = False
    """Whether it contains a model call that is not inside a nested agent."""
    agents_inside: bool = False
    is_agent: bool = False
    owner: str = ROOT
    """The instance that acts in the span."""
    scoring: bool = False
    replay_until: int = -1
    """The position up to which a branch repeats its parent."""
    call: Item | None = None
    """The tool call that represents the agent."""
    within: Item | None = None
    """The tool call that ran several agents, including this one."""


@dataclass(eq=False, slots=True)
class Item:
    """An event other than the start or end of a span, with its position in the log."""

    place: int
    kind: str
    fields: Fields
    span: str | None
    t: float | None
    opened: str | None = None
    """The span of a tool call, if the log names it."""
    end: float | None = None
    child: Span | None = None
    """The agent that a tool call represents."""
    derived: bool = False
    """Whether that was inferred from the nesting."""
    turn: Item | None = None
    """The model call that requested a tool call."""
    spawns: bool = False
    approvals: list[Item] = field(default_factory=list)


@dataclass
class Transcript:
    """The events of a sample, in log order."""

    items: list[Item] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    """Losses, by description."""
    time: str = "seconds"

    def owner(self, item: Item) -> str:
        """Return the instance that acted."""
        span = self.spans.get(item.span or "")
        return span.owner if span else ROOT

    def is_scoring(self, item: Item) -> bool:
        """Return whether the event belongs to the scoring after the work."""
        span = self.spans.get(item.span or "")
        return span.scoring if span else False

    def agents(self) -> Iterator[Span]:
        """Yield the spans of the spawned agents."""
        return (span for span in self.spans.values() if span.is_agent and span.owner != ROOT and not span.scoring)

    def above(self, span: Span) -> Span | None:
        """Return the parent of a span."""
        return self.spans.get(span.parent or "")

    def spawner(self, span: Span) -> str:
        """Return the instance that spawned the agent of a span."""
        above = self.above(span)
        return above.owner if above else ROOT


def tool_calls(item: Item) -> list[str]:
    """Return the ids of the tool calls that a model requested."""
    calls = items(message(item).get("tool_calls"))
    return [id for call in calls if (id := text(mapping(call).get("id")))]


def message(item: Item) -> Fields:
    """Return the message of a model."""
    choices = items(mapping(item.fields.get("output")).get("choices"))
    return mapping(mapping(choices[0] if choices else None).get("message"))


def called(item: Item) -> str:
    """Return the id of the tool call that an approval concerns."""
    return text(mapping(item.fields.get("call")).get("id")) or ""


def names_agent(item: Item) -> bool:
    """Return whether a tool call names an agent that it spawned, with or without events."""
    return bool(text(item.fields.get("agent_span_id")) or text(item.fields.get("agent")))
