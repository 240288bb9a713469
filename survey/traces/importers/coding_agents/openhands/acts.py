"""What happened in a conversation, in the words that both generations of the format share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.json_values import mapping, number

ROOT = "main"


@dataclass
class Start:
    """An agent that a call starts, or asks again."""

    agent: str
    role: str | None = None
    task: str | None = None
    asks: bool = True
    """Whether it is given a task; an agent can be created before."""


@dataclass
class Act:
    """A prompt, message, call, answer, return, compaction or pause."""

    kind: str
    agent: str
    t: float | None
    message: str | None = None
    id: str | None = None
    """The call, by which an answer names it."""
    tool: str | None = None
    response: str | None = None
    """The response of the model that holds the call or message; several calls may share one."""
    spent: dict[str, float] | None = None
    cost: float | None = None
    took: float | None = None
    """How long the model took, if the log says so."""
    model: str | None = None
    status: str | None = None
    starts: list[Start] = field(default_factory=list)


class Totals:
    """Running totals of tokens and money, from which single acts follow."""

    def __init__(self) -> None:
        self.tokens: dict[str, float] = {}
        self.cost = 0.0

    def since(self, metrics: object) -> tuple[dict[str, float] | None, float | None]:
        """Return what was spent since the totals before; None if the totals did not grow."""
        found = mapping(metrics)
        now, cost = (
            usage.of_metrics(mapping(found.get("accumulated_token_usage"))) or {},
            number(found.get("accumulated_cost")),
        )
        more = {kind: max(0.0, count - self.tokens.get(kind, 0)) for kind, count in now.items()}
        dearer = max(0.0, cost - self.cost) if cost is not None else None
        self.tokens |= now
        self.cost = self.cost if cost is None else cost
        return (more if any(more.values()) else None), dearer or None

    @property
    def sum(self) -> float:
        """All tokens so far; those of reasoning are part of the output."""
        return sum(count for kind, count in self.tokens.items() if kind != "reasoning")


def words(value: object) -> str | None:
    """Return a text, or the text parts of a list."""
    if isinstance(value, str):
        return value or None
    parts = [mapping(part).get("text") for part in value] if isinstance(value, list) else []
    return "\n".join(part for part in parts if isinstance(part, str) and part) or None


def latencies(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return how long each response took, by its id."""
    found: dict[str, float] = {}
    for item in metrics.get("response_latencies") or () if isinstance(metrics.get("response_latencies"), list) else ():
        id, took = mapping(item).get("response_id"), usage.money(mapping(item).get("latency"))
        if isinstance(id, str) and id and took is not None:
            found[id] = took
    return found
