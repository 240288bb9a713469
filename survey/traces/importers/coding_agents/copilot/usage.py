"""Tokens of a session: those of one call of a model, and the totals that the program writes when it ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from survey.traces.importers.json_values import Fields, mapping, number, tokens
from survey.traces.model import LARGEST

TOTALS = ("totalPremiumRequests", "totalApiDurationMs", "totalNanoAiu")
KINDS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")


def turn_tokens(usage: Fields) -> dict[str, float] | None:
    """Return the tokens of a call by kind; its input includes what was read from a cache or written to it."""
    return tokens(
        input=_fresh(usage.get("inputTokens"), usage.get("cacheReadTokens"), usage.get("cacheWriteTokens")),
        output=usage.get("outputTokens"),
        cache_read=usage.get("cacheReadTokens"),
        cache_write=usage.get("cacheWriteTokens"),
        reasoning=usage.get("reasoningTokens"),
    )


def compaction_tokens(used: Fields) -> dict[str, float] | None:
    """Return the tokens of a compaction, whose kinds have other names in older versions."""
    names = {"inputTokens": "input", "outputTokens": "output", "cacheReadTokens": "cachedInput"}
    return turn_tokens({**used, **{new: used[old] for new, old in names.items() if old in used and new not in used}})


def totals(shutdowns: Iterable[Fields]) -> dict[str, float]:
    """Return the totals of a session: each time that it is left, the program writes those since it was entered."""
    found: dict[str, float] = defaultdict(float)
    for data in shutdowns:
        for name in TOTALS:
            found[name] += number(data.get(name)) or 0.0
        for metric in map(mapping, mapping(data.get("modelMetrics")).values()):
            found["requests"] += number(mapping(metric.get("requests")).get("count")) or 0.0
            for name in KINDS:
                found[name] += number(mapping(metric.get("usage")).get(name)) or 0.0
    return {name: value for name, value in sorted(found.items()) if 0 < value < LARGEST}


def _fresh(prompt: object, read: object, write: object) -> float | None:
    """Return the input that is in no cache; what exceeds the rest of the input was never part of it."""
    left = number(prompt)
    for cached in (number(read), number(write)):
        if left is not None and cached is not None and 0 < cached <= left:
            left -= cached
    return left
