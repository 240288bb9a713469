"""The tokens of a run by agent and model, each sum with its price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from survey.traces.metrics.prices.table import KINDS, Prices
from survey.traces.model import Event, Tokens


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of one agent to one model at the same prices."""

    agent: str
    model: str | None
    tokens: Mapping[str, float]
    cost: float | None
    """Dollars at list prices; None if the model has no known price."""


@dataclass(frozen=True, slots=True)
class Spending:
    """All tokens that events record."""

    calls: Sequence[Calls]
    unspecified: float
    """Tokens of events that state no kinds."""


def spending(
    events: Sequence[Event],
    actors: Sequence[str],
    recorded: Sequence[float | Tokens | None],
    agents: Mapping[str, Mapping[str, Any]],
    prices: Prices,
) -> Spending:
    """Add up the tokens of events by actor, model and price; the model of a call is its own or that of its agent."""
    models = {id: about.get("model") for id, about in agents.items()}
    limits = {price.limit for price in prices.models.values() if price.long is not None}
    least = min(limits, default=float("inf"))
    sums: dict[tuple[str, str | None, float], list[float]] = {}
    unspecified = 0.0
    for place in compress(range(len(recorded)), recorded):
        spent = recorded[place]
        if spent is None:
            continue
        if not isinstance(spent, Tokens):
            unspecified += spent
            continue
        event, actor = events[place], actors[place]
        new, read, written, out = spent.input or 0, spent.cache_read or 0, spent.cache_write or 0, spent.output or 0
        prompt = new + read + written
        if not prompt + out:
            continue
        # calls below every limit share their prices; the others are few, and kept apart by their prompts
        key = actor, event.model or models.get(actor), prompt if prompt > least else 0
        total = sums.get(key)
        if total is None:
            sums[key] = [new, read, written, out]
        else:
            total[0] += new
            total[1] += read
            total[2] += written
            total[3] += out
    calls = []
    for (agent, model, prompt), total in sums.items():
        price = prices.of(model) if model else None
        tokens = dict(zip(KINDS, total, strict=True))
        calls.append(Calls(agent, model, tokens, price.rates(prompt).cost(tokens) if price else None))
    return Spending(calls, unspecified)
