"""The state of a team at one moment of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class State:
    """The state of the team after an event."""

    after: str
    """The id of that event."""
    t: float
    alive: Mapping[str, str]
    """Live agents, each with the id of the event that spawned it; "" for those present from the start."""
    tasks: Mapping[str, str]
    """Agents with open work, each with the id of the event that assigned it."""
    calls: Mapping[str, str]
    """Tool calls without a result yet, each with the agent that made it."""
    in_flight: Mapping[str, str]
    """Messages not yet delivered, each with its receiver."""
    spent: Mapping[str, float]
    """Tokens, usd, tool_calls, messages and model_calls so far."""
    stopped: str
    """The id of the event that stopped the run; "" while it is running."""

    def to_json(self) -> dict[str, Any]:
        """Return the state as a JSON object."""
        return {name: dict(value) if isinstance(value, dict) else value for name, value in vars(self).items()}
