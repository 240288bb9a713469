"""What a team is like at one moment of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class State:
    """The team after an event."""

    after: str
    """The id of that event."""
    t: float
    alive: Mapping[str, str]
    """Agents, each with the id of the event that spawned it; "" for those there from the start."""
    tasks: Mapping[str, str]
    """Agents with work to return, each with the id of the event that gave it to them."""
    calls: Mapping[str, str]
    """Tool calls without a result yet, each with the agent that made it."""
    in_flight: Mapping[str, str]
    """Messages that have not arrived, each with its receiver."""
    spent: Mapping[str, float]
    """Tokens, usd, tool_calls, messages and model_calls so far."""
    stopped: str
    """The id of the event that stopped the run; "" while it runs."""

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {name: dict(value) if isinstance(value, dict) else value for name, value in vars(self).items()}
